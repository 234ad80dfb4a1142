package state

import (
	"reflect"
	"slices"
	"sync"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/table"
	"github.com/leadline/leadline/replay"
)

// tables are the known states and transitions of a specification. If it has a Key,
// the tables are reused for the next history: many small histories reach the same
// states.
type tables struct {
	spec     replay.Spec
	key      string              // replay.Traits.Key; "" if the tables are not shared
	columns  table.Index         // of operations
	sample   []history.Operation // column -> one of its operations
	states   [][]replay.State
	next     transitions
	index    map[string]int32
	scratch  []byte
	view     Machine // of the current history
	bytes    int64   // memory of columns
	inStates int64   // memory of states
}

const (
	// SharedOps is the largest number of operations of a history that shares tables and is
	// replayed by them. A quarter changes nothing in BenchmarkCorpus and BenchmarkPrices.
	// With four times as many, queues of 300 operations take 2 to 4 times as long.
	SharedOps = 256
	// sharedBytes is the largest size of shared tables, and shelved the largest number
	// of tables on the shelf. With a quarter of either, BenchmarkCorpus allocates 1.2 and
	// 1.3 of the memory. Four times change nothing.
	sharedBytes = 2 << 20
	shelved     = 32
)

// shelf holds tables that no history uses. Specifications of different Go types never share
// tables, even if their Traits have the same Key.
var shelf struct {
	sync.Mutex
	byKey map[string][]*tables
	n     int
}

// takeTables returns tables for a history of n operations, from the shelf or
// new. It returns nil if the specification's objects are not States.
func takeTables(n int, spec replay.Spec) *tables {
	key := ""
	if n <= SharedOps {
		key = replay.TraitsOf(spec).Key
	}
	if key != "" {
		shelf.Lock()
		list := shelf.byKey[key]
		for i, t := range slices.Backward(list) {
			if reflect.TypeOf(t.spec) == reflect.TypeOf(spec) {
				shelf.byKey[key] = slices.Delete(list, i, i+1)
				shelf.n--
				shelf.Unlock()
				return t
			}
		}
		shelf.Unlock()
	}
	initial, ok := spec.New().(replay.State)
	if !ok {
		return nil
	}
	t := &tables{spec: spec, key: key, index: map[string]int32{}}
	t.intern([]replay.State{initial})
	return t
}

// giveBack puts the tables on the shelf, unless they are too large. A full
// shelf is cleared first.
func (t *tables) giveBack() {
	if t.key == "" || t.size() > sharedBytes {
		return
	}
	shelf.Lock()
	defer shelf.Unlock()
	if shelf.n == shelved {
		clear(shelf.byKey)
		shelf.n = 0
	}
	if shelf.byKey == nil {
		shelf.byKey = map[string][]*tables{}
	}
	shelf.byKey[t.key] = append(shelf.byKey[t.key], t)
	shelf.n++
}

// forgetStates empties the tables of states and transitions.
func (t *tables) forgetStates() {
	t.states, t.index, t.next, t.inStates = nil, map[string]int32{}, transitions{}, 0
}

// size estimates the memory of the tables.
func (t *tables) size() int64 { return t.bytes + t.inStates + t.next.Bytes() }

// columnOf returns the column of op.
func (t *tables) columnOf(op *history.Operation) int32 {
	hash := hashOf(op)
	if c := t.columns.Find(hash, func(c int32) bool { return alike(&t.sample[c], op) }); c >= 0 {
		return c
	}
	t.sample = append(t.sample, *op)
	t.bytes += columnCost
	return t.columns.Add(hash)
}

// hashOf returns a hash of what alike compares.
func hashOf(op *history.Operation) uint32 {
	h := uint64(len(op.Method))
	if h > 0 {
		h = h<<8 | uint64(op.Method[0])
	}
	h = op.Result.Hash(h)
	for _, a := range op.Args {
		h = a.Hash(h)
	}
	return table.Fold(h)
}

// alike reports whether two operations have the same method, arguments and
// result, and both or neither returned or happened.
func alike(a, b *history.Operation) bool {
	return a.Method == b.Method && a.Pending() == b.Pending() && a.Happened == b.Happened && a.Crashed == b.Crashed &&
		a.Result.Equal(b.Result) && slices.EqualFunc(a.Args, b.Args, history.Value.Equal)
}

// columnCost is the memory of a column besides its transitions.
const columnCost = 200

// stateCost is the memory of a state besides its key: the object itself and its
// place in the index.
const stateCost = 256

// The first byte of a key in the index tells a single state from a set of states, because a
// state may have any key.
const (
	keyOfOne byte = iota
	keyOfSet
)

func (t *tables) intern(set []replay.State) int32 {
	if len(set) == 1 {
		t.scratch = set[0].AppendKey(append(t.scratch[:0], keyOfOne))
	} else {
		set = t.sortSet(set)
	}
	if id, ok := t.index[string(t.scratch)]; ok {
		return id
	}
	id := int32(len(t.states))
	t.index[string(t.scratch)] = id
	t.states = append(t.states, set)
	t.inStates += int64(2*len(t.scratch)) + stateCost*int64(len(set))
	return id
}

// sortSet sorts the states by key, removes duplicates, and sets t.scratch to
// the key of the set.
func (t *tables) sortSet(set []replay.State) []replay.State {
	type keyed struct {
		key   string
		state replay.State
	}
	byKey := make([]keyed, len(set))
	for i, s := range set {
		byKey[i] = keyed{string(s.AppendKey(nil)), s}
	}
	slices.SortStableFunc(byKey, func(x, y keyed) int {
		switch {
		case x.key < y.key:
			return -1
		case x.key > y.key:
			return 1
		}
		return 0
	})
	t.scratch = append(t.scratch[:0], keyOfSet)
	set = set[:0]
	for i, k := range byKey {
		if i == 0 || k.key != byKey[i-1].key {
			set = append(set, k.state)
			// The length prefix makes keys of different sets different.
			t.scratch = history.StringValue(k.key).AppendKey(t.scratch)
		}
	}
	if len(set) == 1 {
		t.scratch = set[0].AppendKey(append(t.scratch[:0], keyOfOne))
	}
	return set
}
