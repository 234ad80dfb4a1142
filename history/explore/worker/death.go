package worker

import (
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
	// Text is the line of the runtime about a crash. Otherwise, it is such a line, or the
	// first one, of what the worker has written to its standard error, or its status.
	Text string
	// Stacks are those of goroutines, as the runtime writes them, after a crash or silence.
	Stacks []string
}

func (d *Death) Error() string {
	return "the process " + [...]string{"ended: ", "crashed: ", "was killed: ", "was silent: ", "", "was interrupted: "}[d.Cause] + d.Text
}

// death says how the process ended, which has exited.
func (p *Process) death() *Death {
	text := string(p.stderr)
	line, stacks := parseCrash(text)
	d, state := &Death{Text: line, Stacks: stacks}, p.cmd.ProcessState
	switch {
	case p.ctx.Err() != nil:
		d.Cause = Interrupted
	case p.silent.Load():
		d.Cause = Silent
	case stacks != nil && state.ExitCode() == crashStatus:
		d.Cause = Crashed
	case state.ExitCode() < 0:
		d.Cause, d.Text = Killed, state.String()
	}
	if d.Text == "" {
		d.Text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
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

// parseCrash returns the last line about an end that stacks follow, and these stacks, or
// else the last such line. The process may have written others before.
func parseCrash(text string) (line string, stacks []string) {
	lastStack := strings.LastIndex(text, "\n\ngoroutine ")
	end := -1
	for _, e := range endLine().FindAllStringIndex(text, -1) {
		if end < 0 || lastStack < 0 || e[0] < lastStack {
			end = e[0]
		}
	}
	if end < 0 {
		return "", nil
	}
	line, text, _ = strings.Cut(text[end:], "\n")
	for block := range strings.SplitSeq(text, "\n\n") {
		if block = strings.TrimSpace(block); strings.HasPrefix(block, "goroutine ") {
			stacks = append(stacks, block)
		}
	}
	return strings.TrimSpace(line), stacks
}

// A tail keeps the end of what a process writes, at least tailSize bytes.
type tail []byte

const tailSize = 1 << 20

func (t *tail) Write(b []byte) (int, error) {
	if *t = append(*t, b...); len(*t) > 2*tailSize {
		*t = append((*t)[:0], (*t)[len(*t)-tailSize:]...)
	}
	return len(b), nil
}
