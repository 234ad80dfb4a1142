package stress

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/values"
)

// A Failure is a panic, a fatal error, or a call that does not return, as no sequential run of the
// program has it: the oracle of Pradel and Gross, "Fully Automatic and Precise Detection of Thread
// Safety Violations" (PLDI 2012, Algorithm 2). It needs no model, because results are not compared, and
// blames no method.
type Failure struct {
	Kind string `json:"kind"` // one of those below
	Text string `json:"text"` // without the kind
	// Stack has the goroutines in calls of the object, as far as the process wrote them.
	Stack string `json:"stack,omitempty"`
}

// The kinds of failures.
const (
	PanicFailure   = "panic"
	FatalFailure   = "fatal error"
	WaitingFailure = "does not return"
)

func (f *Failure) String() string { return f.Kind + ": " + f.Text }

// Implicit reports whether the runtime reports the failure, not an explicit panic.
func (f *Failure) Implicit() bool {
	return f.Kind != PanicFailure || strings.HasPrefix(f.Text, "runtime error: ") || strings.HasPrefix(f.Text, "sync: ")
}

// waitsText is the Text of a WaitingFailure.
const waitsText = "a call waits or computes for ever"

// failureOf returns the failure that a line of the runtime, or the text of an exception, is about.
func failureOf(line string) *Failure {
	for _, kind := range []string{PanicFailure, FatalFailure} {
		if text, ok := strings.CutPrefix(line, kind+": "); ok {
			return &Failure{Kind: kind, Text: text}
		}
	}
	return &Failure{Kind: WaitingFailure, Text: waitsText}
}

var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`0x[0-9a-f]+|\d+`) })

// alike returns the text of a failure without numbers and addresses. Failures are for the same
// reason if these texts are equal.
func alike(text string) string { return numbers().ReplaceAllString(text, "#") }

// maxHeld is how many calls of a program may have results that are arguments of others.
const maxHeld = 8

// An instance is an object in a search for failures, with results of calls. If one has failed, no other
// begins: it may wait for a lock that the failing one holds.
type instance struct {
	object  any
	results [maxHeld][]reflect.Value
	failed  atomic.Bool
}

// pauseTime is how long sequential calls pause, so that goroutines of the object go on.
const pauseTime = 200 * time.Microsecond

// Failing returns the class for a search for failures. Its calls return nothing, unless they panic.
// Methods are all alike: none is core, read-only or weak.
func (c *Class) Failing() *Class {
	if c.failing {
		return c
	}
	f := *c
	f.failing, f.paused, f.Model, f.ModelArgs, f.Methods = true, &atomic.Bool{}, "", nil, nil
	f.New = func() any { return &instance{object: c.New()} }
	if c.Close != nil {
		f.Close = func(object any) { c.Close(object.(*instance).object) }
	}
	for _, m := range c.Methods {
		own := &Method{Name: m.Name, Params: m.Params, goName: m.goName, inGo: m.inGo, paused: f.paused}
		if m.inGo != nil {
			own.caller = m.inGo.caller()
		} else {
			own.caller = func(args []history.Value) caller {
				call := m.Prepare(args)
				return func(object any, _ earlier, show show) history.Value {
					call(object)
					return show(nil, nil)
				}
			}
		}
		own.Prepare = func(args []history.Value) Call { return own.holding(args, -1, nil, nil) }
		f.Methods = append(f.Methods, own)
	}
	return &f
}

// IsFailing reports whether the class is for a search for failures.
func (c *Class) IsFailing() bool { return c.failing }

// holding prepares call number n of the program that consists of all. The call keeps its results if they are held.
func (m *Method) holding(args []history.Value, n int, held []int, all []Invocation) Call {
	call, slot := m.caller(args), slices.Index(held, n)
	return func(object any) history.Value {
		i := object.(*instance)
		if i.failed.Load() {
			return NotCalled
		}
		returned := false
		defer func() {
			if !returned {
				i.failed.Store(true)
			}
		}()
		return call(i.object, func(p Param, n int) reflect.Value {
			return i.results[slices.Index(held, n)][all[n].Method.resultFor(p)]
		}, func(out []reflect.Value, _ *values.Maker) history.Value {
			returned = true
			if slot >= 0 {
				i.results[slot] = out
			}
			if m.paused.Load() {
				time.Sleep(pauseTime)
			}
			return history.NoValue
		})
	}
}

// firstRuns returns what is expected of a program after two of its sequential runs: the sequences one
// after another, and in the opposite order. Most programs do not fail, and need no others.
func firstRuns(c *Class, p *Program) (*Expected, error) {
	e := ExpectedOf(c, p, threadRuns{c, p})
	e.Complete = true
	calls, s := p.prepared(), NewSequencer(p)
	for _, last := range []bool{false, true} {
		s.Restart()
		var inOrder []prepared
		for list := s.Enabled(); len(list) > 0; list = s.Enabled() {
			i := list[0]
			if last {
				i = list[len(list)-1]
			}
			s.Take(i)
			inOrder = append(inOrder, calls[i])
		}
		results, err := c.sequential(inOrder, waitLimit)
		if err != nil {
			return nil, err
		}
		o := make(Outcome, len(calls))
		for k, i := range s.Order {
			o[i] = results[k]
		}
		e.set.add(o, 1)
	}
	return e, nil
}

// runAll runs the program in all orders. An error means that some are not known.
func (e *Expected) runAll() error {
	if e.whole {
		return nil
	}
	err := sequentially(e.Class, e.Program, func(_ []int, o Outcome) bool { e.set.add(o, 1); return true })
	if err == nil {
		e.whole = true
	}
	return err
}

// failsLike reports whether an outcome has no failure, or only those that some sequential run of the
// program has, in any of its calls. A failure of the initial part is none of concurrent calls.
func (e *Expected) failsLike(o Outcome) bool { return e.failure(o) == nil }

// failure returns what fails in an outcome, and in no sequential run, or nil.
func (e *Expected) failure(o Outcome) *Failure {
	known := e.failures()
	for i, v := range o {
		switch {
		case v.Kind() != history.Exception || v == NotCalled:
		case v == Waiting && (e.Waited || e.unsteady || len(known) > 0): // one that fails may keep a lock
		case v != Waiting && known[alike(v.Text())]:
		case i < len(e.Program.Initial):
			return nil
		default:
			return failureOf(v.Text())
		}
	}
	return nil
}

// failures returns the texts of failures that sequential runs have.
func (e *Expected) failures() map[string]bool {
	known := map[string]bool{}
	for _, s := range e.set.slots {
		if s.hash == 0 {
			continue
		}
		for _, v := range s.Outcome {
			if v.Kind() == history.Exception && v != NotCalled {
				known[alike(v.Text())] = true
			}
		}
	}
	return known
}

// failsAlone returns the first call that fails in a sequential run, or -1.
func (e *Expected) failsAlone() int {
	first := -1
	for _, s := range e.set.slots {
		at := slices.IndexFunc(s.Outcome, func(v history.Value) bool { return v.Kind() == history.Exception && v != Waiting && v != NotCalled })
		if s.hash != 0 && at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	return first
}
