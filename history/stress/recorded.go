package stress

import (
	"slices"
	"sort"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// A Recorded is an execution of a program with the order of its events, and
// how often it was seen: executions are the same if their results are and the
// same invocations overlapped.
type Recorded struct {
	Outcome Outcome
	// Events are those of the parallel part in order: i is the invocation of
	// the i-th of Program.All, -1-i its response. Invocations that follow one
	// another without a response between them are sorted, and so are
	// responses.
	Events []int8
	Times  int64
}

// History returns the execution as a history of the class's objects. The
// initial part and the final part are processes of their own.
func (r *Recorded) History(c *Class, p *Program) (*history.History, error) {
	b := history.NewBuilder(headerOf(c, p))
	all := p.All()
	process := processes(p)
	line := 0
	add := func(i int, response bool) {
		line++
		addEvent(b, all[i], i, process[i], r.Outcome[i], response, line)
	}
	for i := range p.Initial {
		add(i, false)
		add(i, true)
	}
	for _, e := range r.Events {
		if e >= 0 {
			add(int(e), false)
		} else {
			add(int(-1-e), true)
		}
	}
	for i := len(all) - len(p.Final); i < len(all); i++ {
		add(i, false)
		add(i, true)
	}
	return b.Build()
}

// overlaps reports whether two invocations were at work at one time.
func (r *Recorded) overlaps() bool {
	for i, e := range r.Events {
		if e >= 0 && i+1 < len(r.Events) && r.Events[i+1] >= 0 {
			return true
		}
	}
	return false
}

// headerOf returns the header of histories of the program: they name the
// class's specification, or list all sequential runs of the program.
func headerOf(c *Class, p *Program) history.Header {
	if c.Spec != nil {
		return history.Header{Model: c.Spec.Name(), ModelArgs: c.ModelArgs}
	}
	if p.runs == nil {
		p.runs = runArgs(c, p)
	}
	return history.Header{Model: spec.RunsName, ModelArgs: p.runs}
}

// runArgs runs all shuffles of the program for the arguments of the
// specification by runs.
func runArgs(c *Class, p *Program) []history.Value {
	var all []spec.Run
	s := newShuffler(c, p, &tally{})
	invocations := p.All()
	s.ran = func(order []int, outcome Outcome) {
		run := make(spec.Run, len(order))
		for k, i := range order {
			run[k] = spec.RunStep{Invocation: replay.Invocation{Method: invocations[i].Method.Name, Args: invocations[i].Args}, Result: outcome[i]}
		}
		all = append(all, run)
	}
	s.next()
	return spec.RunsArgs(c.Name, all)
}

// processes returns which process calls each of the program's invocations:
// that of its sequence, or the one after them all.
func processes(p *Program) []int {
	var list []int
	for range p.Initial {
		list = append(list, len(p.Sequences))
	}
	for s, sequence := range p.Sequences {
		for range sequence {
			list = append(list, s)
		}
	}
	for range p.Final {
		list = append(list, len(p.Sequences))
	}
	return list
}

func addEvent(b *history.Builder, inv Invocation, op, process int, result history.Value, response bool, line int) {
	e := history.Event{Type: history.Invoke, Process: history.IntValue(int64(process)), Op: history.IntValue(int64(op)),
		Method: inv.Method.Name, Args: inv.Args, Line: line}
	if response {
		e.Type, e.Method, e.Args, e.Result = history.OK, "", nil, result
	}
	b.Add(&e)
}

// A historyTally counts recorded executions.
type historyTally struct {
	byHash map[uint64][]*Recorded
	events []stampedEvent
	order  []int8
}

type stampedEvent struct {
	at    int64
	event int8
}

// add counts an execution, given the stamps of the invocation and response of
// each invocation, and reports whether two sequences overlapped.
func (h *historyTally) add(p *Program, results []history.Value, stamps []int64) bool {
	overlapped := h.arrange(p, len(results), stamps)
	sum := Outcome(results).hash()
	for _, e := range h.order {
		sum = (sum ^ uint64(uint8(e))) * 0x100000001b3
	}
	if h.byHash == nil {
		h.byHash = map[uint64][]*Recorded{}
	}
	for _, r := range h.byHash[sum] {
		if slices.Equal(r.Events, h.order) && r.Outcome.equal(results) {
			r.Times++
			return overlapped
		}
	}
	h.byHash[sum] = append(h.byHash[sum], &Recorded{slices.Clone(results), slices.Clone(h.order), 1})
	return overlapped
}

// arrange puts the events in order and reports whether two invocations of
// different sequences were at work at one time.
func (h *historyTally) arrange(p *Program, n int, stamps []int64) bool {
	h.events = h.events[:0]
	for i := len(p.Initial); i < n-len(p.Final); i++ {
		h.events = append(h.events, stampedEvent{stamps[2*i], int8(i)}, stampedEvent{stamps[2*i+1], int8(-1 - i)})
	}
	slices.SortFunc(h.events, func(a, b stampedEvent) int { return int(a.at - b.at) })
	h.order = h.order[:0]
	overlapped, open := false, 0
	for _, e := range h.events {
		if e.event >= 0 {
			overlapped = overlapped || open > 0
			open++
		} else {
			open--
		}
		h.order = append(h.order, e.event)
	}
	for from := 0; from < len(h.order); {
		to := from + 1
		for to < len(h.order) && (h.order[to] < 0) == (h.order[from] < 0) {
			to++
		}
		slices.Sort(h.order[from:to])
		from = to
	}
	return overlapped
}

func (h *historyTally) merge(other *historyTally) {
	if h.byHash == nil {
		h.byHash = map[uint64][]*Recorded{}
	}
	for sum, list := range other.byHash {
	next:
		for _, r := range list {
			for _, mine := range h.byHash[sum] {
				if slices.Equal(mine.Events, r.Events) && mine.Outcome.equal(r.Outcome) {
					mine.Times += r.Times
					continue next
				}
			}
			h.byHash[sum] = append(h.byHash[sum], r)
		}
	}
}

// list returns all, by outcome and then by events.
func (h *historyTally) list() []Recorded {
	var all []Recorded
	for _, list := range h.byHash {
		for _, r := range list {
			all = append(all, *r)
		}
	}
	sort.Slice(all, func(i, j int) bool {
		if c := all[i].Outcome.compare(all[j].Outcome); c != 0 {
			return c < 0
		}
		return slices.Compare(all[i].Events, all[j].Events) < 0
	})
	return all
}
