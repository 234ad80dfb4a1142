package explore

import (
	"fmt"
	"strconv"

	"github.com/leadline/leadline/history/explore/schedule"
)

// Replay runs the schedule of f the given number of times, and returns how many executions had the
// same steps and, as the oracle says, the same results.
func (s *Search) Replay(f *Found, times int, same func(*Seen) bool) int {
	n := 0
	for range times {
		r := s.Execute(schedule.NewReplay(f.Schedule))
		if seen := s.Record(r); seen != nil && r.Fingerprint == f.Trace && same(seen) {
			n++
		}
	}
	return n
}

// anotherTick is Limits.Tick of a clock with other readings than the usual one.
const anotherTick = 1003

// ReplayLate is Replay, once, with a clock that advances faster: what differs shows a time.
func (s *Search) ReplayLate(f *Found) *Seen {
	limits := s.Limits
	limits.Tick = anotherTick
	return s.Record(schedule.Run(&s.Body, schedule.NewReplay(f.Schedule), limits))
}

// panicReplays is how often a panic is replayed.
const panicReplays = 10

// Panics reports whether the panic of a goroutine happens in each of some replays.
func (s *Search) Panics(e *Exploration) bool {
	for range panicReplays {
		if r := s.Execute(schedule.NewReplay(e.PanicSchedule)); r.Diverged || r.Panic == nil || PanicText(r.Panic) != e.Panic {
			return false
		}
	}
	return true
}

// PanicText returns what the runtime prints when a panic or an error ends the process.
func PanicText(p any) string {
	if f, ok := p.(schedule.Fatal); ok {
		return f.Error()
	}
	return fmt.Sprintf("panic: %v", p)
}

// Fitting returns how many decisions of two schedules are the same.
func Fitting(a, b schedule.Schedule) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// Mark returns a hash of the steps of an execution and the order of its events.
func Mark(trace uint64, events []int16) string {
	for _, e := range events {
		trace = (trace ^ uint64(uint16(e))) * 0x100000001b3
	}
	return strconv.FormatUint(trace, 16)
}
