package leadline

import "sync"

// A stateTable numbers the states of a model. Two states have the same number only if the
// model's Equal says that they are equal, or without one their contents.
type stateTable struct {
	equal func(a, b any) bool // nil: by content alone
	hash  func(state any) uint64

	mu      sync.Mutex
	content contents
	scratch []byte
	byKey   map[string]numbered   // without equal
	bySum   map[uint64][]numbered // with equal: states of one sum
	byHash  map[uint64][]numbered // states of one hash of the model, or all
	looked  int                   // states looked for in byHash without a hash
	found   int                   // those that were there
	bytes   int
	last    int64 // the last number; numbers are not used again
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
	// compared bounds the states of one sum or hash that are compared by Equal: the last.
	compared = 64
	// futile is the number of states that are compared with the last ones of any content,
	// unless one in 16 was there.
	futile = 256
	// stateBytes is the memory of an entry besides its content.
	stateBytes = 256
)

// number returns the number of a state, and its sum: see sumOf.
func (t *stateTable) number(state any) (number int64, sum uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byKey == nil || t.bytes > tableBytes {
		t.byKey, t.bytes = map[string]numbered{}, 0
		t.bySum, t.byHash = map[uint64][]numbered{}, map[uint64][]numbered{}
	}
	if t.equal == nil {
		t.scratch = t.content.append(t.scratch[:0], state)
		s, known := t.byKey[string(t.scratch)]
		if !known {
			s = numbered{state, t.last + 1}
			t.byKey[string(t.scratch)] = s
			t.add(s, len(t.scratch))
		}
		return s.number, t.content.sumOf(state)
	}
	t.equal(state, state) // Equal may sort something in it, once and for all
	sum, _ = t.content.sum(state)
	hash := uint64(0)
	if t.hash != nil {
		hash = t.hash(state)
	}
	if number = t.find(t.bySum[sum], state); number == 0 && (t.hash != nil || t.looked < futile || t.found*16 > t.looked) {
		t.looked++
		if number = t.find(t.byHash[hash], state); number != 0 {
			t.found++
		}
	}
	if number == 0 {
		s := numbered{state, t.last + 1}
		t.bySum[sum], t.byHash[hash] = with(t.bySum[sum], s), with(t.byHash[hash], s)
		t.add(s, 0)
		number = s.number
	}
	return number, t.content.sumOf(state)
}

func (t *stateTable) add(s numbered, bytes int) {
	t.last = s.number
	t.bytes += bytes + stateBytes
}

// find returns the number of the last state that equals the given one, or 0.
func (t *stateTable) find(list []numbered, state any) int64 {
	for i := len(list) - 1; i >= 0; i-- {
		t.content.looked += equalWork
		if t.equal(list[i].state, state) {
			return list[i].number
		}
	}
	return 0
}

func with(list []numbered, s numbered) []numbered {
	if len(list) == compared {
		copy(list, list[1:])
		list = list[:compared-1]
	}
	return append(list, s)
}
