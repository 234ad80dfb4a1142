package composed

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

// In a history, the method and the final read of the collection are separate
// operations. Their names do not begin with a capital letter, unlike those of the
// collection's operations.
const (
	methodName   = "method"
	contentsName = "contents"
)

// A reference is the specification of a collection that has the method under test
// as one atomic operation.
type reference struct{ x *explorer }

// Name implements replay.Spec.
func (s reference) Name() string { return "composed " + s.x.c.name }

// Check implements replay.Spec. The histories come from this package.
func (s reference) Check(*history.Operation) error { return nil }

// New implements replay.Spec.
func (s reference) New() replay.Object { return &referenceState{x: s.x, base: s.x.c.fresh()} }

// Trusted implements replay.Trusted. There are many small histories, and the tests
// of this package probe the specification.
func (s reference) Trusted() {}

type referenceState struct {
	x    *explorer
	base replay.State
	// method is what the method did, or nil before it has run.
	method *effect
}

// An effect is what the method does alone in a state.
type effect struct {
	result  value
	next    replay.State
	missing []value // the values in next that count as missing
}

// Apply implements replay.Object, for the operations other than the method.
func (s *referenceState) Apply(inv replay.Invocation) (value, bool) {
	if inv.Method == contentsName {
		return history.ListValue(s.x.c.list(s.base.Clone())...), true
	}
	result := s.x.abstract(inv, s.x.c.apply(s.base, inv), s.missing)
	s.forget()
	return result, true
}

// Outcomes implements replay.Nondeterministic. The method has an outcome for each
// renaming of its own pointers.
func (s *referenceState) Outcomes(inv replay.Invocation) []replay.Outcome {
	if inv.Method != methodName {
		next := s.Clone()
		result, _ := next.Apply(inv)
		return []replay.Outcome{{Result: result, Next: next}}
	}
	if s.method != nil { // a history has one call of the method
		return nil
	}
	var outcomes []replay.Outcome
	for _, e := range s.x.runAlone(s.base) {
		outcomes = append(outcomes, replay.Outcome{Result: e.result, Next: &referenceState{s.x, e.next.Clone(), e}})
	}
	return outcomes
}

// forget removes the keys whose values are missing.
func (s *referenceState) forget() {
	if s.x.o.Missing != nil {
		s.base = s.base.(*mapState).without(s.missing)
	}
}

func (s *referenceState) missing(v value) bool {
	missing := s.x.missing
	if s.method != nil {
		missing = s.method.missing
	}
	return slices.ContainsFunc(missing, v.Equal)
}

// Clone implements replay.State.
func (s *referenceState) Clone() replay.State {
	return &referenceState{s.x, s.base.Clone(), s.method}
}

// AppendKey implements replay.State.
func (s *referenceState) AppendKey(dst []byte) []byte {
	if s.method == nil {
		return s.base.AppendKey(append(dst, 0))
	}
	dst = append(dst, 1)
	if s.x.o.Missing != nil { // which values are missing depends on the method
		dst = history.ListValue(s.method.missing...).AppendKey(dst)
	}
	return s.base.AppendKey(dst)
}

// runAlone returns the effects of the method when it runs alone in state s: one for each
// renaming of its own pointers, or none if the method does not end.
func (x *explorer) runAlone(s replay.State) []*effect {
	key := string(s.AppendKey(nil))
	if known, ok := x.alone[key]; ok {
		return known
	}
	r := &run{x: x, alone: true}
	r.start(s.Clone())
	var effects []*effect
	if !r.pending {
		effects = r.effects()
	}
	if r.result.Kind() == history.Exception && x.report.Panics == "" {
		x.report.Panics = fmt.Sprintf("%s, in the state %s", r.result.Text(), x.c.contents(x.c.list(s.Clone())))
	}
	x.alone[key] = effects
	return effects
}

func (r *run) effects() []*effect {
	next, missing := r.state, []value(nil)
	if r.x.o.Missing != nil {
		next, missing = r.state.(*mapState).without(r.missing), r.allMissing()
	}
	list := r.x.c.list(next.Clone())
	m := renaming{}
	for _, v := range append([]value{r.result}, list...) {
		m.adds(v)
	}
	if len(m) == 0 {
		return []*effect{{r.result, next, missing}}
	}
	if len(m) > maxOwn {
		r.x.wrong = fmt.Errorf("composed: the method returns or leaves %d pointers of its own; the limit is %d", len(m), maxOwn)
		return nil
	}
	var effects []*effect
	for _, p := range m.permutations() {
		p = p.with(&r.names, r.x.opaque)
		effects = append(effects, &effect{p.of(r.result), r.x.c.filled(p.all(list)), p.all(missing)})
	}
	return effects
}

// allMissing returns the values that count as missing now.
func (r *run) allMissing() []value {
	var list []value
	for _, v := range r.x.values {
		if r.missing(v) {
			list = add(list, v)
		}
	}
	for _, e := range r.events {
		for _, v := range r.x.c.values(e.Invocation) {
			if r.missing(v) {
				list = add(list, v)
			}
		}
	}
	return list
}

// finish sets the contents that the environment reads after the run, and renumbers the
// method's own pointers in the order in which they occur in the history.
func (r *run) finish() {
	s := r.state
	if r.x.o.Missing != nil {
		s = s.(*mapState).without(r.missing)
	}
	r.contents = r.x.c.list(s.Clone())
	if len(r.names.made) == 0 {
		return
	}
	m := renaming{}
	for _, e := range r.events {
		if e.environment {
			for _, a := range e.Args {
				m.adds(a)
			}
			m.adds(e.result)
		}
	}
	m.adds(r.result)
	for _, v := range r.contents {
		m.adds(v)
	}
	for _, e := range r.events { // pointers that do not occur in the history come last
		for _, v := range append(slices.Clone(e.Args), e.result) {
			m.adds(v)
		}
	}
	m = m.with(&r.names, r.x.opaque)
	for i := range r.events {
		e := &r.events[i]
		e.Args, e.result = m.all(e.Args), m.of(e.result)
	}
	r.result, r.contents = m.of(r.result), m.all(r.contents)
}

// judge returns a Violation if no atomic method explains the run, or nil.
func (x *explorer) judge(r *run) (*Violation, error) {
	v, err := x.judgeOnce(r)
	if v == nil || len(r.names.made) == 0 {
		return v, err
	}
	// The target of a pointer is compared only if it is the same in two runs. A time of
	// day differs, for instance.
	again := x.run(r.chosen, r.limit, nil)
	known := len(x.opaque)
	for i := range r.names.made {
		if number := strconv.Itoa(i + 1); i < len(again.names.made) && again.names.content(number, nil) != r.names.content(number, nil) {
			x.opaque[r.names.made[i].Type()] = true
		}
	}
	if len(x.opaque) == known {
		return v, err
	}
	clear(x.alone)
	clear(x.verdicts)
	return x.judge(again)
}

func (x *explorer) judgeOnce(r *run) (*Violation, error) {
	whole := x.o.Places&Return != 0
	r.finish()
	good, err := x.linearizable(r, whole, r.pointAt)
	if err != nil || good {
		return nil, err
	}
	v := &Violation{c: x.c, run: r, Contents: whole, Ops: r.used, Replay: r.replayText(), Runs: x.report.Runs}
	if whole { // the results alone may be a violation
		good, err = x.linearizable(r, false, r.pointAt)
		v.Contents = good
	}
	if err == nil && r.pointAt >= 0 {
		v.WrongPoint, err = x.linearizable(r, v.Contents, -1)
	}
	v.places = x.explain(r, v)
	return v, err
}

// linearizable reports whether the history of a run is linearizable. If whole is true,
// the history ends with the contents of the collection. If lp is not negative, the
// method takes effect after lp operations of the environment.
func (x *explorer) linearizable(r *run, whole bool, lp int) (bool, error) {
	b := history.NewBuilder(history.Header{Model: "composed"})
	key := []byte{byte(lp + 1)}
	operation := func(process int64, inv replay.Invocation, result value) {
		b.Add(&history.Event{Type: history.Invoke, Process: history.IntValue(process), Method: inv.Method, Args: inv.Args})
		b.Add(&history.Event{Type: history.OK, Process: history.IntValue(process), Result: result})
		key = result.AppendKey(appendInvocation(key, inv))
	}
	method := replay.Invocation{Method: methodName}
	if lp < 0 {
		b.Add(&history.Event{Type: history.Invoke, Process: history.IntValue(0), Method: methodName})
	}
	n := 0
	for _, e := range r.events {
		if !e.environment {
			continue
		}
		if n == lp {
			operation(0, method, r.result)
		}
		operation(1, e.Invocation, e.result)
		n++
	}
	switch {
	case lp < 0:
		b.Add(&history.Event{Type: history.OK, Process: history.IntValue(0), Result: r.result})
		key = r.result.AppendKey(key)
	case lp == n:
		operation(0, method, r.result)
	}
	if whole {
		operation(1, replay.Invocation{Method: contentsName}, history.ListValue(r.contents...))
	}
	if known, ok := x.verdicts[string(key)]; ok {
		return known, nil
	}
	h, err := b.Build()
	if err != nil {
		return false, fmt.Errorf("composed: %w", err)
	}
	v, err := decide.Check(x.ctx, h, reference{x}, replay.Options{Engine: replay.SearchEngine})
	if err == nil {
		err = x.wrong
	}
	if err == nil && !v.Decided() {
		err = fmt.Errorf("the history is undecided: %v", v.Cause)
	}
	if err != nil {
		return false, fmt.Errorf("composed: %w", err)
	}
	x.verdicts[string(key)] = v.Answer == replay.Linearizable
	return v.Answer == replay.Linearizable, nil
}

// A Violation is a run that no atomic method explains.
type Violation struct {
	Ops        int    // number of operations of the environment
	Runs       int    // number of runs up to this one, as in Report
	Contents   bool   // the results can be explained, the contents afterwards cannot
	WrongPoint bool   // another order explains it: the linearization point is wrong
	Replay     string // for Options.Replay

	c      *collection
	run    *run
	places []place
}

// A place is a place of the method among the environment's operations, and the first
// difference from the run there.
type place struct{ where, what string }

// explain returns the first difference for each place of the method.
func (x *explorer) explain(r *run, v *Violation) []place {
	env := slices.DeleteFunc(slices.Clone(r.events), func(e event) bool { return !e.environment })
	var places []place
	for at := range len(env) + 1 {
		if r.pointAt >= 0 && at != r.pointAt {
			continue
		}
		p := place{where: "before the environment's operations"}
		switch {
		case len(env) == 0:
			p.where = "alone"
		case at > 0:
			p.where = "after " + callText(env[at-1].Invocation)
		}
		p.what = x.difference(r, env, at, v.Contents)
		places = append(places, p)
	}
	return places
}

// difference returns the first result that is not as recorded if the method runs
// after the given number of operations. If there are several renamings, it uses the
// one that agrees with the record for longest.
func (x *explorer) difference(r *run, env []event, at int, whole bool) string {
	s := reference{x}.New().(replay.State)
	for _, e := range env[:at] {
		if result, _ := s.Apply(e.Invocation); !result.Equal(e.result) {
			return x.would(e, result)
		}
	}
	outcomes := replay.Transitions(s, replay.Invocation{Method: methodName})
	if len(outcomes) == 0 {
		return "the method would not end"
	}
	most, text := -1, ""
	for _, o := range outcomes {
		if done, what := x.differenceAfter(r, o, env[at:], whole); done > most {
			most, text = done, what
		}
	}
	return text
}

func (x *explorer) differenceAfter(r *run, o replay.Outcome, env []event, whole bool) (int, string) {
	if !o.Result.Equal(r.result) {
		return 0, "the method would return " + valueText(o.Result)
	}
	for i, e := range env {
		if result, _ := o.Next.Apply(e.Invocation); !result.Equal(e.result) {
			return 1 + i, x.would(e, result)
		}
	}
	if left := x.c.list(o.Next.(*referenceState).base.Clone()); whole && !slices.EqualFunc(left, r.contents, value.Equal) {
		return 1 + len(env), "the " + x.c.name + " would hold " + x.c.contents(left)
	}
	return 2 + len(env), "nothing would be different"
}

func (x *explorer) would(e event, result value) string {
	return callText(e.Invocation) + " would return " + x.c.resultText(e.Invocation, result)
}

// String returns the run as a picture in two columns, as in Figures 7 and 9, the
// reason why it is a violation, and how to repeat it.
func (v *Violation) String() string {
	var b strings.Builder
	r := v.run
	switch {
	case v.WrongPoint:
		b.WriteString("the linearization point is wrong: with the method at another place, this run is linearizable\n\n")
	default:
		b.WriteString("the method is not atomic\n\n")
	}
	width := len("the method")
	for _, e := range r.events {
		if !e.environment {
			width = max(width, len([]rune(v.c.text(e.Invocation, e.result))))
		}
	}
	line := func(left, right string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("    %-*s   %s", width, left, right), " ") + "\n")
	}
	line("the method", "the environment")
	for i, e := range r.events {
		switch text := v.c.text(e.Invocation, e.result); {
		case e.environment:
			line("", text)
		case r.pointAt >= 0 && i == r.pointEvent:
			line(text, "<- linearization point")
		default:
			line(text, "")
		}
	}
	line("returns "+valueText(r.result), "")
	if v.Contents {
		line("", "then the "+v.c.name+" holds "+v.c.contents(r.contents))
	}
	b.WriteString("\nIf the method were atomic and ran\n")
	for _, p := range v.places {
		fmt.Fprintf(&b, "  - %s: %s\n", p.where, p.what)
	}
	fmt.Fprintf(&b, "To reproduce: composed.Test(t, method, composed.Options{Replay: %q}), with the other options as they were\n", v.Replay)
	return b.String()
}
