package stress

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
)

// An Order is what a process is told that hunts in one class: HuntOptions, as
// far as they can be written down.
type Order struct {
	Effort   Effort
	Bounds   Bounds
	Seed     uint64
	Methods  []string
	Programs []string
	Reduce   bool
	// Exhaustive, BySpec and Keep are those of HuntOptions.
	Exhaustive bool
	BySpec     bool
	Keep       int
	// Reflect is for ServeLike, which derives the class. Settled says that
	// another process has found out what is not designated.
	Reflect Designations
	Settled bool
}

// Designations are those of ReflectOptions that can be written down.
type Designations struct {
	Name                          string
	Core, ReadOnly, Weak, Exclude []string
}

// A message is a line of what such a process says.
type message struct {
	Settled  *settledMessage  `json:",omitempty"`
	Hunting  []string         `json:",omitempty"`
	Starting *startingMessage `json:",omitempty"`
	Finding  *Found           `json:",omitempty"`
	History  string           `json:",omitempty"` // in leadline's format
	Report   *Report          `json:",omitempty"`
	Error    string           `json:",omitempty"`
}

// A settledMessage is what trials have shown. They may have left goroutines that
// spin for ever, so that the process that made them does not hunt.
type settledMessage struct {
	Reflect Designations
	LeftOut []LeftOut
}

type startingMessage struct {
	Method, Program string
}

// Serve hunts in a class as the order says that is read from in, and writes
// lines of JSON to out: the methods, each program before it is run, each finding, and at
// last the report. It returns an exit status: 0, or 2 for a bad order.
//
// It is what the process does that Supervise starts.
func Serve(c *Class, in io.Reader, out io.Writer) int {
	return serve(false, func(Designations) (*Class, []LeftOut, error) { return c, nil, nil }, in, out)
}

// ServeLike is Serve for the class that Reflect derives from the type of the
// sample; the sample itself is not used. newObject makes objects of its type.
// It is what the program calls that leadline stress --new writes.
func ServeLike[T any](sample T, newObject func() any, in io.Reader, out io.Writer) int {
	return serve(true, func(d Designations) (*Class, []LeftOut, error) {
		r, err := Reflect(func() T { return newObject().(T) },
			ReflectOptions{Name: d.Name, Core: d.Core, ReadOnly: d.ReadOnly, Weak: d.Weak, Exclude: d.Exclude})
		if err != nil {
			return nil, nil, err
		}
		return r.Class, r.LeftOut, nil
	}, in, out)
}

// Must returns v, what a constructor returned with a nil error, and panics
// with any other.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("stress: the constructor returns an error: %v", err))
	}
	return v
}

// settled returns the designations with what Reflect has found out.
func settled(c *Class, d Designations, left []LeftOut) *settledMessage {
	d.ReadOnly = []string{}
	for _, m := range c.Methods {
		if m.ReadOnly {
			d.ReadOnly = append(d.ReadOnly, m.Name)
		}
	}
	d.Exclude = slices.Clone(d.Exclude)
	for _, l := range left {
		if l.Reason == blockedReason {
			d.Exclude = append(d.Exclude, l.Method)
		}
	}
	return &settledMessage{d, left}
}

func serve(reflected bool, class func(Designations) (*Class, []LeftOut, error), in io.Reader, out io.Writer) int {
	encoder := json.NewEncoder(out)
	var order Order
	var c *Class
	var left []LeftOut
	o, err := HuntOptions{}, json.NewDecoder(in).Decode(&order)
	if err == nil {
		c, left, err = class(order.Reflect)
	}
	if err == nil && reflected && !order.Settled {
		_ = encoder.Encode(message{Settled: settled(c, order.Reflect, left)})
		return 0
	}
	if err == nil {
		o, err = order.options(c)
	}
	if err != nil {
		_ = encoder.Encode(message{Error: err.Error()})
		return 2
	}
	// Whoever reads these may be gone; then there is nobody to tell.
	o.Hunting = func(methods []string) { _ = encoder.Encode(message{Hunting: methods}) }
	o.Starting = func(method string, p *Program) {
		_ = encoder.Encode(message{Starting: &startingMessage{method, p.String()}})
	}
	o.Found = func(f *Finding) { _ = encoder.Encode(message{Finding: newFound(f)}) }
	o.Keep = order.Keep
	o.History = func(p *Program, h *history.History, times int64) {
		_ = encoder.Encode(message{History: fmt.Sprintf("# %v, seen %d times\n%s", p, times, encode(h))})
	}
	report, err := Hunt(context.Background(), c, o)
	if err != nil {
		_ = encoder.Encode(message{Error: err.Error()})
		return 2
	}
	_ = encoder.Encode(message{Report: report})
	return 0
}

func (o *Order) options(c *Class) (HuntOptions, error) {
	options := HuntOptions{Effort: o.Effort, Bounds: o.Bounds, Seed: o.Seed, Methods: o.Methods, Reduce: o.Reduce, Exhaustive: o.Exhaustive, BySpec: o.BySpec}
	for _, m := range o.Methods {
		if m != "" && c.Method(m) == nil {
			return options, fmt.Errorf("%s has no method %s", c.Name, m)
		}
	}
	for _, text := range o.Programs {
		p, err := Parse(text, c)
		if err != nil {
			return options, err
		}
		options.Programs = append(options.Programs, p)
	}
	return options, nil
}

func newFound(f *Finding) *Found {
	m := &Found{Method: f.Method, Program: f.Program.String(), Outcome: f.Outcome.String(), Times: f.Times, Runs: f.Executions,
		Explored: f.Explored, Generated: f.Generated, Elapsed: f.Elapsed, History: encode(f.History), Recorded: f.Recorded, RealTime: f.RealTime}
	m.Rank[0], m.Rank[1], m.Rank[2] = Rank(f.Program)
	for _, c := range f.Expected {
		m.Expected = append(m.Expected, ExpectedOutcome{c.Outcome.String(), c.Times})
	}
	return m
}

// encode returns the history in leadline's format.
func encode(h *history.History) string {
	var b bytes.Buffer
	native, _ := codec.Lookup("native")
	if err := native.Encode(&b, h); err != nil {
		return "# " + err.Error() + "\n"
	}
	return b.String()
}
