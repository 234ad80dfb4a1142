package decide_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

// TestMalformedHistories: Check refuses histories that package history never builds.
func TestMalformedHistories(t *testing.T) {
	right := newHistory(t, "invoke A write 1", "ok A", "invoke B write 2", "ok B", "invoke A read", "ok A 2")
	for _, test := range []struct {
		name  string
		spoil func(h *history.History)
		want  string // in the error; "" if there is none
	}{
		{"right", func(*history.History) {}, ""},
		{"calls", func(h *history.History) { h.Ops[0], h.Ops[1] = h.Ops[1], h.Ops[0] }, "not invoked after"},
		{"equal calls", func(h *history.History) { h.Ops[1].Call = h.Ops[0].Call }, "not invoked after"},
		{"negative call", func(h *history.History) { h.Ops[0].Call = -1 }, "not invoked after"},
		{"return", func(h *history.History) { h.Ops[1].Return = h.Ops[1].Call }, "returns before"},
		{"far call", func(h *history.History) { h.Ops[2].Call, h.Ops[2].Return = 6, history.NoReturn }, "beyond the 6"},
		{"last call", func(h *history.History) {
			h.Ops[2].Call, h.Ops[2].Return, h.Ops[2].Result = 5, history.NoReturn, history.UnknownValue
		}, ""},
		{"far return", func(h *history.History) { h.Ops[2].Return = 1 << 30 }, "beyond the 6"},
		{"negative process", func(h *history.History) { h.Ops[1].Process = -1 }, "not in Processes"},
		{"process", func(h *history.History) { h.Ops[1].Process = 2 }, "not in Processes"},
		{"no processes", func(h *history.History) { h.Processes = nil }, "not in Processes"},
		{"edge", func(h *history.History) { h.Edges = []history.Edge{{From: 0, To: 3}} }, "not between operations"},
		{"negative edge", func(h *history.History) { h.Edges = []history.Edge{{From: -1, To: 1}} }, "not between operations"},
		{"edge back in time", func(h *history.History) { h.Edges = []history.Edge{{From: 2, To: 0}} }, "contradicts real time"},
	} {
		h := *right
		h.Ops = slices.Clone(right.Ops)
		test.spoil(&h)
		_, err := decide.Check(context.Background(), &h, model(t, "register"), replay.Options{})
		switch {
		case test.want == "" && err != nil, test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
