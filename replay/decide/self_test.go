package decide_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
)

var selfDuration = flag.Duration("duration", 0, "how long TestSelf goes on, as 1h; without it, TestSelf has a fixed number of histories")

// TestSelf compares every engine with brute force: on all histories of a few operations of
// small types, and on random larger ones. With -duration, it goes on with larger ones of
// both until the time is over:
//
//	go test ./replay/decide -run Self -duration 1h -timeout 2h -seed 7
//
// A type is a specification of replay/spec with a few calls, each with every result that
// could be recorded. It also has a model of its own: the same type written a second time,
// as a function on small numbers. A shape is an interval order, up to isomorphism, in which
// the pending operations are marked:
//
//	|--a--|   |--b--|
//	    |---c---|
//	  |--d-- ...            pending
//
// The histories of a type are all shapes with all calls for each operation. What a shape
// leaves open is drawn at random for each history: which of two neighbouring invocations
// came first, which process issued what, and which value is which.
//
// Brute force follows the definition: it places one operation after another, in every order
// that real time and edges allow, and consults the model. It shares nothing with the
// engines except the fields of the history. The models may be wrong, too: a disagreement
// only shows that one side is.
//
// Families are the oracle of depths: depth and index of a linearizable history are those
// of the first family that has a witness.
func TestSelf(t *testing.T) {
	o := selfOptions{ops: 2, seed: *seedFlag, random: 2400, most: 10}
	switch {
	case *selfDuration > 0:
		o.ops, o.random, o.most, o.duration = 6, 1<<30, 12, *selfDuration
	case *full:
		o.ops, o.random = 3, 6000
	case testing.Short(): // as under the race detector
		o.random = 1200
	default:
		t.Parallel()
	}
	t.Logf("-seed %d", o.seed)
	r := selfTest(kinds(), o)
	for _, d := range r.Disagreements[:min(len(r.Disagreements), 3)] {
		t.Errorf("linearizable: %v\n%v\n%s", d.Linearizable, d.Verdicts, native(t, d.History))
	}
	if r.Wrong > 0 {
		t.Errorf("%d histories with a wrong verdict", r.Wrong)
	}
	histories := int64(0)
	for _, k := range r.Kinds {
		all := k.Small + k.Random
		histories += all
		if o.duration == 0 && (k.Small < 50 || k.Random < int64(o.random/20) || k.Linearizable < all/10 || k.Linearizable > all*95/100) {
			t.Errorf("%+v: too few of one answer", k)
		}
	}
	if o.duration == 0 && r.Complete != o.ops {
		t.Errorf("complete up to %d operations", r.Complete)
	}
	t.Logf("%d histories (all up to %d operations), %d comparisons", histories, r.Complete, r.Comparisons)
}

// native returns a history in leadline's own format, for leadline check.
func native(t *testing.T, h *history.History) string {
	var b strings.Builder
	if err := codec.Encode(&b, h); err != nil {
		t.Error(err)
	}
	return b.String()
}

func showOps(h *history.History) string {
	text := ""
	for i := range h.Ops {
		op := &h.Ops[i]
		text += fmt.Sprintf("%3v: process %d, %d to %d, %v %v\n", op.ID(), op.Process, op.Call, op.Return, op, op.Happened)
	}
	return text + fmt.Sprintln(h.Edges)
}

// TestSelfFault: a wrong model is detected, with the smallest histories first.
func TestSelfFault(t *testing.T) {
	k := newKind("register", parsed("register"), true, distinct, func(s uint64, c *call) outcomes {
		if c.op == put && s == 1 {
			return one(void, s) // the second write is lost
		}
		return stepRegister(s, c)
	}, kinds()[0].returned)
	found := selfTest([]*kind{k}, selfOptions{ops: 3, seed: 1, random: 1000, most: 8}).Disagreements
	if len(found) < 10 || len(found[0].History.Ops) != 3 ||
		!slices.IsSortedFunc(found, func(a, b disagreement) int { return len(a.History.Ops) - len(b.History.Ops) }) {
		t.Errorf("%d found", len(found))
	}
	for _, d := range found {
		if len(d.Verdicts) < 2 || !slices.ContainsFunc(d.Verdicts, func(v engineVerdict) bool { return v.Wrong }) {
			t.Fatalf("%+v", d)
		}
	}
}

// TestSelfShapes compares the number of shapes with the number of interval orders
// with marks, counted from event words. Every sequence of n invocations and at
// most n responses represents one order, up to isomorphism.
func TestSelfShapes(t *testing.T) {
	t.Parallel()
	for n, want := range []int{1: 1, 2, 5, 15, 53, 217} {
		if n == 0 {
			continue
		}
		complete := 0
		for _, s := range shapes(n) {
			if !slices.ContainsFunc(s.ops, func(o span) bool { return o.end == open }) {
				complete++
			}
		}
		if complete != want {
			t.Errorf("%d shapes of %d operations, want %d", complete, n, want)
		}
	}
	for n := 1; n <= 4; n++ {
		if got, want := len(shapes(n)), countWords(n); got != want {
			t.Errorf("%d shapes of %d operations with pending ones, want %d", got, n, want)
		}
	}
}

// countWords counts orders with pending marks by their canonical forms: the
// smallest matrix over all numberings.
func countWords(n int) int {
	forms := map[string]bool{}
	k := kinds()[0]
	var p problem
	p.reset(k)
	var extend func(p problem, open []int)
	extend = func(p problem, open []int) {
		if p.n == n {
			// The order in which open operations return does not affect the
			// order among operations, only which of them stay pending.
			for set := range 1 << len(open) {
				q := p
				for b, i := range open {
					if set>>b&1 != 0 {
						q.respond(i)
					}
				}
				forms[canonical(&q)] = true
			}
		} else {
			q := p
			i := q.invoke(&k.returned[0], 0)
			extend(q, append(slices.Clone(open), i))
		}
		for b, i := range open {
			q := p
			q.respond(i)
			extend(q, slices.Delete(slices.Clone(open), b, b+1))
		}
	}
	extend(p, nil)
	return len(forms)
}

func canonical(p *problem) string {
	best := ""
	perm := make([]int, 0, p.n)
	var permute func(used int)
	permute = func(used int) {
		if len(perm) == p.n {
			text := ""
			for _, i := range perm {
				text += fmt.Sprint(p.end[i] == noReturn)
				for _, j := range perm {
					text += string('0' + byte(p.before[i]>>j&1))
				}
			}
			if best == "" || text < best {
				best = text
			}
		}
		for i := range p.n {
			if used>>i&1 == 0 {
				perm = append(perm, i)
				permute(used | 1<<i)
				perm = perm[:len(perm)-1]
			}
		}
	}
	permute(0)
	return best
}

// TestSelfLabels: every choice of calls is visited once, up to equal spans and the
// exchange of values.
func TestSelfLabels(t *testing.T) {
	for _, k := range kinds() {
		for _, s := range shapes(2) {
			got := 0
			for first := range s.list(k, 0) {
				s.labels(k, first, func([]int) bool { got++; return true })
			}
			seen := map[[2]int]bool{}
			want := 0
			for a, x := range s.list(k, 0) {
				for b, y := range s.list(k, 1) {
					forms := [][2]int{{a, b}, {x.twin, y.twin}}
					if s.ops[0] == s.ops[1] {
						forms = append(forms, [2]int{b, a}, [2]int{y.twin, x.twin})
					}
					if !slices.ContainsFunc(forms, func(f [2]int) bool { return seen[f] }) {
						want++
						seen[[2]int{a, b}] = true
					}
				}
			}
			// Where an exchange is an automorphism both may be visited.
			if got < want || got > want+want/4 {
				t.Errorf("%s %v: %d ways, want %d", k.name, s, got, want)
			}
		}
	}
}

// TestSelfRandom: random histories are well-formed.
func TestSelfRandom(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	edges, pending := 0, 0
	rounds := 1000
	if *full {
		rounds = 2000
	}
	for range rounds {
		for _, k := range kinds() {
			var p problem
			random(&p, k, 12, r)
			h := p.history("x")
			edges += len(h.Edges)
			pending += h.Pending()
			if err := wellFormed(h); err != nil {
				t.Fatalf("%v\n%s", err, showOps(h))
			}
		}
	}
	if edges < rounds/2 || pending < rounds/2 {
		t.Errorf("%d edges, %d pending", edges, pending)
	}
}

// wellFormed passes the history's events to history.New.
func wellFormed(h *history.History) error {
	var events []history.Event
	for at := int32(0); at < int32(2*len(h.Ops)); at++ {
		for i := range h.Ops {
			op := &h.Ops[i]
			e := history.Event{Process: h.Processes[op.Process], Op: op.ID(), Line: int(at) + 1}
			switch at {
			case op.Call:
				e.Method, e.Args = op.Method, op.Args
			case op.Return:
				e.Type, e.Result = history.OK, op.Result
			default:
				continue
			}
			events = append(events, e)
		}
	}
	again, err := history.New(history.Header{}, events)
	if err != nil {
		return err
	}
	for i := range h.Ops {
		if a, b := &h.Ops[i], &again.Ops[i]; a.Call != b.Call || a.Return != b.Return || a.Process != b.Process {
			return fmt.Errorf("operation %d is %+v, then %+v", i, a, b)
		}
	}
	return nil
}

func BenchmarkBruteForce(b *testing.B) {
	k := kinds()[0]
	all := shapes(5)
	r := rand.New(rand.NewPCG(1, 1))
	var p problem
	for i := 0; i < b.N; {
		s := &all[r.IntN(len(all))]
		s.labels(k, r.IntN(len(s.list(k, 0))), func(label []int) bool {
			s.arrange(&p, k, label, r)
			p.linearizable()
			i++
			return i < b.N
		})
	}
}
