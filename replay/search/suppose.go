package search

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay/internal/engine"
)

// Limits of a search under a supposition. Like those of guessing, they do not
// affect correctness.
const (
	supposeAfter = 1 << 12 // configurations searched before
	supposeWork  = 1 << 21 // units of work, and supposePerOp more per operation
	supposePerOp = 256
)

// A supposition says of pending operations whether and when they take effect. It is
// read off the values: if a pending operation alone brings a value into the history,
//
//   - and an operation returned it, then it took effect before that response;
//   - and a pending operation that took effect needs it, then it did so before, too;
//   - and otherwise, it did not take effect.
//
// That leaves few pending operations to choose from, or none. So the search under the
// supposition meets none of the sequences of pending operations that a sweep tries
// after each wrong choice.
//
// A supposition may be false: of a counter, no operation returns what was added. It
// narrows intervals and leaves out operations that may stay out, and so a witness under
// it is a witness. A search that finds none proves nothing.
type supposition struct {
	a      *arrangement
	meter  *meter.Meter
	values map[uint64]brought // values in the arguments of pending operations
	own    []uint64           // values in the arguments of one operation
}

// brought is what is known of a value.
type brought struct {
	by    int32 // the pending operation, or shared
	place place // where it is among the arguments
	seen  int32 // the first response after the invocation of by that has it, or NoReturn
}

// A place is the position of a value: the method, and the index in the innermost list.
type place struct {
	method string
	index  int
}

const shared = -1 // several operations bring a value

// suppose returns a witness under a supposition, or nil. At last, fronts also place the
// operations that are supposed to have no effect.
func (r *runner) suppose(s *sweep) []int32 {
	work := supposeWork + supposePerOp*int64(len(s.ops))
	if r.without != nil {
		if witness := r.under(follow(s.arrangement, r.without), s, s.meter.Share(work/8)); witness != nil {
			return witness
		}
	}
	m := s.meter.Share(work)
	b := (&supposition{a: s.arrangement, meter: m}).apply()
	if b == nil {
		return nil
	}
	if witness := r.under(b, s, m); witness != nil || s.meter.Stopped() {
		return witness
	}
	b.out = nil
	t, ok := newSweep(b, r.spec, s.machine, r.prune)
	if !ok {
		return nil
	}
	t.maxBytes, t.meter = r.maxBytes-(s.bytes()-s.machine.Bytes()), s.meter
	return advanceFronts(t)
}

// under searches under a supposition, which made arrangement b of that of s.
func (r *runner) under(b *arrangement, s *sweep, m *meter.Meter) []int32 {
	t, ok := newSweep(b, r.spec, s.machine, r.prune)
	if !ok {
		return nil
	}
	// Half of the memory is left to the search that comes after.
	t.maxBytes = r.maxBytes/2 - (s.bytes() - s.machine.Bytes())
	t.meter, t.pause = m, guessAfter
	found, _ := t.run()
	if t.paused {
		if witness := guess(t); witness != nil || m.Stopped() {
			return witness
		}
		found, _ = t.run()
	}
	if !found {
		return nil
	}
	return engine.Complete(t.trail, len(s.ops))
}

// apply returns the arrangement under the supposition, or nil if it is the same.
func (p *supposition) apply() *arrangement {
	ops := p.a.recorded.Ops
	p.values = map[uint64]brought{}
	for i := range ops {
		if p.a.mayStayOut(int32(i)) {
			eachArgument(&ops[i], func(at place, v uint64) { p.bring(int32(i), at, v) })
		}
	}
	for i := range ops {
		if p.meter.MustStop(1) {
			return nil
		}
		p.mentioned(int32(i))
	}
	for i := range ops {
		p.returned(int32(i))
		if p.meter.Stopped() {
			return nil
		}
	}
	for i := range ops {
		p.neededFor(int32(i))
		if p.meter.Stopped() {
			return nil
		}
	}
	return p.narrowed()
}

// neededFor notes that the values in the arguments of pending operation i were there
// before the response that shows its effect, if there is one: cas(1, 2) changes 1. The
// operations that brought them may need others in turn.
func (p *supposition) neededFor(i int32) {
	if !p.a.mayStayOut(i) {
		return
	}
	for queue := []int32{i}; len(queue) > 0; queue = queue[1:] {
		_, seen := p.effect(queue[0])
		if seen == history.NoReturn {
			continue
		}
		eachArgument(&p.a.recorded.Ops[queue[0]], func(_ place, v uint64) {
			p.meter.Spend(1)
			b, ok := p.values[v]
			if ok && b.by != shared && b.by != queue[0] && seen < b.seen && seen > p.a.h.Ops[b.by].Call {
				b.seen = seen
				p.values[v] = b
				queue = append(queue, b.by)
			}
		})
	}
}

// effect reports whether a pending operation brings values, and returns the first
// response that has one.
func (p *supposition) effect(i int32) (brings bool, seen int32) {
	seen = history.NoReturn
	eachArgument(&p.a.recorded.Ops[i], func(_ place, v uint64) {
		if x := p.values[v]; x.by == i {
			brings, seen = true, min(seen, x.seen)
		}
	})
	return brings, seen
}

// bring notes a value in the arguments of pending operation i. The first of several that
// have it brings it, unless they have it in the same place.
func (p *supposition) bring(i int32, at place, v uint64) {
	p.meter.Spend(1)
	b, ok := p.values[v]
	switch {
	case !ok:
		p.values[v] = brought{i, at, history.NoReturn}
	case b.by != i && b.place == at:
		b.by = shared
		p.values[v] = b
	}
}

// mentioned notes the values in the arguments of operation i. Another operation brings
// a value, too, if it has it in the same place, or was invoked before and did not return
// false.
func (p *supposition) mentioned(i int32) {
	op := &p.a.recorded.Ops[i]
	failed := op.Result.Kind() == history.Bool && !op.Result.Bool()
	eachArgument(op, func(at place, v uint64) {
		p.meter.Spend(1)
		if b, ok := p.values[v]; ok && b.by != i && (b.place == at || i < b.by && !failed) {
			b.by = shared
			p.values[v] = b
		}
	})
}

// returned notes the values that operation i returned. Those of its own arguments do not
// count, unless it returned true, as a successful cas does.
func (p *supposition) returned(i int32) {
	op := &p.a.recorded.Ops[i]
	if op.Pending() {
		return
	}
	p.own = p.own[:0]
	eachArgument(op, func(_ place, v uint64) { p.own = append(p.own, v) })
	if op.Result.Bool() {
		for _, v := range p.own {
			p.see(i, v)
		}
		return
	}
	eachValue(op.Result, 0, func(_ int, v uint64) {
		p.meter.Spend(1)
		if !slices.Contains(p.own, v) {
			p.see(i, v)
		}
	})
}

// see notes that operation i returned a value. If it did so before the invocation of the
// operation that brings the value, another brings it, too.
func (p *supposition) see(i int32, v uint64) {
	b, ok := p.values[v]
	if !ok || b.by == shared || b.by == i {
		return
	}
	ops := p.a.h.Ops
	if ops[i].Return < ops[b.by].Call {
		b.by = shared
	} else {
		b.seen = min(b.seen, ops[i].Return)
	}
	p.values[v] = b
}

// narrowed returns the arrangement under the supposition.
func (p *supposition) narrowed() *arrangement {
	b := *p.a
	h := *p.a.h
	h.Ops = slices.Clone(h.Ops)
	b.h, b.out = &h, make([]bool, len(h.Ops))
	same := true
	for i := range h.Ops {
		if !p.a.mayStayOut(int32(i)) {
			continue
		}
		brings, seen := p.effect(int32(i))
		b.out[i] = brings && seen == history.NoReturn
		b.require(int32(i), seen)
		same = same && !brings
	}
	if same {
		return nil
	}
	return &b
}

// follow returns the arrangement in which the pending operations take effect that do so
// in a witness of the others, before the operation that follows them there.
func follow(a *arrangement, witness []int32) *arrangement {
	b := *a
	h := *a.h
	h.Ops = slices.Clone(h.Ops)
	b.h, b.out = &h, make([]bool, len(h.Ops))
	next := int32(history.NoReturn)
	for _, i := range slices.Backward(witness) {
		switch {
		case !a.mayStayOut(i):
			next = h.Ops[i].Return
		case next == history.NoReturn:
			b.out[i] = true
		default:
			b.require(i, next)
		}
	}
	return &b
}

// require puts the response of a pending operation at the given one, if that is after the
// invocation. (In a witness of the others, an operation that only reads may be anywhere.)
// An operation with predecessors by edges keeps its interval, so that it is not due before
// these.
func (a *arrangement) require(i, response int32) {
	if op := &a.h.Ops[i]; response > op.Call && (a.before == nil || len(a.before[i]) == 0) {
		op.Return = response
	}
}

// eachArgument calls f with each value in the arguments of op.
func eachArgument(op *history.Operation, f func(at place, v uint64)) {
	for k, arg := range op.Args {
		eachValue(arg, k, func(index int, v uint64) { f(place{op.Method, index}, v) })
	}
}

// eachValue calls f with each number and word in v. A string that holds several words,
// such as "1,2,", may be several values that were appended.
func eachValue(v history.Value, index int, f func(index int, v uint64)) {
	switch v.Kind() {
	case history.Int:
		f(index, word(v.String()))
	case history.String:
		text, start := v.Text(), 0
		for k := 0; k <= len(text); k++ {
			if k < len(text) && isOfWord(text[k]) {
				continue
			}
			if k > start {
				f(index, word(text[start:k]))
			}
			start = k + 1
		}
	case history.List, history.Map:
		for k, w := range v.List() {
			eachValue(w, k, f)
		}
	}
}

func isOfWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 || c == '-' || c == '_' || c == '.'
}

// word is a hash (FNV-1a). If two words have the same, a supposition may be false.
func word(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}
