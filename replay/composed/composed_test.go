package composed

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/leadline/leadline/history/explore/schedule"
)

func explored[O any](t *testing.T, method func(O) any, o Options) *Report {
	t.Helper()
	r, err := Explore(context.Background(), method, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestClasses sorts the methods of the paper into the classes of Figure 11: atomic
// in an open environment, or in the environment of a program only, or in neither.
func TestClasses(t *testing.T) {
	programs := []struct {
		name string
		o    Options
	}{
		{"open", Options{Ops: 2}},
		{"no removal", Options{Ops: 2, Without: Removals}},
		{"one value per key", Options{Ops: 2, Values: func() []any { return []any{calculate(key)} }}},
		{"both", Options{Ops: 2, Without: Removals, Values: func() []any { return []any{calculate(key)} }}},
	}
	for _, row := range []struct {
		name   string
		method func(Map) any
		atomic [4]bool
	}{
		{"Figure 12 ii", compute2, [4]bool{true, true, true, true}},
		{"Figure 12 iii", compute3, [4]bool{false, false, false, true}},
		{"Figure 12 iv", compute4, [4]bool{false, false, false, true}},
		{"Figure 12 v", compute5, [4]bool{false, false, true, true}},
		{"Figure 2a", removeAttribute, [4]bool{false, false, false, true}},
	} {
		for i, p := range programs {
			r := explored(t, row.method, p.o)
			if atomic := r.Violation == nil; atomic != row.atomic[i] {
				t.Errorf("%s, %s: atomic %v, want %v\n%v", row.name, p.name, atomic, row.atomic[i], r.Violation)
			}
		}
	}
}

// TestPoints: with linearization points (mode 3), the verdicts are the same, and a
// wrong point is reported as such.
func TestPoints(t *testing.T) {
	for _, f := range figures {
		f.o.Ops = 2
		if r := explored(t, f.method, f.o); (r.Violation == nil) != f.atomic || f.atomic && r.Ops != 2 {
			t.Errorf("%s: %v, %v", f.name, r, r.Violation)
		}
	}
	r := explored(t, func(m Map) any {
		v, ok := m.Load(key)
		Point(m) // where the key is missing, LoadOrStore is the point
		if !ok {
			v, _ = m.LoadOrStore(key, 1)
		}
		return v
	}, Options{})
	if r.Violation == nil || !r.Violation.WrongPoint || !strings.Contains(r.Violation.String(), "<- linearization point") {
		t.Errorf("wrong point: %v", r.Violation)
	}
	Point(&sync.Map{})
}

// TestSetAndQueue has methods of sets and queues, atomic or not.
func TestSetAndQueue(t *testing.T) {
	sets := map[string]struct {
		method func(Set) any
		atomic bool
	}{
		"add": {func(s Set) any { return s.Contains(1) || !s.Add(1) }, true},
		"check then add": {func(s Set) any {
			if s.Contains(1) {
				return false
			}
			s.Add(1)
			return true
		}, false},
		"move":        {func(s Set) any { return s.Remove(1) && s.Add(2) }, false},
		"bounded add": {func(s Set) any { return s.Size() < 1 && s.Add(1) }, false},
	}
	for name, c := range sets {
		if r := explored(t, c.method, Options{}); (r.Violation == nil) != c.atomic {
			t.Errorf("set, %s: %v, %v", name, r, r.Violation)
		}
	}
	queues := map[string]struct {
		method func(Queue) any
		atomic bool
	}{
		"dequeue": {func(q Queue) any { v, _ := q.Dequeue(); return v }, true},
		"check then dequeue": {func(q Queue) any {
			if q.Size() == 0 {
				return "empty"
			}
			v, _ := q.Dequeue()
			return v
		}, false},
		"enqueue two": {func(q Queue) any { q.Enqueue(1); q.Enqueue(2); return nil }, false},
		"requeue": {func(q Queue) any {
			v, ok := q.Dequeue()
			if ok {
				q.Enqueue(v)
			}
			return v
		}, false},
	}
	for name, c := range queues {
		if r := explored(t, c.method, Options{}); (r.Violation == nil) != c.atomic {
			t.Errorf("queue, %s: %v, %v", name, r, r.Violation)
		}
	}
}

// A node is what Go programs keep in maps: a pointer that is made for each call.
type node struct{ n int }

// TestPointers: pointers that the method makes have no names of their own, so a
// method that makes more of them in one order than in another is still atomic.
func TestPointers(t *testing.T) {
	get := func(m Map) any { v, _ := m.LoadOrStore(key, &node{1}); return v }
	wasteful := func(m Map) any {
		for {
			n := &node{1} // one for each try
			if v, ok := m.Load(key); ok {
				return v
			}
			if _, loaded := m.LoadOrStore(key, n); !loaded {
				return n
			}
		}
	}
	two := func(m Map) any { // of two pointers, which one is left depends on the order
		a, b := &node{1}, &node{2}
		if _, loaded := m.LoadOrStore(key, a); loaded {
			m.Swap(key, b)
		}
		return nil
	}
	lost := func(m Map) any {
		if v, ok := m.Load(key); ok {
			return v
		}
		n := &node{1}
		m.Store(key, n)
		return n
	}
	count := func(m Map) any { // copies instead of changing in place
		old, _ := m.LoadOrStore(key, &node{1})
		m.Store(key, &node{old.(*node).n + 1})
		return nil
	}
	clock := 0
	stamped := func(m Map) any {
		clock++
		v, _ := m.LoadOrStore(key, &node{clock})
		return v
	}
	for name, c := range map[string]struct {
		method func(Map) any
		atomic bool
	}{"count": {count, false}, "stamped": {stamped, true}, "get": {get, true}, "wasteful": {wasteful, true}, "two": {two, false}, "lost": {lost, false}} {
		r := explored(t, c.method, Options{Ops: 2, Values: func() []any { return []any{&node{7}, &node{8}} }})
		if (r.Violation == nil) != c.atomic || r.Undecided > 0 {
			t.Errorf("%s: %v\n%v", name, r, r.Violation)
		}
	}
	pair := func(m Map) any { // returns both of its pointers
		a, b := &node{1}, &node{2}
		old, _ := m.Swap(key, a)
		return []any{old, b, a}
	}
	if r := explored(t, pair, Options{Ops: 2}); r.Violation != nil {
		t.Errorf("pair: %v", r.Violation)
	}
	hidden := func(m Map) any { // the values have what they point to: a counter
		v, _ := m.LoadOrStore(key, &node{})
		v.(*node).n++
		return v.(*node).n
	}
	if r := explored(t, hidden, Options{Ops: 2, Values: func() []any { return []any{&node{5}} }}); r.Violation != nil || r.Panics != "" {
		t.Errorf("hidden: %v %v", r.Violation, r.Panics)
	}
}

// TestOwnOrder: the order in which a method first uses its own pointers does not matter, for
// any number of them.
func TestOwnOrder(t *testing.T) {
	for n := range 8 {
		r := explored(t, func(m Map) any {
			var made []any
			for range n {
				made = append(made, &node{})
			}
			if n > 0 {
				m.Swap(key, made[n-1])
			}
			return made
		}, Options{Ops: 2, Values: func() []any { return []any{1} }})
		if r.Violation != nil {
			t.Errorf("%d pointers: %v", n, r.Violation)
		}
	}
	// The first pointer is used in some executions only.
	r := explored(t, func(m Map) any {
		first, second := &node{}, &node{}
		if _, ok := m.Load(1); !ok {
			m.CompareAndDelete(9, first) // does nothing
		}
		v, _ := m.Load(1)
		m.Store(key, second)
		return v
	}, Options{Ops: 1, Values: func() []any { return []any{1} }, Without: []string{"Load", "LoadOrStore", "Swap", "Delete", "LoadAndDelete", "CompareAndSwap", "CompareAndDelete"}})
	if r.Violation != nil {
		t.Errorf("the first is used in some executions only: %v", r.Violation)
	}
}

// TestNames: different values of any type have different names.
func TestNames(t *testing.T) {
	type named int
	type part struct {
		a int
		b string
		c *node
	}
	p := &node{}
	n := names{own: true}
	values := []any{nil, true, 3, "x", int8(-3), uint(3), 2.5, named(4), part{1, "\x00", p}, [2]int{1, 2}, errCancelled, complex(1, 2), 0, int8(0), "0", "", false, named(0), part{}, part{b: "0"}, p, &node{}, (*node)(nil), []any{0}, []any{"0"}, []int{0}, [1]int{0}, struct{}{}}
	known := map[string]bool{}
	for _, v := range values {
		known[valueText(n.value(v))] = true
	}
	if len(known) != len(values) {
		t.Errorf("%d values have %d names: %v", len(values), len(known), known)
	}
	loop := []any{nil}
	loop[0] = loop
	if text := valueText(n.value(loop)); !strings.Contains(text, "...") {
		t.Errorf("a slice that contains itself: %s", text)
	}
}

// TestValues: the environment's values are the method's and others by default.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		stored any
		want   string
	}{
		{5, "[5 6]"}, {"a", `["a" "a'"]`}, {true, "[true false]"}, {int8(127), "[int8(127) int8(0)]"}, {math.Copysign(0, -1), "[float64(0) float64(1)]"}, {1.5, "[float64(1.5) float64(2.5)]"},
		{&node{}, "[*composed.node#1]"}, {[1]int{4}, "[[1]int{4} [1]int{0}]"}, {nil, "[nil]"}, {make(chan int), "[1 2]"},
	} {
		x, err := newTest(func(m Map) any { m.Store(key, c.stored); return nil }, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		schedule.Run(&schedule.Program{Before: x.before, After: func() {}, Threads: []func(){func() {}}}, schedule.NewReplay(nil), schedule.Limits{})
		var texts []string
		for i, v := range x.pool {
			if !x.isKey[i] {
				texts = append(texts, valueText(x.value(v)))
			}
		}
		if got := fmt.Sprint(texts); got != c.want {
			t.Errorf("%v: %s, want %s", c.stored, got, c.want)
		}
	}
}

// TestEndings: methods that panic, wait or differ from run to run.
func TestEndings(t *testing.T) {
	r := explored(t, func(m Map) any { // panics only if somebody removes the key
		m.Store(key, 1)
		v, _ := m.Load(key)
		return v.(int)
	}, Options{Values: func() []any { return []any{1} }})
	if r.Violation == nil || !strings.Contains(r.Violation.String(), "panics: interface conversion") {
		t.Errorf("a panic: %v", r.Violation)
	}
	r = explored(t, func(m Map) any { v, _ := m.Load(key); _ = v.(string); return nil }, Options{Ops: 1})
	if r.Violation != nil || !strings.Contains(r.Panics, "interface conversion") {
		t.Errorf("a method that always panics: %v, panics %q", r.Violation, r.Panics)
	}
	r = explored(t, func(m Map) any {
		for {
			if v, ok := m.Load(key); ok {
				return v
			}
		}
	}, Options{Ops: 2})
	if r.Violation != nil || r.Waited == 0 || r.Waited == r.Executions || !strings.Contains(r.String(), "were not judged") {
		t.Errorf("a method that waits: %v, %v", r, r.Violation)
	}
	calls := 0
	if _, err := Explore(context.Background(), func(m Map) any { calls++; m.Load(calls); return nil }, Options{}); err == nil {
		t.Error("a method that differs from run to run is accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Explore(ctx, increment, Options{}); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("cancelled: %v", err)
	}
	if r := explored(t, increment, Options{Executions: 100}); r.Executions != 100 || r.Ops != 1 {
		t.Errorf("100 executions: %+v", r)
	}
	if r := explored(t, increment, Options{Executions: 10}); r.Ops != 0 || !strings.Contains(r.Reason, "are not all") {
		t.Errorf("10 executions: %+v", r)
	}
	if r := explored(t, func(m Map) any { m.Load(1); m.Load(2); return nil }, Options{Without: everything}); r.Ops != DefaultOps || r.Violation != nil {
		t.Errorf("an environment without operations: %+v", r)
	}
}

var everything = []string{"Load", "Store", "LoadOrStore", "LoadAndDelete", "Delete", "Swap", "CompareAndSwap", "CompareAndDelete"}

// TestErrors: what cannot be tested is an error.
func TestErrors(t *testing.T) {
	for want, o := range map[string]Options{
		"negative":           {Ops: -1},
		`operation "Range"`:  {Without: []string{"Range"}},
		"not a number":       {Replay: "0 1"},
		"Options.Replay: ":   {Replay: "1: x"},
		"differ from those":  {Replay: "1: 99"},
		"returns nothing":    {Values: func() []any { return nil }},
		"unknown operation ": {Without: []string{""}},
	} {
		if _, err := Explore(context.Background(), compute2, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := Explore(context.Background(), func(int) any { return nil }, Options{}); err == nil {
		t.Error("a method of an int is accepted")
	}
	if _, err := Explore[Map](context.Background(), nil, Options{}); err == nil {
		t.Error("a nil method is accepted")
	}
	if _, err := Explore(context.Background(), func(Set) any { return nil }, Options{Missing: notSuccessful}); err == nil {
		t.Error("Missing is accepted for a set")
	}
	k := &node{}
	known := func(m Map) any { v, _ := m.LoadOrStore(k, 1); return v }
	if r, err := Explore(context.Background(), known, Options{Ops: 1, Keys: []any{k}}); err != nil || r.Violation != nil {
		t.Errorf("a known pointer as a key: %v", err)
	}
}

// A recorder is a TB that keeps its messages.
type recorder struct{ logs, errors []string }

func (r *recorder) Helper()                   {}
func (r *recorder) Logf(f string, a ...any)   { r.logs = append(r.logs, fmt.Sprintf(f, a...)) }
func (r *recorder) Errorf(f string, a ...any) { r.errors = append(r.errors, fmt.Sprintf(f, a...)) }

func dropIfZero(m Map) any {
	v, ok := m.Load(key)
	if ok && v == 0 {
		m.Delete(key)
	}
	return nil
}

func update(m Map, f func(int) int) any {
	old, _ := m.Load(key)
	n, _ := old.(int)
	m.Store(key, f(n))
	return nil
}

// TestFunc: the functions of Func have new results at each call, in the same order each time.
func TestFunc(t *testing.T) {
	for range 2 {
		f := Func[func(int, string) (string, int, any, *node, error)]()
		s, n, v, p, err := f(5, "x")
		s2, n2, v2, p2, _ := f(5, "x")
		if s != "x'" || s2 != "x''" || n != 6 || n2 != 7 || v != 1 || v2 != 2 || p == nil || p2 == nil || p == p2 || err != nil {
			t.Errorf("%q %d %v %v %v, then %q %d %v %v", s, n, v, p, err, s2, n2, v2, p2)
		}
	}
	type keep func(v any) bool
	if f := Func[keep](); !f(nil) || f(nil) {
		t.Error("the first and the second bool are not true and false")
	}
	Func[func()]()()
}

// TestTest: Test fails exactly for what is not atomic or not testable.
func TestTest(t *testing.T) {
	for _, c := range []struct {
		method    func(Map) any
		o         Options
		log, fail string
	}{
		{compute2, Options{Ops: 1}, "all with up to 1 operations", ""},
		{compute5, Options{}, "executions", "the method is not atomic"},
		{compute5, Options{Replay: "1: 0 1 4"}, "1 executions", `Replay: "1: 0 1 4"`},
		{compute5, Options{Ops: -1}, "", "negative"},
		{func(m Map) any { panic("no") }, Options{}, "the method panics", "not exercised"},
		{dropIfZero, Options{}, "executions", "not exercised"},
		{dropIfZero, Options{Constants: []any{0}}, "executions", "the method is not atomic"},
		{func(m Map) any { m.Load(key); return nil }, Options{}, "executions", "not exercised"},
		{func(m Map) any { m.Load(key); Point(m); return nil }, Options{}, "all with up to 3 operations", ""},
		{func(m Map) any { return update(m, nil) }, Options{}, "the method panics", "not exercised"},
		{func(m Map) any { return update(m, Func[func(int) int]()) }, Options{}, "executions", "the method is not atomic"},
	} {
		var tb recorder
		Test(&tb, c.method, c.o)
		if logs, errors := strings.Join(tb.logs, "\n"), strings.Join(tb.errors, "\n"); !strings.Contains(logs, c.log) || !strings.Contains(errors, c.fail) || (c.fail == "") != (errors == "") {
			t.Errorf("logs %q, errors %q; want %q and %q", logs, errors, c.log, c.fail)
		}
	}
}
