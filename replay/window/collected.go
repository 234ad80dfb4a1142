package window

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// Run decides histories of a queue into which values may be inserted several times; see
// queueSearch. It declines if
//
//   - there is order beyond real time;
//   - an operation does more than insert, remove, look, find nothing or count;
//   - the operations that count do not fit into the witness found for the others;
//   - an operation returned with an unknown result;
//   - more than 64 consumers are open at once.
//
// The work is bounded by the number of configurations, the memory by p.MaxBytes,
// beyond which the history is undecided.
func Run(p *ops.Problem, m *meter.Meter) replay.Finding {
	columns := p.Columns(m)
	if columns == nil {
		return replay.GaveUp(replay.Time)
	}
	if p.Discipline() != replay.FirstIn || !p.InRealTime() {
		return replay.Declines("")
	}
	c := readCollected(p.H, columns)
	if c == nil {
		return replay.Declines("")
	}
	f := c.search(p.MaxBytes, m)
	if f.Answer == replay.Linearizable {
		// Sizes change nothing. So if the others have no witness, the history has none.
		if f.Witness = c.weave(p, f.Witness); f.Witness == nil {
			return replay.Declines("")
		}
		f.Witness = ops.Complete(f.Witness, len(p.H.Ops))
	}
	return f
}

// search decides the history without the operations that count, and returns a witness of
// operations that take effect.
func (c *collected) search(maxBytes int64, m *meter.Meter) replay.Finding {
	if c.impossible != history.NoReturn {
		return replay.RefutedAt(c.impossible)
	}
	s := newQueueSearch(c, maxBytes, m.OrUnbounded())
	if s == nil {
		return replay.Declines("")
	}
	found, cause := s.run()
	if !found && cause == replay.NoCause {
		return replay.RefutedAt(s.consumers[s.furthest].ret)
	}
	return replay.Searched(found, cause, s.witness)
}

// collected is a history of a queue, split into insertions and consumers.
// Consumers are removals, peeks and operations that find nothing.
type collected struct {
	inserts   []insertion // sorted by invocation
	consumers []consumer  // sorted by response
	pendings  []consumer  // pending removals, sorted by invocation
	sizes     []consumer  // operations that count, sorted by invocation; see weave
	// spare has, for each value, the number of insertions minus the number of
	// removals that returned. Pending removals take at most that many.
	spare []int32
	// impossible is the position of the first response with an impossible result, or by
	// which a value was removed more often than inserted. It is NoReturn if there is no
	// such response.
	impossible int32
}

type insertion struct {
	op, call, ret, value int32
	must                 bool
}

type consumer struct {
	op, call, ret, value int32
	role                 replay.Role
}

// readCollected returns nil if the history has operations that do not fit into collected.
func readCollected(h *history.History, columns *ops.Columns) *collected {
	c := &collected{impossible: history.NoReturn}
	for i := range h.Ops {
		op := &h.Ops[i]
		role, value := columns.Role[i], columns.Value[i]
		t := consumer{int32(i), op.Call, op.Return, value, role}
		switch {
		case role == replay.Insert:
			c.inserts = append(c.inserts, insertion{t.op, t.call, t.ret, value, !op.Pending() || op.Happened})
		case role == replay.Idle:
		case role == replay.Remove && op.Pending():
			if op.Happened || value != ops.None {
				return nil
			}
			c.pendings = append(c.pendings, t)
		case op.Pending():
			return nil
		case role == replay.Never:
			c.fails(op.Return)
		case role == replay.Size && value == ops.None:
			t.role = replay.Look // of any value
			c.consumers = append(c.consumers, t)
		case role == replay.Size:
			c.sizes = append(c.sizes, t)
		case role == replay.Remove, role == replay.Look, role == replay.Nothing:
			c.consumers = append(c.consumers, t)
		default:
			return nil
		}
	}
	slices.SortFunc(c.consumers, func(a, b consumer) int { return cmp.Compare(a.ret, b.ret) })
	c.countValues(int(columns.Values))
	return c
}

// fails records that the response at a position refutes the history.
func (c *collected) fails(position int32) {
	c.impossible = min(c.impossible, position)
}

// countValues finds the first response up to which a value was removed more often
// than its insertion was invoked, or was read before any insertion was invoked.
func (c *collected) countValues(values int) {
	c.spare = make([]int32, values)
	for i := range c.inserts {
		c.spare[c.inserts[i].value]++
	}
	left, invoked := make([]int32, values), make([]bool, values)
	next := 0
	for i := range c.consumers {
		t := &c.consumers[i]
		for ; next < len(c.inserts) && c.inserts[next].call < t.ret; next++ {
			left[c.inserts[next].value]++
			invoked[c.inserts[next].value] = true
		}
		if t.role == replay.Remove {
			left[t.value]--
			c.spare[t.value]--
		}
		if t.value >= 0 && (!invoked[t.value] || left[t.value] < 0) {
			c.fails(t.ret)
			return
		}
	}
}
