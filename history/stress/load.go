package stress

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/record"
)

// A Load is what threads do to one object while they are recorded: random
// invocations, one after another.
type Load struct {
	Threads int           // 0: 4
	Ops     int           // in all; 0: without end
	Time    time.Duration // 0: without end
	Values  int           // from which arguments are drawn; 0: 8
	Seed    uint64        // fixes what each thread calls, not how they interleave
	Weak    bool          // call weak methods, too
}

// Record runs the load on a fresh object of the class until it is done or ctx
// is canceled, and closes the recorder. If all threads wait forever, which methods of the
// object may do, it also ends, and their invocations stay pending. It takes about 100 ns
// per operation in addition to the object's own time. An invocation that panics is
// recorded with an unknown result: it may or may not have taken effect.
func (l Load) Record(ctx context.Context, c *Class, r *record.Recorder) error {
	if l.Threads == 0 {
		l.Threads = 4
	}
	if l.Values == 0 {
		l.Values = 8
	}
	methods := l.methods(c)
	if len(methods) == 0 {
		return errors.Join(fmt.Errorf("%s has no methods to call", c.Name), r.Close())
	}
	if l.Time > 0 {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, l.Time)
		defer stop()
	}
	object := c.New()
	defer c.Release(object)
	var threads []*loadThread
	start := make(chan struct{}) // they begin together
	for t := range l.Threads {
		ops := l.Ops / l.Threads
		if t < l.Ops%l.Threads {
			ops++
		}
		if l.Ops > 0 && ops == 0 {
			continue
		}
		p := r.Process()
		random := rand.New(rand.NewPCG(l.Seed, uint64(t)))
		thread := &loadThread{ended: make(chan struct{})}
		threads = append(threads, thread)
		go func() {
			defer close(thread.ended)
			defer p.Close()
			runtime.LockOSThread() // and never unlock: see RunProgram
			pin(t)
			<-start
			for n := 0; (l.Ops == 0 || n < ops) && (n%64 != 0 || ctx.Err() == nil); n++ {
				methods[random.IntN(len(methods))].call(p, object, random)
				thread.calls.Add(1)
			}
		}()
	}
	close(start)
	awaitLoad(threads)
	return r.Close()
}

// A loadThread is a thread of a load.
type loadThread struct {
	calls atomic.Int64
	ended chan struct{}
}

// awaitLoad waits until each thread has ended, or none that has not returns from a call for
// waitLimit.
func awaitLoad(threads []*loadThread) {
	last, since := int64(-1), time.Now()
	for len(threads) > 0 {
		select {
		case <-threads[0].ended:
			threads = threads[1:]
			continue
		case <-time.After(lastLook):
		}
		calls := int64(0)
		for _, t := range threads {
			calls += t.calls.Load()
		}
		if calls != last {
			last, since = calls, time.Now()
		} else if time.Since(since) > waitLimit {
			return
		}
	}
}

// A preparedMethod is a method with its prepared invocations.
type preparedMethod struct {
	*Method
	args  [][]history.Value
	calls []Call
}

// methods returns the methods of the class, each as often as its weight.
func (l Load) methods(c *Class) []*preparedMethod {
	var list []*preparedMethod
	for _, m := range c.Methods {
		if m.Weak && !l.Weak {
			continue
		}
		x := &preparedMethod{Method: m}
		for _, inv := range invocations(m, l.Values) {
			x.args = append(x.args, inv.Args)
			x.calls = append(x.calls, m.Prepare(inv.Args))
		}
		for range weight(m) {
			list = append(list, x)
		}
	}
	return list
}

// call records a random invocation.
func (m *preparedMethod) call(p *record.Process, object any, random *rand.Rand) {
	i := random.IntN(len(m.calls))
	p.Call(m.Name, m.args[i]...)
	defer func() {
		if recover() != nil {
			p.Unknown()
		}
	}()
	result := m.calls[i](object)
	if m.Weak && m.ReadOnly {
		result = history.UnknownValue
	}
	p.Return(result)
}
