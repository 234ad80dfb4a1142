package stress

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/record"
)

// A Load is what threads do to one object while they are recorded: random
// invocations, as a Generator draws them, one after another.
type Load struct {
	Threads int           // 0: 4
	Ops     int           // in all; 0: without end
	Time    time.Duration // 0: without end
	Values  int           // from which arguments are drawn; 0: 8
	Seed    uint64        // of what each thread calls, not of how they interleave
	Weak    bool          // call weak methods, too
}

// Record runs the load on a fresh object of the class until it is done or ctx
// is cancelled, and closes the recorder. It takes some 100 ns an operation
// besides what the object takes. An invocation that panics counts as one of
// which nobody knows whether it happened.
func (l Load) Record(ctx context.Context, c *Class, r *record.Recorder) error {
	if l.Threads == 0 {
		l.Threads = 4
	}
	if l.Values == 0 {
		l.Values = 8
	}
	hand := l.hand(c)
	if len(hand) == 0 {
		return errors.Join(fmt.Errorf("%s has no methods to call", c.Name), r.Close())
	}
	if l.Time > 0 {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, l.Time)
		defer stop()
	}
	object := c.New()
	defer c.close(object)
	var work sync.WaitGroup
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
		work.Go(func() {
			defer p.Close()
			runtime.LockOSThread() // and never unlocked: see RunProgram
			pin(t)
			<-start
			for n := 0; (l.Ops == 0 || n < ops) && (n%64 != 0 || ctx.Err() == nil); n++ {
				hand[random.IntN(len(hand))].play(p, object, random)
			}
		})
	}
	close(start)
	work.Wait()
	return r.Close()
}

// A card is a method with its invocations, made ready.
type card struct {
	method *Method
	args   [][]history.Value
	calls  []Call
}

// hand returns the cards of the class, each as often as its weight.
func (l Load) hand(c *Class) []*card {
	var hand []*card
	for _, m := range c.Methods {
		if m.Weak && !l.Weak {
			continue
		}
		x := &card{method: m}
		for _, inv := range invocations(m, l.Values) {
			x.args = append(x.args, inv.Args)
			x.calls = append(x.calls, m.Prepare(inv.Args))
		}
		for range weight(m) {
			hand = append(hand, x)
		}
	}
	return hand
}

func (x *card) play(p *record.Process, object any, random *rand.Rand) {
	i := random.IntN(len(x.calls))
	p.Call(x.method.Name, x.args[i]...)
	defer func() {
		if recover() != nil {
			p.Unknown()
		}
	}()
	result := x.calls[i](object)
	if x.method.Weak && x.method.ReadOnly {
		result = history.UnknownValue
	}
	p.Return(result)
}
