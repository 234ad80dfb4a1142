package stress

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/leadline/leadline/history/explore/worker"
)

// A SchedulesBuild builds the program that explores the schedules of an object. With plain,
// its plain loads and stores are steps, too. It returns nil if it has none that another thread
// may see.
type SchedulesBuild func(ctx context.Context, plain bool) (*worker.Program, error)

// Both searches with both executors. threads, which searches on threads, begins at once, and
// the program for schedules is built beside it. Schedules take over when that is there.
// If it cannot be built, threads goes on alone, and Report.NoSchedules says why; so it does
// if Options.Threads asks for that.
//
// Schedules are explored in up to two passes. In the first one, only synchronization takes
// steps: there are far fewer schedules, and most violations need no others. If it finds none in
// half of the effort, plain loads and stores are steps, too, in a second pass. The effort of the
// options is for schedules, or for threads alone; its time does not include the builds.
//
// Both returns the report of each pass, which has what the passes before have found, unless it has
// a violation of the same methods itself. A violation ends the search unless Options.GoOn is set;
// then Options.Found receives those of threads at the end, unless schedules find them, too, or as
// soon as it is known that there will be none.
//
// In a search for failures, threads have half of the effort, or all of it without schedules: only threads
// see torn values, such as a slice with the length of another one. The first failure ends the search.
//
// The account of the last report covers all passes. Only the sizes of programs are those of its own pass.
func Both(ctx context.Context, threads func(context.Context, Options) (*Report, error), build SchedulesBuild, o Options) ([]*Report, error) {
	reports, err := both(ctx, threads, build, o)
	finish(reports, &o)
	return reports, err
}

func both(ctx context.Context, threads func(context.Context, Options) (*Report, error), build SchedulesBuild, o Options) ([]*Report, error) {
	if o.Threads {
		r, err := threads(ctx, o)
		return reportsOf(r), err
	}
	building, giveUp := context.WithCancel(ctx)
	defer giveUp()
	during, end := context.WithCancel(ctx)
	defer end()
	var program *worker.Program
	var failure error
	built := make(chan struct{})
	found := held{found: o.Found}
	go func() {
		defer close(built)
		if program, failure = build(building, false); failure != nil {
			found.release(nil)
		} else if !o.Outcomes && !o.Failures {
			end()
		}
	}()
	if o.Failures {
		o.Effort = o.Effort.Or(DefaultEffort).left(Effort{}, 2)
	}
	begin := o
	if o.GoOn && o.Found != nil {
		begin.Found = found.add
	}
	first, err := threads(during, begin)
	if err != nil || ctx.Err() != nil || len(first.Findings)+len(first.Crashes) > 0 && !o.GoOn {
		giveUp()
		<-built
		found.release(nil)
		return reportsOf(first), err
	}
	<-built
	if failure != nil {
		reports := reportsOf(first)
		if o.Failures {
			o.Seed += 1 << 40
			second, err := threads(ctx, o)
			if reports = append(reports, reportsOf(second)...); err != nil {
				return reports, err
			}
		}
		reports[len(reports)-1].NoSchedules, _, _ = strings.Cut(failure.Error(), "\n")
		return reports, nil
	}
	reports, err := schedules(ctx, program, build, o)
	if slices.ContainsFunc(reports, (*Report).isUnsynchronised) {
		found.list, first.Findings, first.NonAtomic = nil, nil, nil // more examples of the same
		for _, r := range append(reports, first) {
			r.Atomic = nil
		}
	}
	found.release(reports)
	reports = append(reportsOf(first), reports...)
	for i, r := range reports[1:] {
		r.add(reports[i])
	}
	return reports, err
}

// held has violations of threads, while schedules may find the same and then have more to say.
type held struct {
	mu       sync.Mutex
	list     []*Finding
	released bool // nothing is held any more
	found    func(*Finding)
}

func (h *held) add(f *Finding) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released {
		h.found(f)
	} else {
		h.list = append(h.list, f)
	}
}

// release reports what no later report has, and from now on everything.
func (h *held) release(later []*Report) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range withoutThoseOf(h.list, later) {
		h.found(f)
	}
	h.list, h.released = nil, true
}

// withoutThoseOf returns the violations that no later report has.
func withoutThoseOf(list []*Finding, later []*Report) []*Finding {
	return slices.DeleteFunc(slices.Clone(list), func(f *Finding) bool {
		return slices.ContainsFunc(later, func(r *Report) bool {
			return slices.ContainsFunc(r.Findings, func(own *Finding) bool { return own.Fault == f.Fault && slices.Equal(own.Methods, f.Methods) })
		})
	})
}

// add adds what a pass before has found.
func (r *Report) add(before *Report) {
	r.Findings = append(withoutThoseOf(before.Findings, reportsOf(r)), r.Findings...)
	r.Crashes = slices.Concat(before.Crashes, r.Crashes)
	for _, m := range before.NonAtomic {
		if !slices.Contains(r.NonAtomic, m) {
			r.NonAtomic = append(r.NonAtomic, m)
		}
	}
	known := map[string]bool{}
	for _, f := range r.Findings {
		for _, m := range f.Methods {
			known[m] = known[m] || f.Fault == ""
		}
	}
	for _, m := range before.Atomic {
		if !slices.Contains(r.Atomic, m) {
			r.Atomic = append(r.Atomic, m)
		}
	}
	r.Atomic = slices.DeleteFunc(r.Atomic, func(m string) bool { return known[m] })
	tried := before.Account
	tried.Sizes = nil // which each pass has
	r.Account.add(&tried)
}

// schedules explores schedules in up to two passes, given the program of the first.
func schedules(ctx context.Context, program *worker.Program, build SchedulesBuild, o Options) ([]*Report, error) {
	whole := o.Effort.Or(DefaultEffort)
	o.Effort = whole
	if !o.Outcomes {
		o.Effort = whole.left(Effort{}, 2)
	}
	first, err := Supervise(ctx, *program, o)
	if err != nil || isEnough(first) || ctx.Err() != nil || o.Outcomes {
		return reportsOf(first), err
	}
	used := first.used(first.Elapsed)
	if whole.Over(used) != "" {
		return reportsOf(first), nil
	}
	if program, err = build(ctx, true); err != nil || program == nil {
		return reportsOf(first), err
	}
	o.Effort = whole.left(used, 1)
	bare := !first.Explored.Synchronised && first.Explored.Judged > 0
	if bare {
		o = unsynchronised(o)
	}
	second, err := Supervise(ctx, *program, o)
	if second != nil && second.Ended != "" { // the bound is one of both passes
		more := second.used(second.Elapsed)
		second.Ended = cmp.Or(whole.Over(Effort{0, used.Schedules + more.Schedules, used.Steps + more.Steps, used.Time + more.Time, 0}), second.Ended)
	}
	if bare && second != nil && len(second.Findings) > 0 {
		second.Findings = second.Findings[:1]
	}
	return append(reportsOf(first), reportsOf(second)...), err
}

// unsynchronised returns the options for an object without any synchronisation, as the first pass
// has shown: one violation is an example of all.
func unsynchronised(o Options) Options {
	report, told := o.Found, false
	o.GoOn = false
	o.Found = func(f *Finding) {
		if f.Unsynchronised = f.Fault == ""; report != nil && !told {
			report(f)
		}
		told = true
	}
	return o
}

// isUnsynchronised reports whether the report has such a violation.
func (r *Report) isUnsynchronised() bool {
	return slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.Unsynchronised })
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
