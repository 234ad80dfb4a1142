package stress

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// finish completes the account of the last of several passes.
func finish(passes []*Report, o *Options) {
	if len(passes) == 0 {
		return
	}
	last := passes[len(passes)-1]
	a := &last.Account
	_, levels, _ := o.Levels()
	named := slices.Concat(o.Core, o.ReadOnly, slices.Collect(maps.Keys(levels)))
	for _, m := range a.Methods { // a specification may have it with a lower-case letter
		m.Named = m.Named || slices.ContainsFunc(named, func(name string) bool { return strings.EqualFold(name, m.Name) })
	}
	for _, r := range passes {
		var lines []string
		if line, nothing := r.Unsteadiness(); r != last || !nothing {
			lines = append(lines, line)
		}
		if len(r.MayWait) > 0 {
			lines = append(lines, "may wait for ever, as only schedules can tell, so that threads do not judge their programs: "+strings.Join(r.MayWait, " "))
		}
		if r.Explored != nil {
			lines = append(lines, r.Explored.Remarks()...)
		}
		for _, line := range slices.DeleteFunc(lines, func(line string) bool { return line == "" }) {
			a.Omit(Omission{What: line})
		}
		if r.NoSchedules != "" {
			a.Omit(Omission{What: "schedules were not explored", Why: r.NoSchedules})
		}
		if r.Memory > 0 {
			a.Omit(Omission{What: fmt.Sprintf("a process ended early, as objects kept %d MB", r.Memory>>20), Remedy: "Options.Close of a Go test can release them"})
		}
	}
}

// NotExercised returns a line about what several passes have not exercised: everything, or methods
// that the options name. It is "" if there are none.
func NotExercised(passes []*Report) (line string, nothing bool) {
	last := passes[len(passes)-1]
	isJudged := func(r *Report) bool {
		_, nothing := r.Unsteadiness()
		return r.Executions > 0 && !nothing
	}
	if slices.ContainsFunc(last.Account.LeftOut, func(o Omission) bool { return o.Given }) {
		return "not all of the given programs could be run", false
	}
	if !slices.ContainsFunc(passes, isJudged) {
		if line, nothing = last.Unsteadiness(); !nothing {
			line = "nothing could be judged, as no program was run"
		}
		return line, true
	}
	var names []string
	nothing = true
	for _, m := range last.Account.Methods {
		if nothing = nothing && m.Exercised == 0; m.Exercised == 0 && m.Named {
			names = append(names, m.Name)
		}
	}
	switch {
	case nothing:
		return "nothing was exercised, as nothing took a step between the begin and the return of a call", true
	case len(names) > 0:
		return "named, and not exercised: " + strings.Join(names, " "), false
	}
	return "", false
}

// Tried returns lines about what several passes have tried. What they have left out is in the
// account of the last one.
func Tried(passes []*Report) []string {
	var lines []string
	last := passes[len(passes)-1]
	scheduled := false
	for _, r := range passes {
		scheduled = scheduled || r.Explored != nil
		if r.Executions == 0 && r != last {
			continue // threads were left to schedules, or had no time
		}
		line := fmt.Sprintf("%s; %v", r.Coverage(), r.Elapsed.Round(10*time.Millisecond))
		if r != last && r.Explored == nil {
			line += "; then schedules:"
		} else if r != last {
			line += "; then plain loads and stores as steps, too:"
		}
		lines = append(append(lines, line), r.sizes()...)
	}
	a := &last.Account
	lines = append(lines, a.table(scheduled)...)
	if a.Sequences > 0 {
		line := fmt.Sprintf("bounds: at most %d sequences, %d calls in them, %s", a.Sequences, a.Invocations, counted(a.Values, "value", "values"))
		if scheduled {
			line += ", " + counted(a.Preemptions, "preemption", "preemptions")
		}
		lines = append(lines, line)
	}
	if last.Together > 0 {
		lines = append(lines, counted(last.Together, "program was", "programs were")+" compared with runs in which calls that wait for one another are open together, as no other order lets them return")
	}
	if last.Waited > 0 {
		lines = append(lines, counted(int(last.Waited), "execution", "executions")+" waited for ever")
	}
	if last.Explored != nil {
		for _, text := range last.Explored.Varying {
			lines = append(lines, "the result of a call depends on the schedule, though nothing else is called: "+text)
		}
	}
	return lines
}

// sizes returns a line for each number of sequences that programs had, or each size if all programs of
// the size are known.
func (r *Report) sizes() (lines []string) {
	for list := r.Account.Sizes; len(list) > 0; {
		n := 1
		for n < len(list) && list[n].Sequences == list[0].Sequences && list[n].Of == 0 {
			n++
		}
		var all SizeAccount
		for _, s := range list[:n] {
			all.Programs += s.Programs
			for b, programs := range s.Complete {
				all.Completed(b, programs)
			}
		}
		calls := fmt.Sprint(list[0].Invocations)
		if n > 1 {
			calls += fmt.Sprintf(" to %d", list[n-1].Invocations)
		}
		programs := counted(all.Programs, "program", "programs")
		if of := list[0].Of; of > 0 {
			programs = fmt.Sprintf("%d of all %d programs", all.Programs, of)
		}
		lines = append(lines, fmt.Sprintf("%s of %s calls: %s%s", counted(list[0].Sequences, "sequence", "sequences"), calls, programs, r.completeness(&all)))
		list = list[n:]
	}
	return lines
}

// completeness says to which bounds programs are complete: the largest one that all of them have
// reached, and those beyond it.
func (r *Report) completeness(s *SizeAccount) (text string) {
	one, many, least := "preemption", "preemptions", 0
	if r.Explored != nil && r.Explored.ByDelays > 0 {
		one, many = "delay", "delays"
	}
	for b, n := range s.Complete {
		if n == s.Programs {
			least = b
		}
	}
	for b, n := range s.Complete {
		if b < least || n == 0 {
			continue
		}
		bound := fmt.Sprintf("to %d", b)
		if b > r.Account.Preemptions {
			bound = "without a bound"
		} else if text == "" {
			bound = "to " + counted(b, one, many)
		}
		if text == "" {
			bound = "complete " + bound
		}
		if n < s.Programs {
			bound = fmt.Sprintf("%d %s", n, bound)
		}
		text += ", " + bound
	}
	return text
}

// table returns the lines of a table of the methods.
func (a *Account) table(scheduled bool) []string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "method\tprograms\texercised in\tsteps\tnote")
	for _, m := range a.Methods {
		steps := "-"
		if scheduled {
			steps = map[bool]string{false: "no", true: "yes"}[m.Instrumented]
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\n", m.Name, m.Programs, m.Exercised, steps, m.note())
	}
	w.Flush()
	var lines []string
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return lines
}

// note says what is missing to call a method atomic.
func (m *MethodAccount) note() string {
	switch {
	case m.Programs == 0:
		return "not called"
	case m.Returned == 0:
		return "never returned"
	case m.Exercised == 0:
		return "not exercised"
	case !m.Ordered:
		return "no result shows an order"
	case !m.Twice:
		return "never beside itself"
	}
	return ""
}
