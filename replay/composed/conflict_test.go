package composed

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// TestSerializable: runs by hand, conflict serializable or not. Every second operation is the
// environment's, and one without a name is left out.
func TestSerializable(t *testing.T) {
	op := func(name string, args ...int64) replay.Invocation {
		inv := replay.Invocation{Method: name}
		for _, a := range args {
			inv.Args = append(inv.Args, history.IntValue(a))
		}
		return inv
	}
	for name, c := range map[string]struct {
		operations   []replay.Invocation
		serializable bool
	}{
		"another key":              {[]replay.Invocation{op("Load", 1), op("Store", 2, 5), op("Load", 1)}, true},
		"before and after":         {[]replay.Invocation{op(""), op("Store", 1, 5), op("Load", 1), op("Store", 1, 6)}, true},
		"a write between reads":    {[]replay.Invocation{op("Load", 1), op("Store", 1, 5), op("Load", 1)}, false},
		"a read between reads":     {[]replay.Invocation{op("Load", 1), op("Load", 1), op("Load", 1)}, true},
		"a failed write is a read": {[]replay.Invocation{op("Load", 1), op("CompareAndDelete", 1, 9), op("Load", 1)}, true},
		"a read between writes":    {[]replay.Invocation{op("Store", 1, 5), op("Load", 1), op("Store", 1, 6)}, false},
		"a failed LoadOrStore":     {[]replay.Invocation{op("Load", 1), op("Store", 1, 5), op("LoadOrStore", 1, 6)}, false},
		"Clear":                    {[]replay.Invocation{op("Load", 1), op("Store", 2, 5), op("Clear", 1, 2)}, true},
		"Clear of the key read":    {[]replay.Invocation{op("Load", 1), op("Store", 1, 5), op("Clear", 1, 2)}, false},
		"over two of the others":   {[]replay.Invocation{op("Load", 1), op("Swap", 1, 5), op(""), op("Clear", 1, 2), op("Load", 2)}, false},
	} {
		r := prepared(t, compute2, adjacent, Options{}).newRun()
		for i, inv := range c.operations {
			if inv.Method != "" {
				r.apply(inv, i%2 == 1)
			}
		}
		if r.serializable() != c.serializable {
			t.Errorf("%s: serializable %v", name, r.serializable())
		}
	}
}

// TestConflicts: as Section 5.4 has it, a checker of conflict serializability rejects the
// methods of the paper with several operations, also the atomic ones.
func TestConflicts(t *testing.T) {
	for _, f := range figures {
		f.o.Ops = 2
		r := explored(t, f.method, f.o)
		if rejects := r.NotSerializable > 0; rejects != (f.name != "Figure 12 i") || r.NotSerializable >= r.Runs {
			t.Errorf("%s: %d of %d runs are not conflict serializable", f.name, r.NotSerializable, r.Runs)
		}
		t.Logf("%-30s atomic %-5v not serializable: %d of %d runs", f.name, f.atomic, r.NotSerializable, r.Runs)
	}
}
