package stress

import (
	"cmp"
	"time"
)

// An Effort bounds a search. Executions and steps do not depend on the clock, so a busy machine
// tries as much as an idle one, and takes longer. A bound of 0 is none; without any bound, those
// of the default hold.
type Effort struct {
	// Executions bounds those of all programs of a class on threads. Schedules bounds those that
	// are controlled, and Steps all steps of these.
	Executions, Schedules, Steps int64
	// Time caps the clock. The proof of a violation that is seen just before its end may take a
	// tenth more and some seconds.
	Time time.Duration
	// Program is how long a program without a violation runs on threads. A busy machine takes longer
	// for a usual number of executions.
	Program time.Duration
}

// What an idle machine does in a second: executions on threads (see the package documentation),
// schedules, and steps of schedules. For bundled objects, 29,000 to 77,000 schedules with 0.5 to 4
// million steps were measured in a second of processor time. The clock may take slack times as long.
const (
	idleExecutions = 1_000_000
	idleSchedules  = 50_000
	idleSteps      = 4_000_000
	slack          = 4
)

// DefaultEffort is what an idle machine does in two minutes, QuickEffort in ten seconds, and
// ShortEffort in one. Go tests have QuickEffort by default, and ShortEffort with -short.
var (
	ShortEffort   = idleEffort(time.Second, 20*time.Millisecond)
	QuickEffort   = idleEffort(10*time.Second, 20*time.Millisecond)
	DefaultEffort = idleEffort(2*time.Minute, 50*time.Millisecond)
)

func idleEffort(d, program time.Duration) Effort {
	seconds := int64(d / time.Second)
	return Effort{seconds * idleExecutions, seconds * idleSchedules, seconds * idleSteps, slack * d, program}
}

// Or returns the effort with the defaults filled in. A longer Program alone has the time that it needs.
func (e Effort) Or(usual Effort) Effort {
	usual.Program, usual.Time = cmp.Or(e.Program, usual.Program), max(usual.Time, 2*e.Program)
	if e == (Effort{Program: e.Program}) {
		return usual
	}
	e.Program = usual.Program
	return e
}

// Over returns the bound that was reached, given what was used, or "".
func (e Effort) Over(used Effort) string {
	switch {
	case e.Executions > 0 && used.Executions >= e.Executions:
		return counted(int(e.Executions), "execution", "executions")
	case e.Schedules > 0 && used.Schedules >= e.Schedules:
		return counted(int(e.Schedules), "schedule", "schedules")
	case e.Steps > 0 && used.Steps >= e.Steps:
		return counted(int(e.Steps), "step", "steps")
	case e.Time > 0 && used.Time >= e.Time:
		return e.Time.Round(10*time.Millisecond).String() + " on the clock"
	}
	return ""
}

// left returns what remains of the bounds, divided among n. No bound becomes 0.
func (e Effort) left(used Effort, n int) Effort {
	part := func(bound, used int64) int64 {
		if bound == 0 {
			return 0
		}
		return max((bound-used)/int64(n), 1)
	}
	return Effort{part(e.Executions, used.Executions), part(e.Schedules, used.Schedules), part(e.Steps, used.Steps), time.Duration(part(int64(e.Time), int64(used.Time))), e.Program}
}

// late is how much longer than its time, and a tenth, a search may take for its last violation, and
// verifyLate how much longer its supervisor may.
const late, verifyLate = 3 * time.Second, 5 * time.Second

// used returns what the search has used, given how long it took.
func (r *Report) used(took time.Duration) Effort {
	if r.Explored == nil {
		return Effort{Executions: r.Executions, Time: took}
	}
	return Effort{Schedules: r.Executions, Steps: r.Explored.Steps, Time: took}
}

// Ending returns which bound ended the search, or "" if it ended by itself.
func (r *Report) Ending() string {
	if r.Ended == "" {
		return ""
	}
	return "ended by its bound of " + r.Ended
}
