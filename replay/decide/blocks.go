package decide

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
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
	meter *meter.Meter
	state replay.State
	carry []int32 // pending operations of earlier blocks, not used so far
	order []int32 // the witness so far
	did   map[replay.Engine]*replay.Contribution
}

const (
	// blockSchedules bounds the schedules of families replayed for a block.
	blockSchedules = 1 << 10
	// blockShare bounds the search of a block to less than a second: a block
	// that takes longer is left to the search of the whole history.
	blockShare = 1 << 8 * meter.AskEvery
)

// inBlocks decides the history if the first witness of each block leads to
// the end, or if the first block has none. Where there is one block only it
// declines.
func inBlocks(h *history.History, spec replay.Spec, o replay.Options, m *meter.Meter) (replay.Finding, error) {
	start, ok := spec.New().(replay.State)
	if _, several := start.(replay.Nondeterministic); !ok || several || h.HasEdges() {
		return replay.Declines("no deterministic state, or edges"), nil
	}
	// An operation that has to happen at some time lies on no side of a cut.
	if slices.ContainsFunc(h.Ops, func(op history.Operation) bool { return op.Pending() && op.Happened }) {
		return replay.Declines("a pending operation that happened"), nil
	}
	list := cut(h)
	if len(list) < 2 {
		return replay.Declines("one block"), nil
	}
	b := &blocks{h: h, spec: spec, o: o, meter: m, state: start, did: map[replay.Engine]*replay.Contribution{}}
	var depths []int
	for k, block := range list {
		f, err := b.decide(block)
		switch {
		case err != nil:
			return replay.Finding{}, err
		case f.Answer == replay.NotLinearizable && k == 0:
			return b.contributed(replay.Refuted(f.Engine)), nil
		case f.Answer == replay.NotLinearizable:
			return replay.Declines("a block without a witness"), nil
		case !f.Decided():
			return replay.GaveUp(f.Cause), nil
		}
		depths = append(depths, f.Depth)
	}
	f := replay.Found(replay.BlocksEngine, append(b.order, b.carry...))
	f.BlockDepths = depths
	return b.contributed(f), nil
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

// Traits says nothing: the object may hold something at first.
func (r resumed) Traits() replay.Traits { return replay.Traits{} }

// Facts says what only reads, which is true in every state.
func (r resumed) Facts(op *history.Operation) replay.Facts {
	return replay.Facts{ReadOnly: replay.FactsOf(r.Spec, op).ReadOnly}
}

// decide finds a witness of one block and moves the state past it.
func (b *blocks) decide(block [2]int32) (replay.Finding, error) {
	ops := b.carry
	for i := block[0]; i < block[1]; i++ {
		ops = append(ops, i)
	}
	part := engine.Restrict(b.h, ops)
	spec := resumed{b.spec, b.state}
	var f replay.Finding
	if len(ops)-len(b.carry) <= short {
		in, err := replay.NewInstance(part, true, b.o.Chains)
		if err != nil {
			return f, err
		}
		o := b.o
		o.Budget.Schedules = blockSchedules
		if f, err = engine.Families(in, spec, o, b.meter); err != nil {
			return f, err
		}
	}
	if !f.Decided() && !b.meter.Stopped() {
		f = search.Run(part, spec, b.o.Budget.Bytes, b.meter.Share(blockShare))
	}
	b.count(f.Engine, int(block[1]-block[0]))
	if f.Answer == replay.Linearizable {
		b.advance(ops, f.Witness)
	}
	return f, nil
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

// contributed returns the finding with what each engine did for it.
func (b *blocks) contributed(f replay.Finding) replay.Finding {
	for e := range replay.Engine(len(replay.EngineNames)) {
		if b.did[e] != nil {
			f.Contributions = append(f.Contributions, *b.did[e])
		}
	}
	return f
}
