package safety

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/stress"
)

// Parameters are those of Search. The zero value means the defaults, which
// are the paper's.
type Parameters struct {
	Seed uint64
	// Time is how long a target is tested; 0 means a minute.
	Time time.Duration
	// FirstSuffixes is how many suffixes the first round tries, for one prefix.
	// Later rounds raise both to Prefixes and Suffixes.
	FirstSuffixes, Prefixes, Suffixes int
	StateChangers                     int // calls that may follow the constructor in a prefix
	Calls                             int // calls of the instance in a suffix, at most
	Executions                        int // of a test
	Sequences                         int // suffixes of a test, at most: 2 to 4
	Exclude                           []string
	// Rounds bounds the rounds if it is not 0.
	Rounds int
	// Confirm, if it is not nil, reports whether the Go test of a finding fails, and
	// may scale it. If it returns false, Search continues.
	Confirm func(*Exposure) bool `json:"-"`
}

func (o Parameters) withDefaults() Parameters {
	for _, d := range []struct {
		to *int
		n  int
	}{{&o.FirstSuffixes, 10}, {&o.Prefixes, 25}, {&o.Suffixes, 500}, {&o.StateChangers, 5}, {&o.Calls, 2}, {&o.Executions, 100}, {&o.Sequences, 4}} {
		if *d.to == 0 {
			*d.to = d.n
		}
	}
	o.Sequences = min(max(o.Sequences, 2), 4)
	if o.Time == 0 {
		o.Time = time.Minute
	}
	return o
}

// round returns the limits of the n-th round.
func (o *Parameters) round(n int) limits {
	l := limits{1, o.FirstSuffixes}
	for range n {
		l = limits{min(l.prefixes+3, o.Prefixes), min(2*l.suffixes, o.Suffixes)}
	}
	return l
}

// A Summary is the result of a search.
type Summary struct {
	Target  string
	Finding *Exposure // nil if there is none
	// Unreproduced has what was seen but not confirmed, also because the search was stopped. It is no
	// finding, but the target is not known to be safe either.
	Unreproduced []*Exposure
	Tests        int // that were run
	Executions   int // of their suffixes in parallel
	Rounds       int
	Elapsed      time.Duration
	// Sequential is how many failures were left out because a linearization has
	// them, too.
	Sequential int
	// Unclear is how many failures do not count: their processes were killed or used too
	// much memory, or they took long.
	Unclear int
	// Races is how many tests had data races, if the race detector is on. Race is
	// one of them. They are not findings.
	Races int
	Race  string
	// Untried methods never ran sequentially without failing.
	Untried []string
}

// An Exposure is a test with an execution that fails as no linearization does.
type Exposure struct {
	Failure
	Test       *Test
	Calls      string // the test in short
	Source     string // a Go test of it
	Executions int    // of this test until it failed
}

// A searcher tests one target.
type searcher struct {
	ctx     context.Context
	library *Library
	number  int
	catalog *catalog
	options Parameters
	report  *Summary
	dir     string
	worker  *process
	workers int // that were started
	tried   map[int]bool
	begun   time.Time
	paused  time.Duration // while findings are confirmed
	err     error         // why the target cannot be tested
}

// maxUnreproduced bounds the findings that are not confirmed.
const maxUnreproduced = 5

// Search tests the targets of a name, which are instances of a generic type, until it finds a
// violation of thread safety, or time is up. An error means that none of them can be tested.
func Search(ctx context.Context, l *Library, name string, o Parameters) (*Summary, error) {
	o = o.withDefaults()
	report, err := &Summary{Target: name}, fmt.Errorf("no target %s", name)
	var targets []int
	for n, t := range l.Targets {
		if t.Name == name {
			targets = append(targets, n)
		}
	}
	o.Time /= time.Duration(max(1, len(targets)))
	tested := false
	for _, n := range targets {
		untried, failed := search(ctx, l, n, o, report)
		switch {
		case failed == nil && tested: // untried are methods that are so in all
			report.Untried = slices.DeleteFunc(report.Untried, func(m string) bool { return !slices.Contains(untried, m) })
		case failed == nil:
			report.Untried, tested, err = untried, true, nil
		case !tested:
			err = failed
		}
		if report.Finding != nil || ctx.Err() != nil {
			break
		}
	}
	return report, err
}

// search tests one target. It adds to the report, and returns the methods that never ran
// sequentially without failing.
func search(ctx context.Context, l *Library, target int, o Parameters, report *Summary) (untried []string, err error) {
	c, err := newCatalog(l, l.Targets[target], o.Exclude)
	if err != nil {
		return nil, err
	}
	h := &searcher{ctx: ctx, library: l, number: target, catalog: c, options: o, report: report, tried: map[int]bool{}, begun: time.Now()}
	if h.dir, err = os.MkdirTemp("", "leadline-safety-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(h.dir)
	defer h.drop()
	for n := 0; report.Finding == nil && (o.Rounds == 0 || n < o.Rounds) && !h.over(); n++ {
		report.Rounds++
		h.round(n)
	}
	report.Elapsed += time.Since(h.begun) - h.paused
	for _, m := range c.methods {
		if !h.tried[m] {
			untried = append(untried, c.functions[m].name)
		}
	}
	return append(untried, stress.GenericMethods(l.Targets[target].Type, l.Module)...), h.err
}

func (h *searcher) over() bool {
	return h.err != nil || h.ctx.Err() != nil || time.Since(h.begun)-h.paused >= h.options.Time || len(h.report.Unreproduced) >= maxUnreproduced
}

func (h *searcher) round(n int) {
	g := &generator{catalog: h.catalog, random: rand.New(rand.NewPCG(h.options.Seed, uint64(n))), options: h.options, most: h.options.round(n), failed: map[int]int{}}
	g.works = func(t *Test) bool { return !h.over() && h.works(t) }
	for h.report.Finding == nil && !h.over() {
		t, err := g.next()
		if err != nil && !h.over() {
			h.err = err
		}
		if t == nil {
			return
		}
		h.report.Tests++
		h.check(t)
	}
}

// drop ends the worker.
func (h *searcher) drop() {
	if h.worker != nil {
		h.worker.Close()
		h.worker = nil
	}
}

// ask runs a request in the worker, which it starts if none runs. The failure may be the one
// that has ended it.
func (h *searcher) ask(r *request) *response {
	if h.worker == nil {
		h.workers++
		if h.worker, h.err = startProcess(h.ctx, h.dir, h.workers); h.err != nil {
			return &response{Unclear: true}
		}
	}
	r.Target, r.Exclude = h.number, h.options.Exclude
	answer, dead, err := h.worker.ask(r)
	if dead {
		h.drop()
	}
	if h.ctx.Err() != nil || err != nil { // whatever ended it, the user may have
		h.err = err
		return &response{Unclear: true}
	}
	return answer
}

// settle ends the worker if something of its last test might meddle with the next.
func (h *searcher) settle(a *response) {
	if a.Unclear || a.Left > 0 {
		h.drop()
	}
}

// tooSlow is how long the calls of a candidate may take, so that tests are quick.
var tooSlow = time.Second / 2 // except in tests

// works reports whether calls run one after another without failing.
func (h *searcher) works(t *Test) bool {
	order := []int{}
	for n, s := range t.Suffixes {
		order = append(order, slices.Repeat([]int{n}, len(s))...)
	}
	a := h.ask(&request{Test: t, Order: order, Repeat: 2, Batch: 1})
	h.settle(a)
	if a.Failure != nil || a.Unclear || a.Took >= tooSlow {
		return false
	}
	for _, s := range append([][]call{t.Prefix}, t.Suffixes...) {
		for _, c := range s {
			h.tried[c.Function] = true
		}
	}
	return true
}

// mostRestarts is how often a test may end its worker without a finding.
const mostRestarts = 3

// check is Algorithm 2: it runs a test and adds a finding if it fails as no
// linearization does.
func (h *searcher) check(t *Test) {
	done, raced := 0, false
	for restarts := 0; done < h.options.Executions && restarts < mostRestarts && !h.over(); {
		left := h.options.Executions - done
		a := h.ask(&request{Test: t, Executions: left})
		if a.Executions == 0 { // it has died, at the latest in the last of them
			a.Executions = left
		}
		done += a.Executions
		h.report.Executions += a.Executions
		if a.Race != "" && !raced {
			raced = true
			h.report.Races++
			h.report.Race = cmp.Or(h.report.Race, a.Race)
		}
		switch {
		case h.err != nil || h.ctx.Err() != nil:
			return
		case a.Failure != nil:
			stuck := h.worker
			h.worker = nil
			found := h.judge(t, a.Failure, stuck, done)
			if stuck != nil {
				stuck.Close()
			}
			if found || !a.Failure.Quick() { // others would be like it
				return
			}
			restarts++
			continue
		case a.Unclear:
			h.report.Unclear++
			restarts++
		}
		h.settle(a)
	}
}

// judge adds a finding if no linearization fails for the same reason, and reports
// whether it does.
func (h *searcher) judge(t *Test, f *Failure, stuck *process, executions int) bool {
	begun := time.Now()
	found := &Exposure{Failure: *f, Test: t, Calls: h.catalog.textOf(t), Source: h.catalog.source(t, f), Executions: executions}
	switch fails, judged := h.sequentially(t, f, executions); {
	case fails && (f.InPrefix || h.ctx.Err() == nil):
		h.report.Sequential++
		return false
	case !judged || h.ctx.Err() != nil:
		h.report.Unreproduced = append(h.report.Unreproduced, found)
		return false
	}
	if !f.Quick() {
		select {
		case <-h.ctx.Done():
		case <-time.After(patience - time.Since(begun)):
		}
		if a, _, err := stuck.ask(&request{Again: true}); h.ctx.Err() == nil && (err != nil || !a.Same) {
			h.report.Unclear++
			return false
		}
	}
	begun = time.Now()
	if stopped := h.ctx.Err() != nil || h.err != nil; !stopped && (h.options.Confirm == nil || h.options.Confirm(found)) {
		h.report.Finding = found
	} else {
		h.report.Unreproduced = append(h.report.Unreproduced, found)
	}
	h.paused += time.Since(begun)
	return true
}

// sequentially reports whether a linearization fails for the same reason as f, or may
// do so, and whether all were tried that have to be. All run several times, and together more
// often than the test itself, as an object may fail by chance. They first run in batches, as the
// test does, in case instances share something.
func (h *searcher) sequentially(t *Test, f *Failure, executions int) (fails, judged bool) {
	if f.InPrefix {
		return true, true
	}
	orders := linearizations(t)
	repeat := max(3, 3*executions/len(orders)+1)
	instances := max(2, batch/len(orders))
	begun := time.Now()
	for i, order := range orders {
		r := request{Order: order, Repeat: repeat, Batch: instances}
		if i == 0 {
			r.Batch = batch
		}
		if h.fails(t, f, r) {
			return true, true
		}
		if time.Since(begun) > longJudging {
			return false, false
		}
	}
	return false, true
}

// longJudging bounds the time to run all linearizations of a test, so that a slow test with thousands of
// them does not take the time of all others. A failure that takes longer is not confirmed.
const longJudging = time.Minute

// fails runs a linearization, and reports whether it fails for the same reason as f, or may
// do so. A call that does not end may fail for any reason, depending on when others
// interfere: with a deadlock, for instance, if it keeps locking for reading.
func (h *searcher) fails(t *Test, f *Failure, r request) bool {
	for r.Test = t; r.Begin < r.Repeat; {
		a := h.ask(&r)
		if a.Unclear || a.Failure != nil && (a.Failure.same(f) || a.Failure.endless()) {
			h.drop()
			return true
		}
		if h.settle(a); a.Failure != nil {
			return false
		}
		r.Begin += max(1, a.Executions)
	}
	return false
}

// linearizations returns the orders of the calls that keep that of each suffix.
func linearizations(t *Test) [][]int {
	var orders [][]int
	explore.Enumerate(func(choose func(int) int) bool {
		var order, open []int // suffixes with calls that are left
		left := make([]int, len(t.Suffixes))
		for i, s := range t.Suffixes {
			if left[i] = len(s); left[i] > 0 {
				open = append(open, i)
			}
		}
		for len(open) > 0 {
			at := choose(len(open))
			i := open[at]
			if order, left[i] = append(order, i), left[i]-1; left[i] == 0 {
				open = slices.Delete(open, at, at+1)
			}
		}
		orders = append(orders, order)
		return true
	})
	return orders
}
