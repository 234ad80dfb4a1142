package order

import (
	"slices"
	"testing"
)

// TestTrail undoes levels.
func TestTrail(t *testing.T) {
	s := newTestSolver(5, 0)
	a, b, c, d := variable(0).literal(), variable(1).literal().not(), variable(2).literal(), variable(3).literal()
	s.assign(a, reason{clause: decided})
	s.decide(b)
	s.assign(c, reason{implied, [2]literal{b.not(), never}})
	s.decide(d)
	s.clauseHead, s.theoryHead = 4, 2
	if s.currentLevel() != 2 || s.level[c.variable()] != 1 || !s.isTrue(b) || !s.isFalse(b.not()) || s.isTrue(variable(4).literal()) {
		t.Fatalf("after two decisions: %+v", s.trail)
	}
	undone := slices.Clone(s.undo(1))
	if !slices.Equal(undone, []literal{d}) || s.isTrue(d) || s.isFalse(d) || s.clauseHead != 3 || s.theoryHead != 2 {
		t.Errorf("undo(1) = %v, leaves %+v", undone, s.trail)
	}
	undone = slices.Clone(s.undo(0))
	if !slices.Equal(undone, []literal{b, c}) || !slices.Equal(s.assigned, []literal{a}) || s.clauseHead != 1 || s.theoryHead != 1 {
		t.Errorf("undo(0) = %v, leaves %+v", undone, s.trail)
	}
	if !s.isTrue(always) || !s.isFalse(never) || s.isTrue(never) || always.not() != never {
		t.Error("always or never")
	}
}
