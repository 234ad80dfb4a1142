package stress

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/stress/explore/schedule"
)

// outside is the thread of the initial and the final part in ScheduledStep.
const outside = -1

// steps runs a schedule once more and returns its steps, and what its blocked
// threads wait for. Those in left certainly wait forever.
func (x *explorer) steps(s schedule.Schedule, left []int) (list []ScheduledStep, blocked []string) {
	r := schedule.Trace(&x.run, s, schedule.Limits{})
	all := x.program.All()
	thread := func(n int) int {
		switch main := len(x.run.Threads); {
		case n == main:
			return outside
		case n > main:
			return n - 1
		}
		return n
	}
	events, end := r.Events, len(r.Trace)
	if r.Spins {
		end = min(end, lastChange(r)+shownSpins*len(x.run.Threads))
	}
	for i := range end + 1 {
		for len(events) > 0 && int(events[0].Stamp) <= i {
			e := events[0]
			events = events[1:]
			if int(e.Index) >= len(all) {
				continue
			}
			what := all[e.Index].String()
			if e.Return {
				what = "return " + short(x.outcome[e.Index])
			}
			list = append(list, ScheduledStep{Thread: thread(int(e.Thread)), What: what, Event: true})
		}
		if i == end {
			break
		}
		a := r.Trace[i]
		if a.Kind == schedule.Begin {
			continue
		}
		step := ScheduledStep{Thread: thread(int(a.Thread)), What: a.Kind.String()}
		if i < len(r.Details) {
			step.Place, step.Value = shortPlace(r.Details[i].Where()), r.Details[i].Note
		}
		list = append(list, step)
	}
	for i := range r.Blocked {
		b := &r.Blocked[i]
		if isLeft := slices.Contains(left, b.Thread); !isLeft && (!r.Deadlock || b.Daemon && !b.Spins && b.Holder < 0 && !holds(r.Blocked, b.Thread)) {
			continue // it may wait for ever
		}
		who := fmt.Sprintf("a goroutine of the object (thread %d)", thread(b.Thread))
		if place := b.Started(); b.Daemon && place != "" && b.Index >= 0 && b.Index < len(all) {
			who = fmt.Sprintf("a goroutine that %v started at %s (thread %d)", all[b.Index], shortPlace(place), thread(b.Thread))
		}
		if !b.Daemon && b.Index >= 0 && b.Index < len(all) {
			who = fmt.Sprintf("%v (thread %d)", all[b.Index], thread(b.Thread))
		}
		text := fmt.Sprintf("%s: %s at %s", who, b.What, shortPlace(b.Where()))
		if b.Holder >= 0 {
			text += fmt.Sprintf(", held by thread %d", thread(b.Holder))
		}
		blocked = append(blocked, text)
	}
	return list, blocked
}

// shownSpins is how many of the last steps of a hang are shown, for each thread of the program.
const shownSpins = 8

// lastChange returns the number of steps up to the last write, or to where an invocation
// begins or ends.
func lastChange(r *schedule.Result) int {
	n := len(r.Trace)
	for n > 0 && r.Trace[n-1].Kind != schedule.Write {
		n--
	}
	if len(r.Events) > 0 {
		n = max(n, int(r.Events[len(r.Events)-1].Stamp))
	}
	return n
}

// holds reports whether a thread holds what another one waits for.
func holds(list []schedule.Blocked, thread int) bool {
	return slices.ContainsFunc(list, func(b schedule.Blocked) bool { return b.Holder == thread })
}

// shortPlace returns file:line with the last directory.
func shortPlace(place string) string {
	place = filepath.ToSlash(place)
	return path.Join(path.Base(path.Dir(place)), path.Base(place))
}

// WriteSteps writes the steps of a schedule, one a line, with a column for each
// thread.
func WriteSteps(w io.Writer, steps []ScheduledStep) error {
	var threads []int
	for _, s := range steps {
		if !slices.Contains(threads, s.Thread) {
			threads = append(threads, s.Thread)
		}
	}
	slices.Sort(threads)
	width := map[int]int{}
	for _, s := range steps {
		width[s.Thread] = max(width[s.Thread], len([]rune(s.text())), len(threadName(s.Thread)))
	}
	row := func(number string, cell func(thread int) string) error {
		var b strings.Builder
		fmt.Fprintf(&b, "%4s", number)
		for _, t := range threads {
			fmt.Fprintf(&b, "  %-*s", width[t], cell(t))
		}
		_, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
		return err
	}
	if err := row("", threadName); err != nil {
		return err
	}
	n := 0
	for _, s := range steps {
		number := ""
		if !s.Event {
			n++
			number = fmt.Sprint(n)
		}
		if err := row(number, func(t int) string {
			if t != s.Thread {
				return ""
			}
			return s.text()
		}); err != nil {
			return err
		}
	}
	return nil
}

func threadName(t int) string {
	if t == outside {
		return "before and after"
	}
	return fmt.Sprintf("thread %d", t)
}

func (s *ScheduledStep) text() string {
	if s.Event {
		return s.What
	}
	text := "  " + s.What
	if s.Place != "" && s.Place != "." {
		text += " " + s.Place
	}
	if s.Value != "" {
		text += " " + s.Value
	}
	return text
}

// Comments of the file of a violation.
const (
	objectComment   = "# object: "
	programComment  = "# program: "
	scheduleComment = "# schedule: "
	stepComment     = "# | "
)

// ScheduleComments returns the object, the program, its schedule and the steps, as
// comments of a file in leadline's format; "" without a schedule. The object is
// for ReadSchedule, and may be empty.
func (f *Finding) ScheduleComments(object string) string {
	if f.Scheduled == nil {
		return ""
	}
	var table, text strings.Builder
	if object != "" {
		text.WriteString(objectComment + object + "\n")
	}
	text.WriteString(programComment + f.Program + "\n" + scheduleComment + f.Scheduled.Schedule + "\n")
	_ = WriteSteps(&table, f.Scheduled.Steps) // to memory
	for line := range strings.Lines(table.String()) {
		text.WriteString(stepComment + line)
	}
	return text.String()
}

// A SavedSchedule has the contents of the comments of a saved file.
type SavedSchedule struct{ Object, Program, Schedule, Steps string }

// ReadSchedule reads the comments at the beginning of a file. Fields without a comment
// are empty.
func ReadSchedule(text string) SavedSchedule {
	var s SavedSchedule
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "#") {
			break
		}
		for _, c := range []struct {
			prefix string
			to     *string
		}{{objectComment, &s.Object}, {programComment, &s.Program}, {scheduleComment, &s.Schedule}} {
			if rest, ok := strings.CutPrefix(line, c.prefix); ok {
				*c.to = rest
			}
		}
		if rest, ok := strings.CutPrefix(line, stepComment); ok {
			s.Steps += rest + "\n"
		}
	}
	return s
}
