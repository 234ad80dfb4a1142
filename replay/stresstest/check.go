package stresstest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/report"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/view"
)

// CheckOptions are the options of Check. The zero value is what most tests need.
type CheckOptions struct {
	// Context ends the check. By default it is the context of the test.
	Context context.Context
	// Time and Memory (of the whole process, in bytes) bound the check. By
	// default nothing bounds the time; see replay.Budget.
	Time   time.Duration
	Memory int64
	// Model is a bundled specification with its arguments, as for --model of the
	// command, such as "queue:2". Check uses it if its own argument s is nil. By
	// default it is the specification that the history names.
	Model string
	// NoExplanation skips the search for the reason of a failure.
	NoExplanation bool
	// Verdict is the verdict on the history, if it is known. If it is nil, Check decides
	// the history.
	Verdict *replay.Verdict
	// Strict fails the test if fewer than one operation in 100 overlapped
	// another one.
	Strict bool
	// Dir is where the history is saved; see stress.Options.
	Dir string
}

// leastOverlap is the share of operations or executions that have to overlap. With fewer,
// a success means little.
const leastOverlap = 0.01

// Check fails the test if the history is not linearizable, or if that could not
// be decided. A failure explains the violation like leadline explain, and saves the
// history with its page; see package view. Without a specification,
// CheckOptions.Model or the history names a bundled one.
//
// Check logs how many operations overlapped. If almost none did, a success means
// little, and Check warns like Test.
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
	v, err := o.verdict(h, s)
	if err != nil {
		t.Errorf("stress: checking the history: %v", err)
		return
	}
	overlapping := overlapping(h)
	summary := fmt.Sprintf("%d of %d operations overlapped another one", overlapping, len(h.Ops))
	little := len(h.Ops) == 0 || float64(overlapping) < leastOverlap*float64(len(h.Ops))
	switch {
	case v.Answer == replay.NotLinearizable:
		t.Errorf("the history is not linearizable; %s\n%s", summary, o.failure(t, view.Item{History: h, Spec: s, Verdict: v}))
	case v.Answer == replay.Undecided:
		t.Errorf("the history may be linearizable or not: unknown (%v) after %v; %s", v.Cause, v.Elapsed.Round(time.Millisecond), summary)
	case little && o.Strict:
		t.Errorf("stress: the history is linearizable, but next to nothing overlapped: %s", summary)
	case little:
		warn(t, "stress: the history is linearizable, but that means little: %s", summary)
	default:
		t.Logf("stress: the history is linearizable; %s", summary)
	}
}

// verdict decides the history, unless its verdict is known.
func (o *CheckOptions) verdict(h *history.History, s replay.Spec) (replay.Verdict, error) {
	if o.Verdict != nil {
		return *o.Verdict, nil
	}
	options := replay.Options{Budget: replay.Budget{Time: o.Time, Process: o.Memory}}
	if o.NoExplanation {
		return decide.Check(o.Context, h, s, options)
	}
	return explain.Check(o.Context, h, s, options)
}

// failure saves the history and returns the reason why it is not linearizable.
func (o *CheckOptions) failure(t TB, item view.Item) string {
	h, saved := save(t, item, "", isBundled(item.Spec), o.Dir)
	if item.History.File == "" {
		item.History = h
	}
	var b strings.Builder
	if err := report.Explain(&b, item.History, item.Spec, &item.Verdict, report.Options{}); err != nil {
		fmt.Fprintf(&b, "it cannot be explained: %v\n", err)
	}
	return b.String() + "\n" + saved
}

// reread returns the history with the line numbers of the file that it was saved to. It
// returns h if the file cannot be read or has other operations.
func reread(file string, h *history.History) *history.History {
	r, err := os.Open(file)
	if err != nil {
		return h
	}
	defer r.Close()
	for read, err := range codec.Decode(r, file, codec.Options{}) {
		if err != nil || !slices.EqualFunc(read.Ops, h.Ops, func(a, b history.Operation) bool { return a.Method == b.Method && a.ID().Equal(b.ID()) }) {
			break
		}
		saved := *h
		saved.File, saved.Line, saved.Ops = file, read.Line, slices.Clone(h.Ops)
		for i := range saved.Ops {
			saved.Ops[i].Line = read.Ops[i].Line
		}
		return &saved
	}
	return h
}

// named returns the specification, and the history with a header that names it if it is a
// bundled one.
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
	if err != nil {
		return h, s, err
	}
	named := *h
	if ok {
		named.Model, named.ModelArgs = model, args
	}
	return &named, s, nil
}

// overlapping returns how many operations were open at the same time as another
// one. O(n).
func overlapping(h *history.History) int {
	n := 0
	last := int32(-1) // the latest response of the previous operations
	for i := range h.Ops {
		op := &h.Ops[i]
		if last > op.Call || i+1 < len(h.Ops) && h.Ops[i+1].Call < op.Return {
			n++
		}
		last = max(last, op.Return)
	}
	return n
}
