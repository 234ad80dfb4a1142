package stresstest

import (
	"testing"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
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
