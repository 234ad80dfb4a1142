package composed

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
)

// Bounds of a check.
const (
	checkOps         = 2
	checkPreemptions = 2
	checkExecutions  = 1 << 15 // of one search
	checkTime        = 15 * time.Second
	checkSequential  = 1 << 10 // executions of one order
	checkTraced      = 64      // executions in which operations of the method are counted
)

// A checker is the oracle of a body: an execution is explained if the method, run alone at some place
// among the environment's operations, leads to the same results and contents.
type checker struct {
	*body
	search   *explore.Search
	limit    int // operations of the environment
	expected map[string]*expectation
	opaque   map[reflect.Type]bool // pointer types whose targets are not compared
	seen     map[string]*observed
	waits    explore.Seen        // executions that do not end
	blocked  string              // what one of them waits for
	returns  []schedule.Schedule // of executions in which the method returns
	twice    bool                // the method of Test returned after two operations
	panics   string
	unfit    string // the panic of the method alone, if it panics with each value of the environment
	moved    func()
}

func newChecker(b *body, moved func()) *checker {
	return &checker{body: b, expected: map[string]*expectation{}, opaque: map[reflect.Type]bool{}, seen: map[string]*observed{}, moved: moved}
}

// An expectation is what the executions of one order show.
type expectation struct {
	texts [][]string
	sure  bool // these are all
}

// An observed is what an execution showed.
type observed struct {
	seen         explore.Seen
	calls        []int
	began, begun int
	// texts are for each place of the method from began to begun: results in the order in which an atomic method
	// there gives them, and the contents.
	texts [][]string
}

// observe returns what the execution that has just ended showed.
func (x *checker) observe() *observed {
	o := &observed{calls: slices.Clone(x.calls), began: x.began, begun: x.begun}
	list := func(values []reflect.Value) (names []value) {
		for _, v := range values {
			names = append(names, x.value(v))
		}
		return names
	}
	var results [][]value
	for _, r := range x.results {
		results = append(results, list(r))
	}
	method := list(x.returned)
	contents := x.contents()
	for at := o.began; at <= o.begun; at++ {
		x.names.numbers = nil
		var texts []string
		for i := range len(results) + 1 {
			if i == at {
				texts = append(texts, x.methodText(method))
			}
			if i < len(results) {
				texts = append(texts, x.text(results[i]))
			}
		}
		var entries []string
		for _, e := range contents {
			entry := x.text(e[:1])
			if len(e) > 1 {
				entry += ": " + x.text(e[1:])
			}
			entries = append(entries, entry)
		}
		o.texts = append(o.texts, append(texts, "{"+strings.Join(entries, ", ")+"}"))
	}
	return o
}

func (x *checker) methodText(results []value) string {
	if x.panicked != "" {
		return x.panicked
	}
	return x.text(results)
}

func (x *checker) text(values []value) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, valueText(x.names.name(v, x.opaque)))
	}
	return strings.Join(texts, ", ")
}

// environment runs some operations. It stops after one that began when the method had returned: that one shows
// where it could interrupt the method, and a later one has nothing to interrupt.
func (x *checker) environment() {
	for range x.limit {
		if x.returnedAt >= 0 && len(x.calls) > x.returnedAt || len(x.alphabet) == 0 {
			return
		}
		x.operate(schedule.Choose(len(x.alphabet)))
	}
}

// Ran implements explore.Oracle, like the methods after it.
func (x *checker) Ran(*schedule.Result) {}

func (x *checker) Moved() { x.moved() }

func (x *checker) Record(r *schedule.Result) *explore.Seen {
	if r.Deadlock || x.failure != nil || x.standIn != nil && x.standIn.log.unjudged {
		if x.waits.Verdict = explore.Explainable; len(r.Blocked) > 0 && x.blocked == "" {
			x.blocked = waitText(r)
		}
		x.search.Result.Waited++
		return &x.waits
	}
	o := x.observe()
	key := fmt.Sprint(o.calls, o.began, o.texts)
	if old := x.seen[key]; old != nil {
		return &old.seen
	}
	o.seen.Detail, x.seen[key] = o, o
	switch {
	case x.panicked != "":
	case x.standIn != nil:
		x.twice = x.twice || len(x.standIn.log.calls) > 1 || x.standIn.log.point >= 0
	case len(x.returns) < checkTraced:
		x.returns = append(x.returns, slices.Clone(r.Schedule))
	}
	if x.panicked != "" {
		x.panics = x.panicked
	}
	return &o.seen
}

func (x *checker) Describe(s *explore.Seen, f *explore.Found, _ *schedule.Result) {
	f.Detail = s.Detail
}

func (x *checker) Judge(s *explore.Seen, f *explore.Found, _ int) (bool, error) {
	o := s.Detail.(*observed)
	if x.unfit != "" && strings.HasPrefix(o.method(0), "panic:") {
		s.Verdict = explore.Explainable
	} else if s.Verdict = x.judge(o); s.Verdict == explore.Violates {
		// Results that change with the clock, or from one replay to the next, show nothing. Pointers
		// whose targets do are no longer compared.
		known := len(x.opaque)
		again, targets := x.replay(f, 0)
		late, others := x.replay(f, 1003)
		for i := range min(len(targets), len(others), len(x.names.made)) {
			if targets[i] != others[i] {
				x.opaque[x.names.made[i].Type()] = true
			}
		}
		if len(x.opaque) > known {
			clear(x.expected)
			again, _ = x.replay(f, 0)
			late, _ = x.replay(f, 1003)
			o.texts = again.texts
			s.Verdict = x.judge(o)
		}
		if s.Verdict == explore.Violates && (!slices.EqualFunc(again.texts, o.texts, slices.Equal) || !slices.EqualFunc(late.texts, o.texts, slices.Equal)) {
			s.Verdict = explore.Undecided
		}
	}
	if s.Verdict == explore.Undecided {
		x.search.Result.Undecided++
	}
	return s.Verdict == explore.Violates, nil
}

// replay returns what a schedule shows, with a clock that advances by tick, and the targets of the
// method's pointers.
func (x *checker) replay(f *explore.Found, tick int64) (o *observed, targets []string) {
	r := schedule.Run(&x.search.Body, schedule.NewReplay(f.Schedule), schedule.Limits{Tick: tick})
	if r.Diverged || r.Deadlock || r.Cut || r.Panic != nil {
		return &observed{}, nil
	}
	o = x.observe()
	for i := range x.names.made {
		targets = append(targets, x.names.content(i, x.opaque))
	}
	return o, targets
}

// judge compares an execution with those in which the method runs alone.
func (x *checker) judge(o *observed) explore.Verdict {
	verdict := explore.Violates
	for i, texts := range o.texts {
		e := x.alone(o.calls, o.began+i)
		if slices.ContainsFunc(e.texts, func(t []string) bool { return slices.Equal(t, texts) }) {
			return explore.Explainable
		}
		if !e.sure {
			verdict = explore.Undecided
		}
	}
	return verdict
}

// alone returns what is expected if the method runs alone after the first at calls, and before the
// others.
func (x *checker) alone(calls []int, at int) *expectation {
	key := fmt.Sprint(calls, at)
	if e := x.expected[key]; e != nil {
		return e
	}
	calls = slices.Clone(calls)
	program := &schedule.Program{Before: x.before, After: x.after, Threads: []func(){func() {
		for i := range len(calls) + 1 {
			if i == at {
				x.method()
				x.forget()
			}
			if i < len(calls) {
				x.operate(calls[i])
				x.forget()
			}
		}
	}}}
	e := &expectation{sure: true}
	x.expected[key] = e
	by := schedule.NewDFS(schedule.DFSOptions{Bound: checkPreemptions, Delays: true, Filter: true})
	for n := 0; ; n++ {
		r := schedule.Run(program, by, schedule.Limits{})
		switch {
		case r.Deadlock:
		case r.Diverged || r.Cut || r.Foreign > 0 || r.Panic != nil || n == checkSequential:
			e.sure = false
			return e
		default:
			o := x.observe()
			if !slices.ContainsFunc(e.texts, func(t []string) bool { return slices.Equal(t, o.texts[0]) }) {
				e.texts = append(e.texts, o.texts[0])
			}
		}
		if !by.Next(r) {
			return e
		}
	}
}

func (x *checker) Postpones(*explore.Found) bool { return false }

func (x *checker) Suspect(*explore.Seen, *schedule.Result, int) *explore.Found { return nil }

func (x *checker) IsFault(*explore.Seen, *explore.Found) bool { return false }

// explore searches the executions with one operation of the environment and then two, with few
// preemptions first.
func (x *checker) explore(ctx context.Context, c *Report) error {
	complete := true
	for preemptions := 1; preemptions <= checkPreemptions; preemptions++ {
		for x.limit = 1; x.limit <= checkOps; x.limit++ {
			ended, err := x.run(ctx, c, explore.Plan{Preemptions: preemptions, Executions: checkExecutions, Time: checkTime})
			if err != nil || ended {
				return err
			}
			if complete = complete && x.search.Result.Complete >= preemptions; complete {
				c.Ops, c.Preemptions = x.limit, preemptions
			}
		}
	}
	return nil
}

// run searches the executions of a plan. It reports whether a violation, or a panic, ended that.
func (x *checker) run(ctx context.Context, c *Report, plan explore.Plan) (ended bool, err error) {
	x.search = &explore.Search{Ctx: ctx, Oracle: x, Body: x.program()}
	err = x.search.Explore(plan)
	e := x.search.Result
	c.Executions += e.Executions
	c.Undecided += e.Undecided + e.Diverged
	c.Waited += e.Waited + e.Cut
	if e.Panic != "" {
		c.Reason = "a goroutine ends the process: " + e.Panic
	}
	if len(e.Found) > 0 {
		c.Violation = x.violation(e.Found[0])
	}
	return len(e.Found) > 0 || e.Panic != "", err
}

func (x *checker) program() schedule.Program {
	before := func() {
		x.before()
		if x.standIn != nil {
			x.standIn.log.most = mostCalls
		}
	}
	return schedule.Program{Before: before, Threads: []func(){x.method, x.environment}, After: x.after}
}
