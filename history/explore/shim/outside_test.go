package shim_test

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	standard "sync/atomic"
	"testing"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/atomic"
	"github.com/leadline/leadline/history/explore/shim/maphash"
	"github.com/leadline/leadline/history/explore/shim/rand"
	randv2 "github.com/leadline/leadline/history/explore/shim/randv2"
	"github.com/leadline/leadline/history/explore/shim/sync"
)

// shared is one of each primitive.
type shared struct {
	mu    sync.Mutex
	rw    sync.RWMutex
	cond  *sync.Cond
	group sync.WaitGroup
	once  sync.Once
	pool  sync.Pool
	table sync.Map
	count atomic.Int64
	queue chan int
	plain int // guarded by mu
	read  int // guarded by rw
}

func newShared() *shared {
	s := &shared{queue: make(chan int, 3)}
	s.cond = sync.NewCond(&s.mu)
	s.pool.New = func() any { return new(int) }
	return s
}

// TestOutside: outside of an execution the primitives are safe for goroutines.
// Run it with -race.
func TestOutside(t *testing.T) {
	s := newShared()
	const n = 8
	done := make(chan bool)
	for range n {
		schedule.Go(func() {
			s.mu.Lock()
			s.count.Add(0)
			s.mu.Unlock()
			for range 200 {
				s.mu.Lock()
				s.plain++
				s.mu.Unlock()
				s.rw.RLock()
				_ = s.read
				s.rw.RUnlock()
				s.rw.Lock()
				s.read++
				s.rw.Unlock()
				p := s.pool.Get().(*int)
				*p++
				s.pool.Put(p)
				s.once.Do(func() { s.count.Add(100) })
				s.table.LoadOrStore(rand.Intn(3)+randv2.IntN(3), 1)
				s.table.Range(func(any, any) bool { return true })
				schedule.To(s.queue).Send(1)
				schedule.Select(false, schedule.RecvCase(s.queue))
			}
			schedule.To(done).Send(true)
		})
	}
	for range n {
		schedule.Recv(done)
	}
	if s.plain != n*200 || s.read != n*200 || s.count.Load() != 100 {
		t.Errorf("%d, %d, %d", s.plain, s.read, s.count.Load())
	}
	s.group.Add(n)
	woken := 0
	for range n {
		schedule.Go(func() {
			s.mu.Lock()
			s.group.Done()
			s.cond.Wait()
			woken++
			s.mu.Unlock()
			schedule.To(done).Send(true)
		})
	}
	s.group.Wait()
	s.mu.Lock()
	s.cond.Signal()
	s.cond.Broadcast()
	s.mu.Unlock()
	for range n {
		schedule.Recv(done)
	}
	if woken != n {
		t.Errorf("%d woken", woken)
	}
}

// run runs the threads once, the first one first.
func run(t *testing.T, threads ...func()) *schedule.Result {
	t.Helper()
	r := schedule.Run(&schedule.Program{Threads: threads}, schedule.NewDFS(schedule.DFSOptions{}), schedule.Limits{})
	if r.Panic != nil {
		t.Fatal(r.Panic)
	}
	return r
}

// TestAborted: what an aborted execution held is free, outside and in the next
// execution, and what was held outside is still held.
func TestAborted(t *testing.T) {
	s, held := newShared(), newShared()
	held.mu.Lock()
	held.rw.RLock()
	held.group.Add(1)
	for range 3 {
		r := run(t, func() {
			s.mu.Lock()
			s.rw.RLock()
			s.rw.RLock()
			s.group.Add(2)
			s.once.Do(schedule.Block)
		}, func() {
			if s.mu.TryLock() || s.rw.TryLock() || held.mu.TryLock() || held.rw.TryLock() {
				t.Error("locked twice")
			}
			if !held.rw.TryRLock() {
				t.Error("readers exclude each other")
			}
			held.rw.RUnlock()
			held.group.Done()
			held.group.Wait()
			s.cond.L = &sync.Mutex{}
			s.cond.L.Lock()
			s.cond.Wait()
		}, func() {
			var rw sync.RWMutex
			rw.Lock()
			rw.Lock()
		}, func() {
			defer s.mu.Unlock() // of another thread, when it is aborted
			held.mu.Lock()
		})
		if !r.Deadlock || len(r.Blocked) != 4 {
			t.Fatalf("deadlock %v, %d blocked", r.Deadlock, len(r.Blocked))
		}
		if !s.mu.TryLock() || !s.rw.TryLock() {
			t.Fatal("locked after the execution")
		}
		s.mu.Unlock()
		s.rw.Unlock()
		s.group.Wait()
		if held.mu.TryLock() || held.rw.TryLock() {
			t.Fatal("free after the execution")
		}
	}
	s.once.Do(func() { s.count.Add(1) })
	if s.count.Load() != 1 {
		t.Error("an aborted Do counts as done")
	}
	held.mu.Unlock()
	held.rw.RUnlock()
	held.group.Done()
	held.group.Wait()
}

// TestForgotten: an execution that ends with a lock held does not lock it for others.
func TestForgotten(t *testing.T) {
	var mu sync.Mutex
	var rw sync.RWMutex
	run(t, func() { mu.Lock(); rw.Lock() })
	if !mu.TryLock() || !rw.TryLock() {
		t.Error("locked by an execution that is over")
	}
	mu.Unlock()
	rw.Unlock()
	run(t, func() { mu.Lock(); rw.RLock() })
	mu.Lock()
	rw.Lock()
	if r := run(t, func() { mu.Unlock(); rw.Unlock() }); r.Deadlock { // those of code outside
		t.Error("deadlock")
	}
	if !mu.TryLock() || !rw.TryRLock() {
		t.Error("locked")
	}
}

// TestChannelsOutside: channels that code outside of the execution closes or fills.
func TestChannelsOutside(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	full := make(chan int, 2)
	full <- 1
	waits := make(chan string)
	go func() { waits <- "sent" }()
	closed := make(chan int, 1)
	receives := make(chan string)
	got := make(chan string)
	go func() { got <- <-receives }()
	wait := regexp.MustCompile(`\[chan (send|receive)[^\]]*\]:\n.*TestChannelsOutside\.func`)
	for len(wait.FindAll(allStacks(), -1)) < 2 {
		runtime.Gosched()
	}
	r := run(t, func() {
		schedule.Recv(ctx.Done())
		if v, ok := schedule.Recv2(closed); v != 3 || !ok {
			t.Error(v, ok)
		}
		if v, ok := schedule.Recv2(closed); v != 0 || ok {
			t.Error(v, ok)
		}
		if schedule.Select(true, schedule.To(receives).Case("received")) < 0 {
			t.Error("not received")
		}
	}, func() {
		n := schedule.Recv(full)
		schedule.To(full).Send(n + 1)
		if schedule.Len(full) != 1 || schedule.LenSend(full) != 1 {
			t.Error("length")
		}
		schedule.Select(false, schedule.RecvCase(waits))
		cancel()
		closed <- 3
		close(closed)
	})
	if r.Deadlock || r.Cut {
		t.Fatalf("deadlock %v, cut %v", r.Deadlock, r.Cut)
	}
	if n := <-full; n != 2 || <-got != "received" {
		t.Error(n)
	}
}

// TestSelectOutside: outside of an execution a select is the real one.
func TestSelectOutside(t *testing.T) {
	type names chan error
	c, d, none := make(names, 1), make(chan int), make(chan int)
	a, b := schedule.To(c).Case(nil), schedule.RecvCase(d)
	if n := schedule.Select(false, a, b); n != 0 {
		t.Error(n)
	}
	e := schedule.RecvCase(c)
	if n := schedule.Select(true, schedule.RecvCase(none), e); n != 1 {
		t.Error(n)
	}
	if v, ok := e.Value2(); v != nil || !ok {
		t.Error(v, ok)
	}
	if n := schedule.Select(true, e, b); n != -1 {
		t.Error(n)
	}
	schedule.Close(d)
	if v, ok := b.Value2(); schedule.Select(true, e, b) != 1 || v != 0 || ok {
		t.Error(v, ok)
	}
	defer func() {
		if got := fmt.Sprint(recover()); got != "send on closed channel" {
			t.Error(got)
		}
	}()
	schedule.Select(false, schedule.To(d).Case(1))
}

// TestTraced: a trace has the values, and numbers for addresses.
func TestTraced(t *testing.T) {
	type node struct{ value int }
	p := &schedule.Program{Threads: []func(){func() {
		var x atomic.Int32
		x.Store(4)
		x.CompareAndSwap(5, 6)
		x.Add(2)
		var p atomic.Pointer[node]
		first, second := &node{7}, &node{8}
		p.Store(first)
		var q unsafe.Pointer
		atomic.StorePointer(&q, unsafe.Pointer(second))
		atomic.CompareAndSwapPointer(&q, nil, unsafe.Pointer(first))
		atomic.LoadPointer(&q)
		var m sync.Mutex
		m.TryLock()
		m.Unlock()
		m.Lock()
		c := make(chan string, 1)
		schedule.To(c).Send("a\n")
		schedule.Recv(c)
		y := 1.5
		schedule.Load(&y)
	}}}
	r := schedule.Trace(p, nil, schedule.Limits{})
	notes := ""
	for _, d := range r.Details {
		notes += d.Note + "; "
	}
	if want := `<- 4; not swapped to 6; <- 6; <- p1 &{7}; <- p2; not swapped to p1; = p2; locked; sync.Mutex.Unlock; sync.Mutex.Lock; sends "a\n"; receives "a\n"; = 1.5; `; notes != want {
		t.Errorf("notes are %s\nbut should be %s", notes, want)
	}
}

// TestHash: equal values have equal hashes, which are those of any process.
func TestHash(t *testing.T) {
	seed := maphash.MakeSeed()
	text := "a text of more than eight bytes"
	var h, i maphash.Hash
	h.WriteString(text)
	for _, b := range []byte(text) {
		i.WriteByte(b)
	}
	c, _ := i.Clone()
	i.Write([]byte("more"))
	sums := map[uint64]string{maphash.String(seed, text): "String"}
	for name, sum := range map[string]uint64{"Bytes": maphash.Bytes(seed, []byte(text)), "WriteString": h.Sum64(), "Clone": c.(*maphash.Hash).Sum64()} {
		if sums[sum] == "" {
			t.Errorf("%s differs", name)
		}
	}
	if sums[i.Sum64()] != "" || maphash.String(seed, "leadline") != 0xd183c5c4919a18d1 {
		t.Errorf("hash is %#x", maphash.String(seed, "leadline"))
	}
	type pair struct {
		a any
		b [2]float64
	}
	zero := 0.0
	values := []any{1, "1", 1.0, true, false, 'x', uint8(1), complex(1, 2), pair{1, [2]float64{}}, pair{"1", [2]float64{}}, pair{1, [2]float64{1}}, new(int), nil}
	seen := map[uint64]any{}
	for _, v := range values {
		sum := maphash.Comparable(seed, v)
		if other, ok := seen[sum]; ok && fmt.Sprint(other) != fmt.Sprint(v) && other != uint8(1) && v != uint8(1) && v != true {
			t.Errorf("%v and %v have one hash", other, v)
		}
		seen[sum] = v
	}
	if maphash.Comparable(seed, zero) != maphash.Comparable(seed, -zero) || maphash.Comparable(seed, pair{1, [2]float64{}}) != maphash.Comparable(seed, pair{1, [2]float64{-zero}}) {
		t.Error("zeros differ")
	}
}

// TestAtomicLayout: the types of atomic have size and alignment of the real ones, so that
// padding and 64-bit access on 32-bit machines stay right.
func TestAtomicLayout(t *testing.T) {
	for _, pair := range [][2]any{
		{atomic.Int32{}, standard.Int32{}}, {atomic.Int64{}, standard.Int64{}}, {atomic.Uint32{}, standard.Uint32{}}, {atomic.Uint64{}, standard.Uint64{}},
		{atomic.Uintptr{}, standard.Uintptr{}}, {atomic.Bool{}, standard.Bool{}}, {atomic.Pointer[int]{}, standard.Pointer[int]{}}, {atomic.Value{}, standard.Value{}},
	} {
		a, b := reflect.TypeOf(pair[0]), reflect.TypeOf(pair[1])
		if a.Size() != b.Size() || a.Align() != b.Align() {
			t.Errorf("%v has size %d and alignment %d, not %d and %d", a, a.Size(), a.Align(), b.Size(), b.Align())
		}
	}
}
