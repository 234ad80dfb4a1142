// Command proxy writes a module proxy, in the layout that GOPROXY=file:///DIR expects, of
// the modules in a checkout that users install: leadline and the cluster's command.
//
//	proxy CHECKOUT DIR VERSION
//
// Both have that version, as if the checkout had been tagged.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const root = "github.com/leadline/leadline"

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: proxy CHECKOUT DIR VERSION")
		os.Exit(2)
	}
	for _, path := range []string{root, root + "/cmd/leadline-cluster"} {
		dir := filepath.Join(os.Args[1], strings.TrimPrefix(path, root))
		if err := publish(dir, os.Args[2], module.Version{Path: path, Version: os.Args[3]}); err != nil {
			fmt.Fprintf(os.Stderr, "proxy: %s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

// publish adds the module in dir to the proxy, without modules nested in it.
func publish(dir, proxy string, m module.Version) error {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	to := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"list":              []byte(m.Version + "\n"),
		m.Version + ".info": fmt.Appendf(nil, `{"Version":%q,"Time":"2000-01-01T00:00:00Z"}`, m.Version),
		m.Version + ".mod":  text,
	} {
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			return err
		}
	}
	out, err := os.Create(filepath.Join(to, m.Version+".zip"))
	if err != nil {
		return err
	}
	return errors.Join(zip.CreateFromDir(out, m, dir), out.Close())
}
