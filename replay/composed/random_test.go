package composed

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

var (
	seed = flag.Uint64("seed", 1, "seed of random tests")
	full = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
)

// A step is one operation of a random method, which runs if an earlier result is
// as given.
type step struct {
	inv  replay.Invocation
	when int // the number of an earlier step, or -1
	want bool
}

// randomMethod returns a method of 2 to 4 operations on two keys. It returns the
// results of those that last returned something, or nothing.
func randomMethod(random *rand.Rand) []step {
	pool := []value{history.IntValue(1), history.IntValue(2)}
	operations := mapCollection.alphabet(mapCollection.fresh()(), pool, pool, pool, nil)
	steps := make([]step, 2+random.IntN(3))
	for i := range steps {
		steps[i] = step{operations[random.IntN(len(operations))], -1, random.IntN(2) == 0}
		if i > 0 && random.IntN(2) == 0 {
			steps[i].when = random.IntN(i)
		}
	}
	return steps
}

func runSteps(steps []step, m Map) any {
	var n names
	results := make([]bool, len(steps))
	var last any
	for i, s := range steps {
		if s.when >= 0 && results[s.when] != s.want {
			continue
		}
		arg := func(i int) any { return n.goValue(s.inv.Args[i]) }
		switch s.inv.Method {
		case "Load":
			last, results[i] = m.Load(arg(0))
		case "Store":
			m.Store(arg(0), arg(1))
		case "LoadOrStore":
			last, results[i] = m.LoadOrStore(arg(0), arg(1))
		case "LoadAndDelete":
			last, results[i] = m.LoadAndDelete(arg(0))
		case "Delete":
			m.Delete(arg(0))
		case "Swap":
			last, results[i] = m.Swap(arg(0), arg(1))
		case "CompareAndSwap":
			results[i] = m.CompareAndSwap(arg(0), arg(1), arg(2))
			last = results[i]
		case "CompareAndDelete":
			results[i] = m.CompareAndDelete(arg(0), arg(1))
			last = results[i]
		}
	}
	return last
}

// atomicByHand decides a run of random steps with real maps: it puts the method at
// each place among the environment's operations.
func atomicByHand(steps []step, r *run) bool {
	env := slices.DeleteFunc(slices.Clone(r.events), func(e event) bool { return !e.environment })
	observe := func(at int) string {
		m, text := &sync.Map{}, ""
		for i := range len(env) + 1 {
			if i == at {
				text = fmt.Sprint(runSteps(steps, m)) + text
			}
			if i < len(env) {
				text += call(m, env[i].Invocation)
			}
		}
		return text + show(m)
	}
	real := &sync.Map{}
	text := ""
	var n names
	result := "<nil>"
	if r.result.List() == nil { // not nil
		result = fmt.Sprint(n.goValue(r.result))
	}
	for _, e := range r.events {
		if out := call(real, e.Invocation); e.environment {
			text += out
		}
	}
	text = result + text + show(real)
	for at := range len(env) + 1 {
		if observe(at) == text {
			return true
		}
	}
	return false
}

// TestJudge: random runs of random methods are violations exactly if they are by
// hand.
func TestJudge(t *testing.T) {
	t.Logf("seed %d", *seed)
	random := rand.New(rand.NewPCG(*seed, 16))
	var count [2]int
	methods := 30
	if *full {
		methods = 60
	}
	for range methods {
		steps := randomMethod(random)
		x := prepared(t, func(m Map) any { return runSteps(steps, m) }, blind, Options{Ops: 4, Keys: []any{1, 2}, Values: func() []any { return []any{1, 2} }})
		for range 50 {
			r := x.run(4, func(list []replay.Invocation) int { return random.IntN(2) * (1 + random.IntN(len(list))) })
			v, err := x.judge(r)
			if err != nil {
				t.Fatal(err)
			}
			atomic := 0
			if atomicByHand(steps, r) {
				atomic = 1
			}
			count[atomic]++
			if (v == nil) != (atomic == 1) {
				t.Fatalf("%v: atomic by hand: %d, replay %s\n%v", steps, atomic, r.replayText(), v)
			}
		}
	}
	if t.Logf("%d violations, %d atomic runs", count[0], count[1]); count[0] < 2*methods-20 || count[1] < 2*methods-20 {
		t.Error("too few of one kind")
	}
}

// TestRandomMethods compares a guided and a blind environment on random methods, each explored up to two
// operations. Every violation is one by hand, too. What a blind environment finds,
// a guided one finds, apart from a few methods.
func TestRandomMethods(t *testing.T) {
	t.Logf("seed %d", *seed)
	random := rand.New(rand.NewPCG(*seed, 15))
	methods := 12
	if *full {
		methods = 40
	}
	guides := []guide{adjacent, blind}
	var found, runs [2]int
	for range methods {
		steps := randomMethod(random)
		var violated [2]bool
		for i, g := range guides {
			x := prepared(t, func(m Map) any { return runSteps(steps, m) }, g, Options{Ops: 2, Keys: []any{1, 2}, Values: func() []any { return []any{1, 2} }})
			if err := x.all(); err != nil {
				t.Fatal(err)
			}
			r := &x.report
			if runs[i] += r.Runs; r.Violation == nil {
				continue
			}
			found[i]++
			violated[i] = true
			if atomicByHand(steps, r.Violation.run) {
				t.Fatalf("%v: guide %d: no violation by hand:\n%v", steps, i, r.Violation)
			}
		}
		if violated[1] && !violated[0] {
			t.Logf("%v: only a blind environment finds the violation", steps)
		}
		if violated[0] && !violated[1] {
			t.Errorf("%v: only a guided environment finds the violation", steps)
		}
	}
	t.Logf("violations: guided %d, blind %d of %d methods; runs %v", found[0], found[1], methods, runs)
	if found[1] == 0 || found[0]*20 < found[1]*19 {
		t.Errorf("found: %v", found)
	}
}

// TestGuidedMiss has a violation that takes a guided environment one operation
// more. Store(1, 2) commutes with all operations of the run, but not with what the
// method would do if it were atomic.
func TestGuidedMiss(t *testing.T) {
	method := func(m Map) any {
		last := m.CompareAndSwap(2, 1, 1)
		if last {
			last = m.CompareAndSwap(1, 2, 1)
		}
		m.Store(2, 1)
		return last
	}
	for _, c := range []struct {
		name  string
		guide guide
		ops   int
		found bool
	}{{"blind", blind, 2, true}, {"adjacent", adjacent, 2, false}, {"adjacent", adjacent, 3, true}} {
		x := prepared(t, method, c.guide, Options{Ops: c.ops, Keys: []any{1, 2}, Values: func() []any { return []any{1, 2} }})
		if err := x.all(); err != nil || (x.report.Violation != nil) != c.found {
			t.Errorf("%s, %d operations: %v, %v", c.name, c.ops, err, x.report.Violation)
		}
	}
}
