package composed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// judge returns a Violation if no atomic method explains the run, or nil.
func (x *explorer) judge(r *run) (*Violation, error) {
	v, err := x.judgeOnce(r)
	if v == nil || len(r.names.made) == 0 {
		return v, err
	}
	// The target of a pointer is compared only if it is the same in two runs. A time of
	// day differs, for instance.
	again := x.again(r.chosen)
	known := len(x.opaque)
	for i := range r.names.made {
		if i < len(again.names.made) && again.names.content(i, nil) != r.names.content(i, nil) {
			x.opaque[r.names.made[i].Type()] = true
		}
	}
	if len(x.opaque) == known {
		return v, err
	}
	clear(x.verdicts)
	return x.judge(again)
}

// A place is a place of the method among the environment's operations, and the first
// difference of the run that is atomic there.
type place struct {
	where, what string // what is "" if nothing is different
	contents    bool   // only the contents at the end are different
}

func (p place) same() bool { return p.what == "" }

func (x *explorer) judgeOnce(r *run) (*Violation, error) {
	r.finish()
	env := r.history()
	key := fmt.Sprint(r.point >= 0, r.before(r.point), r.observations(0))
	if x.verdicts[key] {
		return nil, nil
	}
	all := make([]place, len(env)+1) // of the method, by the number of operations before it
	for at := range all {
		var err error
		if all[at], err = x.place(r, env, at); err != nil {
			return nil, err
		}
	}
	given := all
	if r.point >= 0 {
		at := r.before(r.point)
		given = all[at : at+1]
	}
	x.verdicts[key] = slices.ContainsFunc(given, place.same)
	if x.verdicts[key] {
		return nil, nil
	}
	v := &Violation{c: x.c, run: r, places: given, Ops: r.used, Replay: r.replayText(), Runs: x.report.Runs}
	v.Contents = slices.ContainsFunc(given, func(p place) bool { return p.contents })
	v.WrongPoint = slices.ContainsFunc(all, func(p place) bool { return p.same() || p.contents && !v.Contents })
	return v, nil
}

// finish sets the contents that the environment reads after the run.
func (r *run) finish() { r.contents = r.list(r.known(r.state)) }

// history returns the events of the environment.
func (r *run) history() []event {
	return slices.DeleteFunc(slices.Clone(r.events), func(e event) bool { return !e.environment })
}

// before returns how many operations of the environment come before an event.
func (r *run) before(event int) int {
	n := 0
	for i, e := range r.events {
		if i < event && e.environment {
			n++
		}
	}
	return n
}

// place runs the method alone, after the first at operations of the environment and
// before the others. It compares with the run r.
func (x *explorer) place(r *run, env []event, at int) (place, error) {
	s := x.newRun()
	for _, e := range env[:at] {
		s.repeat(r, e)
	}
	start := s.state.clone()
	key := string(start.AppendKey(nil))
	if s.pending = x.endless[key]; !s.pending {
		s.call(x.method)
		x.endless[key] = s.pending
	}
	if s.result.Kind() == history.Exception && x.report.Panics == "" {
		x.report.Panics = fmt.Sprintf("%s, in the state %s", s.result.Text(), x.c.contents(s.list(start)))
	}
	s.state = s.known(s.state)
	for _, e := range env[at:] {
		s.repeat(r, e)
	}
	s.finish()
	p := place{where: "before the environment's operations"}
	switch {
	case len(env) == 0:
		p.where = "alone"
	case at > 0:
		p.where = "after " + callText(r.named(env[at-1]).Invocation)
	}
	recorded, replayed := r.observations(at), s.observations(at)
	for i, text := range replayed {
		if text != recorded[i] && p.same() {
			p.what, p.contents = text, i > len(env)
		}
	}
	return p, s.wrong
}

// repeat runs an operation of r's environment. An argument that is one of the method's
// own pointers is in the map there, see adjacent, so it has to be in the map here, too.
func (s *run) repeat(r *run, e event) {
	inv := e.Invocation
	inv.Args = each(inv.Args, func(v value) value {
		if !isOwn(v) {
			return v
		}
		there := s.state.do("get", inv.Args[0])
		if s.name(there).Equal(r.name(v)) {
			return there
		}
		return history.ListValue(history.StringValue("a pointer that is not in the map"))
	})
	s.names.see(s.apply(inv, true).result)
	s.state = s.known(s.state)
}

// observations returns what is compared, for a method that runs after at operations of the
// environment: the results of all operations, and the contents at the end. The method's own
// pointers have numbers in this order, with the result of the method after the environment.
func (r *run) observations(at int) []string {
	var list []string
	for _, e := range r.history() {
		e = r.named(e)
		list = append(list, callText(e.Invocation)+" would return "+r.x.c.resultText(e.Invocation, e.result))
	}
	result := "the method would return " + valueText(r.name(r.result))
	if r.pending {
		result = "the method would not end"
	}
	list = slices.Insert(list, at, result)
	return append(list, "the "+r.x.c.name+" would hold "+r.x.c.contents(each(r.contents, r.name)))
}

// name returns the name of a value in the history.
func (r *run) name(v value) value { return r.names.name(v, r.x.opaque) }

func (r *run) named(e event) event {
	e.Args, e.result = each(e.Args, r.name), r.name(e.result)
	return e
}

func each(list []value, f func(value) value) []value {
	list = slices.Clone(list)
	for i, v := range list {
		list[i] = f(v)
	}
	return list
}

// A Violation is a run that no atomic method explains.
type Violation struct {
	Ops        int    // number of operations of the environment
	Runs       int    // number of runs up to this one, as in Report
	Contents   bool   // the results can be explained, the contents afterwards cannot
	WrongPoint bool   // another order explains it: the linearization point is wrong
	Replay     string // for Options.Replay
	// Repair is an atomic method that does what the method does alone, such as
	// "LoadOrStore(7, 49), and return its value". It was tested, and the text ends with the
	// numbers of states and runs. It is "" if the linearization point is wrong, and with
	// Options.Missing.
	Repair string

	c      *collection
	run    *run
	places []place
}

// String returns the run as a picture in two columns, as in Figures 7 and 9, the
// reason why it is a violation, and how to repeat it.
func (v *Violation) String() string {
	var b strings.Builder
	r := v.run
	if v.WrongPoint {
		b.WriteString("the linearization point is wrong: with the method at another place, this run is linearizable\n\n")
	} else {
		b.WriteString("the method is not atomic\n\n")
	}
	rows := [][2]string{{"the method", "the environment"}}
	for i, e := range r.events {
		e = r.named(e)
		switch text := v.c.text(e.Invocation, e.result); {
		case e.environment:
			rows = append(rows, [2]string{"", text})
		case i == r.point:
			rows = append(rows, [2]string{text, "<- linearization point"})
		default:
			rows = append(rows, [2]string{text, ""})
		}
	}
	rows = append(rows, [2]string{"returns " + valueText(r.name(r.result)), ""})
	if v.Contents {
		rows = append(rows, [2]string{"", "then the " + v.c.name + " holds " + v.c.contents(each(r.contents, r.name))})
	}
	columns(&b, rows)
	b.WriteString("\nIf the method were atomic and ran\n")
	for _, p := range v.places {
		fmt.Fprintf(&b, "  - %s: %s\n", p.where, p.what)
	}
	if v.Repair != "" {
		fmt.Fprintf(&b, "Repair: %s\n", v.Repair)
	}
	fmt.Fprintf(&b, "To reproduce: composed.Test(t, method, composed.Options{Replay: %q}), with the other options as they were\n", v.Replay)
	return b.String()
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
