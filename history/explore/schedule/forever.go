package schedule

import (
	"math/bits"
	"runtime"
	"unsafe"
	"weak"
)

// Forever repeats a schedule and returns the threads that wait forever after it, whatever is
// called then: nothing reachable from the object can wake them. In the largest set of such
// threads, each waits for
//   - a lock that another thread of the set has locked in the call that it is still in, or
//   - a channel or another thing to which only threads of the set refer,
//   - or nothing, in a select without cases.
//
// Who refers to a thing is a question for the garbage collector: Forever ends the threads that
// may be in the set, collects, and sees whether the thing is gone. If it is not, some other
// thread, the object or a global variable refers to it. The threads that wait for it have to be
// spared in the next round, since they may refer to what others wait for.
//
// The limits are those of the execution.
func Forever(p *Program, schedule Schedule, l Limits) []Blocked {
	for l.forever = ^uint64(0); l.forever != 0; {
		r := the.execute(p, NewReplay(schedule), l, false)
		if r.Diverged {
			return nil
		}
		if r.forever == r.ended {
			var list []Blocked
			for _, b := range r.Blocked {
				if r.forever>>b.Thread&1 != 0 {
					list = append(list, b)
				}
			}
			return list
		}
		l.forever = r.forever
	}
	return nil
}

// A Hold is a lock that a thread has acquired, in which of its calls.
type Hold struct {
	Thread int
	Call   int32
	Queued bool // it does not have the lock yet, but comes first
}

// Holding returns a Hold of the calling thread.
func Holding() Hold {
	if t := self(); t != nil {
		return Hold{Thread: t.id, Call: t.call}
	}
	return Hold{Thread: -1}
}

// Keep keeps a value until the execution ends, as a caller does that may use it: see Forever.
func Keep(v any) {
	if self() != nil {
		the.kept = append(the.kept, v)
	}
}

// places returns what a blocked thread waits for, and whether it may wait forever for that.
func (t *thread) places() (list []unsafe.Pointer, ok bool) {
	g, isGroup := t.waiter.(*group)
	switch {
	case !isGroup && t.place == nil:
		return nil, false
	case !isGroup:
		return []unsafe.Pointer{t.place}, true
	}
	for _, c := range g.cases {
		if c.channel() != nil { // or the case is never ready
			list = append(list, c.channel())
		}
	}
	// Services wait for nothing but context.Background by design; the goroutines of a test do not.
	return list, len(list) > 0 || len(g.cases) == 0 || the.test
}

// holders returns the threads that hold the lock for which t waits, those that acquired it in
// a call that has ended excepted: a later call may unlock it.
func (s *scheduler) holders(t *thread) (set uint64) {
	h, ok := t.waiter.(Held)
	if !ok {
		return 0
	}
	for _, hold := range h.Holders() {
		if hold.Thread < 0 || hold.Thread >= s.live {
			continue
		}
		if holder := s.threads[hold.Thread]; hold.Call == holder.call && (holder.daemon || holder.call%2 == 1) {
			set |= holder.bit
		}
	}
	return set
}

// isLeft reports whether a thread is blocked and not only asleep.
func (s *scheduler) isLeft(t *thread) bool {
	return s.alive&t.bit != 0 && t.started && t.waiter != nil && t.what != "ticker" && !t.waiter.Ready()
}

// spare ends the threads of a set that are blocked, and notes which of them wait forever if
// all others go on.
func (s *scheduler) spare(set uint64) {
	holders, places := map[int]uint64{}, map[int][]weak.Pointer[byte]{}
	ended := uint64(0)
	for _, t := range s.threads[:s.live] {
		if set&t.bit == 0 || !s.isLeft(t) {
			continue
		}
		held := s.holders(t)
		list, ok := t.places()
		if held == 0 && !ok {
			continue
		}
		ended |= t.bit
		holders[t.id] = held
		for _, p := range list {
			places[t.id] = append(places[t.id], weak.Make((*byte)(p)))
		}
	}
	s.end(ended)
	for m := ended; m != 0; m &= m - 1 {
		t := s.threads[bits.TrailingZeros64(m)]
		t.body, t.waiter, t.place = nil, nil, nil
	}
	for _, t := range s.threads[:s.live] {
		if s.alive&t.bit == 0 { // what it referred to may be gone
			t.over, t.body = nil, nil
		}
	}
	s.reset()
	runtime.GC()
	forever := ended
	for before := uint64(0); before != forever; {
		before = forever
		for m := forever; m != 0; m &= m - 1 {
			id := bits.TrailingZeros64(m)
			gone := len(places[id]) > 0 || holders[id] == 0
			for _, w := range places[id] {
				gone = gone && w.Value() == nil
			}
			if !gone && forever&holders[id] == 0 {
				forever &^= 1 << id
			}
		}
	}
	s.result.forever, s.result.ended = forever, ended
}
