package codec

import (
	"bytes"
	"fmt"
	"regexp"

	"github.com/leadline/leadline/history"
)

// runMark matches lines of a console that separate the events of two tests: where a test begins,
// where its clients are done, and where a worker starts, which it does once in a test.
var runMark = regexp.MustCompile(`^lein test |jepsen\.core.*(?:Running test|Run complete|Worker (\d+) starting|Starting worker (\d+))`)

// reportMark begins the report of knossos, which repeats events without the prefix of a worker.
var reportMark = []byte("Not linearizable. Linearizable prefix was")

// cutMark sets the kind of a line that is not an event, and as its process the worker that starts there.
func cutMark(l *line, text []byte) {
	if bytes.HasPrefix(text, reportMark) {
		l.kind = reportLine
	} else if m := runMark.FindSubmatch(text); m != nil {
		l.kind, l.process = runLine, append(bytes.Clone(m[1]), m[2]...)
	}
}

// noteMark takes a line between events into account.
func (d *lineDecoder) noteMark(l *line) {
	switch worker := string(l.process); {
	case l.kind == reportLine:
		d.inLog = true
	case l.kind == runLine && (worker == "" || d.workers[worker]):
		d.ended, d.workers = true, map[string]bool{worker: true}
	case l.kind == runLine:
		d.workers[worker] = true
	}
}

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
