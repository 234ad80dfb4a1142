package record

import (
	"bytes"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
)

// TestCrash: an operation that is open at a crash ends there, and versions are in the file.
func TestCrash(t *testing.T) {
	for _, durability := range []history.Durability{history.Strict, history.Durable} {
		var out bytes.Buffer
		r, err := New(&out, Options{Model: "register", Durability: durability})
		if err != nil {
			t.Fatal(err)
		}
		p, q := r.Process(), r.Process()
		p.CallInts("write", 1)
		q.CallInts("write", 2)
		q.ReturnVersion(history.NoValue, 7)
		r.Crash()
		p.Unknown()
		q.Call("read")
		q.Return(history.IntValue(2))
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		for h, err := range codec.Decode(&out, "out", codec.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			lost := &h.Ops[0]
			if lost.Crashed != (durability == history.Strict) || lost.Pending() == lost.Crashed || lost.Crashed && lost.Return > h.Ops[2].Call {
				t.Errorf("%v: %v from %d to %d", durability, lost, lost.Call, lost.Return)
			}
			if n, ok := h.Ops[1].Version.Number(); !ok || n != 7 || len(h.Ops) != 3 {
				t.Errorf("%v: version %d of %d operations", durability, n, len(h.Ops))
			}
		}
	}
}
