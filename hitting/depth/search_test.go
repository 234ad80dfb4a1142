package depth_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/hitting/depth"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/poset"
)

var (
	seedFlag = flag.Uint64("seed", 1, "seed of the random tests")
	cases    = flag.Int("cases", 10_000, "random interval orders of a test")
	size     = flag.Int("size", 9, "most elements of one")
	maxD     = flag.Int("maxdepth", 4, "greatest depth compared with families")
)

// newRand logs the seed first, so that a failure can be repeated by -seed.
func newRand(t testing.TB) *rand.Rand {
	t.Logf("-seed %d", *seedFlag)
	return rand.New(rand.NewPCG(*seedFlag, 0))
}

// An element of an interval order, and its chain.
type element struct{ Call, Return, Chain int32 }

// An order is an interval order with its chains.
type order []element

// search returns the search in o.
func (o order) search(m hitting.Machine, options depth.Options) *depth.Search {
	p, chains := o.poset()
	return depth.New(p, chains, m, options)
}

// schedule returns depth.Schedule of an index of o.
func (o order) schedule(index hitting.Index) []int32 {
	p, chains := o.poset()
	return depth.Schedule(p, chains, index)
}

func (o order) poset() (*poset.Poset, []int32) {
	var call, ret, chain []int32
	for _, e := range o {
		call, ret, chain = append(call, e.Call), append(ret, e.Return), append(chain, e.Chain)
	}
	return poset.Interval(call, ret), chain
}

// random returns an order of n elements of so many processes. Each element has a
// chance of lost never to return.
func random(r *rand.Rand, n, processes int, lost float64) order {
	const idle, retired = -1, -2
	open := slices.Repeat([]int{idle}, processes)
	number := map[int]int32{} // process -> chain
	var o order
	for at := int32(1); len(o) < n; at++ {
		p := r.IntN(len(open))
		switch e := open[p]; {
		case e == idle:
			if _, ok := number[p]; !ok {
				number[p] = int32(len(number))
			}
			open[p] = len(o)
			o = append(o, element{Call: at, Return: depth.Never, Chain: number[p]})
		case e == retired:
		case r.Float64() < lost:
			open[p] = retired
			open = append(open, idle)
		default:
			o[e].Return, open[p] = at, idle
		}
	}
	at := o.end()
	for _, p := range r.Perm(len(open)) {
		if e := open[p]; e >= 0 && r.Float64() >= lost {
			at++
			o[e].Return = at
		}
	}
	return o
}

// end returns the position of the last event.
func (o order) end() int32 {
	at := int32(0)
	for _, e := range o {
		if at = max(at, e.Call); e.Return != depth.Never {
			at = max(at, e.Return)
		}
	}
	return at
}

// arbitrary is a machine whose states and failures are arbitrary: so many of a
// hundred steps fail.
type arbitrary struct {
	seed           uint64
	states, failed uint64
}

func (m arbitrary) Start() int32 { return 0 }

func (m arbitrary) Step(state, e int32) int32 {
	r := rand.New(rand.NewPCG(m.seed, uint64(state)<<32|uint64(e)))
	if r.Uint64N(100) < m.failed {
		return -1
	}
	return int32(r.Uint64N(m.states))
}

func draw(r *rand.Rand) arbitrary { return arbitrary{r.Uint64(), 1 + r.Uint64N(6), r.Uint64N(60)} }

// script is a machine that replays one schedule only.
type script []int32

func (s script) Start() int32 { return 0 }

func (s script) Step(state, e int32) int32 {
	if s[state] != e {
		return -1
	}
	return state + 1
}

func replays(m hitting.Machine, schedule []int32) bool {
	state := m.Start()
	for _, e := range schedule {
		if state = m.Step(state, e); state < 0 {
			return false
		}
	}
	return true
}

// enumerated returns the first index of the families of depth up to maxDepth whose
// schedule the machine replays. names are what the machine calls the elements.
func enumerated(o order, names []int32, m hitting.Machine, maxDepth int) (hitting.Index, bool) {
	p, chains := o.poset()
	f := hitting.NewFamily(p, chains, hitting.Options{})
	for range maxDepth {
		for index, schedule := range f.Grow() {
			named := make([]int32, len(schedule))
			for i, e := range schedule {
				named[i] = names[e]
			}
			if replays(m, named) {
				return index.Clone(), true
			}
		}
	}
	return hitting.Index{}, false
}

func try(s *depth.Search, maxDepth int) (hitting.Index, bool) {
	for d := 1; d <= maxDepth; d++ {
		if index, found := s.Try(d); found {
			return index, true
		}
	}
	return hitting.Index{}, false
}

func numbers(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// TestFamilies compares random orders and machines with families: the first index
// and its schedule.
func TestFamilies(t *testing.T) {
	r := newRand(t)
	found := make([]int, *maxD+1)
	for i := range *cases {
		n := i % (*size + 1)
		o := random(r, n, 1+r.IntN(5), []float64{0, 0, 0.2}[r.IntN(3)])
		var m hitting.Machine = draw(r)
		p, chains := o.poset()
		if n > 0 && r.IntN(3) == 0 {
			m = script(hitting.Schedule(p, chains, randomIndex(r, o, p, *maxD)))
		}
		maxDepth := min(max(n, 1), *maxD)
		want, ok := enumerated(o, numbers(n), m, maxDepth)
		s := o.search(m, depth.Options{})
		got, gotOK := try(s, maxDepth)
		if n == 0 { // families of the empty order have no index
			want, ok = hitting.Index{}, true
		}
		if gotOK != ok || got.String() != want.String() || s.Stopped() || s.Full() {
			t.Fatalf("%v, machine %v: %v %v, families have %v %v", o, m, got, gotOK, want, ok)
		}
		if !ok {
			found[0]++
			continue
		}
		found[got.Depth()]++
		if n == 0 {
			continue
		}
		if schedule := hitting.Schedule(p, chains, got); !slices.Equal(schedule, o.schedule(got)) {
			t.Fatalf("%v, index %v: %v, Algorithm 1 builds %v", o, got, o.schedule(got), schedule)
		}
	}
	t.Logf("by depth: %v", found)
	for d, n := range found {
		if n < *cases/1000 {
			t.Errorf("%d orders of depth %d: too few", n, d)
		}
	}
}

// TestSchedule compares schedules of random indices with those of Algorithm 1.
func TestSchedule(t *testing.T) {
	r := newRand(t)
	for range *cases / 5 {
		o := random(r, 1+r.IntN(40), 1+r.IntN(12), 0.1)
		p, chains := o.poset()
		index := randomIndex(r, o, p, 1+r.IntN(8))
		if got, want := o.schedule(index), hitting.Schedule(p, chains, index); !slices.Equal(got, want) {
			t.Fatalf("%v, index %v: %v, Algorithm 1 builds %v", o, index, got, want)
		}
	}
}

// randomIndex returns a feasible index of depth at most d.
func randomIndex(r *rand.Rand, o order, p *poset.Poset, d int) hitting.Index {
	index := hitting.Index{Chain: o[r.IntN(len(o))].Chain}
	for range d - 1 {
		x := int32(r.IntN(len(o)))
		if tuple := append(index.Tuple, x); !slices.Contains(index.Tuple, x) && hitting.Feasible(p, tuple) {
			index.Tuple = tuple
		}
	}
	return index
}

// TestWide plays schedules of orders with many open elements, around the limits of
// the masks.
func TestWide(t *testing.T) {
	r := newRand(t)
	for _, width := range []int{300, 1, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1024} {
		for _, n := range []int{width, width + width/3 + 2} {
			o := wide(r, n, width)
			p, chains := o.poset()
			for d := 1; d <= 4 && (width <= 300 || n == width && d <= 2); d++ {
				index := randomIndex(r, o, p, d)
				schedule := hitting.Schedule(p, chains, index)
				s := o.search(script(schedule), depth.Options{})
				got, ok := try(s, index.Depth())
				if !ok || s.Full() || !slices.Equal(o.schedule(got), schedule) {
					t.Fatalf("%d elements, %d open: found %v %v, want %v or one before it", n, width, got, ok, index)
				}
				if got.Depth() == index.Depth() && (got.Chain > index.Chain || got.Chain == index.Chain && slices.Compare(got.Tuple, index.Tuple) > 0) {
					t.Fatalf("%d elements, %d open: found %v, but %v is before it", n, width, got, index)
				}
				if width > 129 {
					continue
				}
				// Depth 1 has one schedule for each chain.
				if want, ok := enumerated(o, numbers(n), script(schedule), 1); ok != (got.Depth() == 1) || ok && want.Chain != got.Chain {
					t.Fatalf("%d elements, %d open: found %v, families have %v %v", n, width, got, want, ok)
				}
			}
		}
	}
	o := wide(r, depth.MaxOpen+1, depth.MaxOpen+1)
	s := o.search(script(numbers(len(o))), depth.Options{})
	if _, ok := s.Try(1); ok || !s.Full() {
		t.Errorf("%d open elements: found %v, full %v", depth.MaxOpen+1, ok, s.Full())
	}
}

// wide returns an order of n elements, of which width are open at once.
func wide(r *rand.Rand, n, width int) order {
	var o order
	var open, idle []int32
	at, chains := int32(0), int32(0)
	for len(o) < n || len(open) > 0 {
		for len(o) < n && len(open) < width {
			chain := chains
			if len(idle) > 0 {
				chain, idle = idle[0], idle[1:]
			} else {
				chains++
			}
			open = append(open, int32(len(o)))
			o = append(o, element{Call: at, Return: depth.Never, Chain: chain})
			at++
		}
		k := r.IntN(len(open))
		e := open[k]
		if open = slices.Delete(open, k, k+1); len(o) < n || r.IntN(10) > 0 {
			o[e].Return = at
			idle = append(idle, o[e].Chain)
			at++
		}
	}
	return o
}

// TestLong has one delay for each second pair of elements, so that the tuples hold
// thousands of elements:
//
//	A  |----0----|      |----2----|
//	B    |----1----|      |----3----|   ...
//
// With chain A the schedule is 1 0 3 2, and the machine accepts 0 1 3 2 ...
func TestLong(t *testing.T) {
	for _, pairs := range []int{2, 6, 3000} {
		var o order
		var accepted script
		delays := 0
		for i := range int32(pairs) {
			a, b := 2*i, 2*i+1
			o = append(o, element{Call: 4 * i, Return: 4*i + 2}, element{Call: 4*i + 1, Return: 4*i + 3, Chain: 1})
			if i%2 == 0 {
				a, b = b, a
				delays++
			}
			accepted = append(accepted, b, a)
		}
		s := o.search(accepted, depth.Options{})
		tuple, ok := s.Least(0, 2*pairs)
		if !ok || len(tuple) != delays || !slices.Equal(o.schedule(hitting.Index{Tuple: tuple}), accepted) {
			t.Errorf("%d pairs: %v, a tuple of %d, want %d", pairs, ok, len(tuple), delays)
		}
		if _, ok := s.Least(0, delays-1); ok {
			t.Errorf("%d pairs: a tuple of less than %d", pairs, delays)
		}
		if pairs < 10 {
			if want, ok := enumerated(o, numbers(len(o)), accepted, delays+1); !ok || want.Depth() != delays+1 {
				t.Errorf("%d pairs: families have %v %v", pairs, want, ok)
			}
		}
	}
}

// TestBounds: a search that gives up says why, and finds the same when it goes on.
func TestBounds(t *testing.T) {
	r := newRand(t)
	stops, fulls := 0, 0
	for range *cases / 100 {
		o := random(r, 40, 6, 0.05)
		m := arbitrary{r.Uint64(), 20, 10 + r.Uint64N(20)}
		want, ok := try(o.search(m, depth.Options{}), 4)
		s := o.search(m, depth.Options{})
		var got hitting.Index
		gotOK := false
		for d := 1; d <= 4 && !gotOK; d++ {
			for work := int64(1); ; work *= 2 {
				s.Bound(meter.New(nil).Share(work), 0)
				if got, gotOK = s.Try(d); !s.Stopped() {
					break
				}
				if stops++; gotOK {
					t.Fatalf("%v, machine %v: found %v, but stopped", o, m, got)
				}
			}
		}
		if gotOK != ok || got.String() != want.String() {
			t.Fatalf("%v, machine %v: %v %v, after some stops %v %v", o, m, want, ok, got, gotOK)
		}
		s = o.search(m, depth.Options{MaxBytes: 1 << 12})
		switch got, gotOK = try(s, 4); {
		case s.Full() && gotOK:
			t.Fatalf("%v, machine %v: found %v, but full", o, m, got)
		case s.Full():
			fulls++
		case gotOK != ok || got.String() != want.String():
			t.Fatalf("%v, machine %v: %v %v, in little memory %v %v", o, m, want, ok, got, gotOK)
		}
	}
	t.Logf("%d stops, %d without memory", stops, fulls)
	if stops < *cases/100 || fulls < *cases/1000 {
		t.Errorf("%d stops, %d without memory: too few", stops, fulls)
	}
}

// forgetful is a machine that renumbers its states at random.
type forgetful struct {
	arbitrary
	r      *rand.Rand
	number []int32 // state of arbitrary -> number
	kept   int
}

func (f *forgetful) Start() int32 { return f.number[f.arbitrary.Start()] }

func (f *forgetful) Step(state, e int32) int32 {
	at := slices.Index(f.number, state)
	if at < 0 {
		panic("a state that was not kept")
	}
	if next := f.arbitrary.Step(int32(at), e); next >= 0 {
		return f.number[next]
	}
	return -1
}

func (f *forgetful) Crowded() bool { return f.r.IntN(3) == 0 }

func (f *forgetful) Keep(states []int32) {
	f.kept++
	old := slices.Clone(f.number)
	for s := range f.number {
		if s > 0 { // the start is kept
			f.number[s] += 100
		}
	}
	for i, s := range states {
		states[i] = f.number[slices.Index(old, s)]
	}
}

// TestEmpty: the empty order has its schedule at depth 1, whatever depth is asked for.
func TestEmpty(t *testing.T) {
	for to := 1; to < 4; to++ {
		if index, found := (order{}).search(script{}, depth.Options{}).First(1, to); !found || index.Depth() != 1 {
			t.Errorf("up to depth %d: %v %v", to, index, found)
		}
	}
}

// TestForgetter: a machine may renumber its states on the way.
func TestForgetter(t *testing.T) {
	r := newRand(t)
	kept := 0
	for range *cases / 10 {
		o := random(r, r.IntN(20), 1+r.IntN(5), 0.1)
		m := draw(r)
		want, ok := try(o.search(m, depth.Options{}), 4)
		f := &forgetful{m, r, numbers(int(m.states)), 0}
		got, gotOK := try(o.search(f, depth.Options{}), 4)
		if kept += f.kept; gotOK != ok || got.String() != want.String() {
			t.Fatalf("%v, machine %v: %v %v, with states renumbered %v %v", o, m, want, ok, got, gotOK)
		}
	}
	if kept < *cases/10 {
		t.Errorf("states were renumbered %d times", kept)
	}
}

// counting is a machine that counts its steps, and on which one element fails.
type counting struct {
	failing int32
	steps   int
}

func (*counting) Start() int32 { return 0 }

func (m *counting) Step(_, e int32) int32 {
	if m.steps++; e == m.failing {
		return -1
	}
	return 0
}

// TestLazy: a search for depth 1 takes as many sweeps as there are chains up to the element
// that fails, and goes no further than that.
func TestLazy(t *testing.T) {
	const processes = 10_000 // of one operation each
	var o order
	for i := range int32(processes) {
		o = append(o, element{2 * i, 2*i + 1, i})
	}
	for _, at := range []int32{0, 1, 10, 1000} {
		m := &counting{failing: at}
		if index, ok := try(o.search(m, depth.Options{}), 1); ok {
			t.Errorf("element %d fails: found %v", at, index)
		}
		if most := int(at+2) * int(at+1); m.steps > most {
			t.Errorf("element %d fails: %d steps, want at most %d", at, m.steps, most)
		}
	}
}
