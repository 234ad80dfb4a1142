package explore

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
)

// steps runs a schedule once more and returns its steps, and what its blocked
// threads wait for, also by the number of their call. Those in left certainly wait forever.
func (x *explorer) steps(s schedule.Schedule, left []int) (list []stress.ScheduledStep, blocked []string, waits map[int]string) {
	waits = map[int]string{}
	r := schedule.Trace(&x.search.Body, s, schedule.Limits{})
	all := x.all
	thread := func(n int) int {
		switch main := len(x.search.Body.Threads); {
		case n == main:
			return stress.Outside
		case n > main:
			return n - 1
		}
		return n
	}
	events, end := r.Events, len(r.Trace)
	if r.Spins {
		end = min(end, lastChange(r)+shownSpins*len(x.search.Body.Threads))
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
				what = "return " + stress.Outcome{x.outcome[e.Index]}.String()
			}
			list = append(list, stress.ScheduledStep{Thread: thread(int(e.Thread)), What: what, Event: true})
		}
		if i == end {
			break
		}
		a := r.Trace[i]
		if a.Kind == schedule.Begin {
			continue
		}
		step := stress.ScheduledStep{Thread: thread(int(a.Thread)), What: a.Kind.String()}
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
			text += b.Because(fmt.Sprintf("thread %d", thread(b.Holder)))
		}
		blocked = append(blocked, text)
		if !b.Daemon {
			waits[b.Index] = x.waitOf(b)
		}
	}
	return list, blocked, waits
}

// waitOf says where the call of a blocked thread waits, for what, and who holds it, as
// history.Wait does.
func (x *explorer) waitOf(b *schedule.Blocked) string {
	if b.Spins {
		return "spins at " + shortPlace(b.Where())
	}
	text := fmt.Sprintf("waits at %s for %s", shortPlace(b.Where()), b.What)
	switch {
	case b.Holder < 0:
		return text
	case b.Holder <= len(x.search.Body.Threads): // the last one runs the initial and the final part
		return text + b.Because(fmt.Sprintf("process %d", b.Holder))
	}
	return text + b.Because("a goroutine of the object")
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
