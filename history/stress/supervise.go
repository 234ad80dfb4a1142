package stress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/history/explore/worker"
)

const silence = 45 * time.Second

// deadlock is the runtime's message when all goroutines of a process are blocked.
const deadlock = "fatal error: all goroutines are asleep - deadlock!"

// Supervise searches a class in a worker, which calls Serve.
//
// If the worker dies, or sends nothing for longer than a program can take, the last
// program counts as a crash of its method. A new worker then continues with the other
// methods for the rest of the time. The same happens without a crash if too many goroutines
// of the worker wait forever, or if it needs too much memory.
//
// When ctx is canceled, the search ends, and the report has what was found until then.
// If something else killed the worker, Supervise returns an error as well as the
// report; that is not a crash.
func Supervise(ctx context.Context, program worker.Program, o Options) (report *Report, err error) {
	o.Effort = o.Effort.Or(DefaultEffort)
	o.Silence = cmp.Or(o.Silence, silence)
	s := &supervisor{job: job{Options: o, Schedules: program.Schedules}, result: &Report{}, context: ctx, program: program}
	s.begin = time.Now()
	limited, stop := ctx, func() {}
	if o.Effort.Time > 0 { // not even a proof runs longer
		end := o.Effort.Time + o.Effort.Time/10 + verifyLate
		if o.Failures {
			end += confirmLate
		}
		limited, stop = context.WithTimeout(ctx, end)
	}
	defer stop()
	s.limited = limited
	for {
		s.job.Programs, s.given = s.job.Programs[s.given:], 0
		left := s.job
		left.Effort = o.Effort.left(s.result.used(time.Since(s.begin)), 1)
		if s.methods != nil {
			left.Methods = s.methods
		}
		left.Seed += uint64(s.crashes+s.worn+len(s.job.Misuses)) << 16
		var again bool
		if again, err = s.process(left); err != nil && !errors.Is(err, errKilled) {
			return nil, err
		}
		over := o.Effort.Over(s.result.used(time.Since(s.begin)))
		if s.result.Ended != "" || again || limited.Err() != nil && ctx.Err() == nil {
			s.result.Ended = cmp.Or(over, s.result.Ended)
		}
		if !again || limited.Err() != nil || over != "" && s.result.Programs+s.started > 0 {
			break
		}
	}
	s.complete()
	s.result.Elapsed = time.Since(s.begin)
	return s.result, err
}

// errKilled is the error for a process that was killed by something other than its
// supervisor.
var errKilled = errors.New("the process was killed")

// A supervisor runs one process after another.
type supervisor struct {
	job     job
	result  *Report
	methods []string // the targets that are left, as far as is known
	last    startingMessage
	started int
	// sequential reports whether no program of the process has run in parallel yet.
	sequential bool
	given      int // programs of the options that the process has begun
	overlap    float64
	settled    bool     // by the last process
	made       bool     // an object
	tried      []string // the methods of trial calls
	trying     []string // those of the calls that were open when the last one began
	account    *Account // of the process, until its report
	worn       int      // processes that ended early; see Report.Worn
	crashes    int      // of processes
	// reducing is a finding that the process makes smaller.
	reducing *Finding
	begin    time.Time // apart from the time to confirm failures, which comes in addition
	context  context.Context
	limited  context.Context // ends with the effort
	program  worker.Program
}

// process runs one process until it exits, and reports whether another one should
// continue.
func (s *supervisor) process(j job) (again bool, err error) {
	p, err := worker.Start(s.limited, s.program, worker.Guard{Silence: j.Silence})
	if err != nil {
		return false, err
	}
	defer p.Close()
	s.sequential = true
	_ = p.Send(j) // if it is dead, Receive says why
	err = s.follow(p, j)
	if s.reducing != nil {
		s.add(s.reducing)
		s.reducing = nil
	}
	death, died := err.(*worker.Death)
	switch {
	case err == io.EOF && s.settled:
		s.settled = false
		return true, nil
	case err == io.EOF:
		again = s.result.Worn && s.goesOn()
		if again { // others come first
			s.worn++
			if at := slices.Index(s.methods, s.last.Method); at >= 0 {
				s.methods = append(slices.Delete(s.methods, at, at+1), s.last.Method)
			}
		}
		return again, nil
	case !died && s.crashes > 0: // the time left was too short to run a program
		return false, nil
	case !died:
		return false, err
	case death.Cause == worker.Interrupted:
		s.interrupted()
		return false, nil
	case death.Cause == worker.Killed:
		s.interrupted()
		return false, fmt.Errorf("%w: %s", errKilled, death.Text)
	}
	return s.died(death, j)
}

// goesOn reports whether another process has something to do.
func (s *supervisor) goesOn() bool {
	if n := len(s.job.Programs); n > 0 {
		return s.given < n
	}
	return len(s.methods) > 0
}

// died handles a death that nothing outside has caused.
func (s *supervisor) died(death *worker.Death, j job) (again bool, err error) {
	silent, ran := death.Cause == worker.Silent, s.result.Programs+s.started > 0
	switch {
	case ran && death.Cause == worker.Memory: // other programs may have been to blame
		s.worn++
		s.result.Worn, s.result.Memory = true, max(s.result.Memory, worker.DefaultMemory)
		s.interrupted()
		return s.goesOn(), nil
	case s.started == 0 && silent && s.made:
		return false, fmt.Errorf("the process ran no program within %v after the constructor returned: a method or a goroutine of the object may keep the processors busy", j.Silence)
	case s.started == 0 && silent:
		return false, fmt.Errorf("the process ran no program within %v: the constructor may not return", j.Silence)
	case s.started == 0 && len(s.tried) > 0 && !s.job.Settled:
		return false, s.endedIn(death)
	case s.started == 0:
		return false, fmt.Errorf("the process ended before it ran a program: %s", death.Text)
	}
	what := death.Text
	if silent || what == deadlock {
		what = "hangs"
	}
	if s.job.Failures {
		s.diedFailing(death)
		return s.goesOn(), nil
	}
	if isMisuse(death) {
		s.interrupted()
		s.job.Misuses = append(s.job.Misuses, s.last.Program)
		s.result.Account.omit(s.last.Program, s.last.Given > 0, (&FatalError{What: what}).Error())
	} else {
		s.crashed(what, stacksOf(death))
	}
	return s.goesOn(), nil
}

// endedIn returns the error for a death in the trial calls of Reflect. The method is the one
// that the stack of a crash names, or one that was called and had not returned.
func (s *supervisor) endedIn(death *worker.Death) error {
	method, stack := strings.Join(s.trying, " or "), stacksOf(death)
	for _, m := range s.tried {
		if regexp.MustCompile(`\.` + m + `\b`).MatchString(stack) {
			method = m
		}
	}
	return fmt.Errorf("a trial call of %s ended the process: %s; exclude the method (--exclude, Options.Exclude)%s",
		method, death.Text, strings.TrimSuffix("\n"+stack, "\n"))
}

// mostSpinning is how long a process that explores schedules may be silent once it runs
// programs: a call then neither returns nor takes a step.
const mostSpinning = 10 * time.Second

// follow receives the messages of a process until its end, which it returns: io.EOF if it
// was done.
func (s *supervisor) follow(p *worker.Process, j job) error {
	for {
		var m message
		if err := p.Receive(&m); err != nil {
			return err
		}
		silence := j.Silence
		if s.program.Schedules && s.started > 0 { // a call that spins must not take the time of all others
			silence = min(silence, mostSpinning)
		}
		p.SetSilence(silence + j.Effort.Program)
		switch {
		case m.Made:
			s.made = true
		case m.Trying != nil:
			s.trying = slices.Compact(slices.Sorted(slices.Values(m.Trying)))
			for _, method := range s.trying {
				if !slices.Contains(s.tried, method) {
					s.tried = append(s.tried, method)
				}
			}
		case m.Settled != nil:
			s.job.ReflectOptions, s.job.Settled, s.settled = m.Settled.Reflect, true, true
			for _, l := range m.Settled.LeftOut {
				s.result.Account.Omit(l)
			}
		case m.Targets != nil:
			s.methods = m.Targets
		case m.Starting != nil:
			s.last = *m.Starting
			s.started++
			s.sequential = s.sequential || s.job.Failures
			s.given = max(s.given, m.Starting.Given)
			if m.Starting.Account != nil {
				s.account = m.Starting.Account
			}
			if s.job.Starting != nil {
				s.job.Starting(m.Starting.Method, m.Starting.Program)
			}
		case m.Parallel:
			s.sequential = false
		case m.Reducing != nil:
			s.reducing = m.Reducing
		case m.Dropped:
			s.reducing = nil
		case m.Finding != nil:
			s.reducing = nil
			s.add(m.Finding)
		case m.Crash != nil && s.job.Failures:
			s.failed(failureIn(m.Crash))
		case m.Crash != nil:
			s.result.Crashes = append(s.result.Crashes, *m.Crash)
			if s.job.Crashed != nil {
				s.job.Crashed(m.Crash)
			}
		case m.Report != nil:
			s.merge(m.Report)
		}
	}
}

func (s *supervisor) add(f *Finding) {
	if s.job.Failures {
		s.failed(f)
		return
	}
	if !s.verify(f) {
		return
	}
	s.result.Findings = append(s.result.Findings, f)
	if f.Fault == "" {
		s.job.Known = append(s.job.Known, f.Methods)
		if f.Method != "" || !s.job.GoOn {
			s.drop(f.Method)
		}
	}
	if s.job.Found != nil {
		s.job.Found(f)
	}
}

func (s *supervisor) merge(r *Report) {
	t := s.result
	s.overlap += r.Overlap * float64(r.Recorded)
	t.Subject = r.Subject
	t.Core, t.Weak = r.Core, r.Weak
	for _, m := range r.Atomic {
		if !slices.Contains(t.Atomic, m) {
			t.Atomic = append(t.Atomic, m)
		}
	}
	t.NonAtomic = append(t.NonAtomic, r.NonAtomic...)
	t.Unsteady = append(t.Unsteady, r.Unsteady...)
	t.Programs += r.Programs
	t.Executions += r.Executions
	t.Recorded += r.Recorded
	t.Waited += r.Waited
	for _, m := range r.MayWait {
		if !slices.Contains(t.MayWait, m) {
			t.MayWait = append(t.MayWait, m)
		}
	}
	t.Left += r.Left
	t.OnlySchedules = r.OnlySchedules
	t.Account.add(&r.Account)
	s.account = nil
	t.Together += r.Together
	t.Outcomes = append(t.Outcomes, r.Outcomes...)
	t.Hopeless += r.Hopeless
	t.Ended = r.Ended
	s.last.Used, s.last.Judged = Effort{}, 0
	t.Memory = max(t.Memory, r.Memory)
	t.Worn = r.Worn
	if r.Explored != nil {
		s.explored().add(r.Explored)
	}
}

func (s *supervisor) explored() *Explored {
	if s.result.Explored == nil {
		s.result.Explored = &Explored{}
	}
	return s.result.Explored
}

// interrupted counts the programs of a process that ends without a report.
func (s *supervisor) interrupted() {
	s.result.Programs += s.started
	s.started = 0
	if s.account != nil {
		s.result.Account.add(s.account)
		s.account = nil
	}
	s.result.Executions += s.last.Used.Executions + s.last.Used.Schedules
	if s.last.Used.Steps > 0 {
		s.explored().Steps += s.last.Used.Steps
		s.explored().Judged += s.last.Judged
	}
	s.last.Used, s.last.Judged = Effort{}, 0
}

// notInstrumented is why schedules leave out a program that hangs.
const notInstrumented = "a call waits in code that is not instrumented"

// maxCrashes is the number of crashes after which the search of a class without core
// methods ends.
const maxCrashes = 10

// crashed adds the last program to the crashes. Its method is no longer a target; without
// one, no later program calls all of its methods.
func (s *supervisor) crashed(what, stack string) {
	c := Crash{Method: s.last.Method, Program: s.last.Program, What: what, Sequential: s.sequential, Stack: stack}
	if s.program.Schedules && what == "hangs" { // the scheduler knows of all else
		s.result.Account.omit(c.Program, s.last.Given > 0, notInstrumented)
	} else {
		s.result.Crashes = append(s.result.Crashes, c)
		if s.job.Crashed != nil {
			s.job.Crashed(&c)
		}
	}
	s.interrupted()
	s.crashes++
	if s.job.Known = append(s.job.Known, s.last.Calls); s.last.Method != "" || !s.job.GoOn || s.crashes == maxCrashes {
		s.drop(s.last.Method)
	}
}

// drop removes a method from the targets that are left.
func (s *supervisor) drop(method string) {
	s.methods = slices.DeleteFunc(s.methods, func(m string) bool { return m == method })
}

func (s *supervisor) complete() {
	r := s.result
	for _, f := range r.Findings { // some may be of processes that ended without a report
		if f.Fault == "" && f.Method != "" && !slices.Contains(r.NonAtomic, f.Method) {
			r.NonAtomic = append(r.NonAtomic, f.Method)
		}
	}
	guilty := func(m string) bool { return slices.Contains(r.NonAtomic, m) || isIn(s.job.Known, m) }
	r.Atomic = slices.DeleteFunc(r.Atomic, guilty)
	if r.Recorded > 0 {
		r.Overlap = s.overlap / float64(r.Recorded)
	}
}

// mostStacks is the maximum number of goroutines that a crash shows.
const mostStacks = 8

// stacksOf returns the stack of the first goroutine after a death, and those in calls of
// objects. It leaves out the frames of this package.
func stacksOf(death *worker.Death) string { return stacksIn(death.Stacks) }

func stacksIn(stacks []string) string {
	const ours = "github.com/leadline/leadline/history/stress."
	var list []string
	for _, stack := range stacks {
		object, _, called := strings.Cut(stack, "\n"+ours)
		called = called && strings.Contains(stack, ours+"(*prepared).run")
		if called {
			stack = object
		}
		if called || len(list) == 0 {
			list = append(list, stack)
		}
		if len(list) == mostStacks {
			break
		}
	}
	return strings.Join(list, "\n\n")
}
