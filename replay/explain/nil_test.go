package explain_test

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/visibility"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/report"
	"github.com/leadline/leadline/replay/view"
	"github.com/leadline/leadline/replay/weak"
)

// TestNil: a nil or malformed history, and a nil specification, are errors of each function that
// takes them; for Why they are the cause of what is missing. A nil context never ends.
func TestNil(t *testing.T) {
	h, s := decode(t, readFile(t, "core-without-it-short.jsonl"))
	v, err := explain.Check(context.Background(), h, s, replay.Options{})
	if err != nil || v.Explanation == nil {
		t.Fatal(v, err)
	}
	far := *h
	far.Ops = slices.Clone(h.Ops)
	far.Ops[len(far.Ops)-1].Return = 1 << 30
	levels := weak.Levels{h.Ops[0].Method: visibility.Basic}
	var typed *replay.Model[int]
	var none context.Context
	for _, c := range []struct {
		name string
		h    *history.History
		s    replay.Spec
		want string // in the error
	}{
		{"nil history", nil, s, "nil"}, {"nil specification", h, nil, "nil"}, {"nil model", h, typed, "nil"}, {"far position", &far, s, "beyond"}, {"right", h, s, ""},
	} {
		var why error
		e := explain.Why(none, c.h, c.s, v, replay.Options{})
		if len(e.Missing) >= 4 {
			why = &history.Error{Msg: e.Missing[0].Cause}
		}
		calls := map[string]error{"Why": why}
		_, calls["decide"] = decide.Check(none, c.h, c.s, replay.Options{})
		_, calls["explain"] = explain.Check(none, c.h, c.s, replay.Options{})
		_, calls["weak"] = weak.Check(none, c.h, c.s, levels, replay.Options{})
		_, calls["weak.Explained"] = weak.Explained(none, c.h, c.s, levels, replay.Options{})
		calls["view"] = view.Write(io.Discard, view.Item{History: c.h, Spec: c.s, Verdict: v})
		if c.s != nil && c.s != replay.Spec(typed) { // no specification is needed
			_, calls["SubHistory"] = v.Explanation.SubHistory(c.h)
			calls["report.Explain"] = report.Explain(io.Discard, c.h, c.s, &v, report.Options{})
			calls["Short"] = report.Short(io.Discard, c.h, &v, report.Options{})
			calls["Timeline"] = report.Timeline(io.Discard, c.h, nil, report.Options{})
			calls["Witness"] = report.Witness(io.Discard, c.h, c.s, &v, report.Options{})
		}
		if c.want == "nil" {
			calls["Verify"], calls["replay.Check"] = replay.Verify(c.h, c.s, nil, nil), replay.Check(c.h, c.s)
		}
		for name, err := range calls {
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, %s: %v, want an error with %q", c.name, name, err, c.want)
			}
		}
	}
	if report.Explain(io.Discard, h, s, nil, report.Options{}) == nil || report.Short(nil, h, &v, report.Options{}) == nil || view.Write(nil) == nil {
		t.Error("a nil verdict or writer is no error")
	}
	if err := report.Explain(io.Discard, h, typed, &v, report.Options{}); err != nil {
		t.Errorf("a report without a model: %v", err)
	}
}
