// Upstream runs the tests of libraries on instrumented copies of them, outside of a
// scheduler, where these copies do what the originals do. So it tests package
// history/stress/instrument:
//
//	go run ./upstream              # in benchdata/subjects
//	go run ./upstream -only xsync -plain
//
// It prints a line for each library: how many tests pass without and with
// instrumentation, and those that differ. The exit status is 1 if a test passes
// five times without and fails five times with instrumentation. Tests that need modules that cannot be
// downloaded are left out, which the line reports.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/stress/instrument"
)

// libraries are packages of the modules in go.mod that synchronise.
var libraries = []string{
	"github.com/alphadose/haxmap",
	"github.com/cornelk/hashmap",
	"github.com/orcaman/concurrent-map/v2",
	"github.com/puzpuzpuz/xsync/v4",
	"github.com/Workiva/go-datastructures/queue",
	"github.com/bytedance/gopkg/collection/skipmap",
	"github.com/bytedance/gopkg/collection/skipset",
	"github.com/zhangyunhao116/skipmap",
	"github.com/golang-design/lockfree",
	"github.com/enriquebris/goconcurrentqueue",
	"github.com/deckarep/golang-set/v2",
	"github.com/jellydator/ttlcache/v3",
	"github.com/hashicorp/golang-lru/v2",
	"github.com/hashicorp/golang-lru/v2/expirable",
	"github.com/patrickmn/go-cache",
	"github.com/maypok86/otter/v2",
	"github.com/allegro/bigcache/v3",
	"github.com/coocood/freecache",
	"github.com/dgraph-io/ristretto/v2",
	"github.com/sony/gobreaker/v2",
	"github.com/juju/ratelimit",
	"github.com/cenkalti/backoff/v4",
	"go.uber.org/atomic",
	"golang.org/x/time/rate",
}

// expected are tests that fail with instrumentation for a reason.
var expected = map[string]string{
	"TestMap_BucketStructSize": "stand-ins of package sync are larger", // xsync
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("upstream", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("only", "", "a regular `expression` of libraries")
	plain := flags.Bool("plain", false, "instrument plain loads and stores, too")
	timeout := flags.Duration("timeout", 0, "for the tests of each library (0: two minutes)")
	if flags.Parse(args) != nil || flags.NArg() > 0 {
		return 2
	}
	wanted, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	u := upstream{plain: *plain, timeout: "2m"}
	if *timeout > 0 {
		u.timeout = timeout.String()
	}
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt)
	defer restore()
	status := 0
	for _, library := range libraries {
		if !wanted.MatchString(library) {
			continue
		}
		line, ok := u.compare(ctx, library)
		fmt.Fprintf(stdout, "%-48s %s\n", library, line)
		if !ok {
			status = 1
		}
		if ctx.Err() != nil {
			return 2
		}
	}
	return status
}

type upstream struct {
	plain   bool
	timeout string
}

// compare runs the tests of a library without and with instrumentation.
func (u *upstream) compare(ctx context.Context, library string) (line string, ok bool) {
	dir, err := os.MkdirTemp("", "leadline-upstream-")
	if err != nil {
		return err.Error(), false
	}
	defer os.RemoveAll(dir)
	if err := module(ctx, dir, library); err != nil {
		return "left out: " + firstLine(err), true
	}
	without, err := u.test(ctx, dir, library, &instrument.Result{})
	if err != nil {
		return "left out: its tests do not compile: " + firstLine(err), true
	}
	copies, err := instrument.Build(ctx, instrument.Options{Dir: dir, Packages: []string{library}, Plain: u.plain, Tests: true})
	if err != nil {
		return "refused: " + firstLine(err), false
	}
	with, err := u.test(ctx, dir, library, copies)
	if err != nil {
		return "does not compile: " + err.Error(), false
	}
	// Tests that depend on time fail sometimes, without instrumentation, too.
	for range 4 {
		again := worse(without, with)
		if len(again) == 0 {
			break
		}
		o, err := u.test(ctx, dir, library, copies, again...)
		if err != nil {
			return err.Error(), false
		}
		maps.Copy(with.results, o.results)
		with.end = o.end
		if o, err = u.test(ctx, dir, library, &instrument.Result{}, again...); err != nil {
			return err.Error(), false
		}
		maps.Copy(without.results, o.results)
	}
	line = fmt.Sprintf("%d tests pass without, %d with instrumentation", without.passed(), with.passed())
	fails := worse(without, with)
	if len(fails) > 0 {
		line += "; fail with it: " + strings.Join(fails, ", ")
		if with.end != "" {
			line += " (" + with.end + ")"
		}
	}
	if better := worse(with, without); len(better) > 0 {
		line += "; fail without it: " + strings.Join(better, ", ")
	}
	for name, reason := range expected {
		if without.results[name] == "PASS" && with.results[name] != "PASS" {
			line += "; " + name + " fails with it: " + reason
		}
	}
	return line, len(fails) == 0
}

// worse returns the tests that pass in a and not in b, but for expected ones.
func worse(a, b *outcome) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(a.results)) {
		if a.results[name] == "PASS" && b.results[name] != "PASS" && expected[name] == "" {
			names = append(names, name)
		}
	}
	return names
}

// module writes a module that requires a library, in the version of go.mod, with
// what its tests need.
func module(ctx context.Context, dir, library string) error {
	out, err := goTool(ctx, ".", nil, "list", "-f", "{{with .Module}}{{.Path}}@{{.Version}}{{end}}", library)
	if err != nil {
		return err
	}
	path, version, _ := strings.Cut(strings.TrimSpace(string(out)), "@")
	top, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	text := fmt.Sprintf("module upstream\n\ngo 1.26.0\n\nrequire github.com/leadline/leadline v0.0.0\n\nrequire %s %s\n\nreplace github.com/leadline/leadline => %s\n", path, version, top)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644); err != nil {
		return err
	}
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644); err != nil {
		return err
	}
	// The file makes the Go tool keep the requirements.
	text = fmt.Sprintf("package upstream\n\nimport (\n\t_ %q\n\t_ \"github.com/leadline/leadline/history/stress/schedule\"\n)\n", library)
	if err := os.WriteFile(filepath.Join(dir, "upstream.go"), []byte(text), 0o644); err != nil {
		return err
	}
	_, err = goTool(ctx, dir, nil, "get", "-t", library+"@"+version)
	return err
}

func goTool(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("go %s: %s", args[0], bytes.TrimSpace(append(exit.Stderr, out...)))
	}
	return out, err
}

// An outcome is what the tests of a package printed.
type outcome struct {
	results map[string]string // PASS, FAIL or SKIP by the name of a test
	end     string            // how a run ended that is not over all tests
}

func (o *outcome) passed() int {
	n := 0
	for _, result := range o.results {
		if result == "PASS" {
			n++
		}
	}
	return n
}

var result = regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): (\S+)`)

// test compiles the tests of a package and runs them, or some of them, in its
// directory.
func (u *upstream) test(ctx context.Context, dir, library string, copies *instrument.Result, names ...string) (*outcome, error) {
	flags, err := copies.WithOverlay(filepath.Join(dir, "overlay.json"), nil)
	if err != nil {
		return nil, err
	}
	binary := filepath.Join(dir, "library.test")
	if _, err := goTool(ctx, dir, copies.Env, slices.Concat([]string{"test", "-c", "-vet=off", "-o", binary}, flags, []string{library})...); err != nil {
		return nil, err
	}
	where, err := goTool(ctx, dir, copies.Env, slices.Concat([]string{"list", "-f", "{{.Dir}}"}, flags, []string{library})...)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, binary, "-test.v", "-test.short", "-test.timeout="+u.timeout)
	if len(names) > 0 {
		cmd.Args = append(cmd.Args, "-test.run=^("+strings.Join(names, "|")+")$")
	}
	cmd.Dir = strings.TrimSpace(string(where))
	out, err := cmd.CombinedOutput()
	o := &outcome{results: map[string]string{}}
	for _, m := range result.FindAllSubmatch(out, -1) {
		o.results[string(m[2])] = string(m[1])
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	if m := regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*)(\n\s+running tests:\n.*)?`).Find(out); m != nil {
		o.end = strings.Join(strings.Fields(string(m)), " ")
	}
	return o, nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
