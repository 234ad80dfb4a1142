package leadline

import "sync"

// A stateTable numbers the states of a model. Two states have the same number only if the
// model's Equal reports that they are equal or, without an Equal, if their contents are.
type stateTable struct {
	equal func(a, b any) bool // nil: by content alone
	hash  func(state any) uint64

	mu       sync.Mutex
	content  contents
	scratch  []byte
	byKey    map[string]numbered   // without equal: content -> state
	bySum    map[uint64][]numbered // with equal: sum -> states
	byHash   map[uint64][]numbered // with equal: hash of the model, or 0 -> states
	searched int                   // searches in byHash
	hits     int                   // searches in byHash that found the state
	bytes    int
	last     int64 // the last number given; no number is used twice
}

// A numbered state is kept alive, because its content may contain addresses.
type numbered struct {
	state  any
	number int64
}

const (
	// tableBytes bounds the contents that are kept. A state that was forgotten gets
	// another number when it occurs again.
	tableBytes = 64 << 20
	// compared is how many states with the same sum or hash are compared by Equal: the
	// last ones.
	compared = 64
	// futile is the number of searches in byHash of a model without Hash, after which these
	// go on only if they find more than one state in 16.
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
	t.equal(state, state) // Equal may sort parts of the state; let it do so before the sum
	sum, _ = t.content.sum(state)
	hash := uint64(0)
	if t.hash != nil {
		hash = t.hash(state)
	}
	if number = t.find(t.bySum[sum], state); number == 0 && (t.hash != nil || t.searched < futile || t.hits*16 > t.searched) {
		t.searched++
		if number = t.find(t.byHash[hash], state); number != 0 {
			t.hits++
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
		t.content.visited += equalWork
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
