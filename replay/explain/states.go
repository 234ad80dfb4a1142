package explain

import (
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// states finds the states before the response that no order explains. base is the
// history up to it. If the object has parts, states considers only the part that the
// operation concerns.
func (x *explainer) states(base *ops.Problem) {
	if x.e.Unexplained == replay.NoOperation {
		return
	}
	of := x.reducerOf(base).partOf(x.e.Unexplained)
	base = x.prefixes.upTo(x.prefixes.H.Ops[x.e.Unexplained].Return - 1) // without its response
	before := base.Sub(of)
	if x.projector != nil {
		before, of = x.projector.problem(base)
	}
	cause := x.statesOf(before, of, limits.configurations)
	if cause == tooMany {
		// The core fails by itself, but another of its responses may be the reason. Then
		// the operation is not in the core, which has no states before its response.
		_, inCore := slices.BinarySearch(x.e.Core, x.e.Unexplained)
		if x.e.StatesOfCore = inCore && len(x.e.Core) < len(of); x.e.StatesOfCore {
			chosen := make([]int32, len(x.e.Core))
			for k, i := range x.e.Core {
				at, _ := slices.BinarySearch(of, i)
				chosen[k] = int32(at)
			}
			before, of = before.Sub(chosen), x.e.Core
		}
		cause = x.statesOf(before, of, limits.configurationsOfCore)
	}
	if cause != "" {
		x.e.StatesOfCore = false
		x.missFor("states", cause)
	}
}

const tooMany = "too many orders of the operations before it"

// statesOf finds the states at the end of a history, or returns the reason why it does not.
// Its operation k is operation of[k] of the whole history. One of them is the unexplained
// one, which is pending.
func (x *explainer) statesOf(p *ops.Problem, of []int32, most int) (cause string) {
	w := newWalk(p, x.share(50))
	if w == nil {
		return "the objects of the specification cannot be copied"
	}
	defer w.machine.Release()
	w.most = most
	last, _ := slices.BinarySearch(of, x.e.Unexplained)
	w.watch(int32(last))
	var list []stateText
	var earlier []history.Value
	finished := w.run(func(int) {})
	if finished && !w.overflowed {
		list, earlier = w.ends()
	}
	switch {
	case w.overflowed, w.machine.GaveUp() == replay.Memory:
		return tooMany
	case !finished, w.stop():
		return x.causeOf(replay.Time)
	case slices.ContainsFunc(list, func(s stateText) bool { return s.text == "" }):
		return "the specification does not describe its states"
	}
	slices.SortFunc(list, func(a, b stateText) int { return strings.Compare(a.text, b.text) })
	if len(list) > replay.MaxStates {
		list, x.e.MoreStates = list[:replay.MaxStates], true
	}
	for _, s := range list {
		x.e.States = append(x.e.States, s.text)
	}
	if w.watched != replay.NoOperation && !w.several { // otherwise not all results are known
		for _, s := range list {
			x.e.Returns = append(x.e.Returns, s.returns)
		}
		x.e.Earlier = earlier
	}
	return ""
}

// A stateText is the text of a state. returns are the results that the operation watched
// gets in it: none if it has to wait, and nil if it has taken effect before.
type stateText struct {
	text    string
	returns []history.Value
}

// ends returns the states at the end of the walk, and the results that the operation watched
// may have got before.
func (w *walk) ends() (list []stateText, earlier []history.Value) {
	place, size := map[string]int{}, 0
	w.explore(func(c configuration) bool {
		if c.result > 0 {
			earlier = insert(earlier, w.results[c.result-1])
		}
		for _, o := range w.machine.Objects(c.state) {
			text := replay.StateText(o)
			w.meter.Spend(len(text) / limits.textUnit)
			at, known := place[text]
			if !known {
				size += len(text)
				at = len(list)
				place[text] = at
				list = append(list, stateText{text: text})
			}
			if s := &list[at]; w.watched != replay.NoOperation && c.result == 0 {
				s.returns = slices.Grow(s.returns, 1) // not nil
				if r := w.resultIn(c.state); r > 0 {
					s.returns = insert(s.returns, w.results[r-1])
				}
			}
		}
		w.overflowed = w.overflowed || size > limits.text
		return w.overflowed
	})
	return list, earlier
}

// insert inserts a value into a sorted list, unless the list has it.
func insert(list []history.Value, v history.Value) []history.Value {
	at, known := slices.BinarySearchFunc(list, v, history.Value.Compare)
	if known {
		return list
	}
	return slices.Insert(list, at, v)
}
