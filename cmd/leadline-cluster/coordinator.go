package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// maxUnfinished bounds the number of tasks without a result, and maxUnfinishedBytes
	// the bytes of their files if there is more than one such task.
	maxUnfinished, maxUnfinishedBytes = 256, 256 << 20
	// maxAhead bounds the number of finished tasks whose lines are not written yet.
	maxAhead = 1024
	// keptResult bounds the size of a result that is kept in memory until then. A larger
	// one is fetched again.
	keptResult = 64 << 10
)

// A coordinator puts tasks into a queue and delivers their results in order.
type coordinator struct {
	queue *queue
	tries int
	keep  time.Duration
	retry bool // what is unknown

	mu       sync.Mutex
	waiting  map[string][]*waiter
	done     atomic.Int64 // tasks
	consumer jetstream.Consumer
}

// A waiter waits for the result of a task.
type waiter struct {
	published bool
	results   chan *result // a nil result means that the task is lost
}

// A part is one or more items, and the task for those of their files that are new.
type part struct {
	task  *task // nil if there are no new files, and when it is done
	key   string
	items []item
	bytes int64

	finished chan struct{}
	result   *result // nil if it is large
	err      error
}

// An item is a file of the input, or a line that needs no worker.
type item struct {
	name  string
	line  []byte
	known entryResult
	at    reference
}

// A reference refers to a file of a task.
type reference struct {
	key   string
	index int
}

// start begins to follow the results.
func (c *coordinator) start(ctx context.Context) error {
	c.waiting = map[string][]*waiter{}
	var err error
	if c.consumer, err = c.queue.js.Consumer(ctx, taskStream, c.queue.consumerName()); err != nil {
		return err
	}
	results, err := c.queue.js.OrderedConsumer(ctx, resultStream, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{c.queue.subject(resultSubject, "*")}, DeliverPolicy: jetstream.DeliverNewPolicy})
	if err != nil {
		return err
	}
	following, err := results.Consume(func(m jetstream.Msg) { c.arrived(ctx, m) })
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, following.Stop)
	go c.repair(ctx)
	return nil
}

// arrived passes a result to its waiters.
func (c *coordinator) arrived(ctx context.Context, m jetstream.Msg) {
	key := m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]
	c.mu.Lock()
	awaited := len(c.waiting[key]) > 0
	c.mu.Unlock()
	if !awaited {
		return
	}
	if bytes.HasPrefix(m.Data(), inObject) {
		go func() {
			if r, err := c.queue.result(ctx, key); r != nil && err == nil { // else repair asks again
				c.deliver(key, r)
			}
		}()
		return
	}
	if r, err := decodeResult(m.Data()); err == nil {
		c.deliver(key, r)
	}
}

func (c *coordinator) deliver(key string, r *result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.waiting[key] {
		select {
		case w.results <- r:
		default: // the waiter has a result
		}
	}
}

// repair asks from time to time for results that have not arrived although the queue is
// empty. If there is no such result, its task is lost: its last delivery ended with a
// worker, or somebody removed it.
func (c *coordinator) repair(ctx context.Context) {
	idle := 0
	for ctx.Err() == nil {
		pause(ctx, time.Second)
		info, err := c.consumer.Info(ctx)
		if err != nil || info.NumPending > 0 || info.NumAckPending > 0 {
			idle = 0
			continue
		}
		if idle++; idle < 2 {
			continue
		}
		idle = 0
		var lost []string
		c.mu.Lock()
		for key, all := range c.waiting {
			if slices.ContainsFunc(all, func(w *waiter) bool { return w.published }) {
				lost = append(lost, key)
			}
		}
		c.mu.Unlock()
		for _, key := range lost {
			if r, err := c.queue.result(ctx, key); err == nil {
				c.deliver(key, r)
			}
		}
	}
}

// errOutOfReach ends a command whose server, or the queue there, is gone.
var errOutOfReach = errors.New("the queue was out of reach")

func outOfReach(patience time.Duration, err error) error {
	return fmt.Errorf("%w for %v: %w; results that the server has stay there", errOutOfReach, patience, err)
}

// tryingAgain is the message when the queue goes out of reach.
const tryingAgain = "the queue is out of reach: %v; trying again for %v"

// watch calls say when the queue goes out of reach and when it is back, and failed when
// it has been out of reach too long.
func (c *coordinator) watch(ctx context.Context, patience time.Duration, say func(format string, args ...any), failed func(error)) {
	every := min(time.Second, patience/4)
	seen, said := time.Now(), false
	for ctx.Err() == nil {
		asking, cancel := context.WithTimeout(ctx, patience/4)
		_, err := c.queue.tasks.Info(asking)
		cancel()
		switch silent := time.Since(seen); {
		case err == nil:
			if said {
				say("the queue is back")
			}
			seen, said = time.Now(), false
		case ctx.Err() != nil:
		case silent >= patience:
			failed(outOfReach(patience, err))
			return
		case !said:
			said = true
			say(tryingAgain, err, patience)
		}
		pause(ctx, every)
	}
}

// obtain returns the result of a task, which it puts into the queue unless the result
// is there already.
func (c *coordinator) obtain(ctx context.Context, key string, t *task) (*result, error) {
	w := &waiter{results: make(chan *result, 1)}
	c.mu.Lock()
	c.waiting[key] = append(c.waiting[key], w)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.waiting[key] = slices.DeleteFunc(c.waiting[key], func(o *waiter) bool { return o == w }); len(c.waiting[key]) == 0 {
			delete(c.waiting, key)
		}
	}()
	r, err := c.queue.result(ctx, key)
	if err != nil {
		return nil, err
	}
	if r != nil && (!c.retry || r.final()) {
		return r, nil
	}
	if r != nil {
		if err := c.queue.dropResult(ctx, key); err != nil {
			return nil, err
		}
	}
	const repairs = 2
	for n := 0; ; n++ {
		if n > repairs {
			r := fault(max(1, len(t.Files)), giveUp(uint64(c.tries)))
			return r, c.queue.storeResult(ctx, key, r)
		}
		if n > 0 {
			if err := c.queue.dropTask(ctx, key); err != nil {
				return nil, err
			}
		}
		for i := range t.Files {
			if err := c.put(ctx, &t.Files[i]); err != nil {
				return nil, err
			}
		}
		if err := c.queue.publishTask(ctx, key, t); err != nil {
			return nil, err
		}
		c.mu.Lock()
		w.published = true
		c.mu.Unlock()
		select {
		case r := <-w.results:
			if r != nil {
				return r, nil
			}
		case <-ctx.Done():
			// Nothing waits for it any more.
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_ = c.queue.dropTask(ending, key)
			return nil, ctx.Err()
		}
	}
}

// put makes sure that a large file is in the bucket.
func (c *coordinator) put(ctx context.Context, f *file) error {
	if f.Object == "" {
		return nil
	}
	return c.queue.persist(ctx, func() error {
		info, err := c.queue.data.GetInfo(ctx, f.Object)
		if err == nil && time.Since(info.ModTime) < c.keep/2 {
			return nil
		}
		if err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
			return err
		}
		in, err := os.Open(f.spool)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = c.queue.data.Put(ctx, jetstream.ObjectMeta{Name: f.Object}, in)
		return err
	})
}

// whole is like obtain, for a task that may have been divided.
func (c *coordinator) whole(ctx context.Context, key string, t *task) (*result, error) {
	r, err := c.obtain(ctx, key, t)
	if err != nil {
		return nil, err
	}
	if r.Split != nil {
		all := &result{}
		for i := range min(len(r.Split), len(t.Files)) {
			one, err := c.obtain(ctx, r.Split[i], t.only(i))
			if err != nil {
				return nil, err
			}
			all.Files = append(all.Files, one.Files...)
			all.lines = append(all.lines, one.lines...)
		}
		r = all
	}
	if n := max(1, len(t.Files)); len(r.Files) != n {
		return fault(n, fmt.Errorf("the result is about %d files, not %d", len(r.Files), n)), nil
	}
	return r, nil
}

// stored returns the result of a task that is done.
func (c *coordinator) stored(ctx context.Context, key string) (*result, error) {
	r, err := c.queue.result(ctx, key)
	if r == nil || err != nil {
		return nil, cmpError(err, key)
	}
	if r.Split == nil {
		return r, nil
	}
	all := &result{}
	for _, key := range r.Split {
		one, err := c.queue.result(ctx, key)
		if one == nil || err != nil {
			return nil, cmpError(err, key)
		}
		all.Files = append(all.Files, one.Files...)
		all.lines = append(all.lines, one.lines...)
	}
	return all, nil
}

func cmpError(err error, key string) error {
	if err == nil {
		err = fmt.Errorf("the result of task %s is gone", key)
	}
	return err
}

// each calls show with the parts in order, each with its result. It ends at the
// first error.
func (c *coordinator) each(ctx context.Context, parts func(yield func(*part) bool), show func(*part, *result) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	order := make(chan *part, maxAhead)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	all.Go(func() {
		defer close(order)
		g := newGate()
		context.AfterFunc(ctx, g.open)
		for p := range parts {
			p.finished = make(chan struct{})
			if g.enter(p.bytes); ctx.Err() != nil {
				p.clean()
				return
			}
			select {
			case order <- p:
			case <-ctx.Done():
				p.clean()
				return
			}
			all.Go(func() {
				defer close(p.finished)
				defer g.leave(p.bytes)
				defer p.clean()
				if p.task == nil {
					return
				}
				if p.result, p.err = c.whole(ctx, p.key, p.task); p.err == nil && len(p.result.lines) > keptResult {
					p.result = nil
				}
				c.done.Add(1)
			})
		}
	})
	for p := range order {
		<-p.finished
		if p.err != nil {
			return p.err
		}
		r := p.result
		if r == nil && p.key != "" {
			var err error
			if r, err = c.stored(ctx, p.key); err != nil {
				return err
			}
		}
		if err := show(p, r); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// clean removes the temporary files.
func (p *part) clean() {
	if p.task != nil {
		for i := range p.task.Files {
			if name := p.task.Files[i].spool; name != "" {
				_ = os.Remove(name) // a temporary file
			}
		}
	}
	p.task = nil
}

// A gate bounds the unfinished tasks.
type gate struct {
	mu     sync.Mutex
	less   *sync.Cond
	n      int
	bytes  int64
	opened bool
}

func newGate() *gate {
	g := &gate{}
	g.less = sync.NewCond(&g.mu)
	return g
}

func (g *gate) enter(bytes int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.opened && g.n > 0 && (g.n >= maxUnfinished || g.bytes+bytes > maxUnfinishedBytes) {
		g.less.Wait()
	}
	g.n++
	g.bytes += bytes
}

func (g *gate) leave(bytes int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n--
	g.bytes -= bytes
	g.less.Broadcast()
}

// open lets all tasks in, at the end.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened = true
	g.less.Broadcast()
}

// unfinished returns how many tasks have no result yet.
func (c *coordinator) unfinished() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting)
}
