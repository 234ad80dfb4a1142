package worker

import (
	"io"
	"regexp"
	"strings"
	"sync"
)

// A Cause is how a worker died.
type Cause int

const (
	Exited      Cause = iota // by itself, with no word to the supervisor
	Crashed                  // by a panic or another fatal error
	Killed                   // by a signal from outside
	Silent                   // it sent nothing, and was killed
	Memory                   // it used too much
	Interrupted              // the context of Start was cancelled
)

// A Death is the error of Process.Receive if the worker did not end as it should.
type Death struct {
	Cause Cause
	// Text is the first line of the runtime's message in a crash. Otherwise, it is such a
	// line, or the first one, of the last that the worker has written to its standard
	// error, or its status.
	Text string
	// Stacks are those of goroutines, as the runtime writes them, after a crash or silence.
	Stacks []string
}

func (d *Death) Error() string {
	return [...]string{"the process ended: ", "the process crashed: ", "the process was killed: ", "the process was silent: ", "the process ", "the process was interrupted: "}[d.Cause] + d.Text
}

const (
	maxCrash = 1 << 20   // bytes of a runtime's message, from its beginning
	tailSize = 512 << 10 // bytes of a standard error, up to its end
)

// death says how the process ended, which has exited.
func (p *Process) death() *Death {
	stderr := string(p.stderr.kept)
	line, stacks := parseCrash(<-p.crash, true)
	crashed := stacks != nil
	if !crashed { // it ended before Serve, or the system has no descriptor for this
		line, stacks = parseCrash(stderr, false)
	} else if line == "" { // the runtime writes that of a fatal error to stderr alone
		line, _ = parseCrash(stderr, false)
	}
	d, state := &Death{Text: line, Stacks: stacks}, p.cmd.ProcessState
	switch {
	case p.ctx.Err() != nil:
		d.Cause = Interrupted
	case p.silent.Load():
		d.Cause = Silent
	case crashed || stacks != nil && state.ExitCode() == crashStatus:
		d.Cause = Crashed
	case state.ExitCode() < 0:
		d.Cause, d.Text = Killed, state.String()
	}
	if d.Text == "" {
		d.Text, _, _ = strings.Cut(strings.TrimSpace(stderr), "\n")
	}
	if d.Text == "" {
		d.Text = state.String()
	}
	return d
}

// crashStatus is the exit status of Go programs after a panic.
const crashStatus = 2

// endLine matches the line of the runtime that says why it ends the process.
var endLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(panic: |fatal error: |SIG).*`) })

// parseCrash returns the line about the end in a text, and the stacks that follow. In a
// text by the runtime alone, it is the first such line. Otherwise, the last one with stacks
// counts, or else the last.
func parseCrash(text string, byRuntime bool) (line string, stacks []string) {
	ends := endLine().FindAllStringIndex(text, -1)
	if len(ends) > 0 {
		end := ends[0]
		if lastStack := strings.LastIndex(text, "\n\ngoroutine "); !byRuntime {
			end = ends[len(ends)-1]
			for _, e := range ends {
				if e[0] < lastStack {
					end = e
				}
			}
		}
		line, text = strings.TrimSpace(text[end[0]:end[1]]), text[end[1]:]
	} else if !byRuntime {
		return "", nil
	}
	for block := range strings.SplitSeq(text, "\n\n") {
		if block = strings.TrimSpace(block); strings.HasPrefix(block, "goroutine ") {
			stacks = append(stacks, block)
		}
	}
	return line, stacks
}

// A tail keeps the end of what a process writes.
type tail struct {
	kept []byte
	also io.Writer
}

func (t *tail) Write(b []byte) (int, error) {
	if t.kept = append(t.kept, b...); len(t.kept) > 2*tailSize {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-tailSize:]...)
	}
	if t.also != nil {
		return t.also.Write(b)
	}
	return len(b), nil
}
