package explore_test

import (
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/atomic"
	"github.com/leadline/leadline/history/explore/shim/context"
	"github.com/leadline/leadline/history/explore/shim/sync"
	clock "github.com/leadline/leadline/history/explore/shim/time"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
)

// A swept is a map and a counter, with a goroutine that empties the map again and again.
type swept struct {
	mu    sync.Mutex
	m     map[int]int
	n     atomic.Int64
	open  atomic.Bool
	swept atomic.Bool
	full  *sync.Cond
	done  chan int
	stop  func()
}

// The ways in which the goroutine waits.
var janitors = map[string]func(s *swept){
	"ticker": func(s *swept) {
		for it, _ := schedule.RangeChan(clock.NewTicker(20 * time.Microsecond).C); it.Next(nil); {
			s.sweep()
		}
	},
	"sleep": func(s *swept) {
		for {
			clock.Sleep(time.Hour)
			s.sweep()
		}
	},
	"after": func(s *swept) {
		for schedule.Select(false, schedule.RecvCase(s.done), schedule.RecvCase(clock.After(time.Millisecond))) == 1 {
			s.sweep()
		}
	},
	"timer": func(s *swept) {
		for timer := clock.NewTimer(time.Second); ; timer.Reset(time.Second) {
			schedule.Recv(timer.C)
			s.sweep()
		}
	},
	"function": func(s *swept) {
		var again func()
		again = func() { s.sweep(); clock.AfterFunc(time.Minute, again) }
		clock.AfterFunc(time.Minute, again)
	},
	"context": func(s *swept) {
		ctx, cancel := context.WithCancel(context.Background())
		s.mu.Lock()
		s.stop = cancel
		s.mu.Unlock()
		k := clock.NewTicker(time.Millisecond)
		for schedule.Select(false, schedule.RecvCase(k.C), schedule.RecvCase(ctx.Done())) == 0 {
			s.sweep()
		}
	},
}

func newSwept(janitor string) func() *swept {
	return func() *swept {
		s := &swept{m: map[int]int{}, done: make(chan int)}
		s.full = sync.NewCond(&s.mu)
		schedule.Go(func() { janitors[janitor](s) })
		return s
	}
}

func (s *swept) sweep() {
	s.mu.Lock()
	clear(s.m)
	s.mu.Unlock()
	s.swept.Store(true)
}

func (s *swept) Set(k, v int) { s.mu.Lock(); s.m[k] = v; s.full.Broadcast(); s.mu.Unlock() }
func (s *swept) Len() int     { s.mu.Lock(); defer s.mu.Unlock(); return len(s.m) }

// Inc loses updates once the goroutine has been there.
func (s *swept) Inc() int {
	if s.swept.Load() {
		n := s.n.Load() + 1
		s.n.Store(n)
		return int(n)
	}
	return int(s.n.Add(1))
}

// Wait waits for an entry.
func (s *swept) Wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.m) == 0 {
		s.full.Wait()
	}
}

func (s *swept) Open() {
	s.open.Store(true)
	s.full.Broadcast()
}

// Miss waits for Open, and may miss it.
func (s *swept) Miss() {
	if !s.open.Load() {
		s.mu.Lock()
		s.full.Wait()
		s.mu.Unlock()
	}
}

// TestTicks: a tick is a decision, for the calls in parallel and one after another. That a
// goroutine ticks for ever keeps nothing from ending, and no deadlock from being found.
func TestTicks(t *testing.T) {
	for name := range janitors {
		if testing.Short() && name != "ticker" {
			continue
		}
		class := &stress.Class{Name: name, New: func() any { return newSwept(name)() }}
		if name == "after" {
			class.Close = func(object any) { schedule.Close(object.(*swept).done) }
		}
		// Reflect would leave such goroutines behind for other tests.
		number := func(v int) history.Value { return history.IntValue(int64(v)) }
		for name, f := range map[string]func(*swept) history.Value{
			"Set0": func(s *swept) history.Value { s.Set(0, 0); return history.NoValue },
			"Set1": func(s *swept) history.Value { s.Set(1, 1); return history.NoValue },
			"Wait": func(s *swept) history.Value { s.Wait(); return history.NoValue },
			"Open": func(s *swept) history.Value { s.Open(); return history.NoValue },
			"Miss": func(s *swept) history.Value { s.Miss(); return history.NoValue },
			"Len":  func(s *swept) history.Value { return number(s.Len()) },
			"Inc":  func(s *swept) history.Value { return number(s.Inc()) },
		} {
			class.Methods = append(class.Methods, &stress.Method{Name: name, Prepare: func([]history.Value) stress.Call {
				return func(object any) history.Value { return f(object.(*swept)) }
			}})
		}
		for _, c := range []struct{ program, found, seen string }{
			{"{ Set0(); Len() } || { Set1(); Len() }", "", "(),0,(),2"},
			{"[ Set0() ] { Len(); Set1() } || { Len() } [ Len() ]", "", "(),1,(),0,1"},
			{"{ Inc() } || { Inc() }", "1,1", ""},
			{"{ Wait() } || { Set0() }", "", "W,()"},
			{"{ Wait(); Wait() } || { Set0() }", "", "(),W,()"},
			{"{ Miss() } || { Open(); Len() }", "W,(),0", ""},
		} {
			e := explored(t, class, c.program, explore.Plan{Preemptions: 2})
			found, seen := "", c.seen == ""
			for _, v := range e.Violations {
				found = v.Outcome.String()
			}
			for _, o := range e.Outcomes {
				seen = seen || o.Outcome.String() == c.seen
			}
			if found != c.found || !seen || e.Undecided+e.Cut+e.Diverged > 0 {
				t.Errorf("%s, %s: violation %q in %d executions, %d undecided, %d cut, %d diverged, %v", name, c.program, found, e.Executions, e.Undecided, e.Cut, e.Diverged, e.Outcomes)
			}
		}
	}
}
