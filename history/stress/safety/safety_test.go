package safety

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history/explore/worker"
)

var full = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")

func TestMain(m *testing.M) {
	patience, tooSlow = 3*time.Second, time.Minute
	if status, isWorker := Serve(&subjects); isWorker {
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// subjects are small types with one fault each, or none.
var subjects = Library{
	Path:    "github.com/leadline/leadline/history/stress/safety",
	Package: "safety",
	Functions: []Function{
		{Source: "p.NewTable", Value: NewTable}, {Source: "p.NewTorn", Value: NewTorn}, {Source: "p.NewPair", Value: NewPair},
		{Source: "p.NewRing", Value: NewRing}, {Source: "p.NewMirror", Value: NewMirror}, {Source: "p.NewSafe", Value: NewSafe},
		{Source: "p.NewPicky", Value: NewPicky}, {Source: "p.NewBounded", Value: NewBounded}, {Source: "p.NewLooping", Value: NewLooping},
		{Source: "p.NewHelped", Value: NewHelped}, {Source: "p.NewLeaky", Value: NewLeaky},
		{Source: "p.NewLatch", Value: NewLatch}, {Source: "p.NewLatest", Value: NewLatest},
		{Source: "p.NewNested", Value: NewNested},
	},
	Targets: []Target{
		{Name: "Table", Type: reflect.TypeFor[*Table]()}, {Name: "Torn", Type: reflect.TypeFor[*Torn]()},
		{Name: "Pair", Type: reflect.TypeFor[*Pair]()}, {Name: "Ring", Type: reflect.TypeFor[*Ring]()},
		{Name: "Mirror", Type: reflect.TypeFor[*Mirror]()}, {Name: "Safe", Type: reflect.TypeFor[*Safe]()},
		{Name: "Picky", Type: reflect.TypeFor[*Picky]()}, {Name: "Bounded", Type: reflect.TypeFor[*Bounded]()},
		{Name: "Looping", Type: reflect.TypeFor[*Looping]()}, {Name: "Helped", Type: reflect.TypeFor[*Helped]()},
		{Name: "Leaky", Type: reflect.TypeFor[*Leaky]()}, {Name: "Latch", Type: reflect.TypeFor[*Latch]()},
		{Name: "Nested", Type: reflect.TypeFor[*Nested]()},
		{Name: "Latest", Type: reflect.TypeFor[*Latest]()}, {Name: "Slim", Type: reflect.TypeFor[*Slim](), Zero: true},
	},
}

// Slim has calls of a few nanoseconds, which have to overlap.
type Slim struct{ list []int }

func (s *Slim) Push(v int) { s.list = append(s.list, v) }

func (s *Slim) Pop() (v int) {
	if n := len(s.list); n > 0 {
		v, s.list = s.list[n-1], s.list[:n-1]
	}
	return v
}

func (s *Slim) Clear() { s.list = nil }

// Nested can contain itself. Then Depth does not end in any order of calls, and there is
// a deadlock if Set runs meanwhile.
type Nested struct {
	mu    sync.RWMutex
	inner *Nested
}

func NewNested() *Nested { return &Nested{} }

func (n *Nested) Set(inner *Nested) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.inner = inner
}

func (n *Nested) Depth() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if n.inner == nil {
		return 0
	}
	return 1 + n.inner.Depth()
}

// Latest panics if there is a later one. In a batch there is.
type Latest struct{ n int64 }

var latest atomic.Int64

func NewLatest() *Latest { return &Latest{latest.Add(1)} }

func (l *Latest) Use() {
	if latest.Load() != l.n {
		panic("there is a later one")
	}
}

// Latch ends the program if it is closed twice, whether in turns or not.
type Latch struct{ mu sync.Mutex }

func NewLatch() *Latch   { l := &Latch{}; l.mu.Lock(); return l }
func (l *Latch) Close()  { l.mu.Unlock() }
func (l *Latch) Reopen() { l.mu.TryLock() }

// Table is a map without a lock.
type Table struct{ m map[int]int }

func NewTable() *Table           { return &Table{map[int]int{}} }
func (t *Table) Put(key, to int) { t.m[key] = to }

// Torn looks at its length and then at what may be gone.
type Torn struct {
	mu   sync.Mutex
	list []int
}

func NewTorn(list ...int) *Torn { return &Torn{list: list} }

func (t *Torn) Push(v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = append(t.list, v)
}

func (t *Torn) length() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.list)
}

func (t *Torn) Pop() int {
	n := t.length()
	if n == 0 {
		return 0
	}
	runtime.Gosched()
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.list[n-1]
	t.list = t.list[:n-1]
	return v
}

// Pair has two locks, which its methods take in different orders.
type Pair struct{ a, b sync.Mutex }

func NewPair() *Pair { return &Pair{} }

func both(a, b *sync.Mutex) {
	a.Lock()
	defer a.Unlock()
	runtime.Gosched()
	b.Lock()
	defer b.Unlock()
}

func (p *Pair) Forth() { both(&p.a, &p.b) }
func (p *Pair) Back()  { both(&p.b, &p.a) }

// Ring has three locks. Any two of its methods have them in an order.
type Ring struct {
	a, b, c sync.Mutex
}

func NewRing() *Ring    { return &Ring{} }
func (r *Ring) First()  { both(&r.a, &r.b) }
func (r *Ring) Second() { both(&r.b, &r.c) }
func (r *Ring) Third()  { both(&r.c, &r.a) }

// Mirror locks the other one twice if it is itself, for reading.
type Mirror struct {
	mu sync.RWMutex
	n  int
}

func NewMirror(n int) *Mirror { return &Mirror{n: n} }

func (m *Mirror) Equal(other *Mirror) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	runtime.Gosched()
	other.mu.RLock()
	defer other.mu.RUnlock()
	return m.n == other.n
}

func (m *Mirror) Set(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n = n
}

// Safe has a lock and uses it.
type Safe struct {
	mu sync.Mutex
	m  map[string][]int
}

func NewSafe() *Safe { return &Safe{m: map[string][]int{}} }

func (s *Safe) Add(key string, v ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[key] = append(s.m[key], v...)
}

func (s *Safe) Range(f func(string, []int) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, list := range s.m {
		if f != nil && !f(key, list) {
			return
		}
	}
}

func (s *Safe) Pop(key string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.m[key]
	if len(list) == 0 {
		return 0, errors.New("empty")
	}
	s.m[key] = list[1:]
	return list[0], nil
}

// Picky panics if it is closed twice, in any goroutine.
type Picky struct {
	mu     sync.Mutex
	closed bool
}

func NewPicky() *Picky { return &Picky{} }

func (p *Picky) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		panic("closed twice")
	}
	p.closed = true
}

// Bounded waits when it is full, or empty.
type Bounded struct{ c chan int }

func NewBounded() *Bounded     { return &Bounded{make(chan int, 1)} }
func (b *Bounded) Put(v int)   { b.c <- v }
func (b *Bounded) Take() int   { return <-b.c }
func (b *Bounded) Length() int { return len(b.c) }

// Looping loops for ever if both methods have run half.
type Looping struct {
	mu         sync.Mutex
	a, b, both bool
}

func NewLooping() *Looping { return &Looping{} }

func (l *Looping) begin(mine, other *bool) {
	l.mu.Lock()
	*mine = true
	l.mu.Unlock()
	for range 100 {
		runtime.Gosched()
	}
	l.mu.Lock()
	if *other {
		l.both = true
	}
	*mine = false
	both := l.both
	l.mu.Unlock()
	//lint:ignore SA5002 it never ends, like a program that spins
	for both {
	}
}

func (l *Looping) Left()  { l.begin(&l.a, &l.b) }
func (l *Looping) Right() { l.begin(&l.b, &l.a) }

// Helped waits for a goroutine of its own, which waits for time to pass.
type Helped struct{ c chan int }

func NewHelped() *Helped {
	h := &Helped{make(chan int)}
	go func() {
		time.Sleep(30 * time.Millisecond)
		close(h.c)
	}()
	return h
}

func (h *Helped) Wait() { <-h.c }

// Leaky has a goroutine that keeps the lock until its channel is read, as Iter of
// golang-set has. Whether Set waits for it depends on when it begins.
type Leaky struct {
	mu sync.RWMutex
	n  int
}

func NewLeaky() *Leaky { return &Leaky{} }

func (l *Leaky) Iterate() <-chan int {
	c := make(chan int)
	go func() {
		l.mu.RLock()
		defer l.mu.RUnlock()
		c <- l.n
	}()
	return c
}

func (l *Leaky) Set(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n = n
}

func TestSearch(t *testing.T) {
	for _, test := range []struct{ name, kind, text string }{
		{"Table", kindFatal, "concurrent map "},
		{"Torn", kindPanic, "index out of range"},
		{"Pair", kindStuck, ""},
		{"Ring", kindStuck, ""},
		{"Mirror", kindStuck, ""},
		{"Looping", kindStuck, ""},
		{"Slim", kindPanic, "runtime error"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // it waits for other processes
			if test.name == "Slim" && runtime.NumCPU() == 1 {
				t.Skip("needs two processors: on one, calls of nanoseconds hardly ever overlap")
			}
			o := Parameters{Seed: 1, Time: 5 * time.Minute}
			// The race detector makes calls so long that the few instructions that have
			// to overlap rarely do. It sees a data race even if they do not.
			slow := underRace && test.name == "Slim"
			if slow {
				o.Rounds, o.FirstSuffixes = 1, 4
			}
			r, err := Search(context.Background(), &subjects, test.name, o)
			if err != nil {
				t.Fatal(err)
			}
			f := r.Finding
			if slow && f == nil && r.Races > 0 {
				return
			}
			if f == nil || f.Kind != test.kind || !strings.Contains(f.Text, test.text) {
				t.Fatalf("found %+v, want %s: %s; %+v", f, test.kind, test.text, r)
			}
			t.Logf("%s: %s: %s\n%s\n%s\n%d tests, %d executions, %v", f.Calls, f.Kind, f.Text, strings.Join(f.Stacks, "\n"), f.Source, r.Tests, r.Executions, r.Elapsed)
		})
	}
}

func TestSearchFindsNothing(t *testing.T) {
	for _, name := range []string{"Safe", "Picky", "Bounded", "Helped", "Leaky", "Latch", "Latest", "Nested"} {
		t.Run(name, func(t *testing.T) {
			o := Parameters{Seed: 1, Time: 5 * time.Minute, Rounds: 1}
			// Each order of the calls can fail as they do in parallel, and then nothing was found.
			alone := slices.Contains([]string{"Picky", "Latest", "Nested"}, name)
			if !*full || alone { // 10 tests instead of 55
				o.FirstSuffixes = 4
			}
			switch { // each execution takes a while
			case name == "Helped":
				o.FirstSuffixes, o.Executions = 2, 2
			case !*full && (name == "Leaky" || name == "Bounded"):
				o.FirstSuffixes = 2
			}
			r, err := Search(context.Background(), &subjects, name, o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Finding != nil {
				t.Fatalf("found %s: %s: %s\n%s", r.Finding.Calls, r.Finding.Kind, r.Finding.Text, strings.Join(r.Finding.Stacks, "\n"))
			}
			if r.Executions == 0 || r.Unclear > 0 {
				t.Errorf("%+v", r)
			}
			if alone && r.Sequential == 0 {
				t.Errorf("no test has failed: %+v", r)
			}
			t.Logf("%+v", r)
		})
	}
}

// A finding that is not confirmed does not count, and the search goes on.
func TestConfirm(t *testing.T) {
	for _, test := range []struct{ refused, asked int }{{2, 3}, {maxUnreproduced, maxUnreproduced}} {
		asked := 0
		o := Parameters{Seed: 1, Time: 5 * time.Minute, Confirm: func(f *Exposure) bool {
			asked++
			f.Scale(asked)
			return asked > test.refused
		}}
		r, err := Search(context.Background(), &subjects, "Table", o)
		if err != nil {
			t.Fatal(err)
		}
		if asked != test.asked || len(r.Unreproduced) != test.refused || (r.Finding == nil) != (test.asked == test.refused) {
			t.Errorf("%d refused, %d asked: %d, %+v", test.refused, test.asked, asked, r)
		}
		if f := r.Finding; f != nil && !strings.Contains(f.Source, "const executions = 3\n") {
			t.Errorf("not scaled:\n%s", f.Source)
		}
	}
}

// A failure that was seen when the search is stopped is kept, before it is judged and before it is
// confirmed.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var seen *Exposure
	r, err := Search(ctx, &subjects, "Table", Parameters{Seed: 1, Time: 5 * time.Minute, Confirm: func(f *Exposure) bool {
		seen = f
		stop()
		return false
	}})
	if err != nil || r.Finding != nil || len(r.Unreproduced) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	c, err := newCatalog(&subjects, subjects.Targets[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	h := &searcher{ctx: ctx, library: &subjects, catalog: c, report: &Summary{}, dir: t.TempDir(), tried: map[int]bool{}, begun: time.Now()}
	if h.judge(seen.Test, &seen.Failure, nil, 1) || h.report.Sequential > 0 || len(h.report.Unreproduced) != 1 {
		t.Errorf("before it is judged: %+v", h.report)
	}
	seen.InPrefix = true
	if h.judge(seen.Test, &seen.Failure, nil, 1) || h.report.Sequential != 1 || len(h.report.Unreproduced) != 1 {
		t.Errorf("of the prefix: %+v", h.report)
	}
}

// Instances of a generic type have one report, until one has a finding.
func TestSearchInstances(t *testing.T) {
	instances := func(names ...string) *Library {
		l := subjects
		l.Targets = slices.Clone(l.Targets)
		for i, t := range l.Targets {
			if slices.Contains(names, t.Name) {
				l.Targets[i].Name = "T"
			}
		}
		return &l
	}
	o := Parameters{Seed: 1, Time: 5 * time.Minute, Rounds: 1, FirstSuffixes: 3}
	for _, test := range []struct {
		exclude []string
		errors  int
	}{{nil, 0}, {[]string{"Add"}, 1}, {[]string{"Other"}, 2}} {
		o.Exclude = test.exclude
		r, err := Search(context.Background(), instances("Safe", "Picky"), "T", o)
		if (err != nil) != (test.errors == 2) || (r.Tests == 0) != (test.errors == 2) || r.Rounds != 2-test.errors || r.Target != "T" || r.Finding != nil || len(r.Untried) > 0 {
			t.Errorf("%v: %+v, %v", test.exclude, r, err)
		}
	}
	if r, err := Search(context.Background(), &subjects, "none", o); err == nil {
		t.Errorf("%+v", r)
	}
	o = Parameters{Seed: 1, Time: 15 * time.Minute} // Table comes first, and has a finding
	if r, err := Search(context.Background(), instances("Safe", "Table", "Picky"), "T", o); err != nil || r.Finding == nil || r.Finding.Kind == kindPanic && strings.Contains(r.Finding.Text, "closed") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestLinearizations(t *testing.T) {
	for _, test := range []struct {
		lengths []int
		n       int
	}{{[]int{1, 1}, 2}, {[]int{2, 2}, 6}, {[]int{2, 1}, 3}, {[]int{2, 2, 2}, 90}, {[]int{2, 2, 2, 2}, 2520}} {
		var p Test
		for _, n := range test.lengths {
			p.Suffixes = append(p.Suffixes, make([]call, n))
		}
		list := linearizations(&p)
		seen := map[string]bool{}
		for _, order := range list {
			seen[fmt.Sprint(order)] = true
		}
		if len(list) != test.n || len(seen) != test.n {
			t.Errorf("%v: %d orders, %d of them different, want %d", test.lengths, len(list), len(seen), test.n)
		}
	}
}

func TestSame(t *testing.T) {
	for _, test := range []struct {
		a, b Failure
		same bool
	}{
		{Failure{Kind: kindPanic, Text: "index out of range [5] with length 3"}, Failure{Kind: kindPanic, Text: "index out of range [0] with length 12"}, true},
		{Failure{Kind: kindPanic, Text: "at 0xc000123"}, Failure{Kind: kindPanic, Text: "at 0xc00f"}, true},
		{Failure{Kind: kindPanic, Text: "closed"}, Failure{Kind: kindPanic, Text: "empty"}, false},
		{Failure{Kind: kindPanic, Text: "closed"}, Failure{Kind: kindFatal, Text: "closed"}, false},
		{Failure{Kind: kindStuck}, Failure{Kind: kindFatal}, false},
	} {
		if got := test.a.same(&test.b); got != test.same {
			t.Errorf("%v and %v: %v", test.a, test.b, got)
		}
	}
}

// TestFailureOf: only a crash with a stack is a failure, and only if it is not for want of
// some resource.
func TestFailureOf(t *testing.T) {
	const own = "goroutine 7 [running]:\nexample.com/set.(*Set).Add(...)\n\t/set.go:7 +0x1\n" +
		"github.com/leadline/leadline/history/stress/safety.(*bound).step(...)\n\t/library.go:1 +0x1"
	const other = "goroutine 8 [running]:\nexample.com/set.clean(...)\n\t/set.go:9 +0x1"
	for _, test := range []struct {
		cause    worker.Cause
		text     string
		stacks   []string
		kind     string // "": no failure
		implicit bool
		kept     int
	}{
		{worker.Crashed, "panic: closed", []string{own, other}, kindPanic, false, 1},
		{worker.Crashed, "panic: runtime error: index out of range", []string{other, own}, kindPanic, true, 2},
		{worker.Crashed, "fatal error: concurrent map writes", []string{own, own}, kindFatal, true, 2},
		{worker.Crashed, "fatal error: runtime: out of memory", []string{own}, "", false, 0},
		{worker.Crashed, "fatal error: all goroutines are asleep - deadlock!", []string{own}, "", false, 0},
		{worker.Crashed, "SIGSEGV: segmentation violation", []string{own}, "", false, 0},
		{worker.Crashed, "panic: closed", nil, "", false, 0},
		{worker.Exited, "panic: not the end", []string{own}, "", false, 0},
		{worker.Killed, "panic: not the end", []string{own}, "", false, 0},
		{worker.Silent, "SIGQUIT: quit", []string{own}, "", false, 0},
	} {
		f := failureOf(&worker.Death{Cause: test.cause, Text: test.text, Stacks: test.stacks})
		if f == nil {
			f = &Failure{}
		}
		if f.Kind != test.kind || f.Implicit != test.implicit || len(f.Stacks) != test.kept {
			t.Errorf("%s: %+v", test.text, f)
		}
	}
}

// TestRaces: the first report since the last call counts.
func TestRaces(t *testing.T) {
	p := &process{log: filepath.Join(t.TempDir(), "races")}
	log := ""
	for _, test := range []struct{ more, want string }{
		{"", ""},
		{"==================\nWARNING: DATA RACE\nfirst\n==================\n==================\nWARNING: DATA RACE\nsecond\n==================\n", "\nfirst\n"},
		{"", ""},
		{"==================\nWARNING: DATA RACE\nthird\n==================\n", "\nthird\n"},
		{"Found 3 data race(s)\n", ""},
	} {
		if log += test.more; log != "" {
			if err := os.WriteFile(p.log+".7", []byte(log), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := p.race(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
