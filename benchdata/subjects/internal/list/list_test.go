package list

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	file := t.TempDir() + "/objects.txt"
	for text, want := range map[string]string{
		"# a\n\n--name a --new b.New --core A,B --values 3": "",
		"--name a":                               ":1: --name or --new is missing",
		"--name a --new b.New\n--name":           ":2: --name has no value",
		"--name a --new b.New --time 3":          ":1: unknown flag --time",
		`--name a --new b.New("x")`:              ":1: ",
		"\n\n--name a --new b.New --values many": ":3: --values: ",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		all, err := Read(file)
		if want == "" && (err != nil || len(all) != 1 || all[0].Values != 3 || len(all[0].Reflect.Core) != 2) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, %v, expected %q", text, all, err, want)
		}
	}
}

// Every object is in the file of constructors, which gofmt accepts.
func TestSource(t *testing.T) {
	all, err := Read("../../subjects.txt")
	if err != nil {
		t.Fatal(err)
	}
	text, err := Source("main", "", all)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if !bytes.Contains(text, []byte("\""+o.Name+"\":")) {
			t.Errorf("%s is missing", o.Name)
		}
	}
}
