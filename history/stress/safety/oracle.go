package safety

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/leadline/leadline/history/stress"
)

// Options are the parameters of Search. The zero value means the defaults, which
// are the paper's.
type Options struct {
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
	Confirm func(*Finding) bool `json:"-"`
}

func (o Options) withDefaults() Options {
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
func (o *Options) round(n int) limits {
	l := limits{1, o.FirstSuffixes}
	for range n {
		l = limits{min(l.prefixes+3, o.Prefixes), min(2*l.suffixes, o.Suffixes)}
	}
	return l
}

// A Report is the result of a search.
type Report struct {
	Target  string
	Finding *Finding // nil if there is none
	// Unreproduced has what was seen but not confirmed. It does not count.
	Unreproduced []*Finding
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

// A Finding is a test with an execution that fails as no linearization does.
type Finding struct {
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
	options Options
	report  *Report
	dir     string
	worker  *process
	tried   map[int]bool
	begun   time.Time
	paused  time.Duration // while findings are confirmed
}

// maxUnreproduced bounds the findings that are not confirmed.
const maxUnreproduced = 5

// Search tests the targets of a name, which are instances of a generic type, until it finds a
// violation of thread safety, or time is up. An error means that none of them can be tested.
func Search(ctx context.Context, l *Library, name string, o Options) (*Report, error) {
	o = o.withDefaults()
	report, err := &Report{Target: name}, fmt.Errorf("no target %s", name)
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
func search(ctx context.Context, l *Library, target int, o Options, report *Report) (untried []string, err error) {
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
	for n := 0; err == nil && report.Finding == nil && (o.Rounds == 0 || n < o.Rounds) && !h.over(); n++ {
		report.Rounds++
		err = h.round(n)
	}
	report.Elapsed += time.Since(h.begun) - h.paused
	for _, m := range c.methods {
		if !h.tried[m] {
			untried = append(untried, c.functions[m].name)
		}
	}
	if ctx.Err() != nil {
		err = nil
	}
	return append(untried, stress.GenericMethods(l.Targets[target].Type, l.Module)...), err
}

func (h *searcher) over() bool {
	return h.ctx.Err() != nil || time.Since(h.begun)-h.paused >= h.options.Time || len(h.report.Unreproduced) >= maxUnreproduced
}

func (h *searcher) round(n int) error {
	g := &generator{catalog: h.catalog, random: rand.New(rand.NewPCG(h.options.Seed, uint64(n))), options: h.options, most: h.options.round(n), failed: map[int]int{}}
	var broken error
	g.works = func(t *Test) bool {
		if broken != nil || h.over() {
			return false
		}
		ok, err := h.works(t)
		broken = errors.Join(broken, err)
		return ok
	}
	for h.report.Finding == nil && !h.over() {
		t, err := g.next()
		if broken != nil {
			return broken
		}
		if errors.Is(err, errNoInstance) && h.over() || t == nil && err == nil {
			return nil
		}
		if err != nil {
			return err
		}
		h.report.Tests++
		if err := h.check(t); err != nil {
			return err
		}
	}
	return broken
}

// drop ends the worker.
func (h *searcher) drop() {
	if h.worker != nil {
		h.worker.Close()
		h.worker = nil
	}
}

// ask runs a request in the worker. The failure may be the one that has ended it.
func (h *searcher) ask(r *request) (*response, error) {
	if err := h.start(); err != nil {
		return nil, err
	}
	r.Target, r.Exclude = h.number, h.options.Exclude
	answer, dead, err := h.worker.ask(r)
	if dead {
		h.drop()
	}
	if h.ctx.Err() != nil { // whatever ended it, the user may have
		return &response{Unclear: true}, nil
	}
	return answer, err
}

// start starts a worker if none runs.
func (h *searcher) start() (err error) {
	if h.worker == nil {
		h.worker, err = startProcess(h.ctx, h.dir)
	}
	return err
}

// settle ends the worker if something of its last test might meddle with the next.
func (h *searcher) settle(a *response) {
	if a.Stuck || a.Unclear || a.Left > 0 {
		h.drop()
	}
}

// tooSlow is how long the calls of a candidate may take, so that tests are quick.
var tooSlow = time.Second / 2 // except in tests

// works reports whether calls run one after another without failing.
func (h *searcher) works(t *Test) (bool, error) {
	order := []int{}
	for n, s := range t.Suffixes {
		order = append(order, slices.Repeat([]int{n}, len(s))...)
	}
	a, err := h.ask(&request{Test: t, Order: order, Repeat: 2, Batch: 1})
	if err != nil {
		return false, err
	}
	h.settle(a)
	ok := a.Failure == nil && !a.Unclear && a.Took < tooSlow
	if ok {
		for _, s := range append([][]call{t.Prefix}, t.Suffixes...) {
			for _, c := range s {
				h.tried[c.Function] = true
			}
		}
	}
	return ok, nil
}

// most is how often a test may end its worker without a finding.
const mostRestarts = 3

// check is Algorithm 2: it runs a test and adds a finding if it fails as no
// linearization does.
func (h *searcher) check(t *Test) error {
	done, raced := 0, false
	for restarts := 0; done < h.options.Executions && restarts < mostRestarts && !h.over(); {
		if err := h.start(); err != nil {
			return err
		}
		used := h.worker // no longer h.worker if it dies
		races, _ := used.races.seen()
		left := h.options.Executions - done
		a, err := h.ask(&request{Test: t, Executions: left})
		if err != nil {
			return err
		}
		if a.Executions == 0 { // it has died, at the latest in the last of them
			a.Executions = left
		}
		done += a.Executions
		h.report.Executions += a.Executions
		if !raced && h.hasRaced(used, races) {
			raced = true
			h.report.Races++
		}
		if h.ctx.Err() != nil {
			return nil
		}
		if a.Unclear {
			h.report.Unclear++
			restarts++
		}
		if f := a.Failure; f != nil {
			stuck := h.worker
			h.worker = nil
			found, err := h.judge(t, f, stuck, done)
			if stuck != nil {
				stuck.Close()
			}
			if err != nil || found || !f.Quick() { // others would be like it
				return err
			}
			restarts++
			continue
		}
		h.settle(a)
	}
	return nil
}

// hasRaced reports whether the worker has had more data races than before. The
// report keeps the first of all.
func (h *searcher) hasRaced(used *process, before int) bool {
	n, text := used.races.seen()
	if h.report.Race == "" {
		h.report.Race = text
	}
	return n > before
}

// judge adds a finding if no linearization fails for the same reason, and reports
// whether it does.
func (h *searcher) judge(t *Test, f *Failure, stuck *process, executions int) (bool, error) {
	begun := time.Now()
	if f.InPrefix {
		h.report.Sequential++
		return false, nil
	}
	sequential, err := h.sequentially(t, f, executions)
	if err != nil || sequential || h.ctx.Err() != nil {
		if sequential {
			h.report.Sequential++
		}
		return false, err
	}
	if !f.Quick() {
		select {
		case <-h.ctx.Done():
			return false, nil
		case <-time.After(patience - time.Since(begun)):
		}
		if a, _, err := stuck.ask(&request{Again: true}); err != nil || !a.Same {
			h.report.Unclear++
			return false, nil
		}
	}
	h.confirm(&Finding{Failure: *f, Test: t, Calls: h.catalog.textOf(t), Source: h.catalog.source(t, f), Executions: executions})
	return true, nil
}

func (h *searcher) confirm(f *Finding) {
	begun := time.Now()
	confirmed := h.options.Confirm == nil || h.options.Confirm(f)
	h.paused += time.Since(begun)
	if confirmed {
		h.report.Finding = f
	} else {
		h.report.Unreproduced = append(h.report.Unreproduced, f)
	}
}

// sequentially reports whether a linearization fails for the same reason as f, or may
// do so. All run several times, and together more often than the test itself, as an
// object may fail by chance. They first run in batches, as the test does, in case
// instances share something.
func (h *searcher) sequentially(t *Test, f *Failure, executions int) (bool, error) {
	orders := linearizations(t)
	repeat := max(3, 3*executions/len(orders)+1)
	instances := max(2, batch/len(orders))
	begun := time.Now()
	for i, order := range orders {
		r := request{Order: order, Repeat: repeat, Batch: instances}
		if i == 0 {
			r.Batch = batch
		}
		if sequential, err := h.fails(t, f, r); sequential || err != nil {
			return sequential, err
		}
		if time.Since(begun) > longJudging {
			h.report.Unclear++
			return true, nil
		}
	}
	return false, nil
}

// longJudging bounds the time to run all linearizations of a test. Else, a slow test with
// thousands of them would take that of all others. Then it is not a finding.
const longJudging = time.Minute

// fails runs a linearization, and reports whether it fails for the same reason as f, or may
// do so. A call that does not end may fail for any reason, depending on when others
// interfere: with a deadlock, for instance, if it keeps locking for reading.
func (h *searcher) fails(t *Test, f *Failure, r request) (bool, error) {
	for r.Test = t; r.Begin < r.Repeat; {
		a, err := h.ask(&r)
		if err != nil {
			return false, err
		}
		if a.Unclear || a.Failure != nil && (a.Failure.same(f) || a.Failure.endless()) {
			h.drop()
			return true, nil
		}
		if h.settle(a); a.Failure != nil {
			return false, nil
		}
		r.Begin += max(1, a.Executions)
	}
	return false, nil
}

// linearizations returns the orders of the calls that keep that of each suffix.
func linearizations(t *Test) [][]int {
	left := make([]int, len(t.Suffixes))
	for i, s := range t.Suffixes {
		left[i] = len(s)
	}
	var list [][]int
	var extend func(order []int)
	extend = func(order []int) {
		ended := true
		for i := range left {
			if left[i] > 0 {
				ended = false
				left[i]--
				extend(append(slices.Clip(order), i))
				left[i]++
			}
		}
		if ended {
			list = append(list, order)
		}
	}
	extend([]int{})
	return list
}
