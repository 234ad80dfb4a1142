package shim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/sync"
	"github.com/leadline/leadline/history/explore/shim/time"
)

var global sync.Mutex

// TestForever: what certainly waits forever is told from what something else may wake.
func TestForever(t *testing.T) {
	type object struct {
		a, b  sync.Mutex
		wg    sync.WaitGroup
		field chan int
		later func()
		queue chan chan int
	}
	both := func(a, b *sync.Mutex) { a.Lock(); schedule.Step(schedule.Yield, nil); b.Lock() }
	for name, c := range map[string]struct {
		call func(o *object)
		want string
	}{
		"returns":         {func(o *object) {}, ""},
		"field":           {func(o *object) { schedule.Go(func() { schedule.Recv(o.field) }) }, ""},
		"group of object": {func(o *object) { o.wg.Add(1); schedule.Go(o.wg.Wait) }, ""},
		"send":            {func(o *object) { c := make(chan int); schedule.Go(func() { schedule.To(c).Send(1) }) }, "chan send"},
		"closure": {func(o *object) {
			c := make(chan int)
			o.later = func() { schedule.Close(c) }
			schedule.Go(func() { schedule.Recv(c) })
		}, ""},
		"queued": {func(o *object) {
			c := make(chan int)
			schedule.To(o.queue).Send(c)
			schedule.Go(func() { schedule.Recv(c) })
		}, ""},
		"timer": {func(o *object) { schedule.Go(func() { schedule.Recv(time.After(time.Hour)) }) }, ""},
		"sleeper": {func(o *object) {
			c := make(chan int)
			schedule.Go(func() { time.Sleep(time.Hour); schedule.Close(c) })
			schedule.Go(func() { schedule.Recv(c) })
		}, ""},
		"nil channel": {func(o *object) { var c chan int; schedule.Go(func() { schedule.Recv(c) }) }, ""},
		"no cases":    {func(o *object) { schedule.Go(schedule.Block) }, "select (no cases)"},
		"one of two": {func(o *object) {
			c := make(chan int)
			schedule.Go(func() { schedule.Select(false, schedule.RecvCase(c), schedule.RecvCase(o.field)) })
		}, ""},
		"neither of two": {func(o *object) {
			c, d := make(chan int), make(chan int)
			schedule.Go(func() { schedule.Select(false, schedule.RecvCase(c), schedule.RecvCase(d)) })
		}, "select (2 cases)"},
		"chain": {func(o *object) {
			c, d := make(chan int), make(chan int)
			schedule.Go(func() { schedule.Recv(c); schedule.Close(d) })
			schedule.Go(func() { schedule.Recv(d) })
		}, "chan receive, chan receive"},
		"chain from object": {func(o *object) {
			d := make(chan int)
			schedule.Go(func() { schedule.Recv(o.field); schedule.Close(d) })
			schedule.Go(func() { schedule.Recv(d) })
		}, ""},
		"locks": {func(o *object) {
			schedule.Go(func() { both(&o.a, &o.b) })
			schedule.Go(func() { both(&o.b, &o.a) })
			time.Sleep(time.Hour)
		}, "sync.Mutex.Lock, sync.Mutex.Lock"},
		"waits for locks": {func(o *object) {
			var wg sync.WaitGroup
			wg.Go(func() { both(&o.a, &o.b) })
			wg.Go(func() { both(&o.b, &o.a) })
			wg.Wait()
		}, "sync.Mutex.Lock, sync.Mutex.Lock, sync.WaitGroup.Wait"},
		"kept lock":       {func(o *object) { o.a.Lock(); schedule.Go(o.a.Lock) }, ""},
		"lock of itself":  {func(o *object) { o.a.Lock(); o.a.Lock() }, "sync.Mutex.Lock"},
		"global":          {func(o *object) { global.Lock(); schedule.Go(global.Lock) }, ""},
		"local lock":      {func(o *object) { var m sync.Mutex; m.Lock(); schedule.Go(m.Lock) }, "sync.Mutex.Lock"},
		"in a call":       {func(o *object) { schedule.Recv(make(chan int)) }, "chan receive"},
		"field in a call": {func(o *object) { schedule.Recv(o.field) }, ""},
	} {
		var o *object
		p := &schedule.Program{Before: func() {
			o = &object{field: make(chan int), queue: make(chan chan int, 1)}
			schedule.Go(func() { schedule.Recv(o.field) })
		}, Threads: []func(){func() { schedule.Invocation(0, 0); c.call(o); schedule.Returned() }}}
		r := schedule.Run(p, schedule.NewReplay(nil), schedule.Limits{})
		var got []string
		for _, b := range schedule.Forever(p, slices.Clone(r.Schedule), schedule.Limits{}) {
			got = append(got, b.What)
		}
		slices.Sort(got)
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %q, want %q; %v", name, text, c.want, fmt.Sprint(r.Blocked))
		}
	}
}

// A writer waits for the reader that has not unlocked, whoever locked last.
func TestHolder(t *testing.T) {
	var rw *sync.RWMutex
	p := &schedule.Program{Before: func() { rw = new(sync.RWMutex) }, Threads: []func(){
		func() { rw.RLock(); schedule.Block() },
		func() { rw.RLock(); defer rw.RUnlock() },
		func() { rw.Lock() },
	}}
	r := schedule.Run(p, schedule.NewReplay(nil), schedule.Limits{})
	if !r.Deadlock || len(r.Blocked) != 2 || r.Blocked[1].Holder != 0 {
		t.Errorf("deadlock: %v, %v", r.Deadlock, r.Blocked)
	}
}
