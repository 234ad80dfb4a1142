package stress

import (
	"testing"

	"github.com/leadline/leadline/history/explore/worker"
)

// TestFailureOfDeath: only a crash by the runtime with a stack is a failure, and only if it is not for want
// of some resource, nor in an initial part.
func TestFailureOfDeath(t *testing.T) {
	stacks := []string{"goroutine 7 [running]:\nq.(*Queue).Pop(0x1)\n\tq.go:7"}
	for _, c := range []struct {
		death worker.Death
		want  string
	}{
		{worker.Death{Cause: worker.Crashed, Text: "fatal error: concurrent map writes", Stacks: stacks}, "fatal error: concurrent map writes"},
		{worker.Death{Cause: worker.Crashed, Text: "panic: no thread is left", Stacks: stacks}, "panic: no thread is left"},
		{worker.Death{Cause: worker.Crashed, Text: "fatal error: thread exhaustion", Stacks: stacks}, ""},
		{worker.Death{Cause: worker.Crashed, Text: "SIGABRT: abort", Stacks: stacks}, ""},
		{worker.Death{Cause: worker.Crashed, Text: "panic: at first", Stacks: []string{"goroutine 7 [running]:\ngithub.com/leadline/leadline/history/stress.(*thread).prepare(0x1)"}}, ""},
		{worker.Death{Cause: worker.Crashed, Text: "panic: no stack"}, ""},
		{worker.Death{Cause: worker.Killed, Text: "panic: before", Stacks: stacks}, ""},
		{worker.Death{Cause: worker.Silent}, "does not return: " + waitsText},
		{worker.Death{Cause: worker.Crashed, Text: deadlock, Stacks: stacks}, "does not return: " + waitsText},
	} {
		got := ""
		if f := failureOfDeath(&c.death); f != nil {
			got = f.String()
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.death, got, c.want)
		}
	}
	for text, implicit := range map[string]bool{"panic: runtime error: index out of range [2]": true, "panic: queue is empty": false, "fatal error: concurrent map writes": true} {
		if f := failureOf(text); f.Implicit() != implicit || f.String() != text {
			t.Errorf("%q: %v, %v", text, f, f.Implicit())
		}
	}
	if alike("index out of range [2] with length 2 at 0xc0a1") != alike("index out of range [10] with length 1 at 0xff") {
		t.Error("texts that differ by numbers are not alike")
	}
}
