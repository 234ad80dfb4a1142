package tests

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/leadline/leadline/history/explore"
)

func counted(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}

// Says describes what became of a test.
func (r *Result) Says() string {
	switch r.Status() {
	case Refused:
		return r.Refused
	case Skipped:
		return "the test skips itself"
	case Sequential:
		return "it starts no goroutine, so there is one schedule"
	case Faulty:
		return r.Fault.Kind + ": " + strings.ReplaceAll(r.Fault.Text, "\n", "\n    ")
	}
	text := counted(int64(r.Executions), "execution")
	kind := "preemptions"
	if r.ByDelays {
		kind = "delays"
	}
	switch {
	case r.Complete >= explore.Unbounded:
		text += ", which are all schedules"
	case r.Complete >= 0:
		text += fmt.Sprintf(", all with up to %d %s", r.Complete, kind)
	default:
		text += ", not even all without preemption"
	}
	if r.Cut > 0 {
		text += fmt.Sprintf("; %d cut (%s)", r.Cut, r.CutBy)
	}
	if r.Spun > 0 {
		text += fmt.Sprintf("; %d spin for ever", r.Spun)
	}
	if r.Diverged > 0 {
		text += fmt.Sprintf("; %d did not follow their schedule", r.Diverged)
	}
	if r.Unchecked > 0 {
		text += fmt.Sprintf("; whether goroutines that were left can end was not looked at %s", counted(r.Unchecked, "time"))
	}
	if r.Uncontrolled > 0 {
		text += fmt.Sprintf("; no schedule controls %s of packages that are not instrumented", counted(r.Uncontrolled, "goroutine"))
	}
	return text
}

// shownSteps is how many of the last steps of a fault are printed.
const shownSteps = 40

// WriteFault writes what is known of a fault: who waits, its last steps, and how it was found.
func (r *Result) WriteFault(w io.Writer, indent string) error {
	f := r.Fault
	var b strings.Builder
	for _, text := range f.Threads {
		fmt.Fprintln(&b, text)
	}
	if steps := f.Trace; len(steps) > 0 {
		if n := len(steps) - shownSteps; n > 0 {
			fmt.Fprintf(&b, "the last %d steps of %d:\n", shownSteps, f.Length)
			steps = steps[n:]
		}
		if err := explore.WriteSteps(&b, steps); err != nil {
			return err
		}
	}
	if f.Stack != "" {
		fmt.Fprintln(&b, ownFrames(f.Stack))
	}
	if f.Output != "" {
		fmt.Fprintln(&b, strings.TrimSpace(f.Output))
	}
	fmt.Fprintf(&b, "schedule %s\n", cmp.Or(f.Schedule, "without a choice"))
	switch {
	case r.Known:
		fmt.Fprintf(&b, "still there with the schedule saved in %s\n", r.Saved)
	default:
		fmt.Fprintf(&b, "in execution %d; then %s and %s; replayed %d of %d times, and in %d new processes; %d of %d random schedules show it\n", f.Execution,
			counted(int64(f.Preemptions), "preemption"), counted(int64(f.Length), "step"), f.Replayed, f.Replays, f.Fresh, f.Random, f.Randoms)
	}
	if r.NotSaved != "" {
		fmt.Fprintf(&b, "it could not be saved: %s\n", r.NotSaved)
	}
	for line := range strings.Lines(b.String()) {
		if _, err := io.WriteString(w, indent+line); err != nil {
			return err
		}
	}
	return nil
}

// ownFrames returns a stack without the frames of leadline and the runtime.
func ownFrames(stack string) string {
	lines := strings.Split(strings.TrimSpace(stack), "\n")
	var kept []string
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "github.com/leadline/leadline/history/explore/") || strings.HasPrefix(lines[i], "panic(") {
			i++ // its place
			continue
		}
		kept = append(kept, strings.ReplaceAll(lines[i], "leadline__", ""))
	}
	return strings.Join(kept, "\n")
}
