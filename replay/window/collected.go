package window

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// Run decides histories of a queue or a stack into which values may be inserted
// several times; see queueSearch and stackBeam. It declines if
//
//   - there is order beyond real time;
//   - an operation does more than insert, remove, look, find nothing or count;
//   - the operations that count do not fit into the witness found for the others;
//   - many values are inserted into a stack, each of them a few times on average; see
//     fewInsertions;
//   - an operation returned with an unknown result;
//   - more than 64 operations of a stack, or consumers of a queue, are open at
//     once.
//
// The work is bounded by the number of configurations, the memory by p.MaxBytes,
// beyond which the history is undecided.
func Run(p *ops.Problem, m *meter.Meter) replay.Finding {
	columns := p.Columns(m)
	if columns == nil {
		return replay.GaveUp(replay.Time)
	}
	discipline := p.Discipline()
	if discipline != replay.FirstIn && discipline != replay.LastIn || !p.InRealTime() {
		return replay.Declines("")
	}
	c := readCollected(p.H, columns, discipline)
	if c == nil {
		return replay.Declines("")
	}
	return c.withReads(p, c.search(discipline, p.MaxBytes, m))
}

// withReads adds the reads that search left out, and operations that never take effect, to
// the witness of a finding. It declines if some read does not fit into the witness. Reads
// change nothing. So if the others have no witness, the history has none.
func (c *collected) withReads(p *ops.Problem, f replay.Finding) replay.Finding {
	if f.Answer == replay.Linearizable {
		if f.Witness = c.weave(p, f.Witness); f.Witness == nil {
			return replay.Declines("")
		}
		f.Witness = ops.Complete(f.Witness, len(p.H.Ops))
	}
	return f
}

// search decides the history without the operations that count, and returns a witness of
// operations that take effect. In a stack, it leaves reads out of the witness.
func (c *collected) search(discipline replay.Discipline, maxBytes int64, m *meter.Meter) replay.Finding {
	switch {
	case c.impossible != history.NoReturn:
		return replay.RefutedAt(c.impossible)
	case discipline == replay.FirstIn:
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
	return c.searchStack(maxBytes, m.OrUnbounded())
}

// If each value is inserted into a stack less often than fewInsertions on average, it is
// mostly clear which insertion a removal takes. Package order is faster then, and decides
// more. With a quarter, a stack of 200 values and 10,000 operations takes five times as long.
// With four times as many, stacks of 8 values as in BenchmarkBeam are left to it, which takes
// twice as long.
const fewInsertions = 32

// searchStack runs a beam search. It finds most witnesses, and refutes a history if the
// beam left nothing out.
func (c *collected) searchStack(maxBytes int64, m *meter.Meter) replay.Finding {
	if n := len(c.inserts); n >= 4*fewInsertions && n < fewInsertions*len(c.spare) {
		return replay.Declines("")
	}
	b := newStackBeam(c, maxBytes, m)
	if b == nil {
		return replay.Declines("")
	}
	found, cause := b.run()
	if !found && cause == replay.NoCause {
		return replay.RefutedAt(b.ops[b.last].ret)
	}
	return replay.Searched(found, cause, b.witness)
}

// collected is a history of a queue or stack, split into insertions and consumers.
// Consumers are removals, peeks and operations that find nothing.
type collected struct {
	inserts   []insertion // sorted by invocation
	consumers []consumer  // sorted by response
	pendings  []consumer  // pending removals, sorted by invocation
	reads     []consumer  // to be woven into a witness, sorted by invocation; see weave
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
func readCollected(h *history.History, columns *ops.Columns, discipline replay.Discipline) *collected {
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
		case role == replay.Size && value == ops.None && discipline == replay.FirstIn:
			t.role = replay.Look // of any value
			c.consumers = append(c.consumers, t)
		case role == replay.Size:
			c.reads = append(c.reads, t)
		case role == replay.Remove:
			c.consumers = append(c.consumers, t)
		case role == replay.Look, role == replay.Nothing:
			if c.consumers = append(c.consumers, t); discipline == replay.LastIn {
				c.reads = append(c.reads, t)
			}
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

// stackOps are the operations of a history of a stack, sorted by response. Pending
// operations are last.
type stackOps struct {
	ops      []consumer
	returned int
	slot     []int32   // operation -> bit of the mask
	opens    [][]int32 // due -> operations invoked before the due response that have not returned before it
}

// read reads the operations. It reports false if more than 64 are open at once.
func (p *stackOps) read(c *collected) bool {
	for _, e := range c.inserts {
		p.ops = append(p.ops, consumer{e.op, e.call, e.ret, e.value, replay.Insert})
	}
	p.ops = append(append(p.ops, c.consumers...), c.pendings...)
	slices.SortFunc(p.ops, func(a, b consumer) int { return cmp.Or(cmp.Compare(a.ret, b.ret), cmp.Compare(a.call, b.call)) })
	for p.returned < len(p.ops) && p.ops[p.returned].ret != history.NoReturn {
		p.returned++
	}
	if p.returned == 0 {
		return true
	}
	var list []ops.Interval // without what was invoked after the last response
	for _, q := range p.ops {
		if q.call < p.ops[p.returned-1].ret {
			list = append(list, ops.Interval{Call: q.call, Return: q.ret})
		}
	}
	f := ops.NewFrontier(list)
	if f == nil {
		return false
	}
	p.slot = f.Slot
	p.opens = make([][]int32, p.returned)
	for due := range p.opens {
		for _, o := range f.Occupant {
			if o != ops.None {
				p.opens[due] = append(p.opens[due], o)
			}
		}
		slices.Sort(p.opens[due])
		f.Advance()
	}
	return true
}

func (p *stackOps) isPlaced(mask uint64, o int32) bool { return mask>>p.slot[o]&1 != 0 }

// first returns the open operation of a role and value that has the earliest
// response and is not placed, or -1.
func (p *stackOps) first(due int32, mask uint64, role replay.Role, value int32) int32 {
	for _, o := range p.opens[due] {
		if q := &p.ops[o]; q.role == role && q.value == value && !p.isPlaced(mask, o) {
			return o
		}
	}
	return -1
}

// peeks returns the slots of the open peeks that see a value.
func (p *stackOps) peeks(due, value int32) uint64 {
	mask := uint64(0)
	for _, o := range p.opens[due] {
		if q := &p.ops[o]; q.role == replay.Look && q.value == value {
			mask |= 1 << p.slot[o]
		}
	}
	return mask
}
