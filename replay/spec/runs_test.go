package spec

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

func step(method string, arg int64, result history.Value) RunStep {
	return RunStep{replay.Invocation{Method: method, Args: []history.Value{history.IntValue(arg)}}, result}
}

// The specification answers as the runs did, and only so.
func TestRuns(t *testing.T) {
	yes, no := history.BoolValue(true), history.BoolValue(false)
	add, again, remove := step("add", 1, yes), step("add", 1, no), step("remove", 1, yes)
	empty, none := step("remove", 1, no), step("note", 1, history.NoValue)
	s, err := Lookup(RunsName, RunsArgs("set", []Run{{add, again, remove}, {add, remove, none}, {empty, add}, {add, again, remove}, {}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		run  Run
		want bool
	}{
		{Run{add, again, remove}, true}, {Run{add, remove, none}, true}, {Run{empty, add}, true}, {Run{add}, true}, {nil, true},
		{Run{add, add}, false}, {Run{remove}, false}, {Run{empty, add, remove}, false}, {Run{add, again, remove, none}, false},
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

// An object that may answer one way or another has several outcomes.
func TestRunsNondeterministic(t *testing.T) {
	yes, no := step("try", 1, history.BoolValue(true)), step("try", 1, history.BoolValue(false))
	s, err := Lookup(RunsName, RunsArgs("lock", []Run{{yes, no}, {no, yes}}))
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
			t.Errorf("%v is taken", args)
		}
	}
	s, err := Lookup(RunsName, RunsArgs("a", []Run{{step("f", 1, history.NoValue)}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []history.Operation{{Method: "g"}, {Method: "f"}, {Method: "f", Args: []history.Value{text, text}}} {
		if s.Check(&op) == nil {
			t.Errorf("%v is taken", &op)
		}
	}
}
