package decide_test

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

const noReturn = history.NoReturn

// maxOps is the largest number of operations of a history.
const maxOps = 20

// A problem is a history of a kind as brute force sees it, with operations
// sorted by invocation. It is reused: reset clears it.
type problem struct {
	kind    *kind
	n       int
	call    [maxOps]*call
	result  [maxOps]history.Value
	process [maxOps]int32
	begin   [maxOps]int32 // positions of the events
	end     [maxOps]int32 // noReturn for a pending operation
	// before is the set of operations that must come before an operation, as
	// bits.
	before   [maxOps]uint32
	happened [maxOps]bool
	edges    []history.Edge
	events   int32
	// elements and keys are what values 1 and 2 stand for; see draw.
	elements, keys [3]history.Value
	initial        uint64
}

func (p *problem) reset(k *kind) {
	plain := [3]history.Value{1: history.IntValue(1), 2: history.IntValue(2)}
	*p = problem{kind: k, edges: p.edges[:0], elements: plain, keys: plain, initial: k.initial}
}

// draw chooses what values 1 and 2 stand for.
func (p *problem) draw(r *rand.Rand) {
	switch p.kind.elements {
	case numbers:
		return
	case sorted:
		p.elements[1], p.elements[2] = sortedPair(r)
	default:
		p.elements[1], p.elements[2] = pair(r)
		p.keys[1], p.keys[2] = pair(r)
	}
	if p.kind.elements != initial {
		return
	}
	for v := 1; v <= 2; v++ {
		if p.elements[v].Kind() == history.Null {
			p.initial = uint64(v)
		}
	}
}

// value returns the recorded value of answer a to c.
func (p *problem) value(c *call, a answer) history.Value {
	if c.op != size && (a == 1 || a == 2) {
		return p.elements[a]
	}
	return a.value()
}

// args returns the recorded values of the arguments of c.
func (p *problem) args(c *call) []history.Value {
	var args []history.Value
	switch {
	case c.a != 0 && p.kind.elements == byKey:
		args = append(args, p.keys[c.a])
	case c.a != 0:
		args = append(args, p.elements[c.a])
	}
	if c.b != 0 {
		args = append(args, p.elements[c.b])
	}
	return args
}

// invoke adds an operation, ordered by real time.
func (p *problem) invoke(c *call, process int32) int {
	i := p.n
	p.n++
	p.call[i], p.process[i] = c, process
	p.begin[i], p.end[i] = p.events, noReturn
	p.result[i] = p.value(c, c.answer)
	p.events++
	for j := range i {
		if p.end[j] < p.begin[i] {
			p.before[i] |= 1 << j
		}
	}
	return i
}

func (p *problem) respond(i int) {
	p.end[i] = p.events
	p.events++
}

// addEdge orders i before j, so that i happened. The caller ensures that j does
// not come before i.
func (p *problem) addEdge(i, j int) {
	p.edges = append(p.edges, history.Edge{From: int32(i), To: int32(j)})
	p.before[j] |= 1 << i
	p.happened[i] = p.happened[i] || p.end[i] == noReturn
}

// sortEdges sorts the edges like those of a History.
func (p *problem) sortEdges() {
	slices.SortFunc(p.edges, func(x, y history.Edge) int {
		return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To))
	})
}

// must returns the operations that took effect for certain.
func (p *problem) must() uint32 {
	set := uint32(0)
	for i := range p.n {
		if p.end[i] != noReturn || p.happened[i] {
			set |= 1 << i
		}
	}
	return set
}

// linearizable decides by the definition. It searches for a sequence of all
// operations that took effect for certain and any of the others. The sequence
// has to respect the order, and the model has to explain it. It tries one
// operation after another, gives up where the model does, and has no memory.
func (p *problem) linearizable() bool {
	return p.extend(0, p.must(), p.initial)
}

func (p *problem) extend(placed, must uint32, state uint64) bool {
	if placed&must == must {
		return true
	}
	for i := range p.n {
		// A predecessor that never happened would not block this one; but an
		// operation that may not have happened has no known successor.
		if placed>>i&1 != 0 || p.before[i]&^placed != 0 {
			continue
		}
		o := p.kind.step(state, p.call[i])
		for k := range o.n {
			if p.accepts(i, o.answer[k]) && p.extend(placed|1<<i, must, o.next[k]) {
				return true
			}
		}
	}
	return false
}

func (p *problem) accepts(i int, a answer) bool {
	return replay.Accepts(p.result[i], p.value(p.call[i], a))
}

// explains reports whether an order of all operations is a witness. Pending
// ones for which the model has no transition did not take effect.
func (p *problem) explains(order []int32) bool {
	placed := uint32(0)
	for _, i := range order {
		if i < 0 || int(i) >= p.n || placed>>i&1 != 0 || p.before[i]&^placed != 0 {
			return false
		}
		placed |= 1 << i
	}
	return len(order) == p.n && p.replays(order, p.must(), p.initial)
}

func (p *problem) replays(order []int32, must uint32, state uint64) bool {
	if len(order) == 0 {
		return true
	}
	i := order[0]
	o := p.kind.step(state, p.call[i])
	for k := range o.n {
		if p.accepts(int(i), o.answer[k]) && p.replays(order[1:], must, o.next[k]) {
			return true
		}
	}
	return o.n == 0 && must>>i&1 == 0 && p.replays(order[1:], must, state)
}

// history builds the history for the engines. It does not use history.New,
// whose checks would take most of the time.
func (p *problem) history(id string) *history.History {
	h := &history.History{
		Header: history.Header{ID: id, Model: p.kind.spec.Name(), ModelArgs: p.kind.args},
		Ops:    make([]history.Operation, p.n),
	}
	for i := range h.Ops {
		c := p.call[i]
		h.Ops[i] = history.Operation{
			Method: c.method, Args: p.args(c), Result: p.result[i], Process: p.process[i],
			Call: p.begin[i], Return: p.end[i], Line: int32(i + 1), Happened: p.happened[i],
		}
		h.Ops[i].SetID(history.IntValue(int64(i)))
		if int(p.process[i]) == len(h.Processes) {
			h.Processes = append(h.Processes, history.IntValue(int64(p.process[i])))
		}
	}
	h.Edges = append(h.Edges, p.edges...)
	return h
}
