package search

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// Overwritten decides histories in which most values are written once, so that the writer
// of most values read is known. Let r read what w wrote under a key, and let x write under
// the same key. Then x comes before w if it comes before r, and after r if it comes after
// w. So each read orders operations, and that order may imply more. Overwritten repeats
// this until nothing new follows. If an operation had to come before itself, the history
// has no witness. Otherwise a guess may find a witness; see cellGuess. If it does not, Run
// searches the history with these orders as edges. They are implied, so the answer is also
// right for the history itself.
//
// Values that several operations may write, and keys under which anything may be written,
// imply no order. Overwritten declines histories with edges, histories in which more than
// maxChains operations are open at once, and histories in which no order is implied.
func Overwritten(p *ops.Problem, m *meter.Meter) replay.Finding {
	return OverwrittenPruned(p, Pruning{}, m)
}

// OverwrittenPruned is Overwritten with some rules switched off, for tests.
func OverwrittenPruned(p *ops.Problem, prune Pruning, m *meter.Meter) replay.Finding {
	h, maxBytes := p.H, p.MaxBytes
	s, ok := p.Spec.(replay.Stepped)
	if !ok || !p.InRealTime() {
		return replay.Declines("")
	}
	o := &overwritten{h: h, spec: s, meter: m.OrUnbounded(), numbers: map[string]int32{}, writers: map[string]int32{}, hasEdge: map[history.Edge]bool{}}
	if int64(len(h.Ops)) > maxBytes/overwrittenBytes || !o.read() || !o.findReads() || !o.splitChains(maxBytes/4) {
		return o.undecided()
	}
	for {
		order, ok := inOrder(&o.withEdges, o.meter)
		if o.meter.Stopped() {
			return replay.GaveUp(replay.Time)
		}
		if !ok {
			return replay.Refuted(replay.SearchEngine)
		}
		o.findPredecessors(order)
		n := len(o.withEdges.Edges)
		if !o.addImplied() {
			return o.undecided()
		}
		if len(o.withEdges.Edges) == n {
			break
		}
	}
	slices.SortFunc(o.withEdges.Edges, func(a, b history.Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	o.withEdges.Edges = slices.Compact(o.withEdges.Edges)
	if witness := o.guess(); witness != nil {
		return replay.Found(replay.SearchEngine, witness)
	}
	return RunPruned(p.With(&o.withEdges), prune, o.meter)
}

const (
	// overwrittenBytes is about the memory for an operation, without the tables by chain.
	overwrittenBytes = 512
	// overwrittenTrial is the number of operations after which Overwritten declines if more
	// than an eighth of them wrote a value that had been written before.
	overwrittenTrial = 1 << 12
)

// maxChains bounds the chains of Overwritten, whose tables have a number for each operation
// and chain.
const maxChains = 64

type overwritten struct {
	h         *history.History
	spec      replay.Stepped
	meter     *meter.Meter
	refuted   bool
	rewrites  int             // writes of values that had been written before
	withEdges history.History // the history with the implied edges
	hasEdge   map[history.Edge]bool

	numbers       map[string]int32 // key -> number of its cell
	cells         []cell
	writers       map[string]int32 // cell and value -> the operation that wrote it
	finalWrites   []access         // the last write of each operation to each cell
	recordedReads []access         // the reads of each operation before its own writes to the cell
	reads         []access         // the recordedReads whose writer is known
	tookEffect    []bool           // operation -> it took effect
	buf           []byte

	chain, place []int32   // operation -> its chain and its place there
	chains       [][]int32 // in real-time order
	before       []int32   // operation, chain -> how many operations of the chain come before
}

type cell struct {
	anyValue bool      // anything may be written
	first    string    // the initial value, as a key of writers
	writers  []int32   // operations
	byChain  [][]int32 // the writers that took effect, by chain

	// Of the last operation that used it:
	op          int32
	wrote       bool
	last        string // what it wrote
	lastWritten int    // number in written
}

// An access is a read or a write of one cell by one operation. For a read, from is the
// operation that wrote the value, or fromStart.
type access struct {
	op, cell, from int32
	value          string // as a key of writers
}

// Values of access.from that are not operations.
const (
	fromStart      = -1 // the value is the initial one
	severalWriters = -2 // several operations may have written the value
)

func (o *overwritten) undecided() replay.Finding {
	switch {
	case o.meter.Stopped():
		return replay.GaveUp(replay.Time)
	case o.refuted:
		return replay.Refuted(replay.SearchEngine)
	}
	return replay.Declines("")
}

// refute notes that the history has no witness. It returns false.
func (o *overwritten) refute() bool {
	o.refuted = true
	return false
}

// read collects the reads and writes of all operations. It reports false if an operation
// may write anything anywhere, if rewrites are too many, or if a read contradicts a write
// of the same operation.
func (o *overwritten) read() bool {
	var steps []replay.CellStep
	for i := range o.h.Ops {
		op := int32(i)
		if i >= overwrittenTrial && i&(i-1) == 0 && o.rewrites > i/8 { // a power of 2
			return false
		}
		steps = o.spec.AppendSteps(steps[:0], &o.h.Ops[i])
		if o.meter.MustStop(1 + len(steps)) {
			return false
		}
		for _, s := range steps {
			switch {
			case s.Kind == replay.CellTest, s.Kind == replay.CellDiffers:
				continue
			case s.Key.Kind() == history.None: // any cell, or a set
				return false
			}
			c := o.cell(s.Key)
			at := &o.cells[c]
			if at.op != op {
				at.op, at.wrote = op, false
			}
			if s.Kind != replay.CellRead && s.Kind != replay.CellWrite {
				at.anyValue = true
				continue
			}
			value := o.keyOf(c, s.Value)
			switch {
			case s.Kind == replay.CellWrite:
				if at.wrote { // no other operation can read the value written before
					o.writers[at.last] = severalWriters
				}
				if _, known := o.writers[value]; known {
					o.writers[value] = severalWriters
					o.rewrites++
				} else {
					o.writers[value] = op
				}
				if at.wrote {
					o.finalWrites[at.lastWritten].value = value
				} else {
					at.writers = append(at.writers, op)
					at.lastWritten = len(o.finalWrites)
					o.finalWrites = append(o.finalWrites, access{op: op, cell: c, value: value})
				}
				at.wrote, at.last = true, value
			case !at.wrote:
				o.recordedReads = append(o.recordedReads, access{op: op, cell: c, value: value})
			case at.last != value && !at.anyValue && !o.h.Ops[i].Pending():
				return o.refute()
			}
		}
	}
	return true
}

func (o *overwritten) cell(key history.Value) int32 {
	o.buf = key.AppendKey(o.buf[:0])
	c, ok := o.numbers[string(o.buf)]
	if !ok {
		c = int32(len(o.cells))
		o.numbers[string(o.buf)] = c
		o.cells = append(o.cells, cell{op: severalWriters})
		o.cells[c].first = o.keyOf(c, o.spec.FirstValue(key))
		o.writers[o.cells[c].first] = fromStart
	}
	return c
}

func (o *overwritten) keyOf(c int32, v history.Value) string {
	o.buf = append(o.buf[:0], byte(c), byte(c>>8), byte(c>>16), byte(c>>24))
	o.buf = v.AppendKey(o.buf)
	return string(o.buf)
}

// findReads finds the writer of each value read. It also finds the pending operations that
// took effect because another operation read what they wrote. It reports false if no read
// has a known writer.
func (o *overwritten) findReads() bool {
	n := len(o.h.Ops)
	o.tookEffect = make([]bool, n)
	byOp := make([][]int32, n) // operation -> its reads, as indices into recordedReads
	var effective []int32
	take := func(op int32) {
		if !o.tookEffect[op] {
			o.tookEffect[op] = true
			effective = append(effective, op)
		}
	}
	for k, r := range o.recordedReads {
		byOp[r.op] = append(byOp[r.op], int32(k))
	}
	for i := range o.h.Ops {
		if !o.h.Ops[i].Pending() { // a pending operation that happened may have failed, as a cas does
			take(int32(i))
		}
	}
	for k := 0; k < len(effective); k++ {
		for _, a := range byOp[effective[k]] {
			r := o.recordedReads[a]
			from, known := o.writers[r.value]
			switch {
			case o.cells[r.cell].anyValue || from == severalWriters:
				continue
			case !known || from == r.op:
				return o.refute()
			case from >= 0:
				take(from)
			}
			r.from = from
			o.reads = append(o.reads, r)
		}
		if o.meter.MustStop(1) {
			return false
		}
	}
	o.withEdges = *o.h
	for _, r := range o.reads {
		if r.from >= 0 {
			o.withEdges.Edges = append(o.withEdges.Edges, history.Edge{From: r.from, To: r.op})
		}
	}
	return len(o.reads) > 0
}

// splitChains divides the operations that took effect into chains. It reports false if there
// are too many.
func (o *overwritten) splitChains(maxBytes int64) bool {
	n := len(o.h.Ops)
	o.chain, o.place = make([]int32, n), make([]int32, n)
	for i := range o.h.Ops {
		if !o.tookEffect[i] {
			continue
		}
		c := slices.IndexFunc(o.chains, func(chain []int32) bool { return o.h.Ops[chain[len(chain)-1]].Return < o.h.Ops[i].Call })
		if c < 0 {
			if c = len(o.chains); c == maxChains {
				return false
			}
			o.chains = append(o.chains, nil)
		}
		o.chain[i], o.place[i] = int32(c), int32(len(o.chains[c]))
		o.chains[c] = append(o.chains[c], int32(i))
		if o.meter.MustStop(len(o.chains)) {
			return false
		}
	}
	for k := range o.cells {
		at := &o.cells[k]
		at.byChain = make([][]int32, len(o.chains))
		for _, w := range at.writers {
			if o.tookEffect[w] {
				at.byChain[o.chain[w]] = append(at.byChain[o.chain[w]], w)
			}
		}
	}
	if 4*int64(n)*int64(len(o.chains)) > maxBytes {
		return false
	}
	o.before = make([]int32, n*len(o.chains))
	return true
}

// row returns, for each chain, how many of its operations come before op.
func (o *overwritten) row(op int32) []int32 {
	k := len(o.chains)
	return o.before[int(op)*k : (int(op)+1)*k]
}

// findPredecessors fills in o.before: which operations come before each one by real time
// and edges. The argument is an order of the operations that respects both.
func (o *overwritten) findPredecessors(order []int32) {
	in := make([][]int32, len(o.h.Ops))
	for _, e := range o.withEdges.Edges {
		in[e.To] = append(in[e.To], e.From)
	}
	for _, op := range order {
		if !o.tookEffect[op] {
			continue
		}
		row := o.row(op)
		join := func(from int32) {
			for c, k := range o.row(from) {
				row[c] = max(row[c], k)
			}
			row[o.chain[from]] = max(row[o.chain[from]], o.place[from]+1)
		}
		for c, chain := range o.chains {
			k := min(int(row[c]), len(chain)) // found in an earlier round
			for k < len(chain) && o.h.Ops[chain[k]].Return < o.h.Ops[op].Call {
				k++
			}
			if k > 0 {
				join(chain[k-1])
			}
		}
		for _, from := range in[op] {
			join(from)
		}
		if o.meter.MustStop(len(o.chains) * (1 + len(in[op]))) {
			return
		}
	}
}

// comesBefore reports whether it is known that one operation comes before another one.
func (o *overwritten) comesBefore(a, b int32) bool { return o.row(b)[o.chain[a]] > o.place[a] }

// addImplied adds the edges that the reads imply. It reports false if it must stop, or if a
// value was overwritten before it was read.
func (o *overwritten) addImplied() bool {
	for _, r := range o.reads {
		row := o.row(r.op)
		for c, writers := range o.cells[r.cell].byChain {
			if len(writers) == 0 {
				continue
			}
			if o.meter.MustStop(1) {
				return false
			}
			// The last writer before the read comes before the writer of the value.
			k, _ := slices.BinarySearchFunc(writers, row[c], func(w, place int32) int { return int(o.place[w] - place) })
			if k > 0 && writers[k-1] != r.from {
				if r.from == fromStart {
					return o.refute()
				}
				o.addEdge(writers[k-1], r.from)
			}
			// The first writer after the writer of the value comes after the read.
			if r.from != fromStart {
				k, _ = slices.BinarySearchFunc(writers, true, func(w int32, _ bool) int {
					if w != r.from && o.comesBefore(r.from, w) {
						return 1
					}
					return -1
				})
			} else {
				k = 0
			}
			for k < len(writers) && writers[k] == r.op {
				k++ // later writers of the chain come after it anyway
			}
			if k < len(writers) {
				o.addEdge(r.op, writers[k])
			}
		}
	}
	return true
}

// addEdge adds an edge unless it is known already.
func (o *overwritten) addEdge(from, to int32) {
	if e := (history.Edge{From: from, To: to}); from != to && !o.comesBefore(from, to) && !o.hasEdge[e] {
		o.hasEdge[e] = true
		o.withEdges.Edges = append(o.withEdges.Edges, e)
	}
}

// inOrder returns the operations in an order that respects edges and real time. It leaves
// out pending operations without successors. It places the operations by response, each
// after its predecessors. It returns false if no order exists, or if it must stop.
func inOrder(h *history.History, m *meter.Meter) (order []int32, ok bool) {
	in := make([][]int32, len(h.Ops))
	for _, e := range h.Edges {
		in[e.To] = append(in[e.To], e.From)
	}
	const begun, placed = 1, 2
	state := make([]int8, len(h.Ops))
	var place func(i, at int32) bool
	place = func(i, at int32) bool {
		m.Spend(1 + len(in[i]))
		switch {
		case state[i] == placed:
			return true
		case state[i] == begun || h.Ops[i].Call > at:
			return false
		}
		state[i] = begun
		for _, before := range in[i] {
			if !place(before, at) {
				return false
			}
		}
		state[i] = placed
		order = append(order, i)
		return true
	}
	for _, i := range ops.Responses(h) {
		if !place(i, h.Ops[i].Return) || m.Stopped() {
			return nil, false
		}
	}
	return order, true
}
