package stresstest

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/record"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/hitting/visibility"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// TestExpected: the sequential outcomes of objects and of their models are the
// same.
func TestExpected(t *testing.T) {
	for _, s := range subject.All() {
		if s.Class.Model == "" {
			continue
		}
		programs, err := stress.Generate(s.Class, stress.GeneratorOptions{Seed: 9})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for p := range programs {
			if n++; n > 50 {
				break
			}
			byObject, err := stress.NewExpected(s.Class, p)
			if err != nil {
				t.Fatal(err)
			}
			bySpec := expectedOfModel(t, s.Class, p)
			if a, b := len(byObject.Outcomes()), len(bySpec.Outcomes()); a != b {
				t.Errorf("%s, %v: %d outcomes of the object, %d of the model", s.Class.Name, p, a, b)
			}
			for _, c := range byObject.Outcomes() {
				if !bySpec.Contains(c.Outcome) {
					t.Errorf("%s, %v: the model does not have %v", s.Class.Name, p, c.Outcome)
				}
			}
		}
	}
}

// expectedOfModel returns the outcomes of a program that objects of the class's model have.
func expectedOfModel(t *testing.T, c *stress.Class, p *stress.Program) *stress.Expected {
	t.Helper()
	model, err := spec.Lookup(c.Model, c.ModelArgs)
	if err != nil {
		t.Fatal(err)
	}
	objects := &stress.Class{Name: c.Name, New: func() any { return model.New() }}
	for _, m := range c.Methods {
		of := *m
		of.Prepare = func(args []history.Value) stress.Call {
			return func(object any) history.Value {
				result, ok := object.(replay.Object).Apply(replay.Invocation{Method: m.Name, Args: args})
				if !ok {
					return stress.Waiting
				}
				return result
			}
		}
		objects.Methods = append(objects.Methods, &of)
	}
	q, err := stress.Parse(p.String(), objects)
	if err != nil {
		t.Fatal(err)
	}
	e, err := stress.NewExpected(objects, q)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A renamed specification is not a bundled one.
type renamed struct{ replay.Spec }

func (renamed) Name() string { return "my-counter" }

// TestClassSpec: the specification of the options takes the place of the class's
// model in the checker.
func TestClassSpec(t *testing.T) {
	counter, err := spec.Parse("counter")
	if err != nil {
		t.Fatal(err)
	}
	increment := func(object any) history.Value { return history.IntValue(object.(*atomic.Int64).Add(1) - 1) }
	class := func(first int64) *stress.Class {
		return &stress.Class{Name: "counter", Methods: []*stress.Method{{Name: "getAndIncrement", Core: true,
			Prepare: func([]history.Value) stress.Call { return increment }}},
			New: func() any { n := &atomic.Int64{}; n.Store(first); return n }}
	}
	o := Options{Programs: []string{"{ getAndIncrement() } || { getAndIncrement() }"},
		Effort: stress.Effort{Time: time.Minute, Program: 20 * time.Millisecond}, Dir: t.TempDir()}
	o.Spec = renamed{counter}
	for first, want := range []string{"", "counter is not atomic: "} {
		tb := &fakeTB{dir: t.TempDir()}
		TestClass(tb, class(int64(first)), o)
		if got := strings.Join(tb.errors, "\n"); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("first value %d: %q, want %q", first, got, want)
		}
	}
}

// TestWrongSpec: of a specification that is wrong, nothing is said about the
// object.
func TestWrongSpec(t *testing.T) {
	increment := func(object any) history.Value { return history.IntValue(object.(*atomic.Int64).Add(1) - 1) }
	class := &stress.Class{Name: "counter", New: func() any { return &atomic.Int64{} }, Methods: []*stress.Method{{Name: "getAndIncrement", Core: true,
		Prepare: func([]history.Value) stress.Call { return increment }}}}
	key := func(dst []byte, n *int64) []byte { return fmt.Append(dst, *n) }
	inPlace := func(n *int64, _ replay.Invocation) []replay.Step[*int64] {
		*n++
		return []replay.Step[*int64]{{Result: history.IntValue(*n - 1), Next: n}}
	}
	for want, wrong := range map[string]replay.Spec{
		"is a nil *replay.Model": (*replay.Model[*int64])(nil),
		"without Key":            &replay.Model[*int64]{Label: "mine", Initial: new(int64), Next: inPlace},
		"without Next":           &replay.Model[*int64]{Label: "mine", Initial: new(int64), Key: key},
		"getAndIncrement() changes the state that it is applied to": &replay.Model[*int64]{Label: "mine", Initial: new(int64), Next: inPlace, Key: key},
	} {
		o := Options{Programs: []string{"{ getAndIncrement() } || { getAndIncrement() }"}, Dir: t.TempDir(),
			Effort: stress.Effort{Time: time.Minute, Program: 20 * time.Millisecond}}
		o.Spec = wrong
		tb := &fakeTB{}
		TestClass(tb, class, o)
		if len(tb.errors) != 1 || !strings.Contains(tb.errors[0], want) || strings.Contains(tb.errors[0], "atomic") {
			t.Errorf("TestClass: %q, want %s", tb.errors, want)
		}
		m := record.NewMemory(record.Options{})
		p := m.Process()
		p.Call("getAndIncrement")
		p.ReturnInt(7)
		h, err := m.History()
		if err != nil {
			t.Fatal(err)
		}
		tb = &fakeTB{}
		Check(tb, h, wrong, CheckOptions{Dir: t.TempDir()})
		if len(tb.errors) != 1 || !strings.Contains(tb.errors[0], want) || strings.Contains(tb.errors[0], "linearizable") {
			t.Errorf("Check: %q, want %s", tb.errors, want)
		}
	}
	tb := &fakeTB{}
	Check(tb, nil, nil, CheckOptions{})
	Check(tb, &history.History{}, nil, CheckOptions{})
	if got := strings.Join(tb.errors, "\n"); !strings.Contains(got, "the history is nil") || !strings.Contains(got, "the specification is nil") {
		t.Errorf("%s", got)
	}
}

// TestObjectSpecText: the state of an object is known by the calls that led to it.
func TestObjectSpecText(t *testing.T) {
	object := ObjectSpec(subject.Lookup("queue").Class).New()
	one := history.IntValue(1)
	for _, want := range []string{"new", "after enqueue(1)", "after enqueue(1), enqueue(1)"} {
		if got := replay.StateText(object); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		object.Apply(replay.Invocation{Method: "enqueue", Args: []history.Value{one}})
	}
}

// TestCheckerLevels: the checker allows what a level does, given the model.
func TestCheckerLevels(t *testing.T) {
	b := history.NewBuilder(history.Header{Model: "kv"})
	one, two := history.IntValue(1), history.IntValue(2)
	event := func(op int64, e history.Event) {
		e.Op, e.Process = history.IntValue(op), history.IntValue(op)
		b.Add(&e)
	}
	event(0, history.Event{Method: "put", Args: []history.Value{one, one}})
	event(0, history.Event{Type: history.OK})
	event(1, history.Event{Method: "size"})
	event(2, history.Event{Method: "remove", Args: []history.Value{one}})
	event(2, history.Event{Type: history.OK, Result: one})
	event(3, history.Event{Method: "put", Args: []history.Value{two, one}})
	event(3, history.Event{Type: history.OK})
	event(1, history.Event{Type: history.OK, Result: two})
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for level, want := range map[visibility.Level]bool{visibility.Complete: true, visibility.Peer: true, visibility.Monotonic: false, visibility.Bundle: false} {
		if got, err := Checker(nil).Violates(t.Context(), h, map[string]visibility.Level{"size": level}); err != nil || got != want {
			t.Errorf("%v: violates %v, %v", level, got, err)
		}
	}
}
