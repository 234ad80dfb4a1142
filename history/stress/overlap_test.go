package stress_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/stress"
)

// TestNoOverlap: a search in which no invocations overlapped says that it judged nothing.
func TestNoOverlap(t *testing.T) {
	c := counterClass(false)
	effort := stress.Effort{Time: patience, Program: time.Millisecond}
	ordered := "{ increment() } || { increment() } order 0<1" // these never overlap
	r, err := search(c, stress.Options{Programs: []string{ordered}, Effort: effort})
	if err != nil {
		t.Fatal(err)
	}
	if line, nothing := r.Unsteadiness(); !nothing || !strings.Contains(line, "no invocations overlapped") {
		t.Errorf("%q, %t of %+v", line, nothing, *r)
	}
}

// TestOverlap: invocations overlap, on one processor, too.
func TestOverlap(t *testing.T) {
	c := counterClass(false)
	p, err := stress.Parse("{ increment(); increment() } || { increment() }", c)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; {
		run := stress.RunProgram(context.Background(), c, p, stress.RunOptions{Time: 50 * time.Millisecond})
		if run.Overlapping > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%+v", *run)
		}
	}
}
