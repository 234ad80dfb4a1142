package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what the commands print into doc.go and the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"leadline": func() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: *update})
}

// TestManual runs every example of doc.go ("$ leadline ..."), at the root of
// the module, and compares what follows it with what it prints.
func TestManual(t *testing.T) {
	manual, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	lines := strings.Split(string(manual), "\n")
	var rewritten []string
	examples := 0
	for i := 0; i < len(lines); i++ {
		rewritten = append(rewritten, lines[i])
		example, ok := strings.CutPrefix(lines[i], "//\t$ leadline ")
		if !ok {
			continue
		}
		examples++
		var want []string
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "//\t") {
			i++
			want = append(want, strings.TrimPrefix(lines[i], "//\t"))
		}
		var stdout, stderr bytes.Buffer
		run(strings.Fields(example), strings.NewReader(""), &stdout, &stderr)
		got := strings.Split(strings.TrimRight(stderr.String()+stdout.String(), "\n"), "\n")
		for _, line := range got {
			rewritten = append(rewritten, "//\t"+line)
		}
		if text := strings.Join(got, "\n"); text != strings.Join(want, "\n") && !*update {
			t.Errorf("leadline %s prints\n%s\nthe manual says\n%s", example, text, strings.Join(want, "\n"))
		}
	}
	if examples < 5 {
		t.Errorf("the manual has only %d examples", examples)
	}
	if *update {
		if err := os.WriteFile("cmd/leadline/doc.go", []byte(strings.Join(rewritten, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWorse(t *testing.T) {
	order := []int{statusOK, statusUnknown, statusNot, statusBad, statusInternal}
	for i, a := range order {
		for j, b := range order {
			if got := worse(a, b); got != order[max(i, j)] {
				t.Errorf("worse(%d, %d) = %d", a, b, got)
			}
		}
	}
}

func TestSizeFlag(t *testing.T) {
	for text, want := range map[string]size{"4096": 4096, "512MiB": 512 << 20, "2GB": 2e9, "1 KiB": 1 << 10, "7B": 7} {
		var z size
		if err := z.Set(text); err != nil || z != want {
			t.Errorf("%q is %d, %v; want %d", text, z, err, want)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1.5GB", "9999999999GiB", "12 parsecs"} {
		if err := new(size).Set(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
