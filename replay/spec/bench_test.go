package spec

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// BenchmarkLong applies two operations per element of a long history to an
// object that holds many elements, which makes a cost per element held visible.
func BenchmarkLong(b *testing.B) {
	for _, c := range []struct{ model, in, out string }{
		{"queue", "enqueue", "dequeue"},
		{"stack", "push", "pop"},
		{"deque", "pushFront", "popBack"},
		{"set", "add", "remove"},
		{"multiset", "add", "remove"},
		{"priority-queue", "insert", "poll"},
		{"ConcurrentLinkedQueue", "offer", "poll"},
		{"ConcurrentSkipListSet", "add", "remove"},
		{"LinkedBlockingDeque", "addFirst", "pollLast"},
		{"PriorityBlockingQueue", "offer", "poll"},
	} {
		for _, held := range []int{10, 10_000, 1_000_000} {
			if held > 10_000 && testing.Short() {
				continue
			}
			b.Run("spec="+c.model+"/held="+history.IntValue(int64(held)).String(), func(b *testing.B) {
				s, err := Parse(c.model)
				if err != nil {
					b.Fatal(err)
				}
				object := s.New()
				for i := range held {
					object.Apply(replay.Invocation{Method: c.in, Args: scatter(i)})
				}
				takesKey := c.out == "remove"
				i := held
				for b.Loop() {
					object.Apply(replay.Invocation{Method: c.in, Args: scatter(i)})
					out := replay.Invocation{Method: c.out}
					if takesKey {
						out.Args = scatter(i - held)
					}
					object.Apply(out)
					i++
				}
			})
		}
	}
}

// scatter maps 0, 1, ... to distinct numbers below 2^30 in a scattered order.
func scatter(i int) []history.Value {
	return []history.Value{history.IntValue(int64(i) * 0x9e3779b1 & (1<<30 - 1))}
}

// BenchmarkStep is one transition of a small state as a replay computes it:
// clone, apply, key.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct{ model, call string }{
		{"register:1", "write 2 = "},
		{"queue", "enqueue 7 = "},
		{"kv", "put 1 2 = "},
		{"ArrayBlockingQueue:20", "offer 3 = "},
		{"PriorityBlockingQueue", "offer 3 = "},
		{"ConcurrentSkipListMap", "put 3 1 = "},
		{"ConcurrentHashMap", "put 3 1 = "},
		{"ConcurrentHashMap", "toString = "},
	} {
		op, err := parseCall(c.call)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("spec="+c.model+"/"+op.Method, func(b *testing.B) {
			s, err := Parse(c.model)
			if err != nil {
				b.Fatal(err)
			}
			inv := replay.Invocation{Method: op.Method, Args: op.Args}
			state := s.New().(replay.State)
			for range 3 {
				state.Apply(inv)
			}
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				next := state.Clone()
				next.Apply(inv)
				buf = next.AppendKey(buf[:0])
			}
		})
	}
}
