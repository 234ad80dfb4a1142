package record_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/record"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

var seedFlag = flag.Uint64("seed", 0, "seed of random tests; 0: from the clock")

func newRandom(t testing.TB) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// A store is a map with a mutex. If it is broken, its puts take effect only at
// the next put.
type store struct {
	mu     sync.Mutex
	m      map[int]int
	broken bool
	late   [2]int
}

func newStore(broken bool) *store { return &store{m: map[int]int{}, broken: broken} }

func (s *store) put(k, v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		s.m[s.late[0]] = s.late[1]
		s.late = [2]int{k, v}
		return
	}
	s.m[k] = v
}

func (s *store) get(k int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[k]
}

// use issues operations on keys 1 to 8; each value is written once.
func (s *store) use(p *record.Process, random *rand.Rand, number, operations int) {
	for i := range operations {
		k := 1 + random.IntN(8)
		switch random.IntN(5) {
		case 0:
			runtime.Gosched()
			fallthrough
		case 1, 2:
			p.CallInts("get", k)
			p.ReturnInt(s.get(k))
		default:
			v := number + 64*(i+1)
			p.CallInts("put", k, v)
			s.put(k, v)
			if random.IntN(50) == 0 {
				p.Unknown()
			} else {
				p.Return(history.NoValue)
			}
		}
	}
}

func useBy(s *store, processes, operations int, random *rand.Rand, next func() *record.Process) {
	var wg sync.WaitGroup
	for number := range processes {
		p, own := next(), rand.New(rand.NewPCG(random.Uint64(), 1))
		wg.Go(func() {
			s.use(p, own, number, operations)
			p.Close()
		})
	}
	wg.Wait()
}

// options are those of the history of a store.
func options() record.Options {
	return record.Options{ID: "store", Model: "kv", ModelArgs: []history.Value{history.IntValue(0)}}
}

func decodeOne(t *testing.T, r io.Reader) *history.History {
	t.Helper()
	var found *history.History
	for h, err := range codec.Decode(r, "recorded", codec.Options{}) {
		switch {
		case err != nil:
			t.Fatal(err)
		case found != nil:
			t.Fatal("two histories")
		}
		found = h
	}
	return found
}

func verdict(t *testing.T, h *history.History) replay.Answer { return verdictWithin(t, h, 0) }

// accepts reports whether a history is linearizable, as it should be. Under program
// order, a search of as many operations as were recorded in time may not end.
func accepts(t *testing.T, h *history.History, order record.Order) bool {
	if order != record.ProgramOrder {
		return verdict(t, h) == replay.Linearizable
	}
	return verdictWithin(t, h, 5*time.Second) != replay.NotLinearizable
}

func verdictWithin(t *testing.T, h *history.History, limit time.Duration) replay.Answer {
	t.Helper()
	model, err := spec.Lookup(h.Model, h.ModelArgs)
	if err != nil {
		t.Fatal(err)
	}
	v, err := decide.Check(context.Background(), h, model, replay.Options{Budget: replay.Budget{Time: limit}})
	if err != nil {
		t.Fatal(err)
	}
	return v.Answer
}

// TestStore records a store that is atomic and one that is not, with all
// options.
func TestStore(t *testing.T) {
	random := newRandom(t)
	for _, order := range []record.Order{record.Stamps, record.ProgramOrder} {
		for _, compress := range []record.Compression{record.None, record.Zstd, record.Gzip} {
			for _, broken := range []bool{false, true} {
				o := options()
				o.Order, o.Compress = order, compress
				o.Buffer, o.FlushEvery = []int{0, 2, 64}[random.IntN(3)], time.Millisecond
				operations, want := 1000, replay.Linearizable
				switch { // program order leaves most of them unordered, and a search may try 13^4 places
				case order == record.ProgramOrder && broken: // which shows at some key
					operations = 100
				case order == record.ProgramOrder:
					operations = 12
				}
				if broken {
					want = replay.NotLinearizable
				}
				var b bytes.Buffer
				r, err := record.New(&b, o)
				if err != nil {
					t.Fatal(err)
				}
				s := newStore(broken)
				useBy(s, 4, operations, random, r.Process)
				if err := r.Close(); err != nil {
					t.Fatal(err)
				}
				h := decodeOne(t, &b)
				if len(h.Ops) != 4*operations || h.ID != "store" {
					t.Errorf("%d operations in history %q", len(h.Ops), h.ID)
				}
				if got := verdict(t, h); got != want {
					t.Errorf("order %d, compression %d, broken %t: %v", order, compress, broken, got)
				}
			}
		}
	}
}

func TestMemory(t *testing.T) {
	random := newRandom(t)
	for _, order := range []record.Order{record.Stamps, record.ProgramOrder} {
		for _, broken := range []bool{false, true} {
			o := options()
			o.Order = order
			operations := 100
			if order == record.ProgramOrder && !broken { // see TestStore
				operations = 20
			}
			m := record.NewMemory(o)
			useBy(newStore(broken), 3, operations, random, m.Process)
			h, err := m.History()
			if err != nil {
				t.Fatal(err)
			}
			if again, err := m.History(); again != h || err != nil {
				t.Error("the second history differs")
			}
			want := replay.Linearizable
			if broken {
				want = replay.NotLinearizable
			}
			if got := verdict(t, h); got != want || len(h.Ops) != 3*operations {
				t.Errorf("order %d, broken %t: %v of %d operations", order, broken, got, len(h.Ops))
			}
		}
	}
}

// TestProgramOrder has a history without stamps that fits into one epoch. Its
// only order is that of each process.
func TestProgramOrder(t *testing.T) {
	for _, swapped := range []bool{false, true} {
		m := record.NewMemory(record.Options{Model: "register", Order: record.ProgramOrder})
		a, b := m.Process(), m.Process()
		a.CallInts("write", 1)
		a.Return(history.NoValue)
		a.CallInts("write", 2)
		a.Return(history.NoValue)
		results := []int{1, 2} // b reads after a wrote, and may read the old value
		want := replay.Linearizable
		if swapped {
			results, want = []int{2, 1}, replay.NotLinearizable
		}
		for _, n := range results {
			b.Call("read")
			b.ReturnInt(n)
		}
		h, err := m.History()
		if err != nil {
			t.Fatal(err)
		}
		if got := verdict(t, h); got != want {
			t.Errorf("reads %v: %v", results, got)
		}
	}
}

// TestCloseWhileInUse: Close may be called at any moment, and later operations
// are not recorded.
func TestCloseWhileInUse(t *testing.T) {
	random := newRandom(t)
	for _, order := range []record.Order{record.Stamps, record.ProgramOrder} {
		for _, full := range []record.Full{record.Block, record.Stop} {
			for range 20 {
				var b bytes.Buffer
				o := options()
				o.Order, o.Buffer, o.Full, o.FlushEvery = order, 16, full, -1
				r, err := record.New(&b, o)
				if err != nil {
					t.Fatal(err)
				}
				var wg sync.WaitGroup
				s, wait := newStore(false), time.Duration(random.IntN(500))*time.Microsecond
				wg.Go(func() { useBy(s, 3, 300, random, r.Process) })
				time.Sleep(wait)
				if err := r.Close(); err != nil && !errors.Is(err, record.ErrFull) {
					t.Fatal(err)
				}
				length := b.Len()
				wg.Wait()
				if err := r.Flush(); errors.Is(err, record.ErrMisuse) || b.Len() != length {
					t.Fatalf("after Close: %v, %d bytes", err, b.Len()-length)
				}
				if !strings.Contains(b.String(), `"type"`) {
					continue // no event at all
				}
				if text := b.String(); !accepts(t, decodeOne(t, &b), order) {
					t.Fatalf("order %d, full %d: not linearizable:\n%s", order, full, text)
				}
			}
		}
	}
}
