package selftest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
)

// The tests allocate much and keep little.
func init() { debug.SetGCPercent(400) }

// TestEngines is a short run; continuous integration has a longer one.
func TestEngines(t *testing.T) {
	t.Parallel()
	o := Options{Ops: 2, Seed: 1, Random: 2400, RandomOps: 10}
	if *full {
		o.Ops, o.Random = 3, 6000
	}
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Disagreements[:min(len(r.Disagreements), 3)] {
		t.Errorf("linearizable: %v\n%v\n%s", d.Linearizable, d.Verdicts, show(d.History))
	}
	if r.Wrong > 0 || r.Stopped || r.Complete != o.Ops {
		t.Errorf("%d wrong, complete up to %d, stopped %v", r.Wrong, r.Complete, r.Stopped)
	}
	for _, k := range r.Kinds {
		all := k.Small + k.Random
		if k.Small < 50 || k.Random < int64(o.Random/20) || k.Linearizable < all/10 || k.Linearizable > all*95/100 {
			t.Errorf("%+v: too few of one answer", k)
		}
	}
	t.Logf("%d histories, %d comparisons in %v", r.Histories(), r.Comparisons, r.Elapsed)
}

func show(h *history.History) string {
	text := ""
	for i := range h.Ops {
		op := &h.Ops[i]
		text += fmt.Sprintf("%3v: process %d, %d to %d, %v %v\n", op.ID(), op.Process, op.Call, op.Return, op, op.Happened)
	}
	return text + fmt.Sprintln(h.Edges)
}

// TestJobs: the report is the same for any number of jobs.
func TestJobs(t *testing.T) {
	t.Parallel()
	ops, random := 1, 200
	if *full {
		ops, random = 2, 3000
	}
	var reports []*Report
	for _, jobs := range []int{1, 3} {
		r, err := Run(context.Background(), Options{Ops: ops, Seed: 7, Random: random, Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		r.Elapsed = 0
		reports = append(reports, r)
	}
	if !reflect.DeepEqual(reports[0], reports[1]) {
		t.Errorf("%+v\n%+v", reports[0], reports[1])
	}
}

func TestDuration(t *testing.T) {
	for d := 100 * time.Millisecond; ; d *= 2 { // a busy machine takes longer
		r, err := Run(context.Background(), Options{Ops: 6, Random: 1 << 30, Duration: d})
		if err != nil || !r.Stopped {
			t.Fatalf("%+v, %v", r, err)
		}
		if r.Kinds[0].Small > 0 && r.Kinds[0].Random > 0 {
			break
		}
		if d > time.Minute {
			t.Fatalf("%+v: nothing was tested", r.Kinds[0])
		}
	}
	if _, err := Run(context.Background(), Options{Ops: MaxOps + 1}); err == nil {
		t.Error("too many operations are accepted")
	}
}

// TestFault: a wrong model is detected, with the smallest histories first.
func TestFault(t *testing.T) {
	k := newKind("register", model("register"), true, distinct, func(s uint64, c *call) outcomes {
		if c.op == put && s == 1 {
			return one(void, s) // the second write is lost
		}
		return stepRegister(s, c)
	}, kinds()[0].returned)
	tt := &tester{o: Options{Seed: 1, RandomOps: 8, Jobs: 2, Random: 1000}, kinds: []*kind{k}, report: &Report{Kinds: make([]Count, 1)}}
	units := tt.smallUnits(3)
	tt.run(context.Background(), len(units), func(i int) unit { return units[i] }, time.Now(), 0)
	tt.run(context.Background(), tt.randomUnits(), tt.randomUnit, time.Now(), 0)
	tt.report.keepSmallest()
	found := tt.report.Disagreements
	if len(found) < 10 || len(found[0].History.Ops) != 3 ||
		!slices.IsSortedFunc(found, func(a, b Disagreement) int { return len(a.History.Ops) - len(b.History.Ops) }) {
		t.Errorf("%d found", len(found))
	}
	for _, d := range found {
		if len(d.Verdicts) < 2 || !slices.ContainsFunc(d.Verdicts, func(v EngineVerdict) bool { return v.Wrong }) {
			t.Fatalf("%+v", d)
		}
	}
}

// TestShapes compares the number of shapes with the number of interval orders
// with marks, counted from event words. Every sequence of n invocations and at
// most n responses represents one order, up to isomorphism.
func TestShapes(t *testing.T) {
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

// TestLabels: every choice of calls is visited once, up to equal spans and the
// exchange of values.
func TestLabels(t *testing.T) {
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

// TestRandom: random histories are well-formed.
func TestRandom(t *testing.T) {
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
				t.Fatalf("%v\n%s", err, show(h))
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
