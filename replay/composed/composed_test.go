package composed

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/replay"
)

func explored[O any](t *testing.T, method func(O) any, o Options) *Report {
	t.Helper()
	r, err := Explore(context.Background(), method, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// prepared returns an explorer that has not judged a run yet.
func prepared(t *testing.T, method func(Map) any, g guide, o Options) *explorer {
	t.Helper()
	x, err := newExplorer(context.Background(), method, o)
	if err == nil {
		x.offer = func(r *run, beside replay.Invocation, before state) []replay.Invocation {
			return g(x, r, beside, before)
		}
		err = x.prepare()
	}
	if err != nil {
		t.Fatal(err)
	}
	return x
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

// TestAblation: an environment that runs before operations only finds the violation of Figure 8
// only in the contents at the end, which the paper does not read. Section 4.5 has that it does
// not find it.
func TestAblation(t *testing.T) {
	plain := func(m Map) any { return putOnce(struct{ Map }{m}) } // without Point
	for _, method := range []func(Map) any{putOnce, plain} {
		x := prepared(t, method, onlyBefore, Options{})
		runs, contents := 0, 0
		explore.Enumerate(func(choose func(int) int) bool {
			v, err := x.judge(x.run(DefaultOps, eager(choose)))
			switch {
			case err != nil || v != nil && !v.Contents:
				t.Fatalf("before only: %v, %v", v, err)
			case v != nil:
				contents++
			}
			runs++
			return true
		})
		if runs < 10 || contents == 0 {
			t.Errorf("before only: %d runs, %d violations of contents", runs, contents)
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
		if (r.Violation == nil) != c.atomic {
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
	x := prepared(t, func(m Map) any {
		first, second := &node{}, &node{}
		if _, ok := m.Load(1); !ok {
			m.CompareAndDelete(9, first) // does nothing
		}
		v, _ := m.Load(1)
		m.Store(key, second)
		return v
	}, adjacent, Options{Values: func() []any { return []any{1} }})
	wanted := []string{"", "Store(1, 1)", "CompareAndDelete(7, *composed.node#new1)"} // at the first choice, nothing
	run := x.run(2, func(list []replay.Invocation) int {
		if wanted[0] == "" {
			wanted = wanted[1:]
			return 0
		}
		i := 1 + slices.IndexFunc(list, func(inv replay.Invocation) bool { return callText(inv) == wanted[0] })
		if i > 0 && len(wanted) > 1 {
			wanted = wanted[1:]
		}
		return i
	})
	if v, err := x.judge(run); v != nil || err != nil || run.used != 2 {
		t.Errorf("the first is used in one run only: %v, %v", v, err)
	}
	r := explored(t, func(m Map) any {
		m.Store(key, &node{1})
		m.Store(key, &node{2})
		return nil
	}, Options{Ops: 1, Values: func() []any { return []any{1} }, Without: []string{"Load", "Store", "LoadOrStore", "Swap", "Delete", "LoadAndDelete", "CompareAndSwap"}})
	if r.Violation == nil || !strings.Contains(r.Violation.String(), "CompareAndDelete(7, *composed.node#new1{composed.node{1}}): true") {
		t.Errorf("CompareAndDelete in between: %v", r.Violation)
	}
}

// TestNames: values of any type come back as they were.
func TestNames(t *testing.T) {
	type named int
	type part struct {
		a int
		b string
		c *node
	}
	p := &node{}
	for _, v := range []any{nil, true, 3, "x", int8(-3), uint(3), 2.5, named(4), "", p, part{1, "\x00", p}, [2]int{1, 2}, errCancelled, struct{}{}, complex(1, 2)} {
		n := names{own: true}
		w := n.value(v)
		if back := n.goValue(w); back != v || w.Kind() == history.Null || w.Kind() == history.None {
			t.Errorf("%v (%T) is %v, and %v again", v, v, w, back)
		}
	}
	n := names{own: true}
	distinct := []any{nil, 0, int8(0), "0", "", false, named(0), part{}, part{b: "0"}, p, &node{}, (*node)(nil), []any{0}, []any{"0"}, []int{0}, [1]int{0}, struct{}{}}
	var all []value
	for _, v := range distinct {
		all = add(all, n.value(v))
	}
	if len(all) != len(distinct) {
		t.Errorf("%d values have %d names: %v", len(distinct), len(all), all)
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
		x := &explorer{c: mapCollection, method: func(r *run) any { mapOf{r}.Store(key, c.stored); return nil }}
		x.o, _ = Options{}.withDefaults()
		if err := x.prepare(); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, v := range x.values {
			texts = append(texts, valueText(v))
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
	if r.Violation == nil || r.Panics != "" || !strings.Contains(r.Violation.String(), "returns panic: interface conversion") {
		t.Errorf("a panic: %v", r.Violation)
	}
	r = explored(t, func(m Map) any { v, _ := m.Load(key); _ = v.(string); return nil }, Options{Ops: 1})
	if r.Violation != nil || !strings.Contains(r.Panics, "interface conversion") {
		t.Errorf("a method that always panics: %v, panics %q", r.Violation, r.Panics)
	}
	loads := 0
	r = explored(t, func(m Map) any {
		for {
			loads++
			if v, ok := m.Load(key); ok {
				return v
			}
		}
	}, Options{Ops: 2, Steps: 5})
	if r.Violation != nil || r.Pending == 0 || r.Pending == r.Runs || !strings.Contains(r.String(), "did not end") {
		t.Errorf("a method that waits: %v, %v", r, r.Violation)
	}
	if loads > 30000 { // up to 5000 in each of three states, to find that it does not end there
		t.Errorf("a method that waits ran %d operations", loads)
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
	if r := explored(t, increment, Options{Runs: 100}); r.Runs != 100 || r.Ops != 1 {
		t.Errorf("100 runs: %v", r)
	}
	if r := explored(t, func(Map) any { return 1 }, Options{Ops: 1 << 40}); r.Runs != 1 || r.Ops != 1<<40 {
		t.Errorf("a method without operations: %v", r)
	}
	for steps := 1; steps <= 3; steps++ { // compute2 has two operations
		if r := explored(t, compute2, Options{Ops: 1, Steps: steps}); (r.Pending > 0) != (steps < 2) {
			t.Errorf("%d steps: %v", steps, r)
		}
	}
}

// TestErrors: what cannot be tested is an error.
func TestErrors(t *testing.T) {
	for want, o := range map[string]Options{
		"negative":           {Ops: -1},
		`operation "Range"`:  {Without: []string{"Range"}},
		"not a number":       {Replay: "1.x"},
		"choice 1 is 99":     {Replay: "99"},
		"the run has":        {Replay: "0.0.0.0.0.0.0.0.0.1"},
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
	own := func(m Map) any { m.Store(&node{}, 1); return nil }
	if _, err := Explore(context.Background(), own, Options{}); err == nil || !strings.Contains(err.Error(), "Options.Keys") {
		t.Errorf("a pointer of the method's own as a key: %v", err)
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
		{compute5, Options{}, "runs", "the method is not atomic"},
		{compute5, Options{Replay: "0.4"}, "1 runs", `Replay: "0.4"`},
		{compute5, Options{Ops: -1}, "", "negative"},
		{func(m Map) any { panic("no") }, Options{}, "panics even alone", "not exercised"},
		{dropIfZero, Options{}, "not exercised", "not exercised"},
		{dropIfZero, Options{Constants: []any{0}}, "runs", "the method is not atomic"},
		{func(m Map) any { m.Load(key); return nil }, Options{}, "not exercised", "not exercised"},
		{func(m Map) any { m.Load(key); Point(m); return nil }, Options{}, "all with up to 3 operations", ""},
		{func(m Map) any { return update(m, nil) }, Options{}, "panics even alone", "not exercised"},
		{func(m Map) any { return update(m, Func[func(int) int]()) }, Options{}, "runs", "the method is not atomic"},
	} {
		var tb recorder
		Test(&tb, c.method, c.o)
		if logs, errors := strings.Join(tb.logs, "\n"), strings.Join(tb.errors, "\n"); !strings.Contains(logs, c.log) || !strings.Contains(errors, c.fail) || (c.fail == "") != (errors == "") {
			t.Errorf("logs %q, errors %q; want %q and %q", logs, errors, c.log, c.fail)
		}
	}
}
