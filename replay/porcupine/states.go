package porcupine

import (
	"slices"
	"sync"
)

// A stateTable numbers the states of a model for the engines. Two states have the same
// number only if the model's Equal reports that they are equal. An equal state that is not
// found costs time, but never changes a verdict.
type stateTable struct {
	equal func(a, b any) bool
	hash  func(state any) uint64 // or nil: by the sum of the content

	mu      sync.Mutex
	content contents
	lists   map[uint64][]numberedState // hash -> states
	last    int64                      // the last number given
}

type numberedState struct {
	state  any
	number int64
}

// number returns the number of a state, and its sum: see isAsNew.
func (t *stateTable) number(state any) (number int64, sum uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lists == nil {
		t.lists = map[uint64][]numberedState{}
	}
	t.equal(state, state) // Equal may sort parts of the state; let it do so before the sum
	sum, changes := t.content.sum(state)
	hash := sum
	if !changes {
		sum = 0
	}
	if t.hash != nil {
		hash = t.hash(state)
	}
	list := t.lists[hash]
	for _, s := range slices.Backward(list) {
		if t.equal(s.state, state) {
			return s.number, sum
		}
	}
	t.last++
	t.lists[hash] = append(list, numberedState{state, t.last})
	return t.last, sum
}

// isAsNew reports whether a state has the sum that it had when it was new. The sum is 0 if no
// part of the state can change.
func (t *stateTable) isAsNew(state any, sum uint64) bool {
	if sum == 0 {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now, _ := t.content.sum(state)
	return now == sum
}
