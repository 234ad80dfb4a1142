package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/history/stress"
)

// Packages with a type each, for tests.
const (
	brokenPackage  = module + "cmd/leadline/testdata/safety/broken"
	correctPackage = module + "cmd/leadline/testdata/safety/correct"
)

// A type that is not safe has a row in the table, stacks, and a Go test that fails; one
// that is safe has a row.
func TestStressSafety(t *testing.T) {
	needsTwo(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs")
	}
	dir := t.TempDir()
	declared, found := filepath.Join(dir, "declared"), filepath.Join(dir, "found")
	if err := os.WriteFile(declared, []byte("broken.Table no\nbroken.Tabel yes\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	type test struct {
		args   string
		status int
		out    []string
	}
	tests := []test{
		{"--package " + brokenPackage + " --declared " + declared + " --time 5m", statusNot, []string{
			`^broken.Table is not safe for concurrent use: (fatal error: concurrent map|panic: )`,
			`^  .*\{ .*Put\(.*\} \|\| \{ .*Put\(`,
			`(?s)broken\.\(\*Table\[\.\.\.\]\)\.Put.*To reproduce: go test /.*/broken.Table-1/safety_test.go \(fails in [1-3] of [1-3] runs?\)\n`,
			`^  To reproduce: leadline safety --new '\S+broken.NewTable\[string\]\(.*\)' --program '.*Put\(`,
			`^leadline safety: of \S+declared, 1 type was not tested, such as broken.Tabel$`,
			`^\| broken.Table +\| no +\| yes +\| `}},
		{"--new " + correctPackage + ".NewCounter(0) --exclude Add,AddTo --time 1s", statusBad, []string{`has no method to call; Add is left out: excluded`}},
		{"--new " + correctPackage + ".NewCounter(0) --exclude Other", statusBad, []string{`there is no method Other`}},
		{"--new " + correctPackage + ".NewOther", statusBad, []string{`undefined: correct.NewOther`}},
		{"--package " + correctPackage + "/other", statusBad, []string{`correct/other`}},
	}
	if !*full { // each but the last builds a program
		tests = slices.Delete(tests, 1, 4)
	}
	for _, test := range tests {
		var out, errs bytes.Buffer
		args := append([]string{"safety", "--save", found}, strings.Fields(test.args)...)
		if status := run(args, strings.NewReader(""), &out, &errs); status != test.status {
			t.Errorf("%s: status %d, want %d", test.args, status, test.status)
		}
		for _, pattern := range test.out {
			if !regexp.MustCompile("(?m)" + pattern).MatchString(out.String() + errs.String()) {
				t.Errorf("%s: nothing matches %s in\n%s%s", test.args, pattern, &out, &errs)
			}
		}
	}
	if *full {
		var out, errs bytes.Buffer
		status := run([]string{"safety", "--package", correctPackage, "--time", "5s"}, strings.NewReader(""), &out, &errs)
		if safe := regexp.MustCompile(`(?m)^\| correct\.Counter +\| unknown +\| no +\| - `); status != statusOK || !safe.MatchString(out.String()) {
			t.Errorf("status %d\n%s%s", status, &out, &errs)
		}
	}
	saved, err := os.ReadFile(filepath.Join(found, "broken.Table-1", "safety_test.go"))
	if err != nil || !regexp.MustCompile(`func TestBrokenNewTableConcurrently\(t \*testing.T\)`).Match(saved) {
		t.Errorf("%v in\n%s", err, saved)
	}
}

// What was seen and not confirmed is neither safe nor unsafe.
func TestSafetyFound(t *testing.T) {
	f := &stress.Finding{Program: "{ Put() } || { Put() }", Failure: &stress.Failure{Kind: stress.PanicFailure, Text: "out of range"}}
	seen := []*stress.Finding{f}
	for _, test := range []struct {
		of     *stress.Report
		found  string
		status int
	}{
		{&stress.Report{Programs: 9}, "no", statusOK},
		{&stress.Report{Programs: 9, Unconfirmed: seen}, "seen", statusUnknown},
		{&stress.Report{Programs: 9, Unconfirmed: seen, Findings: seen}, "yes", statusNot},
		{&stress.Report{}, "not tested", statusUnknown},
	} {
		row := newSafetyRow("q.Queue", test.of)
		if row.Found != test.found || row.status != test.status {
			t.Errorf("%+v: %s, status %d", test, row.Found, row.status)
		}
		var out bytes.Buffer
		f := &stressFlags{output: &flagkind.Choice{Value: "text"}}
		if err := (&safetyRun{out: bufio.NewWriter(&out), flags: f, rows: []*safetyRow{row}, streams: streams{out: &out}}).finish(); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); strings.Contains(text, "seen, not confirmed in another process: panic: out of range") != (len(row.Unreproduced) > 0) {
			t.Errorf("%+v:\n%s", test, text)
		}
	}
}

// An interrupt ends the test of a type. What was found before counts.
func TestStressSafetyInterrupt(t *testing.T) {
	needsTwo(t)
	t.Parallel()
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds programs and sends a signal")
	}
	printed, status := interrupt(t, strings.NewReader(""), `"kind":"safety"`, "safety", "--package", brokenPackage,
		"--package", correctPackage, "--time", "5m", "--save", "", "--output", "json")
	if status != statusNot || !strings.Contains(printed, "leadline safety: interrupted\n") {
		t.Errorf("status %d:\n%s", status, printed)
	}
	var rows []safetyRecord
	for line := range strings.Lines(printed) {
		var r safetyRecord
		if json.Unmarshal([]byte(line), &r) == nil {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("no record:\n%s", printed)
	}
	if r := rows[0]; r.Kind != "safety" || r.Type != "broken.Table" || r.Declared != "unknown" || !r.Unsafe || r.Reason == nil || r.Calls == nil ||
		len(r.Stacks) == 0 || r.Tests == 0 || r.File != nil {
		t.Errorf("%+v", r)
	}
	for _, r := range rows[1:] { // the interrupt may come before it is built
		if r.Type != "correct.Counter" || r.Unsafe || r.Reason != nil || r.Runs != nil || r.Unreproduced == nil {
			t.Errorf("%+v", r)
		}
	}
}

// needsTwo skips a test in which calls have to overlap, which they hardly do on one
// processor.
func needsTwo(t *testing.T) {
	t.Helper()
	if runtime.NumCPU() == 1 {
		t.Skip("needs two processors")
	}
}

// Flags and files that do not fit are errors.
func TestStressSafetyErrors(t *testing.T) {
	declared := filepath.Join(t.TempDir(), "declared")
	for _, test := range []struct{ args, declared, out string }{
		{"safety", "", "no --new and no --package given"},
		{"safety queue", "", "takes no arguments"},
		{"stress queue", "", "takes no arguments"},
		{"stress --subject queue --core Nope", "", "--core has no effect without --new"},
		{"stress --subject queue --program x --sequences 3", "", "--sequences has no effect with --program"},
		{"safety --package container/list --name l", "", "--name has no effect without --new"},
		{"safety --package container/list --program x", "", "--program has no effect without --new"},
		{"safety --new a.N --package container/list --program x", "", "--program is for one object"},
		{"safety --package container/list --time 0s", "", "--time must not be 0"},
		{"safety --package container/list --declared " + declared, "list.List yes\nlist.Element\n", "declared:2: expected a type and yes or no"},
		{"safety --package container/list --declared " + declared, "# a\n\na yes\na no\n", "declared:4: a is there already"},
	} {
		if err := os.WriteFile(declared, []byte(test.declared), 0o644); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if status := run(strings.Fields(test.args), strings.NewReader(""), &out, &errs); status != statusBad {
			t.Errorf("%s: status %d", test.args, status)
		}
		if !strings.Contains(errs.String(), test.out) {
			t.Errorf("%s: %s", test.args, &errs)
		}
	}
}
