package batch

import (
	"iter"
	"sync"
)

const (
	// ahead bounds the number of items that are drawn before their results are emitted.
	ahead = 64
	// aheadOps bounds the operations of these items. It does not apply to one item for
	// each worker and one more.
	aheadOps = 1 << 12
)

// InOrder runs do on every item, up to jobs at a time. It passes the results to emit in
// the order of the items, each as soon as it and all earlier ones are ready.
// waiting is true if the next result is not ready yet. ops returns the number of
// operations of an item: more items are drawn ahead if they are small. When emit
// returns false, InOrder draws no more items and returns.
func InOrder[T, R any](items iter.Seq[T], jobs int, ops func(T) int, do func(T) R, emit func(r R, waiting bool) bool) {
	type task struct {
		item   T
		ops    int
		result chan R
	}
	tasks, order := make(chan task, ahead), make(chan task, ahead)
	drawn := newLoad(jobs+1, aheadOps)
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for t := range tasks {
				t.result <- do(t.item)
			}
		})
	}
	workers.Go(func() {
		defer close(order)
		defer close(tasks)
		for item := range items {
			t := task{item, ops(item), make(chan R, 1)}
			if !drawn.add(t.ops) {
				return
			}
			order <- t
			tasks <- t
		}
	})
	for t, ok := <-order; ok; {
		result := <-t.result
		drawn.remove(t.ops)
		var next task
		there := false
		select {
		case next, ok = <-order:
			there = ok && len(next.result) > 0
		default:
		}
		if !emit(result, !there) {
			drawn.close()
			break
		}
		if t = next; ok && t.result == nil {
			t, ok = <-order
		}
	}
	for range order { // drain the tasks that have begun
	}
	workers.Wait()
}

// A load counts the items whose results have not been emitted yet.
type load struct {
	mu         sync.Mutex
	less       *sync.Cond
	items, ops int
	least      int // this many items may always be drawn
	limit      int // more may be drawn while all have at most this many operations
	closed     bool
}

func newLoad(least, limit int) *load {
	l := &load{least: least, limit: limit}
	l.less = sync.NewCond(&l.mu)
	return l
}

// add waits until another item may be drawn. It returns false after close.
func (l *load) add(ops int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.items >= l.least && l.ops+ops > l.limit && !l.closed {
		l.less.Wait()
	}
	l.items++
	l.ops += ops
	return !l.closed
}

func (l *load) remove(ops int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items--
	l.ops -= ops
	l.less.Signal()
}

func (l *load) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.less.Signal()
}
