package stress

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/poset"
)

// An Execution is what an execution of a program showed: its results and the order of its
// events, and how often that was seen. Executions are the same if their results are and the
// same invocations overlapped.
type Execution struct {
	Outcome Outcome
	// Events are those of the parallel part in order: i is the invocation of
	// the i-th of Program.All, -1-i its response. Invocations without a
	// response between them are sorted, and so are responses without an
	// invocation between them.
	Events []int16
	Times  int64
}

// History returns the execution as a history of an object, given what is expected of the program. One more
// process calls the initial part and the final part.
func (r *Execution) History(e *Expected) (*history.History, error) {
	var before *poset.Poset
	if e.IsRelaxed() {
		before = r.order(e.Program)
	}
	x := newAssembly(e, r.Outcome, before)
	x.inRow(0, x.first)
	for _, e := range r.Events {
		if e >= 0 {
			x.invoke(int(e), x.process[e])
		} else {
			x.respond(int(-1-e), x.process[-1-e])
		}
	}
	x.inRow(x.last, len(x.all))
	return x.builder.Build()
}

// check builds the history of an execution and reports whether it is not linearizable.
func (r *Execution) check(ctx context.Context, e *Expected, checker Checker) (*history.History, bool, error) {
	h, err := r.History(e)
	if err != nil {
		return nil, false, fmt.Errorf("recorded execution of %v: %w", e.Program, err)
	}
	violates, err := checker.Violates(ctx, h, e.Class.Levels())
	return h, violates, err
}

// Overlaps reports whether two invocations were open at one time.
func (r *Execution) Overlaps() bool {
	for i, e := range r.Events {
		if e >= 0 && i+1 < len(r.Events) && r.Events[i+1] >= 0 {
			return true
		}
	}
	return false
}

// overlapping returns the methods of invocations that were open when another one was.
func overlapping(p *Program, list []Execution) []*Method {
	all := p.All()
	var found []*Method
	for i := range list {
		open, events := 0, list[i].Events
		for k, e := range events {
			if e < 0 {
				open--
				continue
			}
			if m := all[e].Method; (open > 0 || events[k+1] != -1-e) && !slices.Contains(found, m) {
				found = append(found, m)
			}
			open++
		}
	}
	return found
}

// header returns the header of histories of the program with this outcome: the
// model of the class, or all sequential runs of the program. A model does not
// have the result of an invocation that waits forever, but the runs do. Where the levels of the
// methods allow the outcome in the order of a run, there is a run with this outcome, too.
func (e *Expected) header(o Outcome, before *poset.Poset) history.Header {
	c := e.Class
	if c.Model != "" && !o.Waits() {
		return history.Header{Model: c.Model, ModelArgs: c.ModelArgs}
	}
	if e.tree.Kind() != history.List || e.IsRelaxed() {
		all, err := e.Runs.All()
		e.unsteady = e.unsteady || err != nil // not all of them
		for i := range all {
			if r := &all[i]; !r.Outcome.Equal(o) && e.allows(r, o, before) {
				all = append(all, SequentialRun{Order: r.Order, Outcome: o})
			}
		}
		invocations := e.Program.All()
		var runs [][]ran
		for _, r := range all {
			run := make([]ran, len(r.Order))
			for k, i := range r.Order {
				run[k] = ran{invocations[i], r.Outcome[i]}
			}
			runs = append(runs, run)
		}
		e.tree = runTree(runs)
	}
	return history.Header{Model: "runs", ModelArgs: []history.Value{history.StringValue(c.Name), e.tree}}
}

// A ran is an invocation of a sequential run, with its result.
type ran struct {
	Invocation
	result history.Value
}

// runTree returns runs as the specification "runs" of package replay/spec
// reads them: as a list of edges. Each is a list of the method, the list of
// arguments, a list of the result (empty if there is none) and the tree of
// what was called next.
func runTree(runs [][]ran) history.Value {
	var edges []history.Value
	for len(runs) > 0 {
		if len(runs[0]) == 0 {
			runs = runs[1:]
			continue
		}
		first := runs[0][0]
		var next, others [][]ran
		for _, r := range runs {
			if len(r) > 0 && r[0].equal(first.Invocation) && r[0].result.Equal(first.result) {
				next = append(next, r[1:])
			} else {
				others = append(others, r)
			}
		}
		var result []history.Value
		if first.result.Kind() != history.None {
			result = []history.Value{first.result}
		}
		edges = append(edges, history.ListValue(history.StringValue(first.Method.Name), history.ListValue(first.Args...),
			history.ListValue(result...), runTree(next)))
		runs = others
	}
	return history.ListValue(edges...)
}

// Unordered returns the history of an outcome in which all invocations of the
// sequences overlap. Edges give the order within sequences and between those
// that the program orders. Invocations that wait forever respond last, with
// Waiting. The history is linearizable exactly if the outcome is expected.
func (e *Expected) Unordered(o Outcome) (*history.History, error) {
	p, x := e.Program, newAssembly(e, o, e.visible.before)
	x.inRow(0, x.first)
	own := len(p.Sequences) + 1 // each invocation has a process of its own, so that they overlap
	for i := x.first; i < x.last; i++ {
		x.invoke(i, own+i)
	}
	for _, waits := range []bool{false, true} {
		for i := x.first; i < x.last; i++ {
			if (o[i] == Waiting) == waits {
				x.respond(i, own+i)
			}
		}
	}
	x.inRow(x.last, len(x.all))
	edge := func(from, to int) {
		if o[to] == NotCalled {
			return
		}
		x.builder.AddEdge(history.IntValue(int64(from)), history.IntValue(int64(to)), x.line)
	}
	begin := make([]int, len(p.Sequences))
	at := x.first
	for s, sequence := range p.Sequences {
		begin[s] = at
		for i := at + 1; i < at+len(sequence); i++ {
			edge(i-1, i)
		}
		at += len(sequence)
	}
	for _, order := range p.Order {
		edge(begin[order[0]]+len(p.Sequences[order[0]])-1, begin[order[1]])
	}
	return x.builder.Build()
}

// An assembly builds the history of an outcome.
type assembly struct {
	builder     *history.Builder
	all         []Invocation
	process     []int // of each invocation: that of its sequence, or one more
	first, last int   // the sequences have the invocations from first to last-1
	outcome     Outcome
	line        int
}

func newAssembly(e *Expected, o Outcome, before *poset.Poset) *assembly {
	p := e.Program
	x := &assembly{builder: history.NewBuilder(e.header(o, before)), all: p.All(), first: len(p.Initial), last: p.Len() - len(p.Final), outcome: o}
	for range p.Initial {
		x.process = append(x.process, len(p.Sequences))
	}
	for s, sequence := range p.Sequences {
		for range sequence {
			x.process = append(x.process, s)
		}
	}
	for range p.Final {
		x.process = append(x.process, len(p.Sequences))
	}
	return x
}

func (x *assembly) invoke(i, process int) {
	if x.outcome[i] == NotCalled {
		return
	}
	x.add(history.Event{Type: history.Invoke, Method: x.all[i].Method.Name, Args: x.all[i].Args}, i, process)
}

func (x *assembly) respond(i, process int) {
	if x.outcome[i] == NotCalled {
		return
	}
	e := history.Event{Type: history.OK, Result: x.outcome[i]}
	if x.outcome[i] == Waiting {
		e = history.Event{Type: history.Waits}
	}
	x.add(e, i, process)
}

func (x *assembly) add(e history.Event, i, process int) {
	x.line++
	e.Process, e.Op, e.Line = history.IntValue(int64(process)), history.IntValue(int64(i)), x.line
	x.builder.Add(&e)
}

// inRow adds invocations that follow one another.
func (x *assembly) inRow(from, to int) {
	for i := from; i < to; i++ {
		x.invoke(i, x.process[i])
		x.respond(i, x.process[i])
	}
}

// Executions counts executions that are the same. The zero value has none.
type Executions struct {
	byHash map[uint64][]*Execution
	events []stampedEvent
	order  []int16
}

type stampedEvent struct {
	at    int64
	event int16
}

// add counts an execution, given the stamps of each invocation and its
// response, and reports whether two sequences overlapped. Invocations that are not
// called have stamps of 0.
func (t *Executions) add(p *Program, results []history.Value, stamps []int64) bool {
	overlapped := t.arrange(p, len(results), stamps)
	t.Count(results, t.order)
	return overlapped
}

// Count counts an execution with these events, and returns it.
func (t *Executions) Count(o Outcome, events []int16) *Execution {
	sum := o.Hash()
	for _, e := range events {
		sum = (sum ^ uint64(uint16(e))) * 0x100000001b3
	}
	r := t.find(sum, o, events)
	r.Times++
	return r
}

// find returns the execution with these results and events, which hash to sum. It
// has a count of 0 if it is new.
func (t *Executions) find(sum uint64, o Outcome, events []int16) *Execution {
	for _, r := range t.byHash[sum] {
		if slices.Equal(r.Events, events) && r.Outcome.Equal(o) {
			return r
		}
	}
	if t.byHash == nil {
		t.byHash = map[uint64][]*Execution{}
	}
	r := &Execution{Outcome: slices.Clone(o), Events: slices.Clone(events)}
	t.byHash[sum] = append(t.byHash[sum], r)
	return r
}

// arrange puts the events in order and reports whether two invocations of
// different sequences were open at one time.
func (t *Executions) arrange(p *Program, n int, stamps []int64) bool {
	t.events = t.events[:0]
	for i := len(p.Initial); i < n-len(p.Final); i++ {
		if stamps[2*i] == 0 { // it is not called
			continue
		}
		t.events = append(t.events, stampedEvent{stamps[2*i], int16(i)}, stampedEvent{stamps[2*i+1], int16(-1 - i)})
	}
	slices.SortFunc(t.events, func(a, b stampedEvent) int {
		return cmp.Or(cmp.Compare(a.at, b.at), int(a.event)-int(b.event)) // at one time, responses first
	})
	t.order = t.order[:0]
	overlapped, open := false, 0
	for _, e := range t.events {
		if e.event >= 0 {
			overlapped = overlapped || open > 0
			open++
		} else {
			open--
		}
		t.order = append(t.order, e.event)
	}
	sortEvents(t.order)
	return overlapped
}

// sortEvents sorts invocations without a response between them, and responses
// without an invocation between them.
func sortEvents(events []int16) {
	for from := 0; from < len(events); {
		to := from + 1
		for to < len(events) && (events[to] < 0) == (events[from] < 0) {
			to++
		}
		if to-from > 1 {
			slices.Sort(events[from:to])
		}
		from = to
	}
}

func (t *Executions) merge(other *Executions) {
	for sum, list := range other.byHash {
		for _, r := range list {
			t.find(sum, r.Outcome, r.Events).Times += r.Times
		}
	}
}

// List returns the executions by outcome and then by events.
func (t *Executions) List() []Execution {
	var all []Execution
	for _, list := range t.byHash {
		for _, r := range list {
			all = append(all, *r)
		}
	}
	sort.Slice(all, func(i, j int) bool {
		if c := all[i].Outcome.Compare(all[j].Outcome); c != 0 {
			return c < 0
		}
		return slices.Compare(all[i].Events, all[j].Events) < 0
	})
	return all
}
