package stresstest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/record"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

// Inventory counts pieces by kind. Its Take is broken: it counts and removes in
// two steps.
type Inventory struct {
	mu     sync.Mutex
	pieces [2]int
}

func (i *Inventory) Put(kind int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.pieces[kind&1]++
}

func (i *Inventory) Count(kind int) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.pieces[kind&1]
}

func (i *Inventory) Take(kind int) bool {
	if i.Count(kind) == 0 {
		return false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.pieces[kind&1]--
	return true
}

// A fakeTB keeps the failures of a test.
type fakeTB struct {
	dir    string
	errors []string
	logs   []string
}

func (f *fakeTB) Helper()                      {}
func (f *fakeTB) Name() string                 { return "Test/it" }
func (f *fakeTB) Logf(text string, a ...any)   { f.logs = append(f.logs, fmt.Sprintf(text, a...)) }
func (f *fakeTB) Errorf(text string, a ...any) { f.errors = append(f.errors, fmt.Sprintf(text, a...)) }

func newInventory() *Inventory { return &Inventory{} }

func TestTest(t *testing.T) {
	effort := stress.Effort{Time: 5 * time.Minute, Program: 5 * time.Millisecond}
	tb := &fakeTB{dir: t.TempDir()}
	Test(tb, newInventory, Options{Effort: effort, Dir: tb.dir})
	if len(tb.errors) != 1 {
		t.Fatalf("%d failures: %q", len(tb.errors), tb.errors)
	}
	text := tb.errors[0]
	for _, want := range []string{"Inventory is not atomic: ", "{ ", "||", "one after another the results are:", "|-", "To reproduce: stresstest.Options{Programs: []string{", "To explain it: "} {
		if !strings.Contains(text, want) {
			t.Errorf("the failure does not have %q:\n%s", want, text)
		}
	}
	files, err := filepath.Glob(filepath.Join(tb.dir, "Test_it.*l"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files %q, %v", files, err)
	}
	checkFile(t, files[1])
	checkLines(t, tb.dir)

	// The same without what is broken, and with a given program.
	tb = &fakeTB{dir: t.TempDir()}
	effort.Time = 100 * time.Millisecond
	Test(tb, newInventory, Options{Effort: effort, ReflectOptions: stress.ReflectOptions{Exclude: []string{"Take"}}})
	if len(tb.errors) > 0 {
		t.Errorf("%q", tb.errors)
	}
	Test(tb, newInventory, Options{Effort: effort, Programs: []string{"{ Throw(1) }"}})
	if len(tb.errors) != 1 || !strings.Contains(tb.errors[0], "Throw") {
		t.Errorf("%q", tb.errors)
	}
}

// Idle has two methods that no other call can notice.
type Idle struct{ n atomic.Int64 }

func (i *Idle) Name() int   { return 0 }
func (i *Idle) Nothing(int) {}

// Lossy is an increment that gives others time between its two steps.
func (i *Idle) Lossy() int {
	n := i.n.Load() + 1
	for tries := 0; tries < 100 && i.n.Load() == n-1; tries++ {
	}
	i.n.Store(n)
	return int(n)
}

// TestRemarks: the log says of methods why they are not called atomic.
func TestRemarks(t *testing.T) {
	effort := stress.Effort{Time: time.Nanosecond, Program: 50 * time.Millisecond}
	tb := &fakeTB{dir: t.TempDir()}
	newIdle := func() *Idle { return &Idle{} }
	Test(tb, newIdle, Options{Effort: effort, ReflectOptions: stress.ReflectOptions{Exclude: []string{"Lossy"}}})
	if log := strings.Join(tb.logs, "\n"); !regexp.MustCompile(`(?m)^Name +[1-9][0-9]* +[0-9]+ +- +no(t exercised| result shows an order)$`).MatchString(log) {
		t.Errorf("Name is not in %q", log)
	}
}

func checkFile(t *testing.T, file string) {
	t.Helper()
	r, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for h, err := range codec.Decode(r, file, codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		s, err := spec.Lookup(h.Model, h.ModelArgs)
		if err != nil {
			t.Fatal(err)
		}
		v, err := decide.Check(context.Background(), h, s, replay.Options{})
		if err != nil || v.Answer != replay.NotLinearizable {
			t.Errorf("the checker says %v, %v", v.Answer, err)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, broken := range []bool{false, true} {
		m := record.NewMemory(record.Options{Model: "counter"})
		var n atomic.Int64
		p, q := m.Process(), m.Process()
		p.Call("getAndIncrement")
		q.Call("getAndIncrement")
		p.ReturnInt(int(n.Add(1) - 1))
		if broken {
			n.Store(0)
		}
		q.ReturnInt(int(n.Add(1) - 1))
		h, err := m.History()
		if err != nil {
			t.Fatal(err)
		}
		s, err := spec.Parse("counter")
		if err != nil {
			t.Fatal(err)
		}
		tb := &fakeTB{dir: t.TempDir()}
		Check(tb, h, s, CheckOptions{Dir: tb.dir})
		if broken != (len(tb.errors) == 1) {
			t.Fatalf("broken %v: %q", broken, tb.errors)
		}
		if broken && (!strings.Contains(tb.errors[0], "is not linearizable") || !strings.Contains(tb.errors[0], "|-")) {
			t.Errorf("%s", tb.errors[0])
		}
		if broken {
			checkLines(t, tb.dir)
		}
	}
}

// checkLines checks that the page in a directory has the lines of the file that was saved
// beside it.
func checkLines(t *testing.T, dir string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(dir, "Test_it.html"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`id="h0">([A-Za-z0-9+/=]*)<`).FindSubmatch(page)
	if found == nil {
		t.Fatal("the page has no history")
	}
	zip, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(found[1])))
	if err != nil {
		t.Fatal(err)
	}
	var data struct {
		Line   []int32 // differences
		Reason []struct{ Items []struct{ Text string } }
	}
	if err := json.NewDecoder(zip).Decode(&data); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "Test_it.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines, at := strings.Split(string(text), "\n"), int32(0)
	for i, step := range data.Line {
		if at += step; at < 1 || int(at) > len(lines) || !strings.Contains(lines[at-1], `"type":"invoke"`) {
			t.Fatalf("line %d is not the invocation of operation %d:\n%s", at, i, text)
		}
	}
	if len(data.Line) == 0 || !strings.Contains(fmt.Sprint(data.Reason), "line ") {
		t.Errorf("the page has no lines: %v", data)
	}
}

// recorded returns a history of a counter. Each word is "c" or "r" with the number
// of a process: its call, or its response with the count so far.
func recorded(t *testing.T, words string) *history.History {
	t.Helper()
	m := record.NewMemory(record.Options{})
	processes := map[byte]*record.Process{}
	n := 0
	for _, w := range strings.Fields(words) {
		p := processes[w[1]]
		if p == nil {
			p = m.Process()
			processes[w[1]] = p
		}
		if w[0] == 'c' {
			p.Call("getAndIncrement")
			continue
		}
		p.ReturnInt(n)
		n++
	}
	h, err := m.History()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestOverlapping(t *testing.T) {
	for words, want := range map[string]int{
		"": 0, "c1 r1": 0, "c1 r1 c2 r2": 0, "c1 c2 r1 r2": 2, "c1 c2 r2 r1 c1 r1": 2, "c1 c2 r2 c2 r2 c2 r2 r1": 4,
		"c1 c2 r1 c1 r2 r1 c3 r3": 3, "c1 r1 c2": 0, "c1 c2": 2, "c1 c2 r2 c2 r2 c3 r3": 4,
	} {
		h := recorded(t, words)
		if got := overlapping(h); got != want {
			t.Errorf("%q: %d operations overlap, want %d", words, got, want)
		}
	}
}

func TestCheckOptions(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	together, apart := "c1 c2 r1 r2", strings.Repeat("c1 r1 ", 300)
	for name, test := range map[string]struct {
		words string
		o     CheckOptions
		want  string // an error, if not empty
	}{
		"model":            {together, CheckOptions{Model: "counter", Strict: true}, ""},
		"model's argument": {together, CheckOptions{Model: "counter:5", Dir: t.TempDir()}, "is not linearizable; 2 of 2 operations overlapped"},
		"bad model":        {together, CheckOptions{Model: "ounter"}, `unknown model "ounter"`},
		"no model":         {together, CheckOptions{}, "the specification is nil"},
		"apart":            {apart, CheckOptions{Model: "counter"}, ""},
		"strictly apart":   {apart, CheckOptions{Model: "counter", Strict: true}, "but next to nothing overlapped: 0 of 300"},
		"empty":            {"", CheckOptions{Model: "counter", Strict: true}, "0 of 0"},
		"cancelled":        {together, CheckOptions{Model: "counter", Context: cancelled}, "unknown (cancelled)"},
		"time":             {together, CheckOptions{Model: "counter", Time: 1}, "unknown (time)"},
	} {
		tb := &fakeTB{}
		h := *recorded(t, test.words)
		Check(tb, &h, nil, test.o)
		if got := strings.Join(tb.errors, "\n"); (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		warned := strings.Contains(strings.Join(tb.logs, "\n"), "means little")
		if warned != (name == "apart") {
			t.Errorf("%s: logs %q", name, tb.logs)
		}
	}
}

// TestFileNames: one test overwrites what it saved before, and keeps a bounded
// number.
func TestFileNames(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		tb := &fakeTB{}
		for range maxSaved + 5 {
			Check(tb, recorded(t, "c1 c2 r1 r2"), nil, CheckOptions{Model: "counter:5", Dir: dir})
		}
		if len(tb.errors) != maxSaved+5 {
			t.Fatalf("%d failures", len(tb.errors))
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 2*maxSaved || filepath.Base(files[2*maxSaved-1]) != "Test_it.jsonl" {
		t.Errorf("%d files: %v, %v", len(files), files, err)
	}
}

// TestUnsaved: a failure that cannot be saved says what helps.
func TestUnsaved(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tb := &fakeTB{}
	Check(tb, recorded(t, "c1 c2 r1 r2"), nil, CheckOptions{Model: "counter:5", Dir: filepath.Join(file, "below")})
	if len(tb.errors) != 1 || !strings.Contains(tb.errors[0], "could not be saved: mkdir "+file) || !strings.Contains(tb.errors[0], "Options.Dir names another") {
		t.Errorf("%q", tb.errors)
	}
}

func TestEffort(t *testing.T) {
	defer flag.Set("test.short", fmt.Sprint(testing.Short()))
	long := stress.Effort{Time: time.Hour, Program: time.Second}
	for _, short := range []bool{false, true} {
		if err := flag.Set("test.short", fmt.Sprint(short)); err != nil {
			t.Fatal(err)
		}
		quick, given, other := effortFor(t, stress.Effort{}), effortFor(t, long), effortFor(&fakeTB{}, long)
		if want := map[bool]stress.Effort{false: stress.QuickEffort, true: stress.ShortEffort}[short]; quick != want {
			t.Errorf("short %v: %v by default", short, quick)
		}
		if given.Time != time.Hour != short || given.Program != time.Second || other != long {
			t.Errorf("short %v: %v, %v", short, given, other)
		}
	}
}

// TestLines: the lines that a failure names are those of the file.
func TestLines(t *testing.T) {
	dir := t.TempDir()
	tb := &fakeTB{}
	Check(tb, recorded(t, "c1 r1 c2 r2"), nil, CheckOptions{Model: "counter:5", Dir: dir})
	if len(tb.errors) != 1 || !strings.Contains(tb.errors[0], "0 getAndIncrement(): 0 (process 0, line 2)") {
		t.Errorf("%q", tb.errors)
	}
	content, err := os.ReadFile(filepath.Join(dir, "Test_it.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if line := strings.Split(string(content), "\n")[1]; !strings.Contains(line, `"op":0,"type":"invoke"`) {
		t.Errorf("line 2 is %s", line)
	}
}

func TestPackagesOf(t *testing.T) {
	type object struct {
		lock   *sync.Mutex
		buffer any
		list   []io.Reader
		table  map[time.Duration]*big.Int
		next   *object
	}
	o := &object{nil, &bytes.Buffer{}, []io.Reader{nil, strings.NewReader("")}, nil, nil}
	o.next = o
	own := reflect.TypeFor[object]().PkgPath()
	for values, want := range map[bool][]string{
		false: {own, "io", "math/big", "sync", "time"},
		true:  {"bytes", own, "math/big", "strings", "sync", "time"},
	} {
		got := slices.DeleteFunc(packagesOf(o, values), func(path string) bool { return strings.HasPrefix(path, "internal/") })
		if !slices.Equal(got, want) {
			t.Errorf("values %v: %v, want %v", values, got, want)
		}
	}
	if got := packagesOf(nil, true); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}

// TestNothingJudged: objects that share what they change cannot be judged, which is
// said, and is an error if the test is strict.
func TestNothingJudged(t *testing.T) {
	var shared Inventory
	newShared := func() *Inventory { return &shared }
	o := Options{Programs: []string{"[ Put(0) ] { Put(0); Count(0) } || { Put(0); Count(0) }"},
		Effort: stress.Effort{Time: time.Minute, Program: 20 * time.Millisecond}, Dir: t.TempDir()}
	for _, strict := range []bool{false, true} {
		tb := &fakeTB{}
		o.Strict = strict
		Test(tb, newShared, o)
		said, elsewhere := tb.logs, tb.errors
		if strict {
			said, elsewhere = tb.errors, tb.logs
		}
		of := func(lines []string) bool {
			return slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, "nothing could be judged") })
		}
		if !of(said) || of(elsewhere) {
			t.Errorf("strict %t: errors %q, logs %q", strict, tb.errors, tb.logs)
		}
	}
}
