package composed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/worker"
)

// Checked is what Serve found out about a target.
type Checked struct {
	Call string // of the method, such as (*Cache).Length("a")
	// Reason is why the target was not checked, or not exercised, or "".
	Reason string
	// Ops and Preemptions are the bounds of the last search that was complete: searches have one
	// operation of the environment, then two, with one preemption and then two. Undecided executions
	// were neither explained nor violations; Waited ones did not end.
	Ops, Preemptions              int
	Executions, Undecided, Waited int64
	Violation                     *CheckedViolation
}

// A CheckedViolation is an execution that no atomic method explains.
type CheckedViolation struct {
	Steps       []CheckedStep `json:"steps"`
	Contents    string        `json:"contents"` // of the collection at the end
	Differences []string      `json:"differences"`
	Schedule    string        `json:"schedule"`
	Preemptions int           `json:"preemptions"`
}

// A CheckedStep is an operation of the method, or of the environment.
type CheckedStep struct {
	Environment bool   `json:"environment"`
	Text        string `json:"text"`
}

// CheckAll explores the targets of a program, which calls Serve, and reports each of them. A target that
// ends the process, or takes no step for some time, does not keep the others from being explored.
func CheckAll(ctx context.Context, program worker.Program, silence time.Duration, targets int, each func(int, *Checked)) error {
	var p *worker.Process
	defer func() {
		if p != nil {
			p.Close()
		}
	}()
	for i := range targets {
		if p == nil {
			var err error
			if p, err = worker.Start(ctx, program, worker.Guard{Silence: silence}); err != nil {
				return err
			}
		}
		c := &Checked{}
		_ = p.Send(i) // Receive has the error
		err := p.Receive(c)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if death := (*worker.Death)(nil); errors.As(err, &death) {
			c.Reason = death.Error()
			if death.Cause == worker.Silent {
				c.Reason = fmt.Sprintf("it waits for something outside of the scheduler, or does not end: no step in %v", silence)
			}
			p.Close()
			p = nil
		} else if err != nil {
			return err
		}
		each(i, c)
	}
	return nil
}

// Serve is the main function of a program that explores targets for CheckAll. It returns the exit status.
func Serve(targets []Target) int {
	return worker.Serve(func(ctx context.Context, conn *worker.Conn) error {
		for {
			var i int
			if err := conn.Receive(&i); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			conn.Send(Check(ctx, &targets[i], conn.Alive))
		}
	})
}

// Check explores a target. It calls moved again and again. Arguments of type bool are true and, if that
// shows no violation, false.
func Check(ctx context.Context, t *Target, moved func()) *Checked {
	var c *Checked
	for _, no := range []bool{false, true} {
		b, now := newBody(t), &Checked{}
		b.no = no
		if err := now.explore(ctx, b, moved); err != nil {
			now.Reason = err.Error()
		}
		if c == nil || now.Violation != nil || c.Reason != "" && now.Reason == "" {
			c = now
		}
		if c.Violation != nil || !slices.ContainsFunc(b.args, func(a reflect.Value) bool { return a.Kind() == reflect.Bool }) {
			break
		}
	}
	return c
}

// explore searches the executions of a body.
func (c *Checked) explore(ctx context.Context, b *body, moved func()) error {
	x := &checker{body: b, expected: map[string]*expectation{}, opaque: map[reflect.Type]bool{}, seen: map[string]*observed{}, moved: moved}
	alone, err := x.choose()
	if err != nil {
		return err
	}
	c.Call = x.call()
	if err := x.prepare(); err != nil {
		return err
	}
	if err := x.explore(ctx, c); err != nil || c.Violation != nil || c.Reason != "" {
		return err
	}
	switch exercised := slices.ContainsFunc(x.returns, x.exercised); {
	case x.unfit != "" && alone == "":
		c.Reason = "not exercised: with each value of the environment, it panics: " + strings.TrimPrefix(x.unfit, "panic: ")
	case exercised && c.Undecided > 0:
		c.Reason = fmt.Sprintf("%d of %d executions could not be judged: they differ when they are repeated, for instance by what a global variable refers to", c.Undecided, c.Executions)
	case exercised && c.Ops == 0:
		c.Reason = fmt.Sprintf("%d executions are not all of those with one operation of the environment and one preemption", c.Executions)
	case exercised:
	case alone != "":
		c.Reason = "not exercised: " + alone
	default:
		c.Reason = "not exercised: in no execution did it return after a second operation"
		if why := cmp.Or(x.panics, x.blocked); why != "" {
			c.Reason += "; " + why
		}
	}
	return nil
}

// choose sets the first maker whose receiver serves: the method alone returns. It returns why the
// method does not, or "".
func (x *checker) choose() (alone string, err error) {
	makers := len(x.Makers) + 1
	if x.Receiver == "" {
		makers = 1
	}
	for x.maker = range makers {
		program := &schedule.Program{Before: x.before, Threads: []func(){x.method}, After: func() {}}
		r := schedule.Run(program, schedule.NewReplay(nil), schedule.Limits{})
		text := x.panicked
		switch {
		case x.failure != nil:
			if x.maker == makers-1 && alone == "" {
				return "", x.failure
			}
			continue
		case r.Panic != nil:
			text = explore.PanicText(r.Panic)
		case r.Deadlock && len(r.Blocked) > 0:
			text = waitText(r)
		case r.Cut:
			text = "it does not end in 5,000 steps"
		}
		if text == "" {
			return "", nil
		}
		if alone == "" {
			alone = "alone, " + strings.Replace(text, "panic:", "it panics:", 1)
		}
	}
	x.maker = 0
	return alone, nil
}

// waitText says where the first thread waits.
func waitText(r *schedule.Result) string {
	b := &r.Blocked[0]
	if b.Spins {
		return "it spins at " + b.Where()
	}
	return "it waits for " + b.What + " at " + b.Where()
}

// prepare chooses what the environment does, after one more run of the method alone.
func (x *checker) prepare() (err error) {
	program := &schedule.Program{Before: x.before, Threads: []func(){func() {}}, After: func() {}}
	schedule.Run(program, schedule.NewReplay(nil), schedule.Limits{})
	var before []string
	keys, _ := x.entries()
	for _, k := range keys {
		before = append(before, valueText(x.value(k)))
	}
	program.Threads[0] = x.method
	schedule.Run(program, schedule.NewReplay(nil), schedule.Limits{})
	if _, panicked := protect(func() []reflect.Value { x.fill(before); return nil }); panicked != "" {
		return fmt.Errorf("its collection cannot be reached: %s", panicked)
	}
	if len(x.alphabet) == 0 {
		return errors.New("the environment has no values for its collection")
	}
	x.expect()
	return nil
}

// call returns the text of the call of the method.
func (x *checker) call() string {
	args := x.args
	if x.Receiver != "" {
		args = args[1:]
	}
	var texts []string
	for _, a := range args {
		texts = append(texts, valueText(x.names.value(a.Interface())))
	}
	return x.Name + "(" + strings.Join(texts, ", ") + ")"
}

// callText returns the text of a call of the environment.
func (x *checker) callText(call int) string {
	c := x.alphabet[call]
	var texts []string
	for _, a := range c.args {
		texts = append(texts, valueText(x.names.value(x.pool[a].Interface())))
	}
	name, _, _ := strings.Cut(x.Operations[c.operation], " ")
	return name + "(" + strings.Join(texts, ", ") + ")"
}

// site returns the number of the operation of the function that took a step, or -1.
func (x *checker) site(d *schedule.Detail) int {
	return slices.IndexFunc(x.Sites, func(s string) bool {
		place, _, _ := strings.Cut(s, " ")
		file, line, _ := strings.Cut(place, ":")
		n, _ := strconv.Atoi(line)
		return d.Within(file, n)
	})
}

// exercised reports whether the method runs two operations in an execution.
func (x *checker) exercised(s schedule.Schedule) bool {
	r := schedule.Trace(&x.search.Body, s, schedule.Limits{})
	first := -1
	for i, a := range r.Trace {
		if at := x.site(&r.Details[i]); a.Thread == 0 && at >= 0 {
			if first >= 0 && (x.Sites[at] != x.Sites[first] || x.Loops[at]) {
				return true
			}
			first = at
		}
	}
	return false
}

// violation describes an execution.
func (x *checker) violation(f *explore.Found) *CheckedViolation {
	o := f.Detail.(*observed)
	v := &CheckedViolation{Schedule: f.Schedule.String(), Preemptions: f.Preemptions, Contents: o.texts[0][len(o.texts[0])-1]}
	with := func(call, result string) string {
		if result == "" {
			return call
		}
		return call + ": " + result
	}
	r := schedule.Trace(&x.search.Body, f.Schedule, schedule.Limits{})
	add := func(environment bool, text string) { v.Steps = append(v.Steps, CheckedStep{environment, text}) }
	events, last := r.Events, -1
	for i := 0; i <= len(r.Trace); i++ {
		for ; len(events) > 0 && (int(events[0].Stamp) <= i || i == len(r.Trace)); events = events[1:] {
			e := events[0]
			switch {
			case !e.Return || e.Thread > 1:
			case e.Thread == 0 && x.panicked != "":
				add(false, strings.Replace(x.panicked, "panic:", "panics:", 1))
			case e.Thread == 0:
				add(false, strings.TrimSpace("returns "+o.method(0)))
			case int(e.Index) < len(o.calls):
				add(true, with(x.callText(o.calls[e.Index]), o.environment(0, int(e.Index))))
			}
			last = -1
		}
		if i == len(r.Trace) || r.Trace[i].Thread != 0 {
			continue
		}
		at := x.site(&r.Details[i])
		if at < 0 || at == last && !x.Loops[at] {
			continue
		}
		last = at
		place, name, _ := strings.Cut(x.Sites[at], " ")
		note := r.Details[i].Note
		if !strings.HasPrefix(note, "found ") && note != "not found" { // of a part of the operation
			note = ""
		}
		add(false, with(name+" ("+place+")", note))
	}
	for i, texts := range o.texts {
		at := o.began + i
		where := "before the environment's operations"
		if at > 0 {
			where = "after " + x.callText(o.calls[at-1])
		}
		v.Differences = append(v.Differences, where+": "+x.difference(o, at, texts))
	}
	return v
}

// String returns the execution in two columns, and the reason why it is a violation.
func (v *CheckedViolation) String() string {
	var b strings.Builder
	rows := [][2]string{{"the method", "the environment"}}
	for _, s := range v.Steps {
		if s.Environment {
			rows = append(rows, [2]string{"", s.Text})
		} else {
			rows = append(rows, [2]string{s.Text, ""})
		}
	}
	columns(&b, append(rows, [2]string{"", "then the collection holds " + v.Contents}))
	b.WriteString("\n  If the method were atomic and ran\n")
	for _, d := range v.Differences {
		fmt.Fprintf(&b, "    - %s\n", d)
	}
	return b.String()
}

// method returns the result of the method as a string, and environment the result of a call.
func (o *observed) method(i int) string { return o.texts[i][o.began+i] }

func (o *observed) environment(i, call int) string {
	if call >= o.began+i {
		call++
	}
	return o.texts[i][call]
}

// difference says what an atomic method at a place would do otherwise.
func (x *checker) difference(o *observed, at int, texts []string) string {
	e := x.alone(o.calls, at)
	if len(e.texts) == 0 {
		return "it would wait"
	}
	for i, text := range e.texts[0] {
		switch {
		case text == texts[i]:
		case i == len(texts)-1:
			return "the collection would hold " + text
		case i == at:
			return "the method would return " + text
		case i < at:
			return x.callText(o.calls[i]) + " would return " + text
		default:
			return x.callText(o.calls[i-1]) + " would return " + text
		}
	}
	return "nothing would be the same"
}
