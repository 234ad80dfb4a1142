package stresstest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/report"
	"github.com/leadline/leadline/replay/spec"
)

// CheckOptions are the options of Check. The zero value is what most tests need.
type CheckOptions struct {
	// Context ends the check. By default it is that of the test.
	Context context.Context
	// Time and Memory (of the whole process, in bytes) bound the check. By
	// default nothing bounds the time; see replay.Budget.
	Time   time.Duration
	Memory int64
	// Model is a bundled specification with its arguments, as for --model of the
	// command: "bounded-queue:2", say. Check uses it if it gets no specification
	// itself. By default it is the one that the history names.
	Model string
	// NoExplanation does not look for the reason of a failure.
	NoExplanation bool
	// Strict fails the test if fewer than one operation in 100 overlapped
	// another. By default that is a warning.
	Strict bool
	// Dir is where the history is saved; see stress.Options.
	Dir string
}

// leastOverlap is the least share of operations or executions that overlap in a
// test that means something.
const leastOverlap = 0.01

// Check fails the test if the history is not linearizable, or if that could not
// be decided. A failure shows what matters of the history and saves it. If there
// is no specification, Options.Model or the history names a bundled one.
//
// Check logs how many operations overlapped, and warns if next to none did: such
// a history is nearly that of a sequential test.
func Check(t TB, h *history.History, s replay.Spec, o CheckOptions) {
	t.Helper()
	if h == nil {
		t.Errorf("stress: the history is nil")
		return
	}
	err := error(nil)
	if s != nil {
		err = replay.Validate(s)
	}
	if err == nil {
		h, s, err = o.named(h, s)
	}
	if err != nil {
		t.Errorf("stress: %v", err)
		return
	}
	if o.Context == nil {
		o.Context = contextOf(t)
	}
	v, err := decide.Check(o.Context, h, s, replay.Options{Explain: !o.NoExplanation,
		Budget: replay.Budget{Time: o.Time, Process: o.Memory}})
	if err != nil {
		t.Errorf("stress: checking the history: %v", err)
		return
	}
	overlapping := overlapping(h)
	summary := fmt.Sprintf("%d of %d operations overlapped another one", overlapping, len(h.Ops))
	switch v.Answer {
	case replay.Linearizable:
		t.Logf("stress: the history is linearizable; %s", summary)
	case replay.NotLinearizable:
		_, _, ok := bundled(s)
		t.Errorf("the history is not linearizable; %s\n%s%s", summary, explain(h, s, &v), save(t, h, !ok, o.Dir))
	default:
		t.Errorf("the history may be linearizable or not: unknown (%v) after %v; %s", v.Cause, v.Elapsed.Round(time.Millisecond), summary)
	}
	if float64(overlapping) < leastOverlap*float64(len(h.Ops)) || len(h.Ops) == 0 {
		text := "next to nothing overlapped, so that the test means little: " + summary
		if o.Strict {
			t.Errorf("stress: %s", text)
		} else {
			warn(t, "stress: %s", text)
		}
	}
}

// named returns the history with a header that names the specification, as far as
// it is a bundled one, and the specification.
func (o *CheckOptions) named(h *history.History, s replay.Spec) (*history.History, replay.Spec, error) {
	model, args, ok := h.Model, h.ModelArgs, true
	var err error
	switch {
	case s != nil:
		model, args, ok = bundled(s)
	case o.Model != "":
		model, args, err = spec.ParseName(o.Model)
	case model == "":
		err = errors.New("the specification is nil, and neither the options nor the history name one")
	}
	if err == nil && s == nil {
		s, err = spec.Lookup(model, args)
	}
	if err != nil || !ok {
		return h, s, err
	}
	named := *h
	named.Model, named.ModelArgs = model, args
	return &named, s, nil
}

// overlapping returns how many operations were open at the same time as another
// one. O(n).
func overlapping(h *history.History) int {
	n := 0
	last := int32(-1) // the last response of the operations before
	for i := range h.Ops {
		op := &h.Ops[i]
		if last > op.Call || i+1 < len(h.Ops) && h.Ops[i+1].Call < op.Return {
			n++
		}
		last = max(last, op.Return)
	}
	return n
}

// explain returns what is known about why the history is not linearizable.
func explain(h *history.History, s replay.Spec, v *replay.Verdict) string {
	var b strings.Builder
	_ = report.Explain(&b, h, s, v, report.Options{}) // a Builder has no errors
	return b.String()
}
