package stress_test

import (
	"testing"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
)

// What objects answer sequentially and what their models do are the same
// outcomes.
func TestNewExpectedOf(t *testing.T) {
	for _, s := range subject.All() {
		if s.Class.Spec == nil {
			continue
		}
		g, err := stress.NewGenerator(s.Class, stress.GeneratorOptions{Seed: 9})
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			p := g.Next()
			byObject, err := stress.NewExpected(s.Class, p)
			if err != nil {
				t.Fatal(err)
			}
			bySpec, err := stress.NewExpectedOf(s.Class.Spec, s.Class, p)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := len(byObject.Outcomes()), len(bySpec.Outcomes()); a != b {
				t.Errorf("%s, %v: %d outcomes of the object, %d of the model", s.Class.Name, p, a, b)
			}
			for _, c := range byObject.Outcomes() {
				if !bySpec.Contains(c.Outcome) {
					t.Errorf("%s, %v: the model cannot answer %v", s.Class.Name, p, c.Outcome)
				}
			}
		}
	}
	c := subject.Lookup("queue").Class
	p, err := stress.Parse("{ dequeue() } || { enqueue(1) }", c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stress.NewExpectedOf(subject.Lookup("stack").Class.Spec, c, p); err == nil {
		t.Error("a stack knows dequeue")
	}
}
