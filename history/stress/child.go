package stress

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
)

// A job is the input of a supervised process.
type job struct {
	Options
	Guilty  [][]string // see searcher
	Settled bool       // another process has completed the designations
	Leaves  bool       // it also found that objects leave goroutines
	Mark    string     // begins each line of a message
	// Attached means that the process ends when its input does, because the
	// supervisor was interrupted or has exited.
	Attached bool
	Replay   *replayJob `json:",omitempty"`
}

// A message is a line that a supervised process writes. The objects under test may also
// write to standard output. So each message is on a line of its own that begins with a
// mark unknown to them; all other output is ignored.
type message struct {
	Settled  *settledMessage  `json:",omitempty"`
	Targets  []string         `json:",omitempty"`
	Starting *startingMessage `json:",omitempty"`
	Parallel bool             `json:",omitempty"` // sequential runs of the program are over
	Alive    bool             `json:",omitempty"` // the constructor has returned, or invocations return
	Crowded  bool             `json:",omitempty"` // see crowd
	Finding  *Finding         `json:",omitempty"`
	Reducing *Finding         `json:",omitempty"` // the Finding follows if the process survives
	History  string           `json:",omitempty"` // in leadline's format
	Crash    *Crash           `json:",omitempty"` // of a goroutine in the scheduler
	Report   *Report          `json:",omitempty"`
	Replayed *Replayed        `json:",omitempty"`
	Error    string           `json:",omitempty"`
}

// A settledMessage has what Reflect found out by calling methods. These calls may have
// left goroutines that spin forever, so another process does the search.
type settledMessage struct {
	Reflect ReflectOptions
	LeftOut []LeftOut
	Leaves  bool
}

type startingMessage struct {
	Method, Program string
	// Calls are the methods that its sequences call.
	Calls []string `json:",omitempty"`
	// Judged is how many executions were judged before, with schedules.
	Judged int64 `json:",omitempty"`
}

// Serve runs Search in a process that Supervise started. It reads the options from in
// and writes messages to out: the target methods, each program before it runs, each
// finding, and finally the report. It returns the exit status: 0, or 2 for bad options.
func Serve(c *Class, checker Checker, in io.Reader, out io.Writer) int {
	return serve(func(ReflectOptions) (*Reflected, error) { return &Reflected{Class: c}, nil }, false, checker, in, out)
}

// ServeDerived is Serve for a class that derive makes by calling Reflect with the given
// options.
func ServeDerived(derive func(ReflectOptions) (*Reflected, error), checker Checker, in io.Reader, out io.Writer) int {
	return serve(derive, true, checker, in, out)
}

// ServeLike is Serve for the class that Reflect derives from the type of the
// sample; the sample itself is not used. newObject makes objects of its type.
// The programs that leadline stress --new writes call it.
func ServeLike[T any](sample T, newObject func() any, checker Checker, in io.Reader, out io.Writer) int {
	return ServeDerived(func(o ReflectOptions) (*Reflected, error) {
		return Reflect(func() T { return newObject().(T) }, o)
	}, checker, in, out)
}

// Must returns v, the object of a constructor that also returns an error. It panics if
// err is not nil.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("stress: the constructor returns an error: %v", err))
	}
	return v
}

func serve(derive func(ReflectOptions) (*Reflected, error), reflected bool, checker Checker, in io.Reader, out io.Writer) int {
	var j job
	write := func(m message) {
		text, err := json.Marshal(m)
		if err != nil {
			text = fmt.Appendf(nil, "{%q:%q}", "Error", err)
		}
		_, _ = fmt.Fprintf(out, "\n%s%s\n", j.Mark, text) // the reader may have gone
	}
	var last atomic.Int64
	alive := func() {
		now, before := time.Now().UnixNano(), last.Load()
		if now-before >= int64(time.Second) && last.CompareAndSwap(before, now) {
			write(message{Alive: true})
		}
	}
	var r *Reflected
	err := json.NewDecoder(in).Decode(&j)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if j.Attached {
		signal.Ignore(os.Interrupt, syscall.SIGTERM) // a terminal sends them to all processes
		ended := make(chan struct{})
		defer close(ended)
		go func() {
			_, _ = io.Copy(io.Discard, in)
			cancel()
			select {
			case <-ended:
			case <-time.After(2 * grace): // a method does not return, and nobody may be left to end the process
				os.Exit(2)
			}
		}()
	}
	if err == nil {
		j.ReflectOptions.settled, j.ReflectOptions.alive = j.Settled, alive
		r, err = derive(j.ReflectOptions)
	}
	if err == nil {
		err = r.mustHave(j.Methods)
		r.Class.alive, r.Class.full = alive, func() { write(message{Crowded: true}) }
	}
	if err == nil && reflected && !j.Settled {
		if r.Class.crowd != nil {
			r.Class.fill(mostCrowd, crowdCalls)
		}
		write(message{Settled: settled(r, j.ReflectOptions)})
		return 0
	}
	if err == nil && j.Leaves {
		r.Class.crowd = &crowd{before: runtime.NumGoroutine() - 1, next: crowdStep}
	}
	var report *Report
	if err == nil && j.Replay != nil {
		var replayed *Replayed
		if replayed, err = replayIn(ctx, r.Class, checker, j.Replay); err == nil {
			write(message{Replayed: replayed})
			return 0
		}
	}
	if err == nil {
		o := j.Options
		o.Checker = checker
		o.targets = func(methods []string) { write(message{Targets: methods}) }
		o.started = func(m startingMessage) { write(message{Starting: &m}) }
		o.parallel = func() { write(message{Parallel: true}) }
		o.guilty = j.Guilty
		o.Found = func(f *Finding) { write(message{Finding: f}) }
		o.unreduced = func(f *Finding) { write(message{Reducing: f}) }
		o.History = func(text string) { write(message{History: text}) }
		o.Crashed = func(c *Crash) { write(message{Crash: c}) }
		report, err = Search(ctx, r.Class, o)
	}
	if err != nil {
		write(message{Error: err.Error()})
		return 2
	}
	write(message{Report: report})
	return 0
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
	for _, l := range r.LeftOut {
		if l.Reason == blockedReason {
			o.Exclude = append(o.Exclude, l.Method)
		}
	}
	excluded := func(name string) bool { return slices.Contains(o.Exclude, name) }
	o.Core = slices.DeleteFunc(slices.Clone(o.Core), excluded)
	o.Weak = slices.DeleteFunc(slices.Clone(o.Weak), excluded)
	return &settledMessage{o, r.LeftOut, r.Class.crowd != nil}
}
