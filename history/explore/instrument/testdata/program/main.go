// This program uses what the rewriter rewrites, and prints the same in each run.
package main

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand"
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"m/old"
)

func main() {
	for _, f := range []func(){
		goroutines, channels, selects, ranges, plain, locks, clocks, panics, generics,
	} {
		f()
	}
	fmt.Println(old.Captured(), old.Sorted([]string{"ccc", "a", "bb"}, []string{"x"}, []string{"yy", "y"}))
	random()
}

type counter struct {
	n    int64
	next *counter
	m    map[string]int
	list []int

	never *struct{ array [3][2]int }
}

func (c *counter) Add(n int64)         { atomic.AddInt64(&c.n, n) }
func (c counter) Copied(ch chan int64) { ch <- c.n }

func goroutines() {
	var wg sync.WaitGroup
	c := &counter{}
	done := func(n int64, more ...int64) {
		defer wg.Done()
		c.Add(n)
		for _, n := range more {
			c.Add(n)
		}
	}
	x := int64(1)
	wg.Add(5)
	go done(x)
	x = 10
	go done(x, 1, 2)
	go done(1<<x, []int64{x, x}...)
	go func() { defer wg.Done(); c.Add(100_000) }()
	f := done
	go f(1_000_000)
	f = nil
	wg.Wait()
	ch := make(chan int64)
	go c.Copied(ch)
	fmt.Println("goroutines", <-ch, c.n)
	d := *c
	go d.Copied(ch)
	d.n = 3
	fmt.Println((<-ch) == c.n)
	stop := make(chan struct{})
	go close(stop)
	<-stop
	go print()
	var b strings.Builder
	ready := make(chan bool)
	go func(parts ...any) (n int, err error) {
		defer close(ready)
		return fmt.Fprintln(&b, parts...)
	}("parts", x == 10, nil, 2.5, errors.New("e"))
	_, ok := <-ready
	fmt.Print(ok, b.String())
}

type direction <-chan int

func channels() {
	ch := make(chan int, 2)
	var in chan<- int = ch
	var out direction = ch
	in <- 1
	ch <- len(ch) + cap(ch)
	fmt.Println("channels", len(in), len(out), <-out+<-ch)
	close(in)
	v, ok := <-out
	fmt.Println(v, ok)
	any := make(chan interface{}, 1)
	any <- errors.New("an error")
	if e, ok := (<-any).(error); ok {
		fmt.Println(e)
	}
	errs := make(chan error, 1)
	errs <- nil
	fmt.Println(<-errs)
	both := make(chan chan int, 1)
	both <- make(chan int, 1)
	inner := <-both
	inner <- 5
	both <- inner
	fmt.Println(<-<-both)
	func() {
		defer func() { fmt.Println(recover()) }()
		close(ch)
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		ch <- 1
	}()
	var never chan int
	fmt.Println(len(never), cap(never))
}

func selects() {
	a, b := make(chan int), make(chan string, 1)
	calls := ""
	operand := func(name string, c chan int) chan int { calls += name; return c }
	value := func(v string) string { calls += v; return v }
	select {
	case v := <-operand("a", nil):
		fmt.Println("never", v)
	case b <- value("b"):
	case operand("c", nil) <- len(value("d")):
	}
	fmt.Println("selects", calls, len(b))
	var x struct {
		s  string
		ok bool
	}
	select {
	case x.s, x.ok = <-b:
	default:
		fmt.Println("never")
	}
	fmt.Println(x)
	go func() {
		for i := range 5 {
			a <- i
		}
		close(a)
	}()
	sum := 0
loop:
	for {
		select {
		case v, ok := <-a:
			if !ok {
				break loop
			}
			if v%2 == 0 {
				continue
			}
			if v == 3 {
				break
			}
			sum += v
		case <-time.After(time.Hour):
			return
		}
	}
	fmt.Println(sum, ended(a))
	select {
	case <-operand("x", a):
	}
	select {
	default:
		fmt.Println("default")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	select {
	case <-ctx.Done():
		fmt.Println(ctx.Err())
	}
}

func ended(c <-chan int) (s string) {
	defer func() { s += "!" }()
	select {
	case _, ok := <-c:
		return fmt.Sprint(ok)
	}
}

func ranges() {
	m := map[int]string{}
	for i := range 10 {
		m[i] = strings.Repeat("x", i)
	}
	n := 0
	for k, v := range m {
		if k%2 == 0 {
			delete(m, k)
			delete(m, k+1)
		}
		n += len(v) & 1
	}
	fmt.Println("ranges", len(m), n >= 0)
	m = map[int]string{1: "a", 2: "b"}
	var fs []func() string
	for k, v := range m {
		fs = append(fs, func() string { return fmt.Sprint(k, v) })
	}
	var out []string
	for _, f := range fs {
		out = append(out, f())
	}
	sort.Strings(out)
	var last struct{ k int }
	visits := 0
	for last.k = range m {
		visits++
		if visits > 1 {
			break
		}
	}
	for range m {
		visits += 10
	}
	var none map[string]bool
	for range none {
		visits = -1
	}
	fmt.Println(out, visits, last.k == 1 || last.k == 2)
	ch := make(chan [2]int, 4)
	for i := range 4 {
		ch <- [2]int{i, i * i}
	}
	close(ch)
outer:
	for v := range ch {
		for k := range map[int]int{v[0]: v[1]} {
			if k == 1 {
				continue outer
			}
			if k == 3 {
				break outer
			}
			fmt.Print(v, " ")
		}
	}
	for range ch {
		fmt.Println("never")
	}
	fmt.Println()
}

var global struct {
	count  int
	table  [3]map[string]int
	choose func(int) int
}

func plain() {
	c := &counter{m: map[string]int{}, list: []int{1, 2, 3}}
	c.next = c
	calls := 0
	f := func() *counter { calls++; return c.next }
	f().n = 4
	f().n += 5
	f().next.n++
	f().m["a"]++
	f().m["a"] += f().m["a"] + 1
	c.next.list[f().m["a"]-1], c.n = 7, int64(c.list[2])
	c.list[0], c.list[1] = c.list[1], c.list[0]
	c.m["b"], c.next.m["c"] = 1, len(c.m)
	var ok bool
	c.list[0], ok = c.m["b"]
	c.m["d"], ok = c.m["none"]
	c.list[1], _ = pair(c)
	_, c.n = pair(c)
	i := 0
	i, c.list[i] = 2, 9
	global.choose = func(n int) int { global.count += n; return global.count }
	global.table[global.choose(1)] = c.m
	global.table[1]["e"] = global.choose(2)
	global.count <<= 2
	global.count ^= 1
	for global.count = 0; global.count < 3; global.count++ {
		if c.n = int64(global.count); c.n > 1 {
			c.next.next.n *= 2
		}
	}
	x, y := 0, 0
	p := &x
	add := func(n int) int { x += n; y -= n; return x }
	*p = add(1) + add(2)
	x, y = y, x
	d := *c
	d.n = 100
	s := c.list[:2:2]
	s = append(s, 4)
	array := [2][2]int{{1, 2}, {3, 4}}
	q := &array
	q[1][0]++
	row := q[0]
	row[1] = 0
	var fs []func()
	for i, v := range append(c.list, 5) {
		c.list = append(c.list[:1], i, v)
		v += calls
		i++
		fs = append(fs, func() { calls += i * v })
	}
	for _, f := range fs {
		f()
	}
	for _, c.n = range [3]int64{1, 2, 3} {
	}
	for c.m["f"], calls = range []int{3, 4} {
		continue
	}
	for i := range c.never.array {
		calls += i
	}
	for i := range c.never.array[1] {
		calls += i
	}
	fmt.Println("plain", calls, c.n, c.list, c.m, ok, i, global.count, global.table[1]["e"], x, y, *p, d.n, s, array, row, len(q), cap(q[0][:1]))
}

func pair(c *counter) (int, int64) { return len(c.m), int64(len(c.list)) }

type cache struct {
	sync.RWMutex
	once  sync.Once
	value atomic.Value
	ready sync.Cond
	pool  sync.Pool
	m     sync.Map
}

func locks() {
	c := &cache{pool: sync.Pool{New: func() any { return new(int) }}}
	c.ready.L = &c.RWMutex
	var wg sync.WaitGroup
	n := 0
	for i := range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c.once.Do(func() { c.value.Store("once") })
			c.RLock()
			_ = n
			c.RUnlock()
			c.Lock()
			n++
			c.Unlock()
			c.m.Store(i%5, i)
			p := c.pool.Get().(*int)
			*p = 0
			c.pool.Put(p)
			c.ready.Broadcast()
		}()
	}
	c.Lock()
	for n < 20 {
		c.ready.Wait()
	}
	c.Unlock()
	wg.Wait()
	size := 0
	c.m.Range(func(any, any) bool { size++; return true })
	fmt.Println("locks", n, c.value.Load(), size, c.TryLock(), c.TryRLock())
}

func clocks() {
	start := time.Now()
	time.Sleep(time.Microsecond)
	timer := time.NewTimer(time.Hour)
	fired := make(chan struct{})
	time.AfterFunc(time.Microsecond, func() { close(fired) })
	<-fired
	fmt.Println("clocks", time.Since(start) > 0, timer.Stop(), runtime.NumCPU() > 0)
	var h maphash.Hash
	h.WriteString("a")
	r := rand.New(rand.NewSource(1))
	fmt.Println(h.Sum64() == h.Sum64(), r.Intn(1000), rand.Intn(1))
}

func panics() {
	for _, f := range []func(){
		func() { var c *counter; c.n = 1 },
		func() { var c counter; c.next.next.n++ },
		func() { var m map[string]int; m["a"]++ },
		func() { c := &counter{}; c.list[3] = 1 },
		func() { var e any = 1; _ = <-e.(chan int) },
	} {
		func() {
			defer func() { fmt.Println(recover()) }()
			f()
		}()
	}
}

type number interface{ ~int | ~float64 }

type stack[T any] struct {
	mu   sync.Mutex
	list []T
	seen map[int]T
}

func (s *stack[T]) push(v T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, v)
	if s.seen == nil {
		s.seen = map[int]T{}
	}
	s.seen[len(s.list)] = v
}

func sum[M ~map[K]V, K comparable, V number](m M) (n V) {
	for _, v := range m {
		n += v
	}
	return
}

func drain[C ~chan T | ~<-chan T, T any](c C, each func(T)) {
	for v := range c {
		each(v)
	}
}

func spawn[T any](v T, f func(T), wg *sync.WaitGroup) {
	defer wg.Done()
	f(v)
}

func generics() {
	s := &stack[string]{}
	var wg sync.WaitGroup
	wg.Add(2)
	go spawn("a", s.push, &wg)
	go spawn[float64](1, func(f float64) { s.push(fmt.Sprint(f / 2)) }, &wg)
	wg.Wait()
	sort.Strings(s.list)
	ch := make(chan int, 2)
	ch <- 1
	ch <- 2
	close(ch)
	n := 0
	drain(ch, func(v int) { n += v })
	fmt.Println("generics", s.list, len(s.seen), sum(map[string]float64{"a": 1, "b": 2}), n)
}
