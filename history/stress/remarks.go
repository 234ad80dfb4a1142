package stress

import (
	"cmp"
	"fmt"
	"slices"
)

// Passed returns a line about a search without violations: how much it ran, and whether
// the clock ended it. It is "" if there are violations, or if nothing could be judged.
func (r *Report) Passed() string {
	if _, nothing := r.Unsteadiness(); nothing || len(r.Findings)+len(r.Crashes) > 0 {
		return ""
	}
	what := []string{"execution", "executions"}
	if r.Explored != nil {
		what = []string{"schedule", "schedules"}
	}
	line := fmt.Sprintf("no violation in %s and %s", counted(r.Programs, "program", "programs"), counted(int(r.Executions), what[0], what[1]))
	if r.Clock {
		line += "; the clock ended the search, so a busier machine tries less"
	}
	return line
}

// Waits returns lines about programs in which calls wait for one another.
func (r *Report) Waits() []string {
	var lines []string
	if r.Together > 0 {
		lines = append(lines, counted(r.Together, "program was", "programs were")+" compared with runs in which calls that wait for one another are open together, as no other order lets them return")
	}
	if r.Hopeless > 0 {
		lines = append(lines, counted(r.Hopeless, "program has", "programs have")+" no order in which every call returns; such programs are run only if they are given")
	}
	return lines
}

// hiding returns the methods to leave out so that a search finds what their violations
// hide: of each set of methods that are not called in parallel any more, the read-only
// ones, or else all. It returns nil if no method that changes the object would be left.
func (s *searcher) hiding() []string {
	given := slices.ContainsFunc(s.options.Methods, func(m string) bool { return m != "" })
	if len(s.programs) > 0 || given || s.class.hasCore() {
		return nil
	}
	sets := s.options.Apart
	if !s.separates() {
		for _, f := range s.report.Findings {
			if f.Fault == "" {
				sets = append(slices.Clip(sets), f.program.parallel())
			}
		}
	}
	out := map[*Method]bool{}
	for _, set := range slices.SortedStableFunc(slices.Values(sets), func(a, b []string) int { return cmp.Compare(len(a), len(b)) }) {
		isOut := func(name string) bool { return out[s.class.Method(name)] }
		isReadOnly := func(name string) bool { return s.class.Method(name).ReadOnly }
		if slices.ContainsFunc(set, isOut) {
			continue // without that one, the violation is gone
		}
		observed := slices.ContainsFunc(set, isReadOnly)
		for _, name := range set {
			if !observed || isReadOnly(name) {
				out[s.class.Method(name)] = true
			}
		}
	}
	var names []string
	mutator := false
	for _, m := range s.class.Methods {
		if out[m] {
			names = append(names, cmp.Or(m.goName, m.Name))
		} else {
			mutator = mutator || !m.ReadOnly && !m.Weak
		}
	}
	if !mutator {
		return nil
	}
	return names
}

// acquit makes the methods to blame Suspect if the core methods are not atomic
// themselves: whatever was blamed on one of them may be the fault of the others.
func (r *Report) acquit() {
	if !slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.isAbout("") }) {
		return
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f *Finding) bool { return f.Fault == "" && f.Method != "" })
	r.Suspect = append(r.Suspect, r.NonAtomic...)
	slices.Sort(r.Suspect)
	r.Suspect, r.NonAtomic = slices.Compact(r.Suspect), nil
}
