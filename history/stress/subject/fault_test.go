package subject

import (
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// faults are programs that show what is wrong with the broken subjects, each
// with its parts between bars: "before | thread | thread | after".
var faults = map[string]string{
	"counter-lost-update":      "| increment | increment | read",
	"cas-register-broken":      "| cas 0 1 | cas 0 1 |",
	"pair-torn":                "| write 1 1 | read |",
	"ring-out-of-order":        "| enqueue 1 | enqueue 0, dequeue |",
	"queue-double-delivery":    "enqueue 1 | dequeue | dequeue |",
	"stack-stale-pop":          "push 1, push 2 | pop | pop |",
	"set-stale-size":           "| add 1 | contains 1, size |",
	"set-check-then-act":       "| add 1 | add 1 |",
	"map-bulk":                 "| putAll 2 | keys |",
	"sharded-map-unlocked":     "| put 0 1, put 1 1 | snapshot |",
	"semaphore-missed-release": "| tryAcquire | release | tryAcquire",
	"bank-unlocked-total":      "| transfer 0 2 | total |",
}

// parseProgram reads such a program; putAll N puts N entries.
func parseProgram(c *stress.Class, text string) *stress.Program {
	parts := strings.Split(text, "|")
	sequence := func(part string) (list []stress.Invocation) {
		for call := range strings.SplitSeq(part, ",") {
			words := strings.Fields(call)
			if len(words) == 0 {
				continue
			}
			inv := stress.Invocation{Method: c.Method(words[0])}
			for i, p := range inv.Method.Params {
				n := int64(words[1+i][0] - '0')
				arg := history.IntValue(n)
				if p == stress.Map {
					arg, _ = history.MapValue(history.IntValue(0), arg, history.IntValue(1), arg)
				}
				inv.Args = append(inv.Args, arg)
			}
			list = append(list, inv)
		}
		return list
	}
	last := len(parts) - 1
	p := &stress.Program{Initial: sequence(parts[0]), Final: sequence(parts[last])}
	for _, part := range parts[1:last] {
		p.Sequences = append(p.Sequences, sequence(part))
	}
	return p
}

// unexpected runs the program and returns how many executions it took to see
// an outcome that no order explains; 0 if none was seen.
func unexpected(t *testing.T, c *stress.Class, text string, most int64) int64 {
	t.Helper()
	p := parseProgram(c, text)
	expected, err := stress.NewExpected(c, p)
	if err != nil {
		t.Fatal(err)
	}
	run := stress.RunProgram(t.Context(), c, p, stress.RunOptions{Time: 5 * time.Minute, Executions: most, Stop: expected})
	for _, o := range run.Outcomes {
		if !expected.Contains(o.Outcome) {
			t.Logf("%s: %d executions, %v", c.Name, run.Executions, run.Elapsed)
			return run.Executions
		}
	}
	t.Logf("%s: no fault in %d executions, %v", c.Name, run.Executions, run.Elapsed)
	return 0
}

// TestFaults: the broken subjects show their faults, and their twins do not.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs for seconds")
	}
	for _, s := range All() {
		if !s.Broken || waits(s.Class) { // only schedules can tell
			continue
		}
		text, ok := faults[s.Class.Name]
		if !ok {
			t.Errorf("no program for %s", s.Class.Name)
			continue
		}
		n := unexpected(t, s.Class, text, 10_000_000)
		if n == 0 {
			t.Errorf("%s did not show its fault", s.Class.Name)
		}
		t.Logf("%s: a fault in %d executions", s.Class.Name, n)
		executions := int64(2000)
		if *full {
			executions = 10_000
		}
		if unexpected(t, Lookup(s.Twin).Class, text, executions) != 0 {
			t.Errorf("%s, which is correct, shows the fault of %s", s.Twin, s.Class.Name)
		}
	}
}
