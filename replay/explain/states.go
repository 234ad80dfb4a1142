package explain

import (
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// states finds the states before the response that no order explains. base is the
// history up to it. If the object has parts, states considers only the part that the
// operation concerns.
func (x *explainer) states(base *history.History) {
	if x.e.Unexplained == replay.NoOperation {
		return
	}
	ops := x.partOf(base, x.e.Unexplained)
	cause := x.statesOf(base, ops, mostAtOnce)
	if cause == tooMany {
		// The core fails by itself, but another of its responses may be the reason. Then
		// the operation is not in the core, which has no states before its response.
		_, inCore := slices.BinarySearch(x.e.Core, x.e.Unexplained)
		if x.e.StatesOfCore = inCore && len(x.e.Core) < len(ops); x.e.StatesOfCore {
			ops = x.e.Core
		}
		cause = x.statesOf(base, ops, mostOfCore)
	}
	if cause != "" {
		x.e.StatesOfCore = false
		x.missFor("states", cause)
	}
}

const tooMany = "too many orders of the operations before it"

// partOf returns the operations of the part that op concerns. They include operations
// on several parts that may change it. partOf returns all operations if op concerns
// several parts, or if an operation on several parts depends on other parts.
func (x *explainer) partOf(h *history.History, op int32) []int32 {
	key, hasPart := x.part(&x.h.Ops[op])
	all, ops := make([]int32, len(h.Ops)), []int32(nil)
	for i := range h.Ops {
		all[i] = int32(i)
		if !hasPart {
			continue
		}
		switch other, ok := x.part(&h.Ops[i]); {
		case ok && other != key:
		case ok:
			ops = append(ops, int32(i))
		case replay.FactsOf(x.spec, &h.Ops[i]).ReadOnly:
		case replay.ConcernOf(x.spec, &h.Ops[i]).Apart:
			ops = append(ops, int32(i))
		default:
			hasPart = false
		}
	}
	if !hasPart {
		return all
	}
	return ops
}

// part returns the key of the part that op concerns.
func (x *explainer) part(op *history.Operation) (string, bool) {
	if !replay.TraitsOf(x.spec).Partitioned {
		return "", false
	}
	part, ok := replay.FactsOf(x.spec, op).PartOf(op)
	if !ok {
		return "", false
	}
	return string(part.AppendKey(nil)), true
}

// before returns h without its last response.
func before(h *history.History) *history.History {
	last := int32(0)
	for i := range h.Ops {
		if op := &h.Ops[i]; !op.Pending() {
			last = max(last, op.Return)
		}
	}
	return h.UpTo(last - 1)
}

// A stateText is the text of a state, with the results that the unexplained operation gets
// in it.
type stateText struct {
	text    string
	waits   bool // the operation has to wait in it
	returns []history.Value
}

// statesOf finds the states before the last response of the history of some operations of
// base, or returns the reason why it does not. One of the operations is the unexplained
// one.
func (x *explainer) statesOf(base *history.History, ops []int32, most int) (cause string) {
	h := before(sub(base, ops))
	w := newWalk(h, x.spec, x.bytes, x.share(50))
	if w == nil {
		return "the objects of the specification cannot be copied"
	}
	defer w.machine.Release()
	w.most = most
	last, _ := slices.BinarySearch(ops, x.e.Unexplained)
	w.watch(int32(last))
	list, earlier, cause := w.texts()
	if cause == stopped {
		cause = x.causeOf(replay.Time)
	}
	if cause != "" {
		return cause
	}
	if len(list) > replay.MaxStates {
		list, x.e.MoreStates = list[:replay.MaxStates], true
	}
	for _, s := range list {
		x.e.States = append(x.e.States, s.text)
		if w.watched != replay.NoOperation {
			slices.SortFunc(s.returns, history.Value.Compare)
			if s.waits && s.returns == nil {
				s.returns = []history.Value{}
			}
			x.e.Returns = append(x.e.Returns, s.returns)
		}
	}
	slices.SortFunc(earlier, history.Value.Compare)
	x.e.Earlier = earlier
	return ""
}

const stopped = "stopped"

const (
	mostText = 1 << 26 // bytes of the texts of all states
	textUnit = 1 << 6  // bytes of a text that take a unit of work
)

// texts runs the walk to its end. It returns the states there in the order of their texts,
// and the results that the operation watched may have got before.
func (w *walk) texts() (list []stateText, earlier []history.Value, cause string) {
	place, got := map[string]int{}, map[int32]bool{}
	finished, silent, size := w.run(func(int) {}), false, 0
	if finished && !w.overflowed {
		w.explore(func(c configuration) bool {
			if w.overflowed = size > mostText; w.overflowed {
				return true
			}
			if c.result > 0 && !got[c.result] {
				got[c.result] = true
				earlier = append(earlier, w.results[c.result-1])
			}
			for _, o := range w.machine.Objects(c.state) {
				text := replay.StateText(o)
				silent = silent || text == ""
				w.meter.Spend(len(text) / textUnit)
				at, known := place[text]
				if !known {
					size += len(text)
					at = len(list)
					place[text] = at
					list = append(list, stateText{text: text})
				}
				if s := &list[at]; w.watched != replay.NoOperation && c.result == 0 {
					r := w.resultIn(c.state)
					s.waits = s.waits || r == 0
					if r > 0 && !slices.ContainsFunc(s.returns, w.results[r-1].Equal) {
						s.returns = append(s.returns, w.results[r-1])
					}
				}
			}
			return false
		})
	}
	switch {
	case w.overflowed, w.machine.GaveUp() == replay.Memory:
		return nil, nil, tooMany
	case !finished, w.stop():
		return nil, nil, stopped
	case silent:
		return nil, nil, "the specification does not describe its states"
	}
	if w.several { // not all results were collected
		w.watched, earlier = replay.NoOperation, nil
	}
	slices.SortFunc(list, func(a, b stateText) int { return strings.Compare(a.text, b.text) })
	return list, earlier, ""
}
