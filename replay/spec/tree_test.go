package spec

import (
	"fmt"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// TestTreeBins: once a bin has become a tree, and until the map is cleared, a hash map
// refuses to list its content, and nothing else.
func TestTreeBins(t *testing.T) {
	for _, test := range []struct {
		model   string
		keys    int // that share a bin
		then    string
		refuses bool
	}{
		{"ConcurrentHashMap:64", 7, "put 768 1 = ", false},
		{"ConcurrentHashMap:64", 8, "put 768 1 = ", false},
		{"ConcurrentHashMap:64", 8, "put 896 1 = ", true}, // the last key of the bin again
		{"ConcurrentHashMap:64", 8, "replace 896 1 = ", false},
		{"ConcurrentHashMap:64", 9, "get 0 = ", true},
		{"ConcurrentHashMap:64", 9, "remove 0 = ; remove 128 = ", true},
		{"ConcurrentHashMap:64", 9, "clear = ; put 0 1 = ", false},
		{"ConcurrentHashMap", 9, "get 0 = ", false}, // a small table grows instead
		{"ConcurrentHashMap:20", 9, "get 0 = ", false},
		{"ConcurrentHashMap", 10, "get 0 = ", true},
	} {
		s, methods := (&model{text: test.model}).open(t)
		state := s.New().(replay.State)
		for k := range test.keys {
			run(t, state, fmt.Sprintf("put %d 0 = ", 128*k))
		}
		run(t, state, test.then)
		for _, m := range methods.List {
			args := make([]history.Value, len(m.Params))
			for i := range args {
				args[i] = history.NullValue
			}
			lists := m.Result == table.KindOf(history.String)
			if refused := refuses(state.Clone(), replay.Invocation{Method: m.Names[0], Args: args}); refused != (lists && test.refuses) {
				t.Errorf("%s, %d keys, then %s: %s refused: %v", test.model, test.keys, test.then, m.Text, refused)
			}
		}
	}
}

// refuses reports whether the result of an invocation is not modelled.
func refuses(s replay.State, inv replay.Invocation) (refused bool) {
	defer func() {
		if value := recover(); value != nil {
			_ = value.(replay.Unmodelled)
			refused = true
		}
	}()
	s.Apply(inv)
	return false
}

// TestTreeKeys: a map with a bin that became a tree is not the same state as one of the
// same entries without.
func TestTreeKeys(t *testing.T) {
	s, err := Parse("ConcurrentHashMap:64")
	if err != nil {
		t.Fatal(err)
	}
	few, many := s.New().(replay.State), s.New().(replay.State)
	for k := range 9 {
		run(t, many, fmt.Sprintf("put %d 0 = ", 128*k))
		if k < 8 {
			run(t, few, fmt.Sprintf("put %d 0 = ", 128*k))
		}
	}
	if run(t, many, "remove 1024 = "); key(few) == key(many) {
		t.Error("the keys of a map that lists its content and of one that refuses are equal")
	}
}
