package explore

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/explore/schedule"
)

// Outside is the thread of a Step before the threads of a body begin, and after they have ended.
const Outside = -1

// A Step is a step of a thread, or the beginning or the end of a call.
type Step struct {
	// Thread counts the threads of the body first, and then goroutines that they started; it may be
	// Outside.
	Thread int    `json:"thread"`
	Event  bool   `json:"event,omitempty"` // a call begins or ends
	What   string `json:"what"`            // the call, its result, or what kind of step
	Place  string `json:"place,omitempty"` // file:line
	Value  string `json:"value,omitempty"` // that was read or written, if it is known
}

// A Blocked thread waits for ever, or spins.
type Blocked struct {
	*schedule.Blocked
	Text string // who waits, for what, where, and who holds it
	For  string // for what and where, as history.Wait has it
}

// shownSpins is how many of the last steps of a hang are shown, for each thread of the body.
const shownSpins = 8

// Steps runs a schedule once more. It returns its steps, and the threads that wait for ever at its
// end: all of them if it is a deadlock, and those in left, which certainly do. call names the call of
// a number, or is "" if there is none, and result names what it returned.
func (s *Search) Steps(by schedule.Schedule, left []int, call, result func(index int) string) (list []Step, blocked []Blocked) {
	r := schedule.Trace(&s.Body, by, s.Limits)
	events, end := r.Events, len(r.Trace)
	if r.Spins {
		end = min(end, lastChange(r)+shownSpins*len(s.Body.Threads))
	}
	for i := range end + 1 {
		for len(events) > 0 && int(events[0].Stamp) <= i {
			e := events[0]
			events = events[1:]
			what := call(int(e.Index))
			if what == "" {
				continue
			}
			if e.Return {
				what = "return " + result(int(e.Index))
			}
			list = append(list, Step{Thread: s.shown(int(e.Thread)), What: what, Event: true})
		}
		if i == end || r.Trace[i].Kind == schedule.Begin {
			continue
		}
		step := Step{Thread: s.shown(int(r.Trace[i].Thread)), What: r.Trace[i].Kind.String()}
		if i < len(r.Details) {
			step.Place, step.Value = ShortPlace(r.Details[i].Where()), r.Details[i].Note
		}
		list = append(list, step)
	}
	for i := range r.Blocked {
		b := &r.Blocked[i]
		if isLeft := slices.Contains(left, b.Thread); isLeft || r.Deadlock && (s.Whole || !b.Daemon || b.Spins || b.Holder >= 0 || holds(r.Blocked, b.Thread)) {
			blocked = append(blocked, Blocked{b, s.waits(b, call(b.Index)), s.waitsFor(b)})
		}
	}
	return list, blocked
}

// shown returns the number of a thread in steps. The scheduler counts what runs outside of the threads
// after these.
func (s *Search) shown(thread int) int {
	switch main := len(s.Body.Threads); {
	case thread == main:
		return Outside
	case thread > main:
		return thread - 1
	}
	return thread
}

// waits says which thread waits where, for what, and who holds it.
func (s *Search) waits(b *schedule.Blocked, call string) string {
	who := fmt.Sprintf("a goroutine of the object (thread %d)", s.shown(b.Thread))
	switch place := b.Started(); {
	case call != "" && !b.Daemon:
		who = fmt.Sprintf("%s (thread %d)", call, s.shown(b.Thread))
	case call == "" && b.Daemon && place != "":
		who = fmt.Sprintf("a goroutine started at %s (thread %d)", ShortPlace(place), s.shown(b.Thread))
	case call == "" && !b.Daemon:
		who = fmt.Sprintf("the test (thread %d)", s.shown(b.Thread))
	case call != "" && place != "":
		who = fmt.Sprintf("a goroutine that %s started at %s (thread %d)", call, ShortPlace(place), s.shown(b.Thread))
	}
	text := fmt.Sprintf("%s: %s at %s", who, b.What, ShortPlace(b.Where()))
	if b.Holder >= 0 {
		text += b.Because(fmt.Sprintf("thread %d", s.shown(b.Holder)))
	}
	return text
}

func (s *Search) waitsFor(b *schedule.Blocked) string {
	if b.Spins {
		return "spins at " + ShortPlace(b.Where())
	}
	text := fmt.Sprintf("waits at %s for %s", ShortPlace(b.Where()), b.What)
	switch {
	case b.Holder < 0:
		return text
	case b.Holder <= len(s.Body.Threads):
		return text + b.Because(fmt.Sprintf("process %d", b.Holder))
	}
	return text + b.Because("a goroutine of the object")
}

// lastChange returns the number of steps up to the last write, or to where a call begins or ends.
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

// ShortPlace returns file:line with the last directory.
func ShortPlace(place string) string {
	if place = filepath.ToSlash(place); place == "" {
		return ""
	}
	return path.Join(path.Base(path.Dir(place)), path.Base(place))
}

// mostColumns is how many threads have a column each.
const mostColumns = 6

// WriteSteps writes the steps of a schedule, one a line, with a column for each
// thread, or if there are many, with its number.
func WriteSteps(w io.Writer, steps []Step) error {
	var threads []int
	for _, s := range steps {
		if !slices.Contains(threads, s.Thread) {
			threads = append(threads, s.Thread)
		}
	}
	if len(threads) > mostColumns {
		return writeNumbered(w, steps)
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

// writeNumbered writes steps with the numbers of their threads.
func writeNumbered(w io.Writer, steps []Step) error {
	for i, s := range steps {
		if _, err := fmt.Fprintf(w, "%4d  %-9s  %s\n", i+1, threadName(s.Thread), s.text()); err != nil {
			return err
		}
	}
	return nil
}

func threadName(t int) string {
	if t == Outside {
		return "before and after"
	}
	return fmt.Sprintf("thread %d", t)
}

func (s *Step) text() string {
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
