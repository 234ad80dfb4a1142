package spec

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

func step(method string, arg int64, result history.Value) runEdge {
	return runEdge{Invocation: replay.Invocation{Method: method, Args: []history.Value{history.IntValue(arg)}}, result: result}
}

// TestRuns: the specification returns the results of the runs and no others.
func TestRuns(t *testing.T) {
	t.Parallel()
	yes, no := history.BoolValue(true), history.BoolValue(false)
	add, again, remove := step("add", 1, yes), step("add", 1, no), step("remove", 1, yes)
	empty, none := step("remove", 1, no), step("note", 1, history.NoValue)
	s, err := Lookup(RunsName, parseList(t, `["set", [
		["add", [1], [true], [["add", [1], [false], [["remove", [1], [true], []]]], ["remove", [1], [true], [["note", [1], [], []]]]]],
		["remove", [1], [false], [["add", [1], [true], []]]]]]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		run  []runEdge
		want bool
	}{
		{[]runEdge{add, again, remove}, true}, {[]runEdge{add, remove, none}, true}, {[]runEdge{empty, add}, true}, {[]runEdge{add}, true}, {nil, true},
		{[]runEdge{add, add}, false}, {[]runEdge{remove}, false}, {[]runEdge{empty, add, remove}, false}, {[]runEdge{add, again, remove, none}, false},
	} {
		state, got := s.New().(replay.State), true
		for _, step := range test.run {
			next := state.Clone()
			result, ok := next.Apply(step.Invocation)
			got = got && ok && result.Equal(step.result)
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
	yes := step("try", 1, history.BoolValue(true))
	s, err := Lookup(RunsName, parseList(t, `["lock", [["try", [1], [true], [["try", [1], [false], []]]], ["try", [1], [false], [["try", [1], [true], []]]]]]`))
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
	s, err := Lookup(RunsName, parseList(t, `["a", [["f", [1], [], []]]]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []history.Operation{{Method: "g"}, {Method: "f"}, {Method: "f", Args: []history.Value{text, text}}} {
		if s.Check(&op) == nil {
			t.Errorf("%v is accepted", &op)
		}
	}
}

// parseList returns the elements of a list.
func parseList(t *testing.T, text string) []history.Value {
	t.Helper()
	v, err := history.ParseValue(text)
	if err != nil {
		t.Fatal(err)
	}
	return v.List()
}
