package decide_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// TestImpossibleResults makes one operation of a linearizable history return null
// or an exception that its method never gives: every engine refutes the history, and
// the explanation has the reason. Only a void method cannot return null.
func TestImpossibleResults(t *testing.T) {
	r := newRand(t)
	nulls, exceptions, void := 0, 0, 0
	for _, entry := range spec.All() {
		if entry.Name == spec.RunsName {
			continue
		}
		text := entry.Name
		switch text {
		case "ArrayBlockingQueue":
			text += ":40" // more than a history puts in
		case "bank":
			text += ":{0: 1, 1: 0, 2: 3}"
		}
		s := model(t, text)
		for _, signature := range entry.Methods {
			op := history.Operation{Method: signature[:strings.IndexAny(signature, "|(")], Args: randomArgs(r, signature), Result: history.NullValue}
			_, kinds, returns := strings.Cut(signature, " -> ")
			if !returns {
				void++
				if s.Check(&op) == nil {
					t.Errorf("%s: %v returned null, though it returns nothing", entry.Name, &op)
				}
			} else if kinds != "any" && !strings.Contains(kinds, "null") {
				nulls++
				checkImpossible(t, r, s, entry.Methods, op)
			}
			if op.Result = history.ExceptionValue("E"); !strings.HasPrefix(entry.Doc, "java.util.concurrent.") {
				exceptions++
				checkImpossible(t, r, s, entry.Methods, op)
			}
		}
	}
	if nulls < 100 || exceptions < 50 || void < 20 {
		t.Errorf("%d methods that never return null, %d that never throw, %d that return nothing", nulls, exceptions, void)
	}
}

// checkImpossible puts op after and beside a few random operations, and after many.
func checkImpossible(t *testing.T, r *rand.Rand, s replay.Spec, methods []string, op history.Operation) {
	t.Helper()
	if replay.Impossible(s, &op) == "" {
		t.Errorf("%s: %v is possible", s.Name(), &op)
	}
	for range 2 {
		checkRefuted(t, program(t, r, s, methods, op, r.IntN(4)), s, engines)
	}
	h := program(t, r, s, methods, op, 30)
	checkRefuted(t, h, s, []decider{{"monitor", forced(replay.MonitorEngine)}, {"search", forced(replay.SearchEngine)}})
	v := withReason(t, h, s, replay.Options{})
	if v.Answer != replay.NotLinearizable || v.Explanation.Impossible == "" {
		t.Errorf("%s: %v in a history of %d operations: %v, explained by %+v", s.Name(), &op, len(h.Ops), v.Answer, v.Explanation)
	}
}

func checkRefuted(t *testing.T, h *history.History, s replay.Spec, engines []decider) {
	t.Helper()
	for _, e := range engines {
		if v, ok := e.decide(t, h, s); ok && v.Answer != replay.NotLinearizable {
			t.Errorf("%s, %s: %v\n%s", s.Name(), e.name, v.Answer, show(h))
		}
	}
}

// program returns a history of at most n random operations that take effect in
// the order of their invocations, and op among them. Neighbours overlap.
func program(t *testing.T, r *rand.Rand, s replay.Spec, methods []string, op history.Operation, n int) *history.History {
	t.Helper()
	ops, at := []history.Operation(nil), r.IntN(n+1)
	object := s.New()
	for i := range n + 1 {
		if i == at {
			ops = append(ops, op)
			continue
		}
		m := methods[r.IntN(len(methods))]
		o := history.Operation{Method: m[:strings.IndexAny(m, "|(")], Args: randomArgs(r, m)}
		if result, ok := object.Apply(replay.Invocation{Method: o.Method, Args: o.Args}); ok {
			o.Result = result
			ops = append(ops, o)
		}
	}
	var events []history.Event
	for i := range len(ops) + 1 {
		if i < len(ops) {
			events = append(events, history.Event{Type: history.Invoke, Process: history.IntValue(int64(i % 2)), Method: ops[i].Method, Args: ops[i].Args})
		}
		if i > 0 {
			events = append(events, history.Event{Type: history.OK, Process: history.IntValue(int64((i - 1) % 2)), Result: ops[i-1].Result})
		}
	}
	return built(t, events)
}

// randomArgs returns arguments that fit a signature.
func randomArgs(r *rand.Rand, signature string) (args []history.Value) {
	_, rest, _ := strings.Cut(signature, "(")
	inside, _, _ := strings.Cut(rest, ")")
	if inside == "" {
		return nil
	}
	for param := range strings.SplitSeq(inside, ", ") {
		text := fmt.Sprint(r.IntN(3))
		switch name, kinds, _ := strings.Cut(param, ": "); {
		case name == "compares":
			text = fmt.Sprintf(`[["version", "a", %s]]`, text)
		case name == "success", name == "failure":
			text = fmt.Sprintf(`[["put", "a", %s], ["get", "a"]]`, text)
		case strings.HasPrefix(signature, "txn"):
			text = fmt.Sprintf(`[["write", "x", %s], ["read", "x", null]]`, text)
		case kinds == "bool":
			text = "true"
		case strings.Contains(kinds, "list"):
			text = "[" + text + ", 1]"
		case strings.Contains(kinds, "map"):
			text = "{" + text + ": 1}"
		case strings.Contains(kinds, "string") && !strings.Contains(kinds, "int"):
			text = `"a"`
		}
		v, err := history.ParseValue(text)
		if err != nil {
			panic(err)
		}
		args = append(args, v)
	}
	return args
}
