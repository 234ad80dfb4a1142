package decide_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/simulate"
	"github.com/leadline/leadline/replay/spec"
)

// TestUnwritten gives a read of a long history a value that nobody writes, that only a
// compare-and-set writes, or that a pending operation may write. Only the first is refuted
// without a search.
func TestUnwritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	other := history.IntValue(777)
	for _, model := range []string{"cas-register", "kv"} {
		s, err := spec.Parse(model)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name    string
			refuted bool
			change  func(h *history.History, read int32)
		}{
			{"nobody", true, func(*history.History, int32) {}},
			{"compare-and-set", false, func(h *history.History, read int32) {
				at := pickOp(r, h, "cas", history.BoolValue(true))
				args := h.Ops[at].Args
				args[len(args)-1] = other
			}},
			{"pending write", false, func(h *history.History, _ int32) {
				write := &h.Ops[len(h.Ops)-1]
				write.Method, write.Result, write.Return = "write", history.UnknownValue, history.NoReturn
				write.Args = []history.Value{other}
				if model == "kv" {
					write.Args = []history.Value{history.IntValue(0), other}
				}
			}},
		} {
			w := simulate.Workload{Model: model, Threads: 8, Ops: 3000, Values: 4, Keys: 1, Seed: r.Uint64(), Mix: simulate.Mix{Insert: 3, Look: 3, Update: 2}}
			h, err := w.History()
			if err != nil {
				t.Fatal(err)
			}
			read := pickOp(r, h, "read", history.IntValue(2))
			h.Ops[read].Result = other
			c.change(h, read)
			v, err := decide.Check(context.Background(), h, s, replay.Options{MaxDepth: 1})
			if err != nil {
				t.Fatal(err)
			}
			isSure := v.Answer == replay.NotLinearizable && v.Reached == h.Ops[read].Return && v.Work < 10*int64(len(h.Ops))
			if isSure != c.refuted {
				t.Errorf("%s, written by %s: %v after work %d, up to %d", model, c.name, v.Answer, v.Work, v.Reached)
			}
		}
	}
}

// pickOp returns a random operation with a method, or its name in kv, and a result.
func pickOp(r *rand.Rand, h *history.History, method string, result history.Value) int32 {
	for {
		i := r.Int32N(int32(len(h.Ops)))
		if op := &h.Ops[i]; (op.Method == method || method == "read" && op.Method == "get") && op.Result.Equal(result) {
			return i
		}
	}
}
