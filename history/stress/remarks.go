package stress

import (
	"fmt"
	"slices"
)

// Passed returns a line about a search without violations: how much it ran, and what
// ended it. It is "" if there are violations, or if nothing could be judged.
func (r *Report) Passed() string {
	if _, nothing := r.Unsteadiness(); nothing || r.Executions == 0 || len(r.Findings)+len(r.Crashes) > 0 {
		return ""
	}
	what := []string{"execution", "executions"}
	if r.Explored != nil {
		what = []string{"schedule", "schedules"}
		if !slices.ContainsFunc(r.Account.Methods, func(m *MethodAccount) bool { return m.Instrumented }) {
			return "no violation on threads; schedules show nothing, as no call took a step (with --threads or Options.Threads, threads have all of the time)"
		}
	}
	line := fmt.Sprintf("no violation in %s and %s", counted(r.Account.programs(), "program", "programs"), counted(int(r.Executions), what[0], what[1]))
	if ending := r.Ending(); ending != "" {
		line += "; " + ending
	}
	return line
}
