package spectest_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/spec/spectest"
)

// A bag has the values that were added, in order. Its state may be wrong in several ways.
type bag struct {
	fault  string
	values []int64
}

func (b *bag) Apply(inv replay.Invocation) (history.Value, bool) {
	if inv.Method == "add" {
		if b.fault == "arguments" {
			inv.Args[0] = history.IntValue(7)
		}
		if b.fault == "no transition" && len(b.values) == 2 {
			b.values = nil
			return history.Value{}, false
		}
		b.values = append(b.values, inv.Args[0].Int())
		return history.NoValue, true
	}
	sum := int64(0)
	for _, v := range b.values {
		sum += v
	}
	if b.fault == "random" {
		sum = rand.Int64()
	}
	return history.IntValue(sum), true
}

func (b *bag) Clone() replay.State {
	c := *b
	switch b.fault {
	case "no clone":
		return nil
	case "same clone":
		return b
	case "empty clone":
		c.values = nil
	case "shared": // append may write to the memory of both
	default:
		c.values = slices.Clone(b.values)
	}
	return &c
}

func (b *bag) AppendKey(dst []byte) []byte {
	values := b.values
	switch b.fault {
	case "key":
		values = values[:min(1, len(values))]
	case "length":
		return append(dst, byte(len(values)))
	case "random key":
		return append(dst, byte(rand.IntN(256)))
	case "overwritten":
		dst = dst[:0]
	}
	for _, v := range values {
		dst = append(dst, byte(v))
	}
	return append(dst, 255)
}

type bagSpec struct {
	fault string
	made  replay.Object
}

func (s *bagSpec) Name() string { return "bag" }

func (s *bagSpec) Check(op *history.Operation) error {
	if s.fault == "rejects" && op.Method == "sum" && op.Result.Kind() == history.Int {
		return errors.New("no ints")
	}
	return nil
}

func (s *bagSpec) New() replay.Object {
	switch {
	case s.fault == "no object":
		return nil
	case s.fault == "one object" && s.made != nil:
		return s.made
	}
	s.made = &bag{fault: s.fault, values: make([]int64, 0, 8)}
	if s.fault == "plain" || s.fault == "plain random" {
		s.made = struct{ replay.Object }{&bag{fault: strings.TrimPrefix(s.fault, "plain ")}}
	}
	return s.made
}

func ints(method string, args ...int64) replay.Invocation {
	inv := replay.Invocation{Method: method}
	for _, a := range args {
		inv.Args = append(inv.Args, history.IntValue(a))
	}
	return inv
}

// TestFaults: each fault of an object is found, and a right object has none.
func TestFaults(t *testing.T) {
	for fault, want := range map[string]string{
		"":              "",
		"plain":         "",
		"plain random":  "objects have to be deterministic",
		"key":           "states with the same key",
		"length":        "states with the same key",
		"random key":    "a state has the key",
		"overwritten":   "AppendKey does not append",
		"no clone":      "Clone returns nil",
		"same clone":    "changes the state that it is applied to",
		"empty clone":   "a clone has key",
		"shared":        "may not share memory",
		"random":        "and then",
		"arguments":     "changes its arguments",
		"one object":    "New has to return a new object",
		"no object":     "New returns nil",
		"rejects":       "sum() has a result that Check rejects",
		"no transition": "has no transition, but changes the object",
	} {
		err := spectest.Check(&bagSpec{fault: fault}, spectest.Calls{Seed: 1, Invocations: []replay.Invocation{ints("add", 1), ints("add", 2), ints("sum")}})
		checkError(t, fault, err, want)
	}
	checkError(t, "no calls", spectest.Check(&bagSpec{}, spectest.Calls{}), "no invocations")
	checkError(t, "nil", spectest.Check(nil, spectest.Calls{}), "nil")
}

// A lie is a bundled specification with a false claim about some operations.
type lie struct {
	replay.Described
	facts  func(op *history.Operation, f *replay.Facts)
	traits func(t *replay.Traits)
}

func (l lie) Facts(op *history.Operation) replay.Facts {
	f := l.Described.Facts(op)
	if l.facts != nil {
		l.facts(op, &f)
	}
	return f
}

func (l lie) Traits() replay.Traits {
	traits := l.Described.Traits()
	if l.traits != nil {
		l.traits(&traits)
	}
	return traits
}

// A misstep is a bundled specification with wrong steps or divisions.
type misstep struct {
	replay.Stepped
	change func(op *history.Operation, steps []replay.CellStep) []replay.CellStep
}

func (m misstep) AppendSteps(dst []replay.CellStep, op *history.Operation) []replay.CellStep {
	return append(dst, m.change(op, m.Stepped.AppendSteps(nil, op))...)
}

type division struct{ replay.Divisible }

func (d division) Divide(op *history.Operation) ([]history.Operation, []history.Value, bool) {
	steps, parts, ok := d.Divisible.Divide(op)
	slices.Reverse(steps)
	slices.Reverse(parts)
	return steps, parts, ok
}

// TestLies: each false claim about a bundled specification is found.
func TestLies(t *testing.T) {
	queue := []replay.Invocation{ints("enqueue", 1), ints("enqueue", 2), ints("dequeue"), ints("peek"), ints("size")}
	kv := []replay.Invocation{ints("put", 1, 1), ints("put", 2, 2), ints("get", 1), ints("get", 2), ints("cas", 1, 1, 2), ints("size"), ints("clear")}
	set := []replay.Invocation{ints("add", 1), ints("add", 2), ints("remove", 1), ints("contains", 1), ints("elements"), ints("size")}
	role := func(method string, role replay.Role) func(*history.Operation, *replay.Facts) {
		return func(op *history.Operation, f *replay.Facts) {
			if op.Method == method && f.Role != replay.Other && f.Role != replay.Nothing {
				f.Role = role
			}
		}
	}
	kind := func(method string, kind replay.CellStepKind) func(*history.Operation, []replay.CellStep) []replay.CellStep {
		return func(op *history.Operation, steps []replay.CellStep) []replay.CellStep {
			if op.Method == method && len(steps) > 0 {
				steps[0].Kind = kind
			}
			return steps
		}
	}
	pending := func(change func(op *history.Operation, f *replay.Facts)) func(*history.Operation, *replay.Facts) {
		return func(op *history.Operation, f *replay.Facts) {
			if op.Pending() {
				change(op, f)
			}
		}
	}
	readOnly := func(method string) func(*history.Operation, *replay.Facts) {
		return func(op *history.Operation, f *replay.Facts) { f.ReadOnly = f.ReadOnly || op.Method == method }
	}
	for _, test := range []struct {
		model string
		calls []replay.Invocation
		lie   func(s replay.Spec) replay.Spec
		want  string
	}{
		{"queue", queue, func(s replay.Spec) replay.Spec { return lie{Described: s.(replay.Described)} }, ""},
		{"queue", queue, lying(readOnly("dequeue")), "read-only"},
		{"queue", queue, lying(role("dequeue", replay.Look)), "role"},
		{"queue", queue, lying(role("peek", replay.Remove)), "role"},
		{"queue", queue, lying(role("size", replay.Nothing)), "role"},
		{"queue", queue, lying(role("peek", replay.Never)), "role"},
		{"queue", queue, lying(pending(role("dequeue", replay.Look))), "role of the pending"},
		{"queue", queue, lying(func(op *history.Operation, f *replay.Facts) { f.Impossible = "a lie" }), "impossible (a lie)"},
		{"stack", []replay.Invocation{ints("push", 1), ints("push", 2), ints("pop")}, func(s replay.Spec) replay.Spec {
			return lie{Described: s.(replay.Described), traits: func(t *replay.Traits) { t.Discipline = replay.FirstIn }}
		}, "role"},
		{"kv", kv, lying(func(op *history.Operation, f *replay.Facts) { f.Part = min(1, len(op.Args)) }), ""},
		{"kv", kv, lying(func(op *history.Operation, f *replay.Facts) { f.Part = len(op.Args) }), "on its part"},
		{"kv", kv, lying(func(op *history.Operation, f *replay.Facts) { f.Part = 2 }), "have part 2"},
		{"kv", kv, lying(role("get", replay.Absent)), "role"},
		{"kv", kv, stepping(kind("put", replay.CellRead)), "steps"},
		{"kv", kv, stepping(kind("get", replay.CellWrite)), "steps"},
		{"kv", kv, stepping(kind("cas", replay.CellWrite)), "steps"},
		{"kv", kv, stepping(func(op *history.Operation, steps []replay.CellStep) []replay.CellStep {
			if op.Method == "cas" && op.Pending() {
				return steps[:1]
			}
			return steps
		}), "steps of the pending"},
		{"kv", kv, stepping(func(op *history.Operation, steps []replay.CellStep) []replay.CellStep {
			if op.Method == "clear" {
				return nil
			}
			return steps
		}), "steps"},
		{"set", set, lying(role("add", replay.Remove)), "role"},
		{"set", set, lying(role("contains", replay.Absent)), "role"},
		{"set", set, stepping(kind("remove", replay.CellAppend)), "steps"},
		{"set", set, stepping(kind("elements", replay.CellDiffers)), "steps"},
	} {
		s, err := spec.Parse(test.model)
		if err != nil {
			t.Fatal(err)
		}
		err = spectest.Check(test.lie(s), spectest.Calls{Seed: 1, Invocations: test.calls})
		checkError(t, test.model+", wrong "+test.want, err, test.want)
	}
	s, err := spec.Parse("multi-register")
	if err != nil {
		t.Fatal(err)
	}
	txn := func(steps ...history.Value) replay.Invocation {
		return replay.Invocation{Method: "txn", Args: []history.Value{history.ListValue(steps...)}}
	}
	step := func(f string, v history.Value) history.Value {
		return history.ListValue(history.StringValue(f), history.IntValue(1), v)
	}
	calls := []replay.Invocation{txn(step("read", history.NullValue), step("write", history.IntValue(1))), txn(step("read", history.NullValue))}
	checkError(t, "right division", spectest.Check(s, spectest.Calls{Seed: 1, Invocations: calls}), "")
	checkError(t, "wrong division", spectest.Check(division{s.(replay.Divisible)}, spectest.Calls{Seed: 1, Invocations: calls}), "step")
}

func lying(facts func(*history.Operation, *replay.Facts)) func(replay.Spec) replay.Spec {
	return func(s replay.Spec) replay.Spec { return lie{Described: s.(replay.Described), facts: facts} }
}

func stepping(change func(*history.Operation, []replay.CellStep) []replay.CellStep) func(replay.Spec) replay.Spec {
	return func(s replay.Spec) replay.Spec {
		return steppedAs{misstep{Stepped: s.(replay.Stepped), change: change}, s.(replay.Described)}
	}
}

// steppedAs also has the facts.
type steppedAs struct {
	misstep
	described replay.Described
}

func (s steppedAs) Traits() replay.Traits                    { return s.described.Traits() }
func (s steppedAs) Facts(op *history.Operation) replay.Facts { return s.described.Facts(op) }

func checkError(t *testing.T, name string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", name, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: got %v, want %q", name, err, want)
	}
}
