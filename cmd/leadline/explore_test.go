package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"go/doc/comment"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/explore/tests"
)

// exploreModule writes a module that does not require leadline, with one package of tests, and goes there.
func exploreModule(t *testing.T, source string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds test programs: without -short")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module ex\n\ngo 1.22\n", "ex_test.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// recordsOf runs leadline explore and returns its records.
func recordsOf(t *testing.T, wantStatus int, args ...string) (list []*exploreRecord) {
	t.Helper()
	var out, errs bytes.Buffer
	if status := run(append([]string{"explore", "--output", "json"}, args...), nil, &out, &errs); status != wantStatus {
		t.Fatalf("status %d, not %d\n%s%s", status, wantStatus, &out, &errs)
	}
	for line := range bytes.Lines(out.Bytes()) {
		r := &exploreRecord{}
		if err := json.Unmarshal(line, r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// TestExploreManual: the tests of the manual have the faults that it says.
func TestExploreManual(t *testing.T) {
	source, table := "package ex\n\nimport (\n\t\"context\"\n\t\"sync\"\n\t\"sync/atomic\"\n\t\"testing\"\n\t\"time\"\n)\n", ""
	for _, block := range find("explore").text {
		if code, ok := block.(*comment.Code); ok && strings.HasPrefix(code.Text, "func Test") {
			source += "\n" + code.Text
		} else if ok && strings.HasPrefix(code.Text, "fault ") {
			table = code.Text
		}
	}
	exploreModule(t, source)
	got := ""
	for _, r := range recordsOf(t, statusNot, "--timers", "anytime") {
		kind := r.Refused
		if r.Fault != nil {
			kind = r.Fault.Kind
			if r.Fault.Replayed != r.Fault.Replays || r.Fault.Fresh != 2 {
				t.Errorf("%s: replayed %d of %d times, and in %d processes", r.Test, r.Fault.Replayed, r.Fault.Replays, r.Fault.Fresh)
			}
		}
		got += fmt.Sprintf("%s  %s: %s\n", r.Status, r.Test, kind)
	}
	if got != table {
		t.Errorf("got\n%s\nthe manual has\n%s", got, table)
	}
}

const exploredTests = `package ex

import (
	"net"
	"sync"
	"testing"
)

func TestFault(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
}

func TestFine(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	go wg.Done()
	wg.Wait()
}

func TestNet(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go l.Addr()
	_, _ = l.Accept()
}

func TestSkips(t *testing.T) { t.Skip("today") }

func TestTable(t *testing.T) {
	for _, name := range []string{"two", "one"} {
		t.Run(name, func(t *testing.T) {
			go func() {}()
			if name == "one" {
				t.Fatal(name)
			}
		})
	}
}
`

// TestExplore: the statuses, what is written, and replay.
func TestExplore(t *testing.T) {
	exploreModule(t, exploredTests)
	report := filepath.Join(t.TempDir(), "report.xml")
	list := recordsOf(t, statusNot, "--junit", report, ".")
	for i, want := range []string{tests.Faulty, tests.Explored, tests.Refused, tests.Skipped} {
		if list[i].Status != want {
			t.Errorf("%s: %s, not %s", list[i].Test, list[i].Status, want)
		}
	}
	if !strings.Contains(list[2].Refused, "net.(*TCPListener).Accept") || !strings.Contains(list[2].Refused, "ex_test.go:27") {
		t.Errorf("refused: %s", list[2].Refused)
	}
	var suite struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	text, err := os.ReadFile(report)
	if err == nil {
		err = xml.Unmarshal(text, &suite)
	}
	if err != nil || suite.Tests != 5 || suite.Failures != 2 || suite.Skipped != 2 {
		t.Errorf("JUnit: %+v, %v\n%s", suite, err, text)
	}
	var out, errs bytes.Buffer
	if status := run([]string{"replay", list[0].Saved}, nil, &out, &errs); status != statusNot || !strings.Contains(out.String(), "chan send at") {
		t.Errorf("replay: status %d\n%s%s", status, &out, &errs)
	}
	if again := recordsOf(t, statusNot, "--run", "TestFault"); len(again) != 1 || !again[0].Known {
		t.Errorf("the saved schedule is not tried first: %+v", again[0])
	}
	out.Reset()
	if status := run([]string{"explore", "--run", "TestFault|TestFine"}, nil, &out, &errs); status != statusNot || !strings.Contains(out.String(), "2 tests: 1 fault, 1 explored") {
		t.Errorf("status %d\n%s%s", status, &out, &errs)
	}
	recordsOf(t, statusUnknown, "-run", "TestNet")
	if r := recordsOf(t, statusNot, "-run", "TestTable/one$"); len(r) != 1 || !strings.Contains(r[0].Fault.Text, "one") {
		t.Errorf("subtests: %+v", r[0].Result)
	}
	recordsOf(t, statusOK, "-run", "TestTable/two$")
	recordsOf(t, statusOK, "--run", "TestFine|TestSkips")
	recordsOf(t, statusBad, "--run", "TestNone")
	recordsOf(t, statusBad, "./none")
	recordsOf(t, statusBad, "--time", "0s")
}

// TestExploreSaved: a saved file that cannot be read is an error with its line.
func TestExploreSaved(t *testing.T) {
	exploreModule(t, exploredTests)
	for text, want := range map[string]string{
		"package: ex\ntest: TestFine\nschedule: x\n": "bad.txt:4: ", "nonsense\n": "bad.txt:2: ", "package: ex\n": "bad.txt:1: ",
	} {
		if err := os.WriteFile("bad.txt", []byte(tests.FirstLine+"\n"+text), 0o644); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if status := run([]string{"replay", "bad.txt"}, nil, &out, &errs); status != statusBad || !strings.Contains(errs.String(), want) {
			t.Errorf("%q: status %d: %s", text, status, &errs)
		}
	}
}

// TestExploreBroken: a package that does not compile is an error, and others are explored.
func TestExploreBroken(t *testing.T) {
	exploreModule(t, exploredTests)
	if err := os.MkdirAll("broken", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("broken/broken_test.go", []byte("package broken\n\nfunc f() int { return x }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if status := run([]string{"explore", "--run", "TestFine", "./..."}, nil, &out, &errs); status != statusBad || !strings.Contains(errs.String(), "broken_test.go:3") || !strings.Contains(out.String(), "1 explored") {
		t.Errorf("status %d\n%s%s", status, &out, &errs)
	}
}

// TestReadmeExplore: the test of the README has the fault that it shows.
func TestReadmeExplore(t *testing.T) {
	blocks := readme(t)
	for i, b := range blocks {
		if !strings.HasPrefix(b.text(), "func TestHandOver(") {
			continue
		}
		exploreModule(t, "package ex\n\nimport \"testing\"\n\n"+b.text())
		var out, errs bytes.Buffer
		run([]string{"explore"}, nil, &out, &errs)
		_, want, _ := strings.Cut(blocks[i+1].text(), "TestHandOver: ")
		want, _, _ = strings.Cut(want, " at ")
		if !strings.Contains(out.String(), want+" at ") {
			t.Errorf("got\n%s%s\nthe README has %s", &out, &errs, want)
		}
		return
	}
	t.Error("the README has no test to explore")
}
