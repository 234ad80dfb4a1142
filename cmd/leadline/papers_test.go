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

// A paperRow is a row of benchdata/tables/PAPERS.md: the command, what it prints, and "run" or
// "stored data".
type paperRow struct {
	what, command, how string
	prints             []string
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
		if len(cells) < 8 || !strings.Contains(cells[2], "`") {
			continue
		}
		for i := range cells {
			cells[i] = strings.ReplaceAll(cells[i], "\x00", "|")
		}
		row := paperRow{what: strings.TrimSpace(cells[1]), command: inCode.FindStringSubmatch(cells[2])[1], how: strings.TrimSpace(cells[6])}
		for _, code := range inCode.FindAllStringSubmatch(cells[4], -1) {
			row.prints = append(row.prints, code[1])
		}
		rows = append(rows, row)
	}
	return rows
}

// TestPapers runs the commands of PAPERS.md, a subtest for each row. Of the go commands, it
// looks up the tests and benchmarks, and with -full runs the tests.
func TestPapers(t *testing.T) {
	t.Chdir(root)
	rows := paperRows(t)
	if len(rows) < 40 {
		t.Errorf("the page has %d commands", len(rows))
	}
	done := map[string]string{} // command -> what it printed
	for _, row := range rows {
		t.Run(row.what, func(t *testing.T) {
			if row.how != "run" && row.how != "stored data" {
				t.Errorf("the last column has %q, neither run nor stored data", row.how)
			}
			if strings.HasPrefix(row.command, "go test ") {
				if _, known := done[row.command]; !known {
					done[row.command] = ""
					checkGoTest(t, row.command)
				}
				return
			}
			arguments, isLeadline := strings.CutPrefix(row.command, "leadline ")
			if !isLeadline {
				t.Fatalf("no test runs %q", row.command)
			}
			if len(row.prints) == 0 {
				t.Error("the row shows nothing of what the command prints")
			}
			if done[row.command] == "" {
				var stdout, stderr bytes.Buffer
				if status := run(words(arguments), strings.NewReader(""), &stdout, &stderr); status > statusNot {
					t.Errorf("%s: status %d, %s", row.command, status, &stderr)
				}
				done[row.command] = strings.Join(strings.Fields(stdout.String()), " ")
			}
			for _, part := range row.prints {
				if !strings.Contains(done[row.command], part) {
					t.Errorf("%s does not print %q but\n%s", row.command, part, done[row.command])
				}
			}
		})
	}
}

// checkGoTest checks that the tests or benchmarks of a command exist in the module in which
// it runs. With -full, it runs the command as it is; one that skips all its tests fails.
func checkGoTest(t *testing.T, command string) {
	t.Helper()
	set := flag.NewFlagSet("go test", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	tests, benchmarks, in := set.String("run", "", ""), set.String("bench", "", ""), set.String("C", ".", "")
	_ = set.Bool("full", false, "")
	err := set.Parse(words(command)[2:])
	dir := filepath.Join(*in, set.Arg(0))
	if err == nil && set.NArg() > 0 {
		err = set.Parse(set.Args()[1:])
	}
	if err != nil || set.NArg() > 0 || *tests == "" == (*benchmarks == "") {
		t.Errorf("%q does not name a directory and tests: %v", command, err)
		return
	}
	if err := hasFunctions(dir, *tests, *benchmarks); err != "" {
		t.Errorf("%s: %s", command, err)
		return
	}
	if module := moduleOf(dir); module != *in {
		t.Errorf("%s: %s belongs to the module in %s, and the command runs in that in %s", command, dir, module, *in)
		return
	}
	if !*full || *benchmarks != "" {
		return
	}
	out, err := exec.Command("go", append(words(command)[1:], "-v")...).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("\n--- PASS: ")) {
		t.Errorf("%s: %v, or no test passed\n%s", command, err, out)
	}
}

// moduleOf returns the directory of the go.mod file of the module to which a directory belongs.
func moduleOf(dir string) string {
	for dir != "." {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
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
