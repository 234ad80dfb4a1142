package monitor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/ops"
)

// TestConflicts has a history for each kind of conflict, with operations that
// have nothing to do with it.
func TestConflicts(t *testing.T) {
	for _, test := range []struct{ why, model, events, want string }{
		{"never inserted", "queue", "A enqueue 1; A; A dequeue; A = 2", "dequeue(): 2"},
		{"found too early", "queue", "A peek; A = 1; A enqueue 1; A; A dequeue; A = 1", "peek(): 1, enqueue(1)"},
		{"found after its removal", "queue", "A enqueue 1; A; A peek; A = 1; A dequeue; A = 1; A peek; A = 1",
			"enqueue(1), dequeue(): 1, peek(): 1"},
		{"removed twice", "queue", "A enqueue 1; A; A dequeue; A = 1; A dequeue; A = 1", "dequeue(): 1, dequeue(): 1"},
		{"a removal overtakes one that never comes", "queue", "A enqueue 1; A; A enqueue 2; A; A dequeue; A = 2; A enqueue 3; A",
			"enqueue(1), enqueue(2), dequeue(): 2"},
		{"of three values, each has to come before the next; 3 only because of a look", "queue",
			"F enqueue 3; A enqueue 1; A; B enqueue 2; D dequeue; E peek; E = 3; G dequeue; D = 2; H dequeue; H = 3; G = 1; B; F; A enqueue 4; A",
			"enqueue(3), enqueue(1), enqueue(2), dequeue(): 2, peek(): 3, dequeue(): 1, dequeue(): 3"},
		{"as few values as can keep the queue from being empty", "queue",
			"A enqueue 1; A; B isEmpty; A enqueue 2; A; A enqueue 3; A; A dequeue; A = 1; B = true; A dequeue; A = 2; A dequeue; A = 3",
			"enqueue(1), isEmpty(): true, enqueue(3), dequeue(): 1, dequeue(): 3"},
		{"absent although there", "set", "A add 1; A = true; A add 2; A = true; A contains 2; A = false; A remove 2; A = true",
			"add(2): true, contains(2): false, remove(2): true"},
		{"a pending removal may be late, but not early", "set", "A add 1; A = true; A contains 1; A = false; B remove 1; A contains 1; A = false",
			"add(1): true, contains(1): false, remove(1): pending"},
		{"two of it", "multiset", "A add 1; A; A count 1; A = 2", "count(1): 2"},
		{"overwritten", "register", "A write 1; A; A write 2; A; A read; A = 1; A write 3; A", "write(1), write(2), read(): 1"},
		{"removed twice, added once since it was absent for sure", "set",
			"A add 1; A = true; A remove 1; A = true; A add 1; B add 2; B = true; A = true; A remove 1; B remove 1; A = true; B = true",
			"add(1): true, remove(1): true, remove(1): true"},
		{"it was there for sure, and then not", "set",
			"A add 1; A = true; A remove 1; A = true; A add 1; A = true; A contains 1; A = true; A contains 1; A = false",
			"add(1): true, contains(1): false"},
		{"a look forces an addition to be early", "set",
			"A add 1; A = true; A remove 1; A = true; A add 1; B contains 1; B = true; B contains 1; B = false; A = true",
			"add(1): true, contains(1): true, contains(1): false"},
		{"overwritten under its key", "kv",
			"A put 1 1; A; A put 2 1; A; A put 1 2; A; A get 2; A = 1; A get 1; A = 1", "put(1, 1), put(1, 2), get(1): 1"},
		{"the value of another key", "kv", "A put 1 1; A; A get 2; A = 1", "get(2): 1"},
		{"missing after a write", "kv", "A get 1; A = null; A put 1 1; A; A get 2; A = null; A get 1; A = null", "put(1, 1), get(1): null"},
		{"values that are inserted once, among others and a size", "stack",
			"A push 7; A; A push 1; A; A push 2; A; A push 7; A; A pop; A = 7; A pop; A = 1; A size; A = 9; A pop; A = 2", "push(1), push(2), pop(): 1, pop(): 2"},
		{"the initial value after a write", "register", "A read; A = null; A write 1; A; A read; A = null", "write(1), read(): null"},
	} {
		h, err := history.New(history.Header{}, events(test.events))
		if err != nil {
			t.Fatal(err)
		}
		model := collection(t, test.model)
		var v replay.Verdict
		if v.Finding = monitor.Run(ops.New(h, model, 0), nil); v.Reason != "" {
			t.Errorf("%s: declined: %s", test.why, v.Reason)
			continue
		}
		var ops []string
		for _, i := range v.Conflict {
			ops = append(ops, fmt.Sprint(&h.Ops[i]))
		}
		if got := strings.Join(ops, ", "); got != test.want {
			t.Errorf("%s: %v, conflict %s; want %s", test.why, v.Answer, got, test.want)
		}
		if len(ops) > 0 && searched(t, restrict(h, v.Conflict), model) != replay.NotLinearizable {
			t.Errorf("%s: there is a witness of the conflict", test.why)
		}
	}
}

// TestDeclined has a history for each reason to decline.
func TestDeclined(t *testing.T) {
	for _, test := range []struct {
		model, events string
		want          replay.Reason
	}{
		{"queue", "A enqueue 1; A; A enqueue 1; A", replay.RepeatedValues},
		{"queue", "A enqueue 1; A; A dequeue; A = 1; B enqueue 1", replay.RepeatedValues},
		{"queue", "A enqueue 1; A; A size; A = 1", replay.UnknownOperations},
		{"queue", "A enqueue null; A", replay.UnknownOperations},
		{"stack", "A push 1; A; A push 1; A; A pop; A = 1", replay.RepeatedValues},
		{"stack", "A push 1; A; A size; A = 7; A pop; A = 1", replay.UnknownOperations},
		{"queue:1", "A enqueue 1; A = true; A enqueue 2; A = false", replay.NoMonitor},
		{"counter", "A increment; A", replay.NoMonitor},
		{"register:1", "A write 1; A", replay.UnknownOperations},
		{"set", "A add 1; A = true; A remove 1; A = true; A add 1; A = true; A isEmpty; A = true", replay.RepeatedValues},
		{"multiset", "A add 1; A; A remove 1; A = true; A add 1; A", replay.RepeatedValues},
		{"kv", "A put 1 1; A; A put 2 1; A; A put 1 1; A", replay.RepeatedValues},
		{"kv", "A put 1 1; A; A remove 1; A = 1", replay.UnknownOperations},
		{"kv", "A size; A = 0", replay.UnknownOperations},
		{"kv", "A put 1 null; A", replay.UnknownOperations},
		{"queue", "A dequeue; B enqueue 1; B; B enqueue 2; B; B dequeue; B = 2", replay.PendingRemovals},
	} {
		h, err := history.New(history.Header{}, events(test.events))
		if err != nil {
			t.Fatal(err)
		}
		model := collection(t, test.model)
		v := monitor.Run(ops.New(h, model, 0), nil)
		declined := v.Reason
		if declined != test.want || v.Cause != replay.Declined || v.Answer != replay.Undecided || v.Engine != replay.AutoEngine {
			t.Errorf("%s: %s: %q, verdict %+v", test.model, test.events, declined, v)
		}
	}
}

// TestHappened: an operation that is known to have happened must not be left
// out, and a removal that happened must have had something to remove.
func TestHappened(t *testing.T) {
	for _, test := range []struct{ model, events, want string }{
		{"queue", "A take; B enqueue 1; B; B dequeue; B = 1", "pending removals"},
		{"queue", "A enqueue 1; B dequeue; B = null", ""},
		{"set", "A add 1; B contains 1; B = false", ""},
		{"set", "A add 1; B add 1; B = true; B remove 1; B = true; B add 1; B = true", ""},
		{"set", "A remove 1; B add 1; B = true; C add 1; C = true", ""},
		{"kv", "A put 1 1; B get 1; B = null", ""},
	} {
		b := history.NewBuilder(history.Header{})
		for i, e := range events(test.events) {
			if e.Type == history.Invoke {
				e.Op = history.IntValue(int64(i))
			}
			b.Add(&e)
		}
		b.Mark(history.IntValue(0), true, 1)
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		model := collection(t, test.model)
		var v replay.Verdict
		v.Finding = monitor.Run(ops.New(h, model, 0), nil)
		declined := v.Reason
		if string(declined) != test.want {
			t.Errorf("%s: declined %q", test.events, declined)
		}
		if declined == "" && (!slices.Contains(v.Witness, 0) || replay.Verify(h, model, v.Witness, nil) != nil) {
			t.Errorf("%s: %v", test.events, v.Witness)
		}
	}
}
