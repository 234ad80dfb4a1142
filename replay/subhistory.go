package replay

import (
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/poset"
)

// SubHistory returns Core as a history of its own, given the whole one, with the marks and edges
// that it needs. It ends with the response that no order explains. If h has no real time,
// the operations follow one another in an order that the edges allow, and only the order
// within processes is that of h. With stamps, two operations of a process may share a stamp,
// so that their positions overlap. Then the second one gets a process of its own in the
// result: the edges of the core have the order between them, if the core needs it.
func (e *Explanation) SubHistory(h *history.History) (*history.History, error) {
	if err := h.WellFormed(); err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	end := int32(history.NoReturn)
	if e.Unexplained != NoOperation {
		end = h.Ops[e.Unexplained].Return
	}
	type event struct {
		position int32
		history.Event
	}
	var events []event
	core := e.Core
	if h.IsRelaxed() {
		core = inOrder(h, e)
	}
	processes := newProcessNames(h)
	for k, i := range core {
		op := e.CoreOp(h, i)
		called, returned := op.Call, op.Return
		if h.IsRelaxed() {
			called, returned = 2*int32(k), 2*int32(k)+1
		}
		if op.Pending() || returned > end {
			returned = history.NoReturn
		}
		process := processes.next(op, called, returned)
		events = append(events, event{called, history.Event{Process: process, Op: op.ID(), Method: op.Method, Args: op.Args}})
		if returned != history.NoReturn {
			end := history.Event{Type: history.OK, Op: op.ID(), Result: op.Result}
			if op.Waits {
				end = history.Event{Type: history.Waits, Op: op.ID(), For: h.WaitsFor(i)}
			}
			events = append(events, event{returned, end})
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return int(a.position) - int(b.position) })
	b := history.NewBuilder(history.Header{ID: h.ID, Model: h.Model, ModelArgs: h.ModelArgs})
	for i := range events {
		b.Add(&events[i].Event)
	}
	for _, edge := range e.CoreEdges {
		b.AddEdge(h.Ops[edge.From].ID(), h.Ops[edge.To].ID(), 0)
	}
	for _, i := range e.CoreMarks {
		b.Mark(h.Ops[i].ID(), true, 0)
	}
	return b.Build()
}

// processNames chooses the processes of operations that come in the order of their calls.
type processNames struct {
	names []history.Value // in use; those of the history come first
	until []int32         // per process of the history, where its last operation returns
}

func newProcessNames(h *history.History) *processNames {
	return &processNames{slices.Clone(h.Processes), make([]int32, len(h.Processes))}
}

// next returns the process of op, or a new one if an operation of that process is open.
func (p *processNames) next(op *history.Operation, called, returned int32) history.Value {
	name := p.names[op.Process]
	if called >= p.until[op.Process] {
		p.until[op.Process] = returned
		return name
	}
	text := fmt.Sprintf("%v of %v", op.ID(), name)
	for slices.ContainsFunc(p.names, history.StringValue(text).Equal) {
		text += "'"
	}
	p.names = append(p.names, history.StringValue(text))
	return history.StringValue(text)
}

// inOrder returns the core in an order that the processes and its edges allow.
func inOrder(h *history.History, e *Explanation) []int32 {
	if len(e.CoreEdges) == 0 {
		return e.Core
	}
	after := make([][]int32, len(e.Core))
	place, last := map[int32]int32{}, map[int32]int32{} // of operations; of the last one of a process
	for k, i := range e.Core {
		place[i] = int32(k)
		if before, ok := last[h.Ops[i].Process]; ok {
			after[before] = append(after[before], int32(k))
		}
		last[h.Ops[i].Process] = int32(k)
	}
	for _, edge := range e.CoreEdges {
		after[place[edge.From]] = append(after[place[edge.From]], place[edge.To])
	}
	order := poset.Topological(after)
	for k, i := range order {
		order[k] = e.Core[i]
	}
	return order
}
