package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHashSources: another program, and changed files of the module, give another hash.
func TestHashSources(t *testing.T) {
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	t.Chdir(dir)
	seen := map[string]string{}
	for _, change := range []struct{ file, text string }{
		{"leadline", "one"}, {"leadline", "two"}, {"go.mod", "module example.com/m\n"}, {"a.go", "package m\n"},
		{"a.go", "package m // changed\n"}, {"b/b.go", "package b\n"},
	} {
		name := filepath.Join(dir, change.file)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(change.text), 0o777); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			sum, err := hashSources(context.Background(), filepath.Join(dir, "leadline"))
			if err != nil {
				t.Fatal(err)
			}
			if at := change.file + change.text; seen[sum] != "" && seen[sum] != at {
				t.Errorf("%s and %s have one hash", seen[sum], at)
			} else {
				seen[sum] = at
			}
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d hashes of 6 states", len(seen))
	}
}

// TestHostileTask: a worker runs no task whose arguments read or write files, whoever
// published it.
func TestHostileTask(t *testing.T) {
	q, _ := testQueue(t)
	w := newWorker(q, 1, "/none/leadline", io.Discard)
	for _, args := range [][]string{{"--save=/"}, {"--save", "/"}, {"--histories", "x"}, {"--from=x"}, {"--replay=x"}, {"--declared=x"},
		{"--subject", "queue", "-o=text"}, {"-otext"}, {"--child=queue"}, {"--seed=3"}} {
		one := &task{Stress: args, Seed: "1"}
		if err := w.do(t.Context(), one.key(), one.encode(), 1, 4); err != nil {
			t.Errorf("%q: %v", args, err)
			continue
		}
		r, err := q.result(t.Context(), one.key())
		if err != nil || r == nil || !strings.Contains(string(r.lines), "cannot be used in a cluster") {
			t.Errorf("%q: %v, %v", args, r, err)
		}
	}
}

// TestMappingOfTask: a worker opens no file that a task names.
func TestMappingOfTask(t *testing.T) {
	q, _ := testQueue(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("a secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	one := &task{Settings: settings{Map: "@" + secret}, Files: []file{{data: []byte(history("a", 1, false))}}}
	if err := newWorker(q, 1, "", io.Discard).do(t.Context(), one.key(), one.encode(), 1, 4); err != nil {
		t.Fatal(err)
	}
	r, err := q.result(t.Context(), one.key())
	if err != nil || r == nil || strings.Contains(string(r.lines), "a secret") || !strings.Contains(string(r.lines), "is not NAME=EXPRESSION") {
		t.Errorf("%s, %v", r.lines, err)
	}
}
