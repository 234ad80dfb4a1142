package leadline

import (
	"hash/maphash"
	"sync"
)

// A stateTable numbers the states of a model. Two states have the same number
// only if their contents or the model's Equal say that they are equal.
type stateTable struct {
	equal func(a, b any) bool // nil: by content alone
	hash  func(state any) uint64

	mu       sync.Mutex
	contents contents
	scratch  []byte
	byKey    map[string]numbered
	byHash   map[uint64][]numbered
	bytes    int
	last     int64 // the last number; numbers are not used again
}

// A numbered state is kept alive, since its content may have addresses in it.
type numbered struct {
	state  any
	number int64
}

const (
	// tableBytes bounds the contents that are kept. A state that was forgotten gets
	// another number when it occurs again.
	tableBytes = 64 << 20
	// compared bounds the states of one hash that are compared by Equal.
	compared = 64
)

// number returns the number of a state.
func (t *stateTable) number(state any) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.contents.follow = 0
	t.scratch = t.contents.append(t.scratch[:0], state)
	if s, known := t.byKey[string(t.scratch)]; known {
		return s.number
	}
	if t.byKey == nil || t.bytes > tableBytes {
		t.byKey, t.byHash, t.bytes = map[string]numbered{}, map[uint64][]numbered{}, 0
	}
	s := numbered{state: state}
	if t.equal != nil {
		s.number = t.like(state)
	}
	if s.number == 0 {
		t.last++
		s.number = t.last
	}
	t.byKey[string(t.scratch)] = s
	t.bytes += len(t.scratch) + stateBytes
	return s.number
}

var seed = maphash.MakeSeed()

// sum returns a hash of a state and of what it points to, up to a bound. It is 0 if
// nothing in the state can change, or if it equals nothing, not even itself.
func (t *stateTable) sum(state any) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	unique, references := t.contents.unique, t.contents.references
	t.contents.follow = followBytes
	t.scratch = t.contents.append(t.scratch[:0], state)
	if t.contents.unique != unique || t.contents.references == references {
		return 0
	}
	return max(1, maphash.Bytes(seed, t.scratch))
}

// stateBytes is the memory of an entry besides its content.
const stateBytes = 256

// like returns the number of a recent state that equals the given one, or 0 and
// adds it to the recent ones.
func (t *stateTable) like(state any) int64 {
	h := uint64(0)
	if t.hash != nil {
		h = t.hash(state)
	}
	recent := t.byHash[h]
	for i := len(recent) - 1; i >= 0; i-- {
		if t.equal(recent[i].state, state) {
			return recent[i].number
		}
	}
	if len(recent) == compared {
		copy(recent, recent[1:])
		recent = recent[:compared-1]
	}
	t.byHash[h] = append(recent, numbered{state, t.last + 1})
	return 0
}
