package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A paperRow is a row of benchdata/tables/PAPERS.md: the command, and what it prints.
type paperRow struct {
	what, command string
	prints        []string
}

var inCode = regexp.MustCompile("`([^`]+)`")

// paperRows returns the rows of the page, read at the root of the repository: their second cell has the command, and their fourth
// cell has parts of its output in backticks.
func paperRows(t *testing.T) (rows []paperRow) {
	t.Helper()
	text, err := os.ReadFile("benchdata/tables/PAPERS.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		if len(cells) < 6 || !strings.Contains(cells[2], "`") {
			continue
		}
		for i := range cells {
			cells[i] = strings.ReplaceAll(cells[i], "\x00", "|")
		}
		row := paperRow{what: strings.TrimSpace(cells[1]), command: inCode.FindStringSubmatch(cells[2])[1]}
		for _, code := range inCode.FindAllStringSubmatch(cells[4], -1) {
			row.prints = append(row.prints, code[1])
		}
		rows = append(rows, row)
	}
	return rows
}

// TestPapers runs the commands of PAPERS.md. Of the go commands, it looks up the tests and
// benchmarks, and with -full runs the tests.
func TestPapers(t *testing.T) {
	t.Chdir(root)
	rows := paperRows(t)
	if len(rows) < 40 {
		t.Errorf("the page has %d commands", len(rows))
	}
	printed := map[string]string{}
	for _, row := range rows {
		if strings.HasPrefix(row.command, "go test ") {
			checkGoTest(t, row)
			continue
		}
		arguments, isLeadline := strings.CutPrefix(row.command, "leadline ")
		if !isLeadline {
			t.Errorf("%s: no test runs %q", row.what, row.command)
			continue
		}
		if len(row.prints) == 0 {
			t.Errorf("%s: the row shows nothing of what the command prints", row.what)
		}
		if printed[row.command] == "" {
			var stdout, stderr bytes.Buffer
			if status := run(words(arguments), strings.NewReader(""), &stdout, &stderr); status > statusNot {
				t.Errorf("%s: status %d, %s", row.command, status, &stderr)
			}
			printed[row.command] = strings.Join(strings.Fields(stdout.String()), " ")
		}
		for _, part := range row.prints {
			if !strings.Contains(printed[row.command], part) {
				t.Errorf("%s: %s does not print %q but\n%s", row.what, row.command, part, printed[row.command])
			}
		}
	}
}

// checkGoTest checks that the tests or benchmarks of a command exist. With -full, it runs the
// tests.
func checkGoTest(t *testing.T, row paperRow) {
	t.Helper()
	arguments := words(row.command)[2:]
	set := flag.NewFlagSet("go test", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	tests, benchmarks := set.String("run", "", ""), set.String("bench", "", "")
	_ = set.Bool("full", false, "")
	dir := arguments[0]
	if err := set.Parse(arguments[1:]); err != nil || set.NArg() > 0 || *tests == "" == (*benchmarks == "") {
		t.Errorf("%s: %q does not name a directory and tests: %v", row.what, row.command, err)
		return
	}
	if err := hasFunctions(dir, *tests, *benchmarks); err != "" {
		t.Errorf("%s: %s: %s", row.what, row.command, err)
		return
	}
	if !*full || *benchmarks != "" {
		return
	}
	c := exec.Command("go", words(row.command)[1:]...)
	if inModule, ok := strings.CutPrefix(dir, "./benchdata/bench/"); ok {
		c.Dir, c.Args[2] = "benchdata/bench", "./"+inModule
	}
	if out, err := c.CombinedOutput(); err != nil || bytes.Contains(out, []byte("no tests to run")) {
		t.Errorf("%s: %s: %v\n%s", row.what, row.command, err, out)
	}
}

// hasFunctions returns what is wrong if a directory has no test whose name begins with tests,
// or no benchmark whose name begins with benchmarks.
func hasFunctions(dir, tests, benchmarks string) string {
	name := "func Test" + strings.TrimPrefix(tests, "Test")
	if benchmarks != "" {
		name = "func Benchmark" + strings.TrimPrefix(benchmarks, "Benchmark")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		return "no tests in " + dir
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && bytes.Contains(text, []byte("\n"+name)) {
			return ""
		}
	}
	return "no " + name + " in " + dir
}
