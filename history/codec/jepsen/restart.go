package jepsen

import (
	"fmt"

	"github.com/leadline/leadline/history"
)

const twoTests = "two tests in one file? write each to a file of its own"

// A restart finds out that the numbers of processes begin anew, as in the events of a second
// test. Jepsen gives a client a new, larger number after an unknown outcome. So a process with
// such an outcome and a later event shows that, if there was a larger number between the two.
// Recorders that do not renumber have no new numbers then, except of clients that begin late.
type restart struct {
	largest int64         // number of a process so far
	since   int           // line of its first event
	crashed map[int64]int // process -> line of its unknown outcome
	fault   string        // of the first restart
	line    int
}

func (r *restart) note(ev *wordEvent) {
	p := ev.process.Int()
	switch {
	case ev.process.Kind() != history.Int:
	case ev.typ == history.Info:
		if r.crashed == nil {
			r.crashed = map[int64]int{}
		}
		r.crashed[p] = ev.line
	case ev.typ == history.Invoke:
		if line, ok := r.crashed[p]; ok && r.fault == "" && line < r.since && r.largest > 1 {
			r.line, r.fault = ev.line, fmt.Sprintf("process %d goes on after its unknown outcome (line %d), "+
				"although process %d was new between: %s", p, line, r.largest, twoTests)
		}
		if p > r.largest {
			r.largest, r.since = p, ev.line
		}
	}
}
