package search_test

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
)

// A bulky object is a set of ints whose keys have a MiB. It counts its different keys.
type bulky struct {
	set  uint64
	keys map[uint64]bool
}

const largeKey = 1 << 20

func (o bulky) Clone() replay.State { return o }

func (o bulky) AppendKey(dst []byte) []byte {
	o.keys[o.set] = true
	dst = append(dst, make([]byte, largeKey)...)
	for k := range 8 {
		dst = append(dst, byte(o.set>>(8*k)))
	}
	return dst
}

func (o bulky) Apply(replay.Invocation) (history.Value, bool) { panic("Outcomes is called") }

func (o bulky) Outcomes(inv replay.Invocation) []replay.Outcome {
	if inv.Method == "read" {
		return []replay.Outcome{{Result: history.IntValue(int64(o.set)), Next: o}}
	}
	o.set |= 1 << inv.Args[0].Int()
	return []replay.Outcome{{Next: o}}
}

type bulkySpec struct{ keys map[uint64]bool }

func (bulkySpec) Name() string                   { return "bulky" }
func (bulkySpec) Check(*history.Operation) error { return nil }
func (s bulkySpec) New() replay.Object           { return bulky{keys: s.keys} }

// TestLargeKeys: keys of states count in the bound on memory as soon as they are made.
func TestLargeKeys(t *testing.T) {
	const n, bytes = 14, 64 << 20
	var lines []line
	for op := range int64(n) {
		lines = append(lines, call(op, "add", op))
	}
	for op := range int64(n) {
		lines = append(lines, answer(op, history.NoValue))
	}
	lines = append(lines, call(n, "read"), answer(n, history.IntValue(-1)))
	h := smallHistory(t, lines, nil)
	s := bulkySpec{map[uint64]bool{}}
	if f := search.Run(ops.New(h, s, bytes), nil); f.Answer != replay.Undecided || f.Cause != replay.Memory {
		t.Errorf("%v (%v), want unknown for memory", f.Answer, f.Cause)
	}
	if most := bytes/largeKey + 2; len(s.keys) > most || len(s.keys) < 4 {
		t.Errorf("%d keys, room for %d", len(s.keys), most)
	}
}
