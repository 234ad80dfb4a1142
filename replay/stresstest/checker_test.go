package stresstest

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
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
			bySpec, err := Checker(nil).Expected(s.Class, p)
			if err != nil {
				t.Fatal(err)
			}
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
	c := subject.Lookup("queue").Class
	p, err := stress.Parse("{ dequeue() } || { enqueue(1) }", c)
	if err != nil {
		t.Fatal(err)
	}
	stack, err := spec.Parse("stack")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Checker(stack).Expected(c, p); err == nil {
		t.Error("a stack has dequeue")
	}
}

// A renamed specification is not a bundled one.
type renamed struct{ replay.Spec }

func (renamed) Name() string { return "my-counter" }

// TestClassSpec: the specification of the options takes the place of the class's
// model, in the checker and for the outcomes to expect.
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
	o := Options{Programs: []string{"{ getAndIncrement() } || { getAndIncrement() }"}, ByModel: true,
		Effort: stress.Effort{Name: "test", Time: time.Minute, Program: 20 * time.Millisecond}}
	o.Spec = renamed{counter}
	for first, want := range []string{"", "counter is not atomic: "} {
		tb := &fakeTB{dir: t.TempDir()}
		TestClass(tb, class(int64(first)), o)
		if got := strings.Join(tb.errors, "\n"); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("first value %d: %q, want %q", first, got, want)
		}
	}
	o.Spec = nil
	tb := &fakeTB{dir: t.TempDir()}
	TestClass(tb, class(0), o)
	if got := strings.Join(tb.errors, "\n"); !strings.Contains(got, "counter has no specification") {
		t.Errorf("without a model: %q", got)
	}
}
