package composed

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
)

// A Report is what an exploration found out about a method.
type Report struct {
	Call string // of a function of a program, such as (*Cache).Length("a")
	// Reason is why the method was not checked, or not exercised, or "".
	Reason string
	// Ops and Preemptions are the bounds of the last search that was complete. Undecided executions
	// were neither explained nor violations; Waited ones did not end, or are beyond Options.Missing.
	Ops, Preemptions              int
	Executions, Undecided, Waited int64
	// Panics is the panic of the method in one of the executions, or "".
	Panics    string
	Violation *Violation
}

// A Violation is an execution that no atomic method explains.
type Violation struct {
	Steps       []Step   `json:"steps"`
	Contents    string   `json:"contents"` // of the collection at the end
	Differences []string `json:"differences"`
	Schedule    string   `json:"schedule"`
	Preemptions int      `json:"preemptions"`
	// Replay is for Options.Replay, and WrongPoint is whether another linearization point explains
	// the execution.
	Replay     string `json:"-"`
	WrongPoint bool   `json:"-"`
}

// A Step is an operation of the method, or of the environment.
type Step struct {
	Environment bool   `json:"environment"`
	Text        string `json:"text"`
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
	return x.operationName(c.operation) + "(" + strings.Join(texts, ", ") + ")"
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
func (x *checker) violation(f *explore.Found) *Violation {
	o := f.Detail.(*observed)
	v := &Violation{Schedule: f.Schedule.String(), Preemptions: f.Preemptions, Contents: o.texts[0][len(o.texts[0])-1]}
	if x.standIn != nil {
		x.replay(f, 0)
		v.Steps = x.loggedSteps(o)
		v.Replay = fmt.Sprintf("%d: %v", x.limit, f.Schedule)
		v.WrongPoint = x.isWrongPoint(f)
	} else {
		v.Steps = x.tracedSteps(f, o)
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

// tracedSteps returns the operations of a function of a program, from the places in Sites.
func (x *checker) tracedSteps(f *explore.Found, o *observed) (steps []Step) {
	r := schedule.Trace(&x.search.Body, f.Schedule, schedule.Limits{})
	add := func(environment bool, text string) { steps = append(steps, Step{environment, text}) }
	events, last := r.Events, -1
	for i := 0; i <= len(r.Trace); i++ {
		for ; len(events) > 0 && (int(events[0].Stamp) <= i || i == len(r.Trace)); events = events[1:] {
			e := events[0]
			switch {
			case !e.Return || e.Thread > 1:
			case e.Thread == 0:
				steps = append(steps, x.lastStep(o))
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
	return steps
}

// loggedSteps returns the operations of the method of Test in the last execution.
func (x *checker) loggedSteps(o *observed) (steps []Step) {
	at := 0
	for i := 0; i <= len(o.calls); i++ {
		for ; at < len(x.standIn.log.calls) && x.standIn.log.calls[at].after == i; at++ {
			c := x.standIn.log.calls[at]
			text := with(c.name+"("+x.list(c.args)+")", x.list(c.results))
			if at == x.standIn.log.point {
				text += " <- linearization point"
			}
			steps = append(steps, Step{Text: text})
		}
		if i == x.returnedAt {
			steps = append(steps, x.lastStep(o))
		}
		if i < len(o.calls) {
			steps = append(steps, Step{true, with(x.callText(o.calls[i]), o.environment(0, i))})
		}
	}
	return steps
}

// lastStep says how the method ends.
func (x *checker) lastStep(o *observed) Step {
	if x.panicked != "" {
		return Step{Text: strings.Replace(x.panicked, "panic:", "panics:", 1)}
	}
	return Step{Text: strings.TrimSpace("returns " + o.method(0))}
}

func (x *checker) list(values []any) string {
	var names []value
	for _, v := range values {
		names = append(names, x.names.value(v))
	}
	return x.text(names)
}

func with(call, result string) string {
	if result == "" {
		return call
	}
	return call + ": " + result
}

// isWrongPoint reports whether a violation of Test is none with the method at another place.
func (x *checker) isWrongPoint(f *explore.Found) bool {
	if x.standIn.log.point < 0 {
		return false
	}
	x.anyPoint = true
	defer func() { x.anyPoint = false }()
	o, _ := x.replay(f, 0)
	return x.judge(o) == explore.Explainable
}

// String returns the execution in two columns, and the reason why it is a violation.
func (v *Violation) String() string {
	var b strings.Builder
	indent := "  "
	if v.Replay != "" {
		if indent = ""; v.WrongPoint {
			b.WriteString("the linearization point is wrong: with the method at another place, this execution is linearizable\n\n")
		} else {
			b.WriteString("the method is not atomic\n\n")
		}
	}
	rows := [][2]string{{"the method", "the environment"}}
	for _, s := range v.Steps {
		if s.Environment {
			rows = append(rows, [2]string{"", s.Text})
		} else {
			rows = append(rows, [2]string{s.Text, ""})
		}
	}
	columns(&b, append(rows, [2]string{"", "then the collection holds " + v.Contents}))
	fmt.Fprintf(&b, "\n%sIf the method were atomic and ran\n", indent)
	for _, d := range v.Differences {
		fmt.Fprintf(&b, "%s  - %s\n", indent, d)
	}
	if v.Replay != "" {
		fmt.Fprintf(&b, "To reproduce: composed.Test(t, method, composed.Options{Replay: %q}), with the other options as they were\n", v.Replay)
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

// widest is the width of the left column at most; longer texts reach into the right one.
const widest = 60

// columns writes rows of two columns.
func columns(b *strings.Builder, rows [][2]string) {
	width := 0
	for _, r := range rows {
		if n := len([]rune(r[0])); n <= widest {
			width = max(width, n)
		}
	}
	for _, r := range rows {
		b.WriteString(strings.TrimRight(fmt.Sprintf("    %-*s   %s", width, r[0], r[1]), " ") + "\n")
	}
}
