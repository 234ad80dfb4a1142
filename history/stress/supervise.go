package stress

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A Found is a finding as it was told by another process, in words.
type Found struct {
	Subject   string            `json:"subject"`
	Method    string            `json:"method"` // "" if no single one is to blame
	Program   string            `json:"program"`
	Outcome   string            `json:"outcome"`
	Expected  []ExpectedOutcome `json:"expected"`
	Times     int64             `json:"times"`
	Runs      int64             `json:"executions"`
	Explored  int               `json:"explored"`
	Generated int               `json:"generated"` // 0: without end
	Rank      [3]int            `json:"rank"`      // invocations, sequences, values
	Elapsed   time.Duration     `json:"elapsed_ns"`
	History   string            `json:"history"` // in leadline's format
	Recorded  bool              `json:"recorded"`
	RealTime  bool              `json:"real_time"`
}

// An ExpectedOutcome is one that shuffles of a program lead to.
type ExpectedOutcome struct {
	Outcome string `json:"outcome"`
	Times   int64  `json:"shuffles"`
}

// A Supervised is the report of a hunt in a process of its own.
type Supervised struct {
	Report
	Found []Found
}

// A Watch is told of what happens in the other process; each may be nil.
type Watch struct {
	Starting func(method, program string) // before each program
	Found    func(Found)
	History  func(text string) // a history in leadline's format; see Order.Keep
	// Silence is how long a process may say nothing, beyond the time of a
	// program, until it counts as hanging: 45 s by default, as a crowded
	// machine makes threads that wait for one another slow.
	Silence time.Duration
}

const silence = 45 * time.Second

// deadlock is how the runtime ends a process that hangs, if it sees that.
const deadlock = "fatal error: all goroutines are asleep - deadlock!"

// Supervise hunts in a class in a process of its own, which start prepares
// (its program calls Serve) and whose standard streams it takes. If the
// process ends early or says nothing for longer than a program can take, the
// program it was at counts as a crash of its method, and another process goes
// on with the other methods and what is left of the time.
func Supervise(ctx context.Context, start func(context.Context) *exec.Cmd, order Order, w Watch) (*Supervised, error) {
	if order.Effort == (Effort{}) {
		order.Effort, _ = EffortCalled("default")
	}
	if w.Silence == 0 {
		w.Silence = silence
	}
	s := &supervisor{order: order, result: &Supervised{}, watch: w}
	begin := time.Now()
	for {
		left := s.order
		left.Effort.Time = order.Effort.Time - time.Since(begin)
		if s.methods != nil {
			left.Methods = s.methods
		}
		left.Seed += uint64(len(s.result.Crashes)) << 16
		again, err := s.process(ctx, start, left)
		if err != nil {
			return nil, err
		}
		over := time.Since(begin) >= order.Effort.Time || len(order.Programs) > 0 && len(s.result.Crashes) > 0
		if !again || ctx.Err() != nil || over {
			break
		}
	}
	s.complete()
	s.result.Elapsed = time.Since(begin)
	return s.result, nil
}

// A supervisor follows one process after another.
type supervisor struct {
	order   Order
	result  *Supervised
	watch   Watch
	methods []string // still to be hunted, as far as is known
	last    startingMessage
	started int
	overlap float64
	settled bool // by the last process
}

// process follows a process to its end and reports whether another should go
// on.
func (s *supervisor) process(ctx context.Context, start func(context.Context) *exec.Cmd, order Order) (again bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	text, err := json.Marshal(order)
	if err != nil {
		return false, err
	}
	cmd := start(ctx)
	var complaints tail
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), &complaints
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	watchdog := time.AfterFunc(s.watch.Silence, cancel)
	done, failure := s.follow(out, func() { watchdog.Reset(s.watch.Silence + order.Effort.Program) })
	silent := !watchdog.Stop() && !done && failure == nil
	_ = cmd.Wait() // a process that did not say its report has failed
	switch {
	case failure != nil:
		return false, failure
	case done:
		return false, nil
	case s.settled:
		s.settled = false
		return true, nil
	case s.started == 0:
		return false, fmt.Errorf("the process ended before it ran a program: %s", complaints.first())
	}
	what := complaints.first()
	if silent || what == deadlock {
		what = "hangs"
	}
	s.crashed(what)
	return len(s.methods) > 0, nil
}

// follow reads what the process says; it returns true if that ends with its
// report.
func (s *supervisor) follow(out io.Reader, alive func()) (done bool, err error) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return done, nil // the process is gone
		}
		alive()
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			return false, fmt.Errorf("the process said %q: %w", line, err)
		}
		switch {
		case m.Error != "":
			return false, errors.New(m.Error)
		case m.Settled != nil:
			s.order.Reflect, s.order.Settled, s.settled = m.Settled.Reflect, true, true
			s.result.LeftOut = m.Settled.LeftOut
		case m.Hunting != nil:
			s.methods = m.Hunting
		case m.Starting != nil:
			s.last = *m.Starting
			s.started++
			if s.watch.Starting != nil {
				s.watch.Starting(m.Starting.Method, m.Starting.Program)
			}
		case m.History != "":
			if s.watch.History != nil {
				s.watch.History(m.History)
			}
		case m.Finding != nil:
			s.add(*m.Finding)
		case m.Report != nil:
			s.merge(m.Report)
			done = true
		}
	}
}

func (s *supervisor) add(f Found) {
	s.result.Found = append(s.result.Found, f)
	s.drop(f.Method)
	if s.watch.Found != nil {
		s.watch.Found(f)
	}
}

func (s *supervisor) merge(r *Report) {
	t := &s.result.Report
	s.overlap += r.Overlap * float64(r.Recorded)
	t.Class = r.Class
	t.Core, t.Weak = r.Core, r.Weak
	t.Atomic, t.NonAtomic = r.Atomic, append(t.NonAtomic, r.NonAtomic...)
	t.Unsteady = append(t.Unsteady, r.Unsteady...)
	t.Programs += r.Programs
	t.Executions += r.Executions
	t.Recorded += r.Recorded
}

// crashed enters the program that ended the process. Its method is not
// hunted any more.
func (s *supervisor) crashed(what string) {
	s.result.Crashes = append(s.result.Crashes, Crash{s.last.Method, s.last.Program, what})
	s.result.Programs += s.started
	s.started = 0
	s.drop(s.last.Method)
}

// drop takes a method off the list of those to be hunted.
func (s *supervisor) drop(method string) {
	s.methods = slices.DeleteFunc(s.methods, func(m string) bool { return m == method })
}

func (s *supervisor) complete() {
	r := &s.result.Report
	for _, f := range s.result.Found { // also by processes that have not come to report
		if f.Method != "" && !slices.Contains(r.NonAtomic, f.Method) {
			r.NonAtomic = append(r.NonAtomic, f.Method)
		}
	}
	if r.Recorded > 0 {
		r.Overlap = s.overlap / float64(r.Recorded)
	}
}

// A tail keeps the beginning of what a process complains of.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	if room := 4096 - len(t.text); room > 0 {
		t.text = append(t.text, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

func (t *tail) first() string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(t.text)), "\n")
	if line == "" {
		return "ended without a word"
	}
	return line
}
