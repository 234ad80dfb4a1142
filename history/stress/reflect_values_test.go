package stress_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history/stress"
)

// The types below have methods like those of caches, maps, sets, rate limiters and pools that
// are in use. Each is correct: one lock, or a loop around a compare-and-swap.

// A cache is a map with callbacks and iterators.
type cache struct {
	mu      sync.Mutex
	m       map[int]int
	evicted func(k, v int)
}

func newCache() *cache { return &cache{m: map[int]int{}} }

func (c *cache) locked(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

func (c *cache) Set(k, v int, _ time.Duration)  { c.locked(func() { c.m[k] = v }) }
func (c *cache) Get(k int) (v int, ok bool)     { c.locked(func() { v, ok = c.m[k] }); return v, ok }
func (c *cache) OnEvicted(f func(key, old int)) { c.locked(func() { c.evicted = f }) }

func (c *cache) Delete(k int) {
	c.locked(func() {
		if v, ok := c.m[k]; ok && c.evicted != nil {
			go c.evicted(k, v)
		}
		delete(c.m, k)
	})
}

func (c *cache) GetOrCompute(k int, f func() (int, error)) (v int, err error) {
	c.locked(func() {
		if _, ok := c.m[k]; !ok {
			if v, err = f(); err == nil {
				c.m[k] = v
			}
		}
		v = c.m[k]
	})
	return v, err
}

func (c *cache) Compute(k int, f func(old int, ok bool) (int, bool)) {
	c.locked(func() {
		old, ok := c.m[k]
		if v, keep := f(old, ok); keep {
			c.m[k] = v
		} else {
			delete(c.m, k)
		}
	})
}

func (c *cache) DeleteFunc(f func(k, v int) bool) { c.locked(func() { maps.DeleteFunc(c.m, f) }) }

func (c *cache) clone() (m map[int]int) { c.locked(func() { m = maps.Clone(c.m) }); return m }

func (c *cache) Range(f func(k, v int) bool) {
	m := c.clone()
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if !f(k, m[k]) {
			break
		}
	}
}

func (c *cache) ForEach(f func(k, v int)) { c.Range(func(k, v int) bool { f(k, v); return true }) }
func (c *cache) All() iter.Seq2[int, int] { return maps.All(c.clone()) }
func (c *cache) Keys() iter.Seq[int]      { return slices.Values(slices.Sorted(maps.Keys(c.clone()))) }

func (c *cache) Iter() <-chan struct{ K, V int } {
	ch := make(chan struct{ K, V int })
	m := c.clone()
	go func() {
		defer close(ch)
		for k, v := range m {
			ch <- struct{ K, V int }{k, v}
		}
	}()
	return ch
}

func (c *cache) Merge(other *cache) {
	m := other.clone()
	c.locked(func() { maps.Copy(c.m, m) })
}

func (c *cache) Equal(other *cache) bool {
	return other == c || maps.Equal(other.clone(), c.clone())
}

func (c *cache) Clone() *cache                     { return &cache{m: c.clone()} }
func (c *cache) InsertAll(seq iter.Seq2[int, int]) { c.locked(func() { maps.Insert(c.m, seq) }) }

func (c *cache) WriteTo(w io.Writer) (n int64, err error) {
	m := c.clone()
	for _, k := range slices.Sorted(maps.Keys(m)) {
		written, _ := fmt.Fprintf(w, "%d=%d;", k, m[k])
		n += int64(written)
	}
	return n, nil
}

func (c *cache) ReadFrom(r io.Reader) (int64, error) {
	text, err := io.ReadAll(r)
	c.locked(func() { c.m[len(text)] = 0 })
	return int64(len(text)), err
}

func (c *cache) Encode(b *bytes.Buffer) error {
	return binary.Write(b, binary.LittleEndian, int64(len(c.clone())))
}

// A register changes by compare-and-swap, so it calls functions again.
type register struct {
	v    atomic.Int64
	once sync.Once
}

func (r *register) Update(f func(int64) int64) int64 {
	for {
		old := r.v.Load()
		if next := f(old); r.v.CompareAndSwap(old, next) {
			return next
		}
	}
}

func (r *register) UpdateIf(f func(int64) bool) {
	for {
		old := r.v.Load()
		if !f(old) || r.v.CompareAndSwap(old, old+1) {
			return
		}
	}
}

func (r *register) Load() int64             { return r.v.Load() }
func (r *register) StorePointer(p *int64)   { r.v.Store(*p) }
func (r *register) StoreAny(v fmt.Stringer) { r.v.Store(int64(len(v.String()))) }
func (r *register) Do(f func())             { r.once.Do(f) }

// A limiter has times, contexts and errors.
type limiter struct {
	mu    sync.Mutex
	last  time.Time
	cause error
	sinks []chan<- int
}

func (l *limiter) Allow(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	allowed := !now.Before(l.last)
	if allowed {
		l.last = now.Add(time.Second)
	}
	return allowed
}

func (l *limiter) Last() time.Time { l.mu.Lock(); defer l.mu.Unlock(); return l.last }
func (l *limiter) Wait(ctx context.Context, at time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !l.Allow(at) {
		return errors.New("too early")
	}
	return nil
}

func (l *limiter) Stop(cause error) { l.mu.Lock(); defer l.mu.Unlock(); l.cause = cause }
func (l *limiter) Err() error       { l.mu.Lock(); defer l.mu.Unlock(); return l.cause }

func (l *limiter) Notify(ch chan<- int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sinks = append(l.sinks, ch)
}
func (l *limiter) Feed(ch <-chan int) (sum int) {
	for n := range ch {
		sum += n
	}
	return sum
}

// TestMethodsLeftOut: of types like those in use, no method is left out. Without functions,
// iterators, times, readers and others of package values, 26 of 32 would be.
func TestMethodsLeftOut(t *testing.T) {
	methods, leftOut := 0, []stress.Omission{}
	for _, reflected := range correct(t) {
		methods += len(reflected.Class.Methods)
		leftOut = append(leftOut, reflected.LeftOut...)
	}
	if methods != 32 || len(leftOut) != 0 {
		t.Errorf("%d methods, left out: %v", methods, leftOut)
	}
}

// correct returns the classes of the types above.
func correct(t *testing.T) []*stress.Reflected {
	t.Helper()
	var all []*stress.Reflected
	add := func(r *stress.Reflected, err error) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	add(stress.Reflect(newCache, stress.ReflectOptions{}))
	add(stress.Reflect(func() *register { return &register{} }, stress.ReflectOptions{}))
	add(stress.Reflect(func() *limiter { return &limiter{} }, stress.ReflectOptions{}))
	return all
}

// TestNoFalseAlarm: the results of correct types in parallel are as in some order.
func TestNoFalseAlarm(t *testing.T) {
	for _, r := range correct(t) {
		programs, err := stress.Generate(r.Class, stress.GeneratorOptions{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for p := range programs {
			if n++; n > 15 {
				break
			}
			if outcome := unexpected(t, r.Class, p, 500); outcome != nil {
				t.Errorf("%v returns %v", p, outcome)
			}
		}
	}
}

// unexpected returns an outcome of a program that no order has, or nil.
func unexpected(t *testing.T, c *stress.Class, p *stress.Program, executions int64) stress.Outcome {
	t.Helper()
	e, err := stress.NewExpected(c, p)
	if err != nil {
		return nil // some call waits, as that of Merge of the object itself may
	}
	run := stress.RunProgram(t.Context(), c, p, stress.RunOptions{Executions: executions, Time: time.Minute, Stop: e})
	for _, o := range run.Outcomes {
		if !e.Contains(o.Outcome) {
			return o.Outcome
		}
	}
	return nil
}

// A racy has methods that are not atomic, and only functions, iterators and others show it.
type racy struct {
	n     atomic.Int64
	count atomic.Int64
}

func pause() { runtime.Gosched() }

func (r *racy) Update(f func(int64) int64) { n := r.n.Load(); pause(); r.n.Store(f(n)) }
func (r *racy) Load() int64                { return r.n.Load() }
func (r *racy) Each(f func(int64))         { f(r.n.Load()); pause(); f(r.n.Load()) }
func (r *racy) All() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		if yield(r.n.Load()) {
			pause()
			yield(r.n.Load())
		}
	}
}

func (r *racy) Once(f func()) {
	if n := r.count.Load(); n == 0 {
		pause()
		r.count.Store(1)
		f()
	}
}

func (r *racy) Add(other *racy) { n := r.n.Load(); pause(); r.n.Store(n + other.n.Load() + 1) }
func (r *racy) Dump(w io.Writer) {
	_, _ = fmt.Fprint(w, r.n.Load())
	pause()
	_, _ = fmt.Fprint(w, r.n.Load())
}

func (r *racy) Drain() <-chan int64 {
	ch := make(chan int64, 2)
	ch <- r.n.Load()
	pause()
	ch <- r.n.Load()
	close(ch)
	return ch
}

// TestValuesShowFaults: methods with functions and the like are found not to be atomic.
func TestValuesShowFaults(t *testing.T) {
	r, err := stress.Reflect(func() *racy { return &racy{} }, stress.ReflectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"{ Update(+1) } || { Update(+1) } [ Load() ]", "{ Each(f) } || { Update(+1) }", "{ All() } || { Update(=1) }", "{ Once(f) } || { Once(f) }",
		"{ Add(new) } || { Add(new) } [ Load() ]", "{ Dump(w) } || { Update(+1) }", "{ Drain() } || { Update(+1) }",
	} {
		p, err := stress.Parse(text, r.Class)
		if err != nil {
			t.Fatal(err)
		}
		if p.String() != text {
			t.Errorf("%s prints as %v", text, p)
		}
		if outcome := unexpected(t, r.Class, p, 1<<22); outcome == nil {
			t.Errorf("%s: nothing found", text)
		} else if strings.Contains(fmt.Sprint(outcome), "panic") {
			t.Errorf("%s: %v", text, outcome)
		}
	}
}
