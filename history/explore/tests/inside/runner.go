package inside

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/testing"
)

// An execution has fewSteps at most, or more while those of the first execution are not enough, up to mostSteps: a
// process has 512 MiB. A test without goroutines may have aloneSteps, since it needs less memory for each.
const (
	fewSteps   = 100_000
	mostSteps  = 2_000_000
	aloneSteps = 6_000_000
)

// The kinds of faults. One is Failed if the test fails by itself.
const (
	panics    = "panic"
	fatal     = "fatal error"
	Failed    = "failed"
	deadlock  = "deadlock"
	leak      = "leak"
	noFault   = ""
	maybeLeak = "leak?"
)

// A runner explores one test. It is the oracle of the search.
type runner struct {
	name    string
	test    func(*testing.T)
	t       *testing.T // of the present execution
	search  *explore.Search
	job     Job
	report  *Report
	alive   func()
	beats   atomic.Int64 // executions
	seen    map[string]*explore.Seen
	checks  int
	foreign bool
	known   map[string]string // the goroutines before the first execution
}

// An outcome is what an execution showed.
type outcome struct {
	kind, text string
	stack      string
	output     string
	collected  string
	threads    int
	left       []int    // threads that wait for ever
	places     []string // where they do
}

func (o *outcome) leaves(b *schedule.Blocked) {
	o.left, o.places = append(o.left, b.Thread), append(o.places, b.Where())
}

// same reports whether two outcomes are the same fault.
func (o *outcome) same(p *outcome) bool { return o.kind == p.kind && o.text == p.text }

func newRunner(ctx context.Context, name string, test func(*testing.T), job Job, alive func()) *runner {
	x := &runner{name: name, test: test, job: job, alive: alive, report: &Report{Test: name, Complete: -1}, seen: map[string]*explore.Seen{}}
	x.search = &explore.Search{Ctx: ctx, Oracle: x, Whole: true, Result: &explore.Exploration{Complete: -1},
		Body: schedule.Program{Threads: []func(){x.body}}}
	if job.Replay == nil {
		x.job.Bounds = Bounds{-1, fewSteps}
	}
	x.limit()
	return x
}

// limit sets the limits of executions.
func (x *runner) limit() {
	x.search.Limits = schedule.Limits{Steps: x.job.MaxSteps, Test: true, Ticks: x.job.Ticks, Tick: 1}
}

// body is the thread of the test. When the test has ended, time passes until nothing else happens.
func (x *runner) body() {
	x.t = testing.New(x.name, x.job.Run)
	schedule.Invocation(0, 0)
	defer func() {
		if x.t.Done() && !schedule.Ending() {
			schedule.Rest()
			schedule.Returned()
		}
	}()
	x.t.Body(x.test)
}

// explore explores the test.
func (x *runner) explore() {
	o := x.once()
	if x.foreign {
		x.report.Fault, x.report.Refused = nil, foreign
	}
	if x.over(o) {
		return
	}
	before := int64(0)
	search := func() {
		before = x.report.Executions
		plan := explore.Plan{Preemptions: cmp.Or(x.job.Preemptions, 2), Executions: cmp.Or(x.job.Executions, 20_000),
			Time: x.time(), Seed: x.job.Seed}
		if plan.Preemptions < 0 {
			plan.Preemptions = 0
		}
		if err := x.search.Explore(plan); err != nil {
			x.report.Refused = err.Error()
		}
		x.count()
	}
	search()
	if x.job.Timers == Anytime && len(x.search.Result.Found) == 0 && x.report.Refused == "" {
		complete, byDelays := x.report.Complete, x.report.ByDelays
		x.job.Ticks = schedule.Ticks
		x.limit()
		x.seen = map[string]*explore.Seen{}
		search()
		x.report.Complete, x.report.ByDelays = min(complete, x.report.Complete), byDelays || x.report.ByDelays
	}
	if x.foreign {
		x.report.Refused = foreign
	}
	if found := x.search.Result.Found; len(found) > 0 && x.report.Refused == "" {
		x.found(found[0].Detail.(*outcome), found[0].Schedule, found[0].Preemptions, before+found[0].Execution)
	}
}

// time returns how long a search may take.
func (x *runner) time() time.Duration {
	return cmp.Or(x.job.Time, 10*time.Second)
}

const foreign = "a goroutine of a package that is not instrumented takes part in it"

// once runs the first schedule twice.
func (x *runner) once() *outcome {
	var outcomes [2]*outcome
	var prints [2]uint64
	var traces [2][]schedule.Access
	start := time.Now()
	runtime.GC() // the goroutines of the collector do not count
	for i := range outcomes {
		before := created()
		r := x.search.Execute(schedule.NewReplay(nil))
		x.report.Uncontrolled = int64(created()-before) - int64(r.Made)
		for i == 0 && (r.Cut || r.Spins) && r.Steps >= x.job.MaxSteps && time.Since(start) < x.time() {
			most := mostSteps
			if r.Spawned == 0 {
				most = aloneSteps
			}
			if x.job.MaxSteps >= most {
				break
			}
			x.job.MaxSteps = min(5*x.job.MaxSteps, most)
			x.limit()
			*x.report = Report{Test: x.name, Complete: -1}
			r = x.search.Execute(schedule.NewReplay(nil))
		}
		o, s := x.outcome(r), slices.Clone(r.Schedule)
		prints[i], traces[i] = r.Fingerprint, slices.Clone(r.Trace[:min(len(r.Trace), fewSteps)])
		x.confirm(o, s)
		if outcomes[i] = o; i == 0 && o.kind != noFault {
			x.count()
			x.found(o, s, 0, 1)
			return o
		}
	}
	x.count()
	if x.report.Uncontrolled > 0 && x.report.Threads == 1 {
		x.report.Refused = fmt.Sprintf("it starts goroutines in packages that are not instrumented (%d), which no schedule controls", x.report.Uncontrolled)
	}
	a, b := outcomes[0], outcomes[1]
	if !a.same(b) || prints[0] != prints[1] {
		x.report.Refused = "it keeps state, or uses real time or random numbers: its second execution, with the schedule of the first one, differs" + x.difference(traces[0], traces[1])
		if b.kind != noFault {
			x.report.Refused += " (" + b.kind + ": " + b.text + ")"
		}
		if places := schedule.Unfinished(); len(places) > 0 {
			x.report.Refused += "; it may need a goroutine that init or TestMain has started, at " + strings.Join(places, ", ")
		}
	}
	return a
}

// created returns how many goroutines this process has made.
func created() uint64 {
	samples := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	if metrics.Read(samples); samples[0].Value.Kind() != metrics.KindUint64 {
		return 0 // an older Go
	}
	return samples[0].Value.Uint64()
}

// difference says where two executions differ first, as far as a third one shows it.
func (x *runner) difference(a, b []schedule.Access) string {
	n := 0
	for n < min(len(a), len(b)) && a[n].Thread == b[n].Thread && a[n].Kind == b[n].Kind && a[n].Flags == b[n].Flags {
		n++
	}
	if r := schedule.Trace(&x.search.Body, nil, x.search.Limits); n < len(r.Details) {
		if place := r.Details[n].Where(); place != "" {
			return fmt.Sprintf(" in step %d, about %s", n+1, explore.ShortPlace(place))
		}
	}
	return ""
}

// over reports whether there is nothing to explore after the first execution.
func (x *runner) over(o *outcome) bool {
	if x.t.Skipped() && o.kind == noFault {
		x.report.Skipped = true
	}
	return x.report.Skipped || x.report.Refused != "" || x.report.Fault != nil
}

// count adds the executions of a search to the report.
func (x *runner) count() {
	e, r := x.search.Result, x.report
	r.Executions += e.Executions
	r.Steps += e.Steps
	r.Diverged += e.Diverged
	r.Complete, r.ByDelays = e.Complete, e.ByDelays
}

// Ran implements explore.Oracle.
func (x *runner) Ran(r *schedule.Result) {
	x.beats.Add(1)
	x.alive()
	x.report.Threads = max(x.report.Threads, r.Spawned+1)
	x.foreign = x.foreign || r.Foreign > 0
	switch {
	case r.Cut:
		x.report.Cut++
		if x.report.CutBy == "" {
			x.report.CutBy = x.cutBy(r)
		}
	case r.Spins:
		x.report.Spun++
		x.report.CutBy = cmp.Or(x.report.CutBy, "goroutines spin for ever")
	case !r.Pruned && !r.Diverged:
		x.report.Ended++
	}
}

func (x *runner) cutBy(r *schedule.Result) string {
	switch {
	case r.Steps >= x.search.Limits.Steps:
		return fmt.Sprintf("more than %d steps", x.search.Limits.Steps)
	case r.Crowded && r.Spawned >= schedule.MostSpawned:
		return fmt.Sprintf("more than %d goroutines and timers in all", schedule.MostSpawned)
	case r.Crowded:
		return fmt.Sprintf("more than %d goroutines and timers at a time", schedule.MaxThreads)
	}
	for _, b := range r.Blocked { // what polls waits for nothing
		if place := b.Where(); b.What == "" && place != "" {
			return "goroutines only sleep or poll, at " + explore.ShortPlace(place)
		}
	}
	return "goroutines only sleep or poll"
}

// outcome says what an execution that has just ended showed. Whether a leak is one has to be confirmed.
func (x *runner) outcome(r *schedule.Result) *outcome {
	o := &outcome{output: x.t.Logged(), collected: r.Collected, threads: r.Spawned + 1}
	switch {
	case r.Fatal != "": // also if the program has recovered from it
		if o.kind, o.text = fatal, strings.TrimPrefix(r.Fatal, "fatal error: "); r.Crash != nil {
			o.text, o.stack = o.text+placeOf(r.Crash.Trace()), r.Crash.Trace()
		}
	case r.Panic != nil:
		o.kind, o.text, o.stack = panics, strings.TrimPrefix(explore.PanicText(r.Panic), "panic: ")+placeOf(r.Crash.Trace()), r.Crash.Trace()
		if f, ok := r.Panic.(schedule.Fatal); ok {
			o.kind, o.text = fatal, string(f)+placeOf(r.Crash.Trace())
		}
	case r.Cut && len(r.Blocked) > 0 && !r.Crowded:
		o.kind, o.text = maybeLeak, fmt.Sprint("cut ", r.Places)
	case r.Cut, r.Deadlock && r.Spins:
	case r.Deadlock:
		o.kind, o.text = deadlock, waits(r.Blocked)
	case x.t.Failed():
		o.kind, o.text = Failed, x.t.First()
	case r.Left > 0:
		if o.kind, o.text = maybeLeak, fmt.Sprint("end ", r.Places); x.job.Leaks == AtEnd {
			o.kind, o.text = leak, waits(r.Blocked)
			for _, b := range r.Blocked {
				o.leaves(&b)
			}
		}
	}
	if o.kind == maybeLeak && x.job.Leaks != Forever {
		o.kind = noFault
	}
	return o
}

// waits says which threads wait, and where.
func waits(list []schedule.Blocked) string {
	var texts []string
	for i := range list {
		b := &list[i]
		if b.Where() == "" { // a timer
			continue
		}
		who := "a goroutine"
		if !b.Daemon {
			who = "the test"
		}
		texts = append(texts, fmt.Sprintf("%s waits for %s at %s", who, cmp.Or(b.What, "its turn"), explore.ShortPlace(b.Where())))
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), "; ")
}

// placeOf returns the first place in a trace that is not of the library or of leadline.
func placeOf(trace string) string {
	for line := range strings.Lines(trace) {
		line = strings.TrimSpace(line)
		file, _, _ := strings.Cut(line, " ")
		if strings.Contains(file, ".go:") && !strings.Contains(file, "/history/explore/") && !isStandard(file) {
			return ", at " + path.Base(path.Dir(filepath.ToSlash(file))) + "/" + path.Base(filepath.ToSlash(file))
		}
	}
	return ""
}

// mostChecks bounds how often leaks are confirmed: each one needs collections of garbage.
const mostChecks = 200

// confirm sees whether what may be a leak is one.
func (x *runner) confirm(o *outcome, s schedule.Schedule) {
	if o.kind != maybeLeak {
		return
	}
	o.kind, o.text = noFault, ""
	if x.checks++; x.checks > mostChecks {
		x.report.Unchecked++
		return
	}
	if list := schedule.Forever(&x.search.Body, s, x.search.Limits); len(list) > 0 {
		o.kind, o.text = leak, waits(list)
		for _, b := range list {
			o.leaves(&b)
			if !b.Daemon {
				o.kind = deadlock
			}
		}
	}
}

// Record implements explore.Oracle.
func (x *runner) Record(r *schedule.Result) *explore.Seen {
	o := x.outcome(r)
	key := o.kind + " " + o.text
	seen := x.seen[key]
	if seen == nil {
		seen = &explore.Seen{}
		x.seen[key] = seen
	}
	seen.Detail = o
	return seen
}

// Describe implements explore.Oracle.
func (x *runner) Describe(s *explore.Seen, f *explore.Found, _ *schedule.Result) { f.Detail = s.Detail }

// Judge implements explore.Oracle.
func (x *runner) Judge(s *explore.Seen, f *explore.Found, _ int) (bool, error) {
	o := f.Detail.(*outcome)
	x.confirm(o, f.Schedule)
	if s.Verdict = explore.Explainable; o.kind != noFault {
		s.Verdict = explore.Violates
	}
	return o.kind != noFault, nil
}

// Postpones, Suspect, IsFault and Moved implement explore.Oracle.
func (x *runner) Postpones(*explore.Found) bool { return false }

func (x *runner) Suspect(*explore.Seen, *schedule.Result, int) *explore.Found { return nil }

func (x *runner) IsFault(*explore.Seen, *explore.Found) bool { return false }

func (x *runner) Moved() { x.alive() }
