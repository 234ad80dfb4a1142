package leadline

import (
	"reflect"
	"slices"

	"github.com/leadline/leadline/hitting/table"
)

// A memory has the configurations that a plain search has visited: sets of operations
// with states. Like porcupine, it compares a state with all states of the same set, and of
// the same hash if the model has one. If these are many, it computes sums of the content
// of states, and first compares with states of the same sum. Once it has found enough equal
// states in this way, and none in another, it compares with only a few of the others.
//
// A Step may append to a slice in its argument: it may thereby write to a state that the
// search has visited, but that changes the sum of the state.
type memory struct {
	equal   func(a, b any) bool
	hash    func(state any) uint64 // or nil
	slices  slicesIn
	content contents

	seen       []configuration
	words      int      // number of words of a set
	sets       []uint64 // the sets of seen, concatenated
	bySet      map[uint64]int32
	bySum      map[uint64]int32 // only for sets with more than crowd states
	sumHits    int              // equal states that were found by their sums
	sumsMissed bool             // an equal state was found only among states with other sums
}

// A configuration is in two linked lists: of the configurations with its set, and of those
// that also have its sum. Links are numbers of configurations, from 1. A list begins with
// the last configuration.
type configuration struct {
	state  any
	sum    uint64 // 0: not computed, and no Step can write to the state
	due    int32
	bySet  int32 // the next one in the list of its set, or 0
	bySum  int32 // the next one in the list of its sum, or 0
	length int32 // length of the list from bySet on
}

const (
	// crowd is the number of states of a set above which sums are used. That many of the
	// last states are compared in any case.
	crowd = 32
	// enough is the number of equal states to find by sums before only crowd others are
	// compared.
	enough = 64
)

func newMemory(spec *specification, words int) memory {
	m := memory{equal: spec.states.equal, hash: spec.states.hash, slices: slicesIn{}, words: words,
		bySet: map[uint64]int32{}, bySum: map[uint64]int32{}}
	if m.equal == nil {
		m.equal = new(contents).equal
	}
	return m
}

// visit reports whether the configuration has been visited before, and remembers it.
func (m *memory) visit(due int32, set []uint64, state any) bool {
	h := table.Mix(table.Seed, uint64(due))
	for _, w := range set {
		h = table.Mix(h, w)
	}
	if m.hash != nil {
		h ^= m.hash(state)
	}
	c := configuration{state: state, due: due, bySet: m.bySet[h]}
	if c.bySet > 0 {
		c.length = m.seen[c.bySet-1].length + 1
	}
	crowded := c.length > crowd && !m.sumsMissed
	if crowded || m.slices.inside(state) {
		c.sum = m.sumOf(state)
	}
	most := c.length
	if crowded {
		for k := m.bySum[table.Mix(h, c.sum)]; k > 0; k = m.seen[k-1].bySum {
			if m.same(k, &c, set) {
				m.sumHits++
				return true
			}
		}
		if m.sumHits >= enough {
			most = crowd
		}
	}
	for k := c.bySet; k > 0 && most > 0; k, most = m.seen[k-1].bySet, most-1 {
		if m.same(k, &c, set) {
			m.sumsMissed = m.sumsMissed || crowded
			return true
		}
	}
	m.seen = append(m.seen, c)
	m.sets = append(m.sets, set...)
	m.bySet[h] = int32(len(m.seen))
	switch {
	case m.sumsMissed:
	case crowded:
		m.addBySum(int32(len(m.seen)), h)
	case c.length == crowd:
		for k := m.bySet[h]; k > 0; k = m.seen[k-1].bySet {
			m.addBySum(k, h)
		}
	}
	return false
}

func (m *memory) addBySum(k int32, h uint64) {
	c := &m.seen[k-1]
	if c.sum == 0 {
		c.sum = m.sumOf(c.state)
	}
	key := table.Mix(h, c.sum)
	c.bySum, m.bySum[key] = m.bySum[key], k
}

// same reports whether configuration k has the given set and a state that is equal to the
// state of c, and that no Step has changed since it was visited.
func (m *memory) same(k int32, c *configuration, set []uint64) bool {
	v := &m.seen[k-1]
	return v.due == c.due && slices.Equal(m.sets[int(k-1)*m.words:int(k)*m.words], set) && m.equal(c.state, v.state) &&
		(v.sum == 0 || v.sum == m.sumOf(v.state))
}

func (m *memory) sumOf(state any) uint64 {
	m.equal(state, state) // Equal may sort parts of the state; let it do so before the sum
	sum, _ := m.content.sum(state)
	return max(1, sum)
}

// clip cuts the capacity of a state that is a slice. So a Step that appends to the state
// copies it.
func clip(state any) any {
	if v := reflect.ValueOf(state); v.Kind() == reflect.Slice && v.Cap() > v.Len() {
		return v.Slice3(0, v.Len(), v.Len()).Interface()
	}
	return state
}

// slicesIn caches which types may contain slices, directly or through pointers.
type slicesIn map[reflect.Type]bool

// inside reports whether a state may contain a slice. A state that is itself a slice has
// been clipped, so only its elements count.
func (s slicesIn) inside(state any) bool {
	v := reflect.ValueOf(state)
	switch {
	case !v.IsValid():
		return false
	case v.Kind() != reflect.Slice:
		return s.in(v.Type())
	case v.Type().Elem().Kind() != reflect.Interface:
		return s.in(v.Type().Elem())
	}
	for i := range v.Len() {
		if e := v.Index(i).Elem(); e.IsValid() && s.in(e.Type()) {
			return true
		}
	}
	return false
}

func (s slicesIn) in(t reflect.Type) bool {
	leads, known := s[t]
	if known {
		return leads
	}
	s[t] = true // a type that contains itself counts as one that may
	switch leads = false; t.Kind() {
	case reflect.Slice, reflect.Interface, reflect.UnsafePointer:
		leads = true
	case reflect.Array, reflect.Pointer:
		leads = s.in(t.Elem())
	case reflect.Map:
		leads = s.in(t.Key()) || s.in(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			leads = leads || s.in(t.Field(i).Type)
		}
	}
	s[t] = leads
	return leads
}
