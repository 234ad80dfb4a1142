package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// runTables returns what leadline tables prints.
func runTables(t testing.TB, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(append([]string{"tables"}, args...), strings.NewReader(""), &stdout, &stderr); status != statusOK {
		t.Fatalf("leadline tables %v: status %d\n%s", args, status, stderr.String())
	}
	return stdout.String()
}

// TestTablesGolden holds the tables of the bundled corpora against what they
// were: "Distinct schedules in all" changes with every single schedule. Without -full,
// only rows of two classes are computed.
func TestTablesGolden(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	if !*full && !*update {
		for _, class := range []string{"ConcurrentLinkedDeque", "LinkedBlockingQueue"} {
			compareClass(t, class)
		}
		return
	}
	const name = "testdata/tables.txt"
	got := runTables(t)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("leadline tables prints\n%s\ninstead of %s", got, name)
	}
}

// compareClass looks for the rows of a class of the bundled histories in the tables of
// all of them, where columns may be wider.
func compareClass(t *testing.T, class string) {
	t.Helper()
	golden, err := os.ReadFile("testdata/tables.txt")
	if err != nil {
		t.Fatal(err)
	}
	rowsOf := func(tables string) (rows []string) {
		for line := range strings.Lines(tables) {
			if strings.HasPrefix(line, "| "+class+" ") {
				rows = append(rows, strings.Join(strings.Fields(line), " "))
			}
		}
		return rows
	}
	got := rowsOf(runTables(t, root+"/benchdata/corpora/juc/"+class+".jsonl.zst"))
	if want := rowsOf(string(golden)); len(got) < 6 || !slices.Equal(got, want) {
		t.Errorf("rows of %s:\n%s\nin testdata/tables.txt:\n%s", class, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestTablesSameBytes: any number of jobs, files instead of the bundle.
func TestTablesSameBytes(t *testing.T) {
	dir := root + "/benchdata/corpora/juc-labelled"
	var stderr bytes.Buffer
	one := func(jobs string) string {
		var stdout bytes.Buffer
		run([]string{"tables", "--jobs", jobs, dir}, strings.NewReader(""), &stdout, &stderr)
		return stdout.String()
	}
	if a, b := one("1"), one("7"); a != b || !strings.Contains(a, "| PriorityBlockingQueue |") {
		t.Errorf("1 job prints\n%s\n7 jobs\n%s", a, b)
	}
	if stderr.Len() > 0 {
		t.Errorf("a remark, as on labels.jsonl: %s", &stderr)
	}
}

// BenchmarkTables is leadline tables with everything on the bundled corpus.
func BenchmarkTables(b *testing.B) {
	for b.Loop() {
		runTables(b, "--no-paper")
	}
}

func TestArchiveOf(t *testing.T) {
	for _, c := range []struct{ args, file, want string }{
		{"logs", "logs/a/b.edn", "logs"},
		{"logs/", "logs/b.edn", "logs"},
		{"logs/b.edn", "logs/b.edn", "logs"},
		{"b.edn", "b.edn", "."},
		{".", "a/b.edn", "."},
		{". ../x", "../x/b.edn", "../x"},
		{"/", "/a/b.edn", "/"},
		{"log logs", "logs/b.edn", "logs"},
		{"logs/a logs", "logs/a/b.edn", "logs/a"},
		{". -", "-", "-"},
		{"", "juc/X.jsonl.zst", "juc"},
	} {
		if got := archiveOf(strings.Fields(c.args), c.file); got != c.want {
			t.Errorf("%s of %q is in %s, want %s", c.file, c.args, got, c.want)
		}
	}
}
