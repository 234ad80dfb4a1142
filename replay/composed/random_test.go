package composed

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
)

var (
	seed = flag.Uint64("seed", 1, "seed of random tests")
	full = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
)

// An operation is a call of a sync.Map.
type operation struct {
	name string
	args []any
}

func (o operation) String() string { return fmt.Sprintf("%s%v", o.name, o.args) }

// run returns the results of an operation, as a string. That LoadOrStore has stored is a result, what it
// has stored is an argument.
func (o operation) run(m Map) (text string, last any, ok bool) {
	var args []reflect.Value
	for _, a := range o.args {
		args = append(args, reflect.ValueOf(a))
	}
	out := reflect.ValueOf(m).MethodByName(o.name).Call(args)
	var results []any
	for _, v := range out {
		results = append(results, v.Interface())
	}
	if len(results) > 0 {
		last, ok = results[0], results[len(results)-1].(bool)
	}
	return fmt.Sprint(results), last, ok
}

// alphabet has all operations with two keys and two values.
func alphabet() (all []operation) {
	for _, o := range []struct{ name, params string }{{"Load", "k"}, {"Store", "kv"}, {"LoadOrStore", "kv"}, {"LoadAndDelete", "k"}, {"Delete", "k"},
		{"Swap", "kv"}, {"CompareAndSwap", "kvv"}, {"CompareAndDelete", "kv"}} {
		for i := range 1 << len(o.params) {
			op := operation{name: o.name}
			for j := range o.params {
				op.args = append(op.args, 1+i>>j&1)
			}
			all = append(all, op)
		}
	}
	return all
}

// A step is one operation of a random method, which runs if an earlier result is
// as given.
type step struct {
	operation
	when int // the number of an earlier step, or -1
	want bool
}

// randomMethod returns a method of 2 to 4 operations on two keys.
func randomMethod(random *rand.Rand) []step {
	operations := alphabet()
	steps := make([]step, 2+random.IntN(3))
	for i := range steps {
		steps[i] = step{operations[random.IntN(len(operations))], -1, random.IntN(2) == 0}
		if i > 0 && random.IntN(2) == 0 {
			steps[i].when = random.IntN(i)
		}
	}
	return steps
}

// runSteps runs a random method, and calls before with each operation and its number. It returns the
// first result of the operation that last returned something.
func runSteps(steps []step, m Map, before func(at int, next operation)) (last any) {
	results := make([]bool, len(steps))
	at := 0
	for i, s := range steps {
		if s.when >= 0 && results[s.when] != s.want {
			continue
		}
		before(at, s.operation)
		at++
		if text, result, ok := s.run(m); text != "[]" {
			last, results[i] = result, ok
		}
	}
	return last
}

func nothing(int, operation) {}

// show returns the contents of a map.
func show(m *sync.Map) string {
	all := map[any]any{}
	m.Range(func(k, v any) bool { all[k] = v; return true })
	return fmt.Sprint(all)
}

// atomicByHand runs a method on a real map. The environment runs env[i] before the operation with the number
// gaps[i]. It reports whether the method at one place among env would do the same. Those before its first
// operation, and after its last one, do not overlap the method.
func atomicByHand(steps []step, env []operation, gaps []int) bool {
	return explainedByHand(steps, env, gaps, show)
}

// explainedByHand is atomicByHand with the contents that are given.
func explainedByHand(steps []step, env []operation, gaps []int, contents func(*sync.Map) string) bool {
	m, text, ran := &sync.Map{}, "", 0
	until := func(at int, _ operation) {
		for ; ran < len(env) && gaps[ran] <= at; ran++ {
			result, _, _ := env[ran].run(m)
			text += result
		}
	}
	result := runSteps(steps, m, until)
	before := ran // those that began before it returned
	until(len(steps), operation{})
	text = fmt.Sprint(result) + text + contents(m)
	earlier := 0
	for ; earlier < len(env) && gaps[earlier] == 0; earlier++ {
	}
	for place := earlier; place <= before; place++ {
		m, results := &sync.Map{}, ""
		var result any
		for i := range len(env) + 1 {
			if i == place {
				result = runSteps(steps, m, nothing)
			}
			if i < len(env) {
				one, _, _ := env[i].run(m)
				results += one
			}
		}
		if fmt.Sprint(result)+results+contents(m) == text {
			return true
		}
	}
	return false
}

// gapsOf returns all ways to put n operations of the environment, in order, before operations of a method
// with the given number.
func gapsOf(n, operations int) (all [][]int) {
	all = [][]int{nil}
	for range n {
		var longer [][]int
		for _, gaps := range all {
			first := 0
			if len(gaps) > 0 {
				first = gaps[len(gaps)-1]
			}
			for at := first; at < operations; at++ {
				longer = append(longer, append(slices.Clone(gaps), at))
			}
		}
		all = longer
	}
	return all
}

// leastOps returns how many operations of the environment a violation of a method needs, up to 2, or 3 if
// there is none. It tries all.
func leastOps(steps []step) int {
	operations := alphabet()
	for _, gaps := range gapsOf(1, len(steps)) {
		for _, a := range operations {
			if !atomicByHand(steps, []operation{a}, gaps) {
				return 1
			}
		}
	}
	for _, gaps := range gapsOf(2, len(steps)) {
		for _, a := range operations {
			for _, b := range operations {
				if !atomicByHand(steps, []operation{a, b}, gaps) {
					return 2
				}
			}
		}
	}
	return 3
}

// onTwo are options with the keys and values of the random methods.
var onTwo = Options{Ops: 2, Keys: []any{1, 2}, Values: func() []any { return []any{1, 2} }}

// TestRandomMethods: the search finds a violation of a random method exactly if all operations of the
// environment at all places have one, and with as few operations.
func TestRandomMethods(t *testing.T) {
	t.Logf("seed %d", *seed)
	random := rand.New(rand.NewPCG(*seed, 15))
	methods := 40
	if *full {
		methods = 400
	}
	var count [4]int
	for range methods {
		steps := randomMethod(random)
		want := leastOps(steps)
		count[want]++
		r := explored(t, func(m Map) any { return runSteps(steps, m, nothing) }, onTwo)
		if got := r.Ops + 1; got != want || (r.Violation == nil) != (want == 3) {
			t.Errorf("%v: a violation needs %d operations of the environment, the search needs %d\n%v", steps, want, got, r.Violation)
		}
	}
	if t.Logf("%d methods have a violation with one operation, %d with two", count[1], count[2]); count[1] == 0 || count[2] == 0 {
		t.Error("nothing was compared")
	}
}

// TestCommutingStore has a violation in which Store(1, 2) commutes with all operations of the method, but not with
// what the method would do if it were atomic.
func TestCommutingStore(t *testing.T) {
	r := explored(t, func(m Map) any {
		last := m.CompareAndSwap(2, 1, 1)
		if last {
			last = m.CompareAndSwap(1, 2, 1)
		}
		m.Store(2, 1)
		return last
	}, onTwo)
	if r.Violation == nil || r.Ops != 1 {
		t.Errorf("%+v", r)
	}
}

// TestJudge: random executions of random methods are violations exactly if they are by hand.
func TestJudge(t *testing.T) {
	t.Logf("seed %d", *seed)
	random := rand.New(rand.NewPCG(*seed, 16))
	var count [2]int
	methods := 30
	if *full {
		methods = 200
	}
	for range methods {
		steps := randomMethod(random)
		x, err := newTest(func(m Map) any { return runSteps(steps, m, nothing) }, &onTwo)
		if err != nil {
			t.Fatal(err)
		}
		x.limit = 4
		x.search = &explore.Search{Ctx: context.Background(), Oracle: x, Body: x.program(), Result: &explore.Exploration{}}
		by := schedule.NewPOS(random.Uint64())
		for range 200 { // most are atomic
			o := x.Record(schedule.Run(&x.search.Body, by, schedule.Limits{})).Detail.(*observed)
			env, gaps := x.performed(o.calls), x.gaps(o.calls)
			atomic := atomicByHand(steps, env, gaps)
			if atomic {
				count[1]++
			} else {
				count[0]++
			}
			if got := x.judge(o); got != explore.Violates && !atomic || got != explore.Explainable && atomic {
				t.Fatalf("%v, %v before %v: atomic by hand: %v, verdict %v, from %d to %d", steps, env, gaps, atomic, got, o.began, o.begun)
			}
		}
	}
	if t.Logf("%d violations, %d atomic executions", count[0], count[1]); count[0] < 2*methods-20 || count[1] < 2*methods-20 {
		t.Error("too few of one kind")
	}
}

// performed returns the operations of the environment.
func (x *checker) performed(calls []int) (env []operation) {
	for _, call := range calls {
		c := x.alphabet[call]
		o := operation{name: x.operationName(c.operation)}
		for _, a := range c.args {
			o.args = append(o.args, x.pool[a].Interface())
		}
		env = append(env, o)
	}
	return env
}

// gaps returns before which operation of the method the operations of the environment ran.
func (x *checker) gaps(calls []int) []int {
	gaps := make([]int, len(calls))
	for _, c := range x.standIn.log.calls {
		for i := range gaps {
			if i >= c.after {
				gaps[i]++
			}
		}
	}
	return gaps
}
