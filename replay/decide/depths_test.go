package decide_test

import (
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/state"
)

// pairs returns a history of n operations of a register: a read of 0, then writes
// one after another, and in each quarter of them two concurrent writes, of which the read behind them
// observes the first or the second one, as the bits of orders say:
//
//	A  |--write(1)--|   |--read--|
//	B    |--write(2)--|
//	C       |--write(3)-- ...        in the first quarter, if lost
func pairs(t *testing.T, n, orders int, lost bool) *history.History {
	t.Helper()
	b := history.NewBuilder(history.Header{Model: "register"})
	invoke := func(process int64, method string, args ...history.Value) {
		b.Add(&history.Event{Type: history.Invoke, Process: history.IntValue(process), Method: method, Args: args})
	}
	ok := func(process int64, result history.Value) {
		b.Add(&history.Event{Type: history.OK, Process: history.IntValue(process), Result: result})
	}
	invoke(0, "read")
	ok(0, history.IntValue(0))
	for ops := 1; ops < n; ops++ {
		if quarter := ops / (n/4 + 1); ops%(n/4+1) == 2 && ops+3 < n {
			if lost && quarter == 0 {
				invoke(2, "write", history.IntValue(3))
				ops++
			}
			invoke(0, "write", history.IntValue(1))
			invoke(1, "write", history.IntValue(2))
			ok(0, history.NoValue)
			ok(1, history.NoValue)
			invoke(0, "read")
			ok(0, history.IntValue(int64(1+orders>>quarter&1)))
			ops += 2
			continue
		}
		invoke(0, "write", history.IntValue(int64(10+ops)))
		ok(0, history.NoValue)
	}
	h, err := b.Build()
	if err != nil || len(h.Ops) != n {
		t.Fatalf("%d operations, %v", len(h.Ops), err)
	}
	return h
}

// register is a register that is 0 at first.
func register(t *testing.T) replay.Spec { return model(t, "register:0") }

// newDepths returns a search that is released at the end of the test.
func newDepths(t *testing.T, h *history.History, bytes int64) *decide.Depths {
	t.Helper()
	x := decide.DepthsOf(h, register(t), bytes, replay.ProcessChains)
	if x == nil {
		t.Fatal("the search does not apply")
	}
	t.Cleanup(x.Release)
	return x
}

func isSame(a, b *replay.Finding) bool {
	return a.Answer == b.Answer && a.Cause == b.Cause && a.Depth == b.Depth &&
		a.Index.Chain == b.Index.Chain && slices.Equal(a.Index.Tuple, b.Index.Tuple) && slices.Equal(a.Witness, b.Witness)
}

// TestDepthsByObject compares depths, indices and witnesses with those of families
// around the number of operations from which on depth 1 runs on the object.
func TestDepthsByObject(t *testing.T) {
	depths := map[int]int{}
	for _, n := range []int{3, 4, 40, state.SharedOps - 1, state.SharedOps, state.SharedOps + 1} {
		for orders := range 16 {
			if n > 40 && orders > 2 && orders < 15 {
				continue // families take long
			}
			for _, lost := range []bool{false, true} {
				h := pairs(t, n, orders, lost)
				got := newDepths(t, h, 1<<30).Run(2, nil)
				in, err := replay.NewInstance(h, true, replay.ProcessChains, nil)
				if err != nil {
					t.Fatal(err)
				}
				o := replay.Options{MaxDepth: 2, Chains: replay.ProcessChains}.WithDefaults(n)
				want, err := decide.Families(in, register(t), o, nil)
				if err != nil || !isSame(&got, &want) {
					t.Errorf("%d operations, orders %b, lost %v: depth %d by %v (%v), families have %d by %v (%v), %v",
						n, orders, lost, got.Depth, got.Index, got.Cause, want.Depth, want.Index, want.Cause, err)
				}
				depths[want.Depth]++
			}
		}
	}
	t.Logf("by depth: %v", depths)
	if depths[0] < 2 || depths[1] < 10 || depths[2] < 10 {
		t.Errorf("by depth: %v: too few", depths)
	}
}

// TestDepthsBounds: a search that gives up for lack of time finds the same when it
// goes on, and one for lack of memory finds the same or gives up.
func TestDepthsBounds(t *testing.T) {
	t.Parallel()
	same, stops, memory := 0, 0, 0
	for _, orders := range []int{0, 6, 9, 15} {
		for _, lost := range []bool{false, true} {
			h := pairs(t, 3000, orders, lost)
			x := newDepths(t, h, 1<<30)
			want := x.Run(4, nil)
			if want.Depth == 0 {
				t.Fatalf("orders %b: no depth (%v)", orders, want.Cause)
			}
			x = newDepths(t, h, 1<<30)
			if f := x.Run(want.Depth-1, nil); f.Cause != replay.Depth || f.Deeper != want.Depth-1 {
				t.Errorf("orders %b: depth %d, but %+v up to %d", orders, want.Depth, f, want.Depth-1)
			}
			x = newDepths(t, h, 1<<30)
			f := replay.Finding{Cause: replay.Time}
			for work := int64(1); f.Cause == replay.Time; work *= 2 {
				if f = x.Run(4, meter.New(nil).Share(work)); f.Cause == replay.Time {
					if stops++; f.Deeper >= want.Depth {
						t.Errorf("orders %b: stopped, deeper than %d, but has depth %d", orders, f.Deeper, want.Depth)
					}
				}
			}
			if !isSame(&f, &want) {
				t.Errorf("orders %b: depth %d by %v, after some stops %d by %v (%v)", orders, want.Depth, want.Index, f.Depth, f.Index, f.Cause)
			}
			for bytes := int64(1 << 12); bytes <= 1<<22; bytes *= 2 {
				switch f := newDepths(t, h, bytes).Run(4, nil); {
				case f.Cause == replay.Memory && f.Deeper < want.Depth:
					memory++
				case !isSame(&f, &want):
					t.Errorf("orders %b: depth %d by %v, in %d bytes %d by %v (%v)", orders, want.Depth, want.Index, bytes, f.Depth, f.Index, f.Cause)
				default:
					same++
				}
			}
		}
	}
	t.Logf("%d stops, %d without memory, %d with little", stops, memory, same)
	if stops < 50 || memory < 10 || same < 30 {
		t.Errorf("%d stops, %d without memory, %d with little: too few", stops, memory, same)
	}
}

// TestDepthsOfSets: a set of states that grows with each operation ends the search,
// which then has refuted nothing.
func TestDepthsOfSets(t *testing.T) {
	t.Parallel()
	wide := &replay.Model[string]{
		Label: "wide",
		Next: func(s string, _ replay.Invocation) []replay.Step[string] {
			steps := make([]replay.Step[string], 30)
			for k := range steps {
				steps[k] = replay.Step[string]{Result: history.IntValue(0), Next: s + string(rune('a'+k))}
			}
			return steps
		},
		Key: func(dst []byte, s string) []byte { return append(dst, s...) },
	}
	zero, one := history.Operation{Method: "a", Result: history.IntValue(0)}, history.Operation{Method: "a", Result: history.IntValue(1)}
	for _, test := range []struct {
		h     *history.History
		bytes int64
		work  int64
		want  replay.Cause // NoCause: refuted
	}{
		{sequence(zero, one), 1 << 20, meter.Unlimited, replay.NoCause},
		{sequence(zero, zero, zero, one), 1 << 20, meter.Unlimited, replay.Memory},
		{sequence(zero, zero, zero, one), 1 << 30, 1000, replay.Time},
	} {
		x := decide.DepthsOf(test.h, wide, test.bytes, replay.ProcessChains)
		if x == nil {
			t.Fatal("the search does not apply")
		}
		f := x.Run(1, meter.New(nil).Share(test.work))
		if f.Cause != test.want || f.Deeper != 0 || (f.Answer == replay.NotLinearizable) != (test.want == replay.NoCause) {
			t.Errorf("%d operations: %v (%v), deeper than %d, want %v", len(test.h.Ops), f.Answer, f.Cause, f.Deeper, test.want)
		}
		x.Release()
	}
}
