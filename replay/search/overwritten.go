package search

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
)

// Overwritten decides histories in which most values are written once, so that it is known
// who wrote what was read. Let r read what w wrote under a key, and x write there, too. Then
// x comes before w if it comes before r, and after r if it comes after w. So each read
// orders operations, and that orders others, until nothing follows any more. If an
// operation had to come before itself, the history has no witness. Otherwise a guess may find one;
// see cellGuess. If not, Run searches the history with these orders as edges: as they
// follow, its answer is that of the history.
//
// Values that several operations may write, and keys under which anything may be written,
// order nothing. Overwritten declines histories with edges, those in which more than
// maxChains operations are open at once, and those in which nothing follows.
func Overwritten(h *history.History, spec replay.Spec, maxBytes int64, m *meter.Meter) replay.Finding {
	s, ok := spec.(replay.Overwriting)
	if !ok || h.HasEdges() || len(h.Ghosts) > 0 {
		return replay.Declines("")
	}
	o := &overwritten{h: h, spec: s, meter: m.OrUnbounded(), numbers: map[string]int32{}, writers: map[string]int32{}, known: map[history.Edge]bool{}}
	if int64(len(h.Ops)) > maxBytes/overwrittenBytes || !o.read() || !o.findReads() || !o.divide(maxBytes/4) {
		return o.undecided()
	}
	for {
		order, ok := inOrder(&o.supposed, o.meter)
		if o.meter.Stopped() {
			return replay.GaveUp(replay.Time)
		}
		if !ok {
			return replay.Refuted(replay.SearchEngine)
		}
		o.precede(order)
		n := len(o.supposed.Edges)
		if !o.follow() {
			return o.undecided()
		}
		if len(o.supposed.Edges) == n {
			break
		}
	}
	slices.SortFunc(o.supposed.Edges, func(a, b history.Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	o.supposed.Edges = slices.Compact(o.supposed.Edges)
	if witness := o.guess(); witness != nil {
		return replay.Found(replay.SearchEngine, witness)
	}
	return Run(&o.supposed, spec, maxBytes, o.meter)
}

const (
	// overwrittenBytes is about what an operation takes without the tables by chain.
	overwrittenBytes = 512
	// overwrittenTrial is the number of operations from which on Overwritten declines if an
	// eighth of them wrote a value that was written before.
	overwrittenTrial = 1 << 12
)

// maxChains bounds the chains of Overwritten, whose tables have a number for each operation
// and chain.
const maxChains = 64

type overwritten struct {
	h        *history.History
	spec     replay.Overwriting
	meter    *meter.Meter
	refuted  bool
	again    int             // writes of values that were written before
	supposed history.History // with the edges that follow
	known    map[history.Edge]bool

	numbers map[string]int32 // key -> number of its cell
	cells   []cell
	writers map[string]int32 // cell and value -> the operation that wrote it
	written []access         // what each operation wrote last to a cell
	asked   []access         // what it found there before
	reads   []access         // those of asked of which it is known who wrote that
	took    []bool           // operation -> it took effect
	buf     []byte

	chain, place []int32   // operation -> its chain and its place there
	chains       [][]int32 // in real-time order
	before       []int32   // operation, chain -> how many operations of the chain come before
}

type cell struct {
	unclear bool      // anything may be written
	first   string    // what is there at first, as a key of writers
	writers []int32   // operations
	byChain [][]int32 // those that took effect, by chain

	// Of the last operation that used it:
	op          int32
	wrote       bool
	last        string // what it wrote
	lastWritten int    // number in written
}

// An access is that an operation reads or writes a value. If it reads, from is the operation
// that wrote the value, or fromStart.
type access struct {
	op, cell, from int32
	value          string // as a key of writers
}

// Values of access.from that are not operations.
const (
	fromStart = -1 // it was there at first
	unclear   = -2 // several may have written it
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

// read reads what operations do. It reports false if one may write anything anywhere.
func (o *overwritten) read() bool {
	var steps []replay.CellStep
	for i := range o.h.Ops {
		op, ok := int32(i), false
		if i >= overwrittenTrial && i&(i-1) == 0 && o.again > i/8 { // a power of 2
			return false
		}
		if steps, ok = o.spec.AppendCellSteps(steps[:0], &o.h.Ops[i]); !ok || o.meter.MustStop(1+len(steps)) {
			return false
		}
		for _, s := range steps {
			c := o.cell(s.Key)
			at := &o.cells[c]
			if at.op != op {
				at.op, at.wrote = op, false
			}
			if s.Kind == replay.CellOther {
				at.unclear = true
				continue
			}
			value := o.keyOf(c, s.Value)
			switch {
			case s.Kind == replay.CellWrite:
				if at.wrote { // nobody else can read it
					o.writers[at.last] = unclear
				}
				if _, known := o.writers[value]; known {
					o.writers[value] = unclear
					o.again++
				} else {
					o.writers[value] = op
				}
				if at.wrote {
					o.written[at.lastWritten].value = value
				} else {
					at.writers = append(at.writers, op)
					at.lastWritten = len(o.written)
					o.written = append(o.written, access{op: op, cell: c, value: value})
				}
				at.wrote, at.last = true, value
			case !at.wrote:
				o.asked = append(o.asked, access{op: op, cell: c, value: value})
			case at.last != value && !at.unclear && !o.h.Ops[i].Pending():
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
		o.cells = append(o.cells, cell{op: unclear})
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

// findReads finds out who wrote what was read, and which pending operations took effect,
// as someone read what they wrote. It reports false if no read orders anything.
func (o *overwritten) findReads() bool {
	n := len(o.h.Ops)
	o.took = make([]bool, n)
	byOp := make([][]int32, n) // its reads
	var effective []int32
	take := func(op int32) {
		if !o.took[op] {
			o.took[op] = true
			effective = append(effective, op)
		}
	}
	for k, r := range o.asked {
		byOp[r.op] = append(byOp[r.op], int32(k))
	}
	for i := range o.h.Ops {
		if !o.h.Ops[i].Pending() { // one that happened may have failed, as a cas does
			take(int32(i))
		}
	}
	for k := 0; k < len(effective); k++ {
		for _, a := range byOp[effective[k]] {
			r := o.asked[a]
			from, known := o.writers[r.value]
			switch {
			case o.cells[r.cell].unclear || from == unclear:
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
	o.supposed = *o.h
	for _, r := range o.reads {
		if r.from >= 0 {
			o.supposed.Edges = append(o.supposed.Edges, history.Edge{From: r.from, To: r.op})
		}
	}
	return len(o.reads) > 0
}

// divide divides the operations that took effect into chains. It reports false if there
// are too many.
func (o *overwritten) divide(maxBytes int64) bool {
	n := len(o.h.Ops)
	o.chain, o.place = make([]int32, n), make([]int32, n)
	for i := range o.h.Ops {
		if !o.took[i] {
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
			if o.took[w] {
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

// precede finds out what comes before each operation, by real time and edges; order is an
// order that respects both.
func (o *overwritten) precede(order []int32) {
	in := make([][]int32, len(o.h.Ops))
	for _, e := range o.supposed.Edges {
		in[e.To] = append(in[e.To], e.From)
	}
	for _, op := range order {
		if !o.took[op] {
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
			k := min(int(row[c]), len(chain)) // it was found before
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

// follow adds what follows from the reads. It reports false if it must stop, or if something
// was overwritten before it was read.
func (o *overwritten) follow() bool {
	for _, r := range o.reads {
		row := o.row(r.op)
		for c, writers := range o.cells[r.cell].byChain {
			if len(writers) == 0 {
				continue
			}
			if o.meter.MustStop(1) {
				return false
			}
			// The last one before the read comes before what was read.
			k, _ := slices.BinarySearchFunc(writers, row[c], func(w, place int32) int { return int(o.place[w] - place) })
			if k > 0 && writers[k-1] != r.from {
				if r.from == fromStart {
					return o.refute()
				}
				o.order(writers[k-1], r.from)
			}
			// The first one after what was read comes after the read.
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
				k++ // later ones come after it anyway
			}
			if k < len(writers) {
				o.order(r.op, writers[k])
			}
		}
	}
	return true
}

// order adds an edge unless it follows from others.
func (o *overwritten) order(from, to int32) {
	if e := (history.Edge{From: from, To: to}); from != to && !o.comesBefore(from, to) && !o.known[e] {
		o.known[e] = true
		o.supposed.Edges = append(o.supposed.Edges, e)
	}
}

// inOrder returns the operations in an order that respects edges and real time. Pending ones
// that nothing follows by edges are left out. It places the operations by response, after
// those that have to come first. It returns false if no order exists, or if it must stop.
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
	for _, i := range engine.Responses(h) {
		if !place(i, h.Ops[i].Return) || m.Stopped() {
			return nil, false
		}
	}
	return order, true
}
