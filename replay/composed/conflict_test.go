package composed

import (
	"context"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
)

// An access is an operation with a key, of the method or the environment.
type access struct {
	key         any
	environment bool
	writes      bool
}

// newAccess returns the access of an operation of a map with its results.
func newAccess(name string, args, results []any, environment bool) access {
	changed := len(results) > 0 && results[len(results)-1] == true
	switch name {
	case "Load":
		changed = false
	case "Store", "Swap":
		changed = true
	case "LoadOrStore":
		changed = !changed
	}
	return access{args[0], environment, changed}
}

// serializable reports whether an execution is conflict serializable, where the method is one
// transaction and each operation of the environment is another one. Two operations conflict
// if they use the same key and one of them writes. An execution is not serializable if an operation of the
// environment has to come after one of the method and before a later one, because of conflicts.
func serializable(accesses []access) bool {
	after := make([]bool, len(accesses)) // it has to come after an earlier one of the method
	for i, a := range accesses {
		for j, earlier := range accesses[:i] {
			if conflict := a.key == earlier.key && (a.writes || earlier.writes); conflict && (after[j] || !earlier.environment) {
				if !a.environment && earlier.environment {
					return false
				}
				after[i] = a.environment
			}
		}
	}
	return true
}

// accesses returns those of the last execution.
func (x *checker) accesses(calls []int) (list []access) {
	at := 0
	for i := 0; i <= len(calls); i++ {
		for ; at < len(x.standIn.log.calls) && x.standIn.log.calls[at].after == i; at++ {
			c := x.standIn.log.calls[at]
			list = append(list, newAccess(c.name, c.args, c.results, false))
		}
		if i < len(calls) {
			o := x.performed(calls)[i]
			var results []any
			for _, r := range x.results[i] {
				results = append(results, r.Interface())
			}
			list = append(list, newAccess(o.name, o.args, results, true))
		}
	}
	return list
}

// TestSerializable: executions by hand. The letters are reads and writes of the method (r, w) and the environment
// (R, W), with a key.
func TestSerializable(t *testing.T) {
	for text, want := range map[string]bool{"r1 W2 r1": true, "W1 r1 W1": true, "r1 W1 r1": false, "r1 R1 r1": true, "w1 R1 w1": false, "r1 W1 W2 r2": true, "r1 W1 R1 W1 w1": false} {
		var list []access
		for word := range strings.FieldsSeq(text) {
			list = append(list, access{word[1:], word[0] < 'a', word[0]|32 == 'w'})
		}
		if serializable(list) != want {
			t.Errorf("%s: serializable %v", text, !want)
		}
	}
}

// TestConflicts: as Section 5.4 has it, a checker of conflict serializability rejects the
// methods of the paper with several operations, also the atomic ones.
func TestConflicts(t *testing.T) {
	for _, f := range figures {
		x, err := newTest(f.method, &f.o)
		if err != nil {
			t.Fatal(err)
		}
		x.limit = 2
		x.search = &explore.Search{Ctx: context.Background(), Oracle: x, Body: x.program(), Result: &explore.Exploration{}}
		by := schedule.NewPOS(1)
		rejected := 0
		for range 1000 {
			schedule.Run(&x.search.Body, by, schedule.Limits{})
			if !serializable(x.accesses(x.calls)) {
				rejected++
			}
		}
		if rejects := rejected > 0; rejects != (f.name != "Figure 12 i") || rejected == 1000 {
			t.Errorf("%s: %d of 1000 executions are not conflict serializable", f.name, rejected)
		}
		t.Logf("%-30s atomic %-5v not serializable: %d of 1000 executions", f.name, f.atomic, rejected)
	}
}
