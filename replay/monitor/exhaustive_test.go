package monitor_test

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
)

var exhaustiveFlag = flag.Int("exhaustive", 3, "operations of the histories that are tried exhaustively; 5 take minutes")

// TestExhaustive tries, for each type, every arrangement in time of every few
// of these operations.
func TestExhaustive(t *testing.T) {
	for _, c := range []struct{ name, model, calls string }{
		{"queue", "queue", "enqueue 1, enqueue 2, dequeue = 1, dequeue = 2, dequeue = null, peek = 1, peek = 2"},
		{"stack", "stack", "push 1, push 2, pop = 1, pop = 2, pop = null, peek = 1, peek = 2"},
		{"pqueue", "priority-queue", "insert 1, insert 2, poll = 1, poll = 2, poll = null, peek = 1, peek = 2"},
		{"set", "set", "add 1 = true, add 2 = true, remove 1 = true, remove 2 = true, isEmpty = true, contains 1 = true, contains 1 = false"},
		{"multiset", "multiset", "add 1, add 2, remove 1 = true, remove 2 = true, isEmpty = true, count 1 = 1, count 1 = 0"},
		{"set-again", "set", "add 1 = true, add 1 = true, add 1 = true, remove 1 = true, remove 1 = true, contains 1 = true, contains 1 = false, contains 1 = true"},
		{"kv", "kv", "put 1 1, put 1 2, put 2 1, get 1 = 1, get 1 = 2, get 1 = null, get 2 = 1, get 2 = null"},
		{"register", "register", "write 1, write 2, write 3, read = 1, read = 1, read = 2, read = null"},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := collection(t, c.model)
			calls := parseCalls(c.calls)
			counts := map[string]int{}
			for set := range 1 << len(calls) {
				var some []history.Operation
				for i := range calls {
					if set>>i&1 != 0 {
						some = append(some, calls[i])
					}
				}
				if len(some) == 0 || len(some) > *exhaustiveFlag {
					continue
				}
				arrangements(some, func(h *history.History) {
					counts[checkSmall(t, h, model)]++
					if t.Failed() {
						t.Fatalf("the history is\n%s", picture(h))
					}
				})
			}
			t.Log(counts)
		})
	}
}

func parseCalls(text string) []history.Operation {
	var calls []history.Operation
	for call := range strings.SplitSeq(text, ", ") {
		call, result, _ := strings.Cut(call, " = ")
		words := strings.Fields(call)
		op := history.Operation{Method: words[0], Result: parseValue(result)}
		for _, word := range words[1:] {
			op.Args = append(op.Args, parseValue(word))
		}
		calls = append(calls, op)
	}
	return calls
}

func parseValue(word string) history.Value {
	v, err := history.ParseValue(word)
	if err != nil {
		panic(err)
	}
	return v
}

// arrangements yields every history in which the operations, by processes of
// their own, have their invocations and responses in some order.
func arrangements(ops []history.Operation, yield func(*history.History)) {
	h := &history.History{}
	for p := range ops {
		h.Processes = append(h.Processes, history.IntValue(int64(p)))
	}
	state := make([]uint8, len(ops)) // 0, 1 when invoked, 2 when returned
	number := make([]int, len(ops))
	var extend func(position int32)
	extend = func(position int32) {
		if int(position) == 2*len(ops) {
			complete := *h
			complete.Ops = slices.Clone(h.Ops)
			yield(&complete)
			return
		}
		for i := range ops {
			switch state[i]++; state[i] {
			case 1:
				number[i] = len(h.Ops)
				op := ops[i]
				op.Process, op.Call = int32(i), position
				h.Ops = append(h.Ops, op)
				extend(position + 1)
				h.Ops = h.Ops[:number[i]]
			case 2:
				h.Ops[number[i]].Return = position
				extend(position + 1)
			}
			state[i]--
		}
	}
	extend(0)
}
