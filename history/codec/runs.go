package codec

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"

	"github.com/leadline/leadline/history"
)

// coreMarks follow the name of jepsen.core in lines of a console that separate the events of two
// tests: where a test begins, and where its clients are done.
var coreMarks = [][]byte{[]byte("Running test"), []byte("Run complete")}

// reportMark begins the report of knossos, which repeats events without the prefix of a worker.
var reportMark = []byte("Not linearizable. Linearizable prefix was")

// isRunMark reports whether a line separates the events of two tests.
func isRunMark(text []byte) bool {
	_, message, isCore := bytes.Cut(text, []byte("jepsen.core"))
	return bytes.HasPrefix(text, []byte("lein test ")) ||
		isCore && slices.ContainsFunc(coreMarks, func(mark []byte) bool { return bytes.Contains(message, mark) })
}

// workerStart matches a line of jepsen.core when a worker starts, which it does once in a test.
var workerStart = regexp.MustCompile(`jepsen\.core.*(?:Worker (\d+) starting|Starting worker (\d+))`)

// startedWorker returns the number of the worker that starts at a line, or "".
func startedWorker(text []byte) string {
	if !bytes.Contains(text, []byte("tarting")) {
		return ""
	}
	m := workerStart.FindSubmatch(text)
	if m == nil {
		return ""
	}
	return string(m[1]) + string(m[2])
}

const twoTests = "two tests in one file? write each to a file of its own"

// A restart finds out that the numbers of processes begin anew, as in the events of a second
// test. Jepsen gives a client a new, larger number after an unknown outcome. So a process with
// such an outcome and a later event shows that, if there was a larger number between the two.
// Recorders that do not renumber have no new numbers then, except of clients that begin late.
type restart struct {
	largest int64 // number of a process so far
	crashed map[int64]crash
	fault   string // of the first restart
	line    int
}

// A crash is an unknown outcome.
type crash struct {
	line    int
	largest int64 // number of a process until then
}

func (r *restart) note(ev *wordEvent) {
	p := ev.process.Int()
	switch {
	case ev.process.Kind() != history.Int:
	case ev.typ == history.Info:
		if r.crashed == nil {
			r.crashed = map[int64]crash{}
		}
		r.crashed[p] = crash{ev.line, r.largest}
	case ev.typ == history.Invoke:
		c, isCrashed := r.crashed[p]
		if isCrashed && r.fault == "" && r.largest > max(c.largest, 1) {
			r.line, r.fault = ev.line, fmt.Sprintf("process %d goes on after its unknown outcome (line %d), "+
				"although process %d was new between: %s", p, c.line, r.largest, twoTests)
		}
		r.largest = max(r.largest, p)
	}
}
