package spec

import (
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

func step(method string, arg int64, result history.Value) runStep {
	return runStep{replay.Invocation{Method: method, Args: []history.Value{history.IntValue(arg)}}, result}
}

// TestRuns: the specification returns the results of the runs and no others.
func TestRuns(t *testing.T) {
	yes, no := history.BoolValue(true), history.BoolValue(false)
	add, again, remove := step("add", 1, yes), step("add", 1, no), step("remove", 1, yes)
	empty, none := step("remove", 1, no), step("note", 1, history.NoValue)
	s, err := Lookup(RunsName, runsArgs("set", []sequentialRun{{add, again, remove}, {add, remove, none}, {empty, add}, {add, again, remove}, {}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		run  sequentialRun
		want bool
	}{
		{sequentialRun{add, again, remove}, true}, {sequentialRun{add, remove, none}, true}, {sequentialRun{empty, add}, true}, {sequentialRun{add}, true}, {nil, true},
		{sequentialRun{add, add}, false}, {sequentialRun{remove}, false}, {sequentialRun{empty, add, remove}, false}, {sequentialRun{add, again, remove, none}, false},
	} {
		state, got := s.New().(replay.State), true
		for _, step := range test.run {
			next := state.Clone()
			result, ok := next.Apply(step.Invocation)
			got = got && ok && result.Equal(step.Result)
			state = next
		}
		if got != test.want {
			t.Errorf("run %v: %v", test.run, got)
		}
	}
	if class := s.(interface{ Class() string }).Class(); class != "set" {
		t.Errorf("class %q", class)
	}
}

// TestRunsNondeterministic: an object with several possible results has several
// outcomes.
func TestRunsNondeterministic(t *testing.T) {
	yes, no := step("try", 1, history.BoolValue(true)), step("try", 1, history.BoolValue(false))
	s, err := Lookup(RunsName, runsArgs("lock", []sequentialRun{{yes, no}, {no, yes}}))
	if err != nil {
		t.Fatal(err)
	}
	first := s.New().(replay.Nondeterministic).Outcomes(yes.Invocation)
	if len(first) != 2 || first[0].Result.Equal(first[1].Result) {
		t.Fatalf("outcomes %v", first)
	}
	for _, o := range first {
		then := o.Next.(replay.Nondeterministic).Outcomes(yes.Invocation)
		if len(then) != 1 || then[0].Result.Equal(o.Result) {
			t.Errorf("after %v: %v", o.Result, then)
		}
	}
}

func TestRunsMistakes(t *testing.T) {
	text, list := history.StringValue("a"), history.ListValue()
	for _, args := range [][]history.Value{
		nil, {text}, {list, list}, {text, text}, {text, list, list},
		{text, history.ListValue(text)}, {text, history.ListValue(history.ListValue(text, list, list))},
		{text, history.ListValue(history.ListValue(text, text, list, list))}, {text, history.ListValue(history.ListValue(text, list, history.ListValue(text, text), list))},
	} {
		if _, err := Lookup(RunsName, args); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
	s, err := Lookup(RunsName, runsArgs("a", []sequentialRun{{step("f", 1, history.NoValue)}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []history.Operation{{Method: "g"}, {Method: "f"}, {Method: "f", Args: []history.Value{text, text}}} {
		if s.Check(&op) == nil {
			t.Errorf("%v is accepted", &op)
		}
	}
}

type sequentialRun []runStep

// runsArgs returns the arguments for these runs.
func runsArgs(class string, runs []sequentialRun) []history.Value {
	return []history.Value{history.StringValue(class), runTree(runs)}
}

// runTree builds the tree of the runs.
func runTree(runs []sequentialRun) history.Value {
	var edges []history.Value
	for len(runs) > 0 {
		if len(runs[0]) == 0 {
			runs = runs[1:]
			continue
		}
		first := runs[0][0]
		var next, others []sequentialRun
		for _, r := range runs {
			if len(r) > 0 && r[0].same(first) {
				next = append(next, r[1:])
			} else {
				others = append(others, r)
			}
		}
		var result []history.Value
		if first.Result.Kind() != history.None {
			result = []history.Value{first.Result}
		}
		edges = append(edges, history.ListValue(history.StringValue(first.Invocation.Method), history.ListValue(first.Invocation.Args...),
			history.ListValue(result...), runTree(next)))
		runs = others
	}
	return history.ListValue(edges...)
}

func (s runStep) same(t runStep) bool {
	return s.Invocation.Method == t.Invocation.Method && s.Result.Equal(t.Result) && slices.EqualFunc(s.Invocation.Args, t.Invocation.Args, history.Value.Equal)
}
