package stress

import (
	"fmt"
	"strings"

	"github.com/leadline/leadline/history"
)

// Picture draws a history as text: an operation a line, with its interval
// from the invocation to the response. Time goes to the right, an event a
// column; an operation without a response has an open end. Edges are listed
// below. Histories of more than maxDrawn operations are cut off.
//
//	0  |--|      put(0): null
//	1    |---|   put(1): null
//	0       |-|  size(): 1
func Picture(h *history.History) string {
	drawn := min(len(h.Ops), maxDrawn)
	ops := h.Ops[:drawn]
	last := int32(0)
	for i := range ops {
		last = max(last, ops[i].Call+1)
		if !ops[i].Pending() {
			last = max(last, ops[i].Return)
		}
	}
	names, width := make([]string, len(h.Processes)), 1
	for i, p := range h.Processes {
		names[i] = p.String()
		width = max(width, len(names[i]))
	}
	var b strings.Builder
	for i := range ops {
		op := &ops[i]
		end, mark := op.Return, "|"
		if op.Pending() {
			end, mark = last+1, ">"
		}
		bar := strings.Repeat(" ", int(op.Call)) + "|" + strings.Repeat("-", int(end-op.Call-1)) + mark
		fmt.Fprintf(&b, "%*s  %-*s  %v\n", width, names[op.Process], int(last)+2, bar, op)
	}
	for _, e := range h.Edges {
		if int(e.From) < drawn && int(e.To) < drawn {
			fmt.Fprintf(&b, "%v before %v\n", &ops[e.From], &ops[e.To])
		}
	}
	if more := len(h.Ops) - drawn; more > 0 {
		fmt.Fprintf(&b, "and %d more operations\n", more)
	}
	return b.String()
}

// maxDrawn is how many operations Picture draws.
const maxDrawn = 60
