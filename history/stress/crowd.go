package stress

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"time"
)

// A crowd watches the goroutines that the objects of a class leave in this process. Some leave
// one that nothing stops and that wakes again and again, such as the janitor of a cache. If
// there are too many, they take all processors, and calls seem to wait that only wait for
// their turn. So a crowded process makes no more objects: its search ends, and another process
// continues.
//
// What counts is how long a goroutine waits for its turn after it has yielded: runtime.Gosched
// takes 0.07 µs beside 160 goroutines that wait. On two cores, it takes 0.1 µs beside 48
// janitors that wake every 20 µs, 40 µs beside 80, and 400 µs beside 16 that also work 5 µs each
// time. A hand-off through a channel tells less: it skips the queue. Other processes delay a few
// yields for milliseconds, but not most of them.
type crowd struct {
	before int // goroutines of the process without objects
	next   int // how many more there are when the yields are next measured
	most   int // how many more there were when the process was found to be crowded, or 0
}

const (
	crowdStep   = 8 // objects, or goroutines that they leave, between two measurements
	crowdPause  = 2 * time.Millisecond
	crowdYield  = 10 * time.Microsecond
	crowdYields = 15
	crowdLong   = 50 * time.Millisecond // for a few yields
	crowdCalls  = 4                     // of each object that is made to find out what it leaves
	crowdTime   = time.Second           // for making them
	mostCrowd   = 256                   // objects that are made to find out whether a process can bear them
)

// crowdProcs is for GOMAXPROCS if objects leave goroutines. The runtime can let others wait for
// seconds, if these wake often enough. The system lets each of its threads run.
var crowdProcs = 2 * runtime.NumCPU()

// crowdSilence is how long a process may write nothing once one was crowded. Its silence is no
// violation.
const crowdSilence = 10 * time.Second

// errCrowded is the error for a program with more shuffles than the process can make objects.
var errCrowded = errors.New("goroutines that objects leave keep the processors busy")

// newCrowd makes a few objects and calls at most this many methods of each. It returns nil if
// they leave no goroutines.
func newCrowd(c *Class, most int) *crowd {
	before := takeDump()
	c.fill(crowdStep, most)
	for n := 0; ; n++ {
		left, now := 0, takeDump()
		for id, g := range now {
			if before[id] == nil && now.ofObjects(g) {
				left++
			}
		}
		if left < crowdStep {
			return nil
		}
		if n == 5 {
			return &crowd{before: runtime.NumGoroutine() - left, next: crowdStep}
		}
		time.Sleep(crowdPause) // they may be about to end
	}
}

// fill makes some objects, unless the process is crowded or that takes long, and calls at most
// this many methods of each.
func (c *Class) fill(objects, most int) {
	random := rand.New(rand.NewPCG(1, 3)) // the same calls each time
	b := bench{class: c, limit: tryTime}
	defer b.close()
	for n, start := 0, time.Now(); n < objects && !c.crowded() && time.Since(start) < crowdTime; n++ {
		var calls []Call
		if most > 0 {
			calls = randomCalls(random, c, most)
		}
		b.run(calls)
	}
}

// left returns how many goroutines the objects have left.
func (k *crowd) left() int { return runtime.NumGoroutine() - k.before }

// crowded reports whether the process should make no more objects of the class.
func (c *Class) crowded() bool {
	k := c.crowd
	if k == nil || k.most > 0 {
		return k != nil
	}
	n := k.left()
	if n < k.next {
		return false
	}
	k.next = n + max(crowdStep, n/crowdStep)
	if !yieldsSlowly() {
		return false
	}
	if time.Sleep(crowdPause); yieldsSlowly() { // not only for a moment
		if k.most = n; c.full != nil {
			c.full()
		}
	}
	return k.most > 0
}

// exhausted reports whether the process must make no more objects, even to complete what it
// has begun.
func (c *Class) exhausted() bool { return c.crowded() && c.crowd.left() > c.crowd.most+c.crowd.most/4 }

// spare returns how many objects can be made between two calls of crowded.
func (c *Class) spare() int {
	if c.crowd == nil {
		return math.MaxInt
	}
	return max(crowdStep, c.crowd.left()/crowdStep)
}

// yieldsSlowly reports whether most yields of a goroutine take long. The caller may be locked to
// its thread, which makes all yields slow.
func yieldsSlowly() bool {
	slow := make(chan int)
	go func() {
		late, begin := 0, time.Now()
		for n := 0; n < crowdYields && late <= crowdYields/2; n++ {
			start := time.Now()
			runtime.Gosched()
			if now := time.Now(); now.Sub(begin) > crowdLong {
				late = crowdYields
			} else if now.Sub(start) > crowdYield {
				late++
			}
		}
		slow <- late
	}()
	return <-slow > crowdYields/2
}
