package decide

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/search"
)

// A quiescent cut is a moment at which no operation is open but those that are
// pending for ever. Every operation that returns lies on one side of it, so
// that a witness is a witness of each block after the other. What a block
// hands on is the state and which pending operations have been used.
//
// blocks takes the first witness of each block that it finds, by families or
// else by the complete search, and goes on from the one state that it leads
// to. That shortens the way to the answer where there is a witness. Where a
// block has none from there, another witness of the blocks before it may lead
// to another state; only the search of the whole history, which carries every
// state and every set of used pending operations over the cut, knows then. The
// first block has one state to begin from, so that its answer is final.
type blocks struct {
	h     *history.History
	spec  replay.Spec
	o     replay.Options
	stop  func() bool
	state replay.State
	carry []int32 // pending operations of earlier blocks, not used so far
	v     *replay.Verdict
	order []int32 // the witness so far
	did   map[replay.Engine]*replay.Contribution
}

const (
	// blockSchedules bounds the schedules of families replayed for a block.
	blockSchedules = 1 << 10
	// blockShare is how often the search of a block asks whether to stop, less
	// than a second: a block that takes longer is for the search of the whole.
	blockShare = 1 << 8
	// blocksMax is up to how many operations a history is tried in blocks
	// before the search: with more, the search is the faster way.
	blocksMax = 1 << 14
)

// inBlocks decides the history if the first witness of each block leads to
// the end, or if the first block has none. It leaves v alone otherwise, and
// where there is one block only.
func inBlocks(h *history.History, spec replay.Spec, o replay.Options, stop func() bool, v *replay.Verdict) error {
	start, ok := spec.New().(replay.State)
	if _, several := start.(replay.Nondeterministic); !ok || several || h.HasEdges() {
		return nil
	}
	// An operation that has to happen some time lies on no side of a cut.
	if slices.ContainsFunc(h.Ops, func(op history.Operation) bool { return op.Pending() && op.Happened }) {
		return nil
	}
	list := cut(h)
	if len(list) < 2 {
		return nil
	}
	b := &blocks{h: h, spec: spec, o: o, stop: stop, state: start, v: v,
		did: map[replay.Engine]*replay.Contribution{}}
	var depths []int
	for k, block := range list {
		bv, err := b.decide(block)
		switch {
		case err != nil:
			return err
		case bv.Answer == replay.NotLinearizable && k == 0:
			b.enter(replay.NotLinearizable)
			v.Engine = bv.Engine
			return nil
		case bv.Answer != replay.Linearizable:
			if stop() {
				v.Cause = bv.Cause
			}
			return nil
		}
		depths = append(depths, bv.Depth)
	}
	b.enter(replay.Linearizable)
	v.Engine, v.BlockDepths = replay.BlocksEngine, depths
	v.Witness = append(b.order, b.carry...)
	return nil
}

// cut returns the first operation of each block.
func cut(h *history.History) [][2]int32 {
	var list [][2]int32
	from, open := int32(0), int32(-1) // the last response among the operations so far
	for i := range h.Ops {
		op := &h.Ops[i]
		if op.Call > open && int32(i) > from && open >= 0 {
			list = append(list, [2]int32{from, int32(i)})
			from = int32(i)
		}
		if !op.Pending() {
			open = max(open, op.Return)
		}
	}
	return append(list, [2]int32{from, int32(len(h.Ops))})
}

// resumed is a specification whose objects begin in a given state.
type resumed struct {
	replay.Spec
	state replay.State
}

func (r resumed) New() replay.Object { return r.state.Clone() }

// Observes asks the specification, if it knows; see replay.Observer.
func (r resumed) Observes(op *history.Operation) bool {
	o, ok := r.Spec.(replay.Observer)
	return ok && o.Observes(op)
}

// decide finds a witness of one block and moves the state behind it.
func (b *blocks) decide(block [2]int32) (replay.Verdict, error) {
	ops := b.carry
	for i := block[0]; i < block[1]; i++ {
		ops = append(ops, i)
	}
	part := replay.Restrict(b.h, ops)
	spec := resumed{b.spec, b.state}
	var v replay.Verdict
	if len(ops)-len(b.carry) <= short {
		in, err := replay.NewInstance(part, true, b.o.Chains)
		if err != nil {
			return v, err
		}
		o := b.o
		o.Budget.Schedules = blockSchedules
		if err := replay.Families(in, spec, o, b.stop, &v); err != nil {
			return v, err
		}
	}
	if v.Answer == replay.Undecided && !b.stop() {
		asked := 0
		search.Run(part, spec, b.o.Budget.Bytes, func() bool { asked++; return asked > blockShare || b.stop() }, &v)
	}
	b.count(v.Engine, int(block[1]-block[0]))
	if v.Answer == replay.Linearizable {
		b.advance(ops, v.Witness)
	}
	return v, nil
}

// advance runs a block's witness up to the last operation in it that
// returned. What is pending behind that need not have happened so far.
func (b *blocks) advance(ops, witness []int32) {
	end := len(witness)
	for end > 0 && b.h.Ops[ops[witness[end-1]]].Pending() {
		end--
	}
	for _, i := range witness[:end] {
		op := &b.h.Ops[ops[i]]
		b.state.Apply(replay.Invocation{Method: op.Method, Args: op.Args})
		b.order = append(b.order, ops[i])
	}
	var carry []int32
	left := make([]bool, len(ops))
	for _, i := range witness[end:] {
		left[i] = true
	}
	for i, op := range ops {
		if left[i] {
			carry = append(carry, op)
		}
	}
	b.carry = carry
}

func (b *blocks) count(e replay.Engine, ops int) {
	if b.did[e] == nil {
		b.did[e] = &replay.Contribution{Engine: e}
	}
	b.did[e].Pieces++
	b.did[e].Ops += ops
}

// enter enters the answer, and what each engine did for it.
func (b *blocks) enter(a replay.Answer) {
	b.v.Answer, b.v.Cause = a, replay.NoCause
	for e := range replay.Engine(len(replay.EngineNames)) {
		if b.did[e] != nil {
			b.v.Contributions = append(b.v.Contributions, *b.did[e])
		}
	}
}
