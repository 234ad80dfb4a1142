package stress

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/leadline/leadline/history/explore/worker"
)

// A job is the input of a supervised process.
type job struct {
	Options
	Known     [][]string // see searcher.guilty
	Misuses   []string   // programs whose sequential runs have ended a process
	Settled   bool       // another process has completed the designations
	Schedules bool       // the program is instrumented
	Replay    *ReplayJob `json:",omitempty"`
}

// A message is what a supervised process sends; it has one of these.
type message struct {
	Settled  *settledMessage  `json:",omitempty"`
	Targets  []string         `json:",omitempty"`
	Starting *startingMessage `json:",omitempty"`
	Parallel bool             `json:",omitempty"` // sequential runs of the program are over
	Made     bool             `json:",omitempty"` // the constructor has returned
	Trying   []string         `json:",omitempty"` // methods with an open trial call, when one begins
	Finding  *Finding         `json:",omitempty"`
	Reducing *Finding         `json:",omitempty"` // the Finding follows if the process survives
	Dropped  bool             `json:",omitempty"` // that one is not a violation
	Crash    *Crash           `json:",omitempty"` // of a goroutine in the scheduler
	Report   *Report          `json:",omitempty"`
	Replayed *Replayed        `json:",omitempty"`
	Repeats  *GoTest          `json:",omitempty"` // the test of a program that runs next in parallel, to confirm a failure
}

// A settledMessage has what Reflect found out by calling methods. These calls may have
// left goroutines that spin forever, so another process does the search.
type settledMessage struct {
	Reflect ReflectOptions
	LeftOut []Omission
}

type startingMessage struct {
	Method, Program string
	// Calls are the methods that its sequences call.
	Calls []string `json:",omitempty"`
	// Given is the number of the program among those of the options, from 1, or 0.
	Given int `json:",omitempty"`
	// Used is what the process has used before, and Judged how many executions of schedules were
	// judged.
	Used   Effort
	Judged int64 `json:",omitempty"`
	// Account is what was tried before; nil if that has hardly changed.
	Account *Account `json:",omitempty"`
}

// Serve runs Search in a worker that Supervise started. It sends the target methods, each
// program before it runs, each finding, and finally the report. It returns the exit status.
// The programs run in schedules, which is explore.New, if the worker is instrumented.
func Serve(c *Class, checker Checker, schedules NewExecutor) int {
	return serve(func(ReflectOptions) (*Reflected, error) { return &Reflected{Class: c}, nil }, false, checker, schedules)
}

// ServeDerived is Serve for a class that derive makes by calling Reflect with the given
// options.
func ServeDerived(derive func(ReflectOptions) (*Reflected, error), checker Checker, schedules NewExecutor) int {
	return serve(derive, true, checker, schedules)
}

// ServeLike is Serve for the class that Reflect derives from the type of the
// sample; the sample itself is not used. newObject makes objects of its type.
// The programs that leadline stress --new writes call it, with the constructors of the package.
func ServeLike[T any](sample T, newObject func() any, checker Checker, schedules NewExecutor, makers ...any) int {
	return ServeDerived(func(o ReflectOptions) (*Reflected, error) {
		o.Makers = makers
		return Reflect(func() T { return newObject().(T) }, o)
	}, checker, schedules)
}

// Must returns v, the object of a constructor that also returns an error. It panics if
// err is not nil.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("stress: the constructor returns an error: %v", err))
	}
	return v
}

func serve(derive func(ReflectOptions) (*Reflected, error), reflected bool, checker Checker, schedules NewExecutor) int {
	return worker.Serve(func(ctx context.Context, c *worker.Conn) error {
		var j job
		if err := c.Receive(&j); err != nil {
			return err
		}
		write := func(m message) { c.Send(m) }
		var made atomic.Bool
		alive := func() {
			if !made.Load() && made.CompareAndSwap(false, true) {
				write(message{Made: true})
			}
			c.Alive()
		}
		if j.Replay != nil {
			j.Programs = append(j.Programs, j.Replay.Program)
		}
		j.ReflectOptions = j.Designations()
		if j.Failures {
			j.ReadOnly = []string{} // it does not matter which methods are
		}
		j.ReflectOptions.settled, j.ReflectOptions.alive = j.Settled, alive
		open := &openCalls{began: func(methods []string) { write(message{Trying: methods}) }}
		j.ReflectOptions.trying = open.begin
		r, err := derive(j.ReflectOptions)
		if err == nil {
			err = r.mustHave(j.Methods)
		}
		if err != nil {
			return err
		}
		if r.Class.alive = alive; j.Failures {
			r.Class = r.Class.Failing()
		}
		if reflected && !j.Settled {
			write(message{Settled: settled(r, j.ReflectOptions)})
			return nil
		}
		o := j.searching(checker, write)
		if o.Executor = NewThreads; j.Schedules {
			o.Executor = schedules
		}
		if j.Replay != nil {
			p, err := Parse(j.Replay.Program, r.Class)
			if err != nil {
				return err
			}
			replayed, err := o.Executor(r.Class, &o, &Report{}).Replay(ctx, p, j.Replay)
			if err == nil {
				if j.Failures {
					replayed.GoTest = goTestOfFailure(r.Class, p)
				}
				write(message{Replayed: replayed})
			}
			return err
		}
		report, err := Search(ctx, r.Class, o)
		if err == nil {
			write(message{Report: report})
		}
		return err
	})
}

// openCalls are trial calls that have not returned: several, if one was left as it waits.
type openCalls struct {
	mu      sync.Mutex
	methods []string
	began   func(methods []string)
}

// begin adds a call, and tells of all.
func (o *openCalls) begin(method string) (returned func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.methods = append(o.methods, method)
	o.began(o.methods)
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		at := slices.Index(o.methods, method)
		o.methods = slices.Delete(o.methods, at, at+1)
	}
}

// searching returns the options of the search, which writes messages.
func (j *job) searching(checker Checker, write func(message)) Options {
	o := j.Options
	o.Checker = checker
	o.targets = func(methods []string) { write(message{Targets: methods}) }
	o.started = func(m startingMessage) { write(message{Starting: &m}) }
	o.parallel = func() { write(message{Parallel: true}) }
	o.Found = func(f *Finding) { write(message{Finding: f}) }
	o.known, o.misuses = j.Known, j.Misuses
	o.unreduced = func(f *Finding) { write(message{Reducing: f, Dropped: f == nil}) }
	o.Crashed = func(c *Crash) { write(message{Crash: c}) }
	o.repeats = func(t *GoTest) { write(message{Repeats: t}) }
	return o
}

// settled returns the designations, completed by what Reflect found out.
func settled(r *Reflected, o ReflectOptions) *settledMessage {
	o.ReadOnly = []string{}
	for _, m := range r.Class.Methods {
		if m.ReadOnly {
			o.ReadOnly = append(o.ReadOnly, cmp.Or(m.goName, m.Name))
		}
	}
	o.Exclude = slices.Clone(o.Exclude)
	excluded := func(name string) bool { return slices.Contains(o.Exclude, name) }
	o.Core = slices.DeleteFunc(slices.Clone(o.Core), excluded)
	o.Weak = slices.DeleteFunc(slices.Clone(o.Weak), func(text string) bool {
		name, _, _ := strings.Cut(text, "=")
		return excluded(name)
	})
	return &settledMessage{o, r.LeftOut}
}
