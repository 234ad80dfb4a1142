package stress

import "fmt"

// Passed returns a line about a search without violations: how much it ran, and what
// ended it. It is "" if there are violations, or if nothing could be judged.
func (r *Report) Passed() string {
	if _, nothing := r.Unsteadiness(); nothing || len(r.Findings)+len(r.Crashes) > 0 {
		return ""
	}
	what := []string{"execution", "executions"}
	if r.Explored != nil {
		what = []string{"schedule", "schedules"}
	}
	line := fmt.Sprintf("no violation in %s and %s", counted(r.Programs, "program", "programs"), counted(int(r.Executions), what[0], what[1]))
	if ending := r.Ending(); ending != "" {
		line += "; " + ending
	}
	return line
}

// Waits returns lines about programs in which calls wait for one another, and about those that
// are not run.
func (r *Report) Waits() []string {
	var lines []string
	if r.Together > 0 {
		lines = append(lines, counted(r.Together, "program was", "programs were")+" compared with runs in which calls that wait for one another are open together, as no other order lets them return")
	}
	if r.Hopeless > 0 {
		lines = append(lines, counted(r.Hopeless, "program has", "programs have")+" no order in which every call returns; such programs are run only if they are given")
	}
	if r.Misused > 0 {
		lines = append(lines, counted(r.Misused, "program is", "programs are")+" left out, as a misuse of a lock is no fault of it, such as "+r.Misuse)
	}
	for _, line := range r.Refused {
		lines = append(lines, "not run: "+line)
	}
	return lines
}
