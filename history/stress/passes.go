package stress

import (
	"cmp"
	"context"
	"time"

	"github.com/leadline/leadline/history/stress/worker"
)

// A SchedulesBuild builds the program that explores the schedules of an object. With plain, its plain loads and stores are steps, too. It returns nil if
// it has none that another thread may see.
type SchedulesBuild func(ctx context.Context, plain bool) (*worker.Program, error)

// SupervisePasses explores schedules in up to two passes. Each is a call of Supervise. In the
// first one, only synchronization takes steps: there are far fewer schedules, and most
// violations need no others. If it finds none in half of the time, plain loads and stores are
// steps, too, in a second pass. SupervisePasses returns the report of each pass. The time does
// not include the builds.
func SupervisePasses(ctx context.Context, build SchedulesBuild, o Options) ([]*Report, error) {
	whole := cmp.Or(o.Effort, DefaultEffort)
	program, err := build(ctx, false)
	if err != nil {
		return nil, err
	}
	o.Effort = whole
	o.Effort.Time = whole.Time / 2
	begin := time.Now()
	first, err := Supervise(ctx, *program, o)
	if err != nil || isEnough(first) || ctx.Err() != nil {
		return reportsOf(first), err
	}
	left := whole.Time - time.Since(begin)
	if program, err = build(ctx, true); err != nil || program == nil {
		return reportsOf(first), err
	}
	o.Effort.Time = left
	second, err := Supervise(ctx, *program, o)
	return append(reportsOf(first), reportsOf(second)...), err
}

// isEnough reports whether no second pass is needed: something was found, or the process
// ended before it explored anything.
func isEnough(r *Report) bool { return len(r.Findings)+len(r.Crashes) > 0 || r.Explored == nil }

// reportsOf returns a list of a report, unless it is nil.
func reportsOf(r *Report) []*Report {
	if r == nil {
		return nil
	}
	return []*Report{r}
}
