package stresstest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/record"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

// Inventory counts pieces by kind. Its Take is broken: it counts and removes in
// two steps.
type Inventory struct {
	mu     sync.Mutex
	pieces [2]int
}

func (i *Inventory) Put(kind int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.pieces[kind&1]++
}

func (i *Inventory) Count(kind int) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.pieces[kind&1]
}

func (i *Inventory) Take(kind int) bool {
	if i.Count(kind) == 0 {
		return false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.pieces[kind&1]--
	return true
}

// A fakeTB keeps the failures of a test.
type fakeTB struct {
	dir    string
	errors []string
}

func (f *fakeTB) Helper()                      {}
func (f *fakeTB) Name() string                 { return "Test/it" }
func (f *fakeTB) ArtifactDir() string          { return f.dir }
func (f *fakeTB) Logf(string, ...any)          {}
func (f *fakeTB) Errorf(text string, a ...any) { f.errors = append(f.errors, fmt.Sprintf(text, a...)) }

func newInventory() *Inventory { return &Inventory{} }

func TestTest(t *testing.T) {
	effort := stress.Effort{Name: "test", Time: 5 * time.Minute, Program: 50 * time.Millisecond}
	tb := &fakeTB{dir: t.TempDir()}
	Test(tb, newInventory, Options{Effort: effort})
	if len(tb.errors) != 1 {
		t.Fatalf("%d failures: %q", len(tb.errors), tb.errors)
	}
	text := tb.errors[0]
	for _, want := range []string{"Inventory is not atomic: ", "{ ", "||", "one after another the answers are:", "|-", "To reproduce: Options{Programs: []string{", "To check again: leadline check"} {
		if !strings.Contains(text, want) {
			t.Errorf("the failure does not have %q:\n%s", want, text)
		}
	}
	files, err := filepath.Glob(filepath.Join(tb.dir, "Test_it-*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %q, %v", files, err)
	}
	checkFile(t, files[0])

	// The same without what is broken, and with a given program.
	tb = &fakeTB{dir: t.TempDir()}
	effort.Time = time.Second
	Test(tb, newInventory, Options{Effort: effort, ReflectOptions: stress.ReflectOptions{Exclude: []string{"Take"}}})
	if len(tb.errors) > 0 {
		t.Errorf("%q", tb.errors)
	}
	Test(tb, newInventory, Options{Effort: effort, Programs: []string{"{ Throw(1) }"}})
	if len(tb.errors) != 1 || !strings.Contains(tb.errors[0], "Throw") {
		t.Errorf("%q", tb.errors)
	}
}

func checkFile(t *testing.T, file string) {
	t.Helper()
	r, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for h, err := range codec.Decode(r, file, codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		s, err := spec.Lookup(h.Model, h.ModelArgs)
		if err != nil {
			t.Fatal(err)
		}
		v, err := decide.Check(context.Background(), h, s, replay.Options{})
		if err != nil || v.Answer != replay.NotLinearizable {
			t.Errorf("the checker says %v, %v", v.Answer, err)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, broken := range []bool{false, true} {
		m := record.NewMemory(record.Options{Model: "counter"})
		var n atomic.Int64
		p, q := m.Process(), m.Process()
		p.Call("getAndIncrement")
		q.Call("getAndIncrement")
		p.ReturnInt(int(n.Add(1) - 1))
		if broken {
			n.Store(0)
		}
		q.ReturnInt(int(n.Add(1) - 1))
		h, err := m.History()
		if err != nil {
			t.Fatal(err)
		}
		s, err := spec.Parse("counter")
		if err != nil {
			t.Fatal(err)
		}
		tb := &fakeTB{dir: t.TempDir()}
		Check(tb, h, s)
		if broken != (len(tb.errors) == 1) {
			t.Fatalf("broken %v: %q", broken, tb.errors)
		}
		if broken && (!strings.Contains(tb.errors[0], "is not linearizable") || !strings.Contains(tb.errors[0], "|-")) {
			t.Errorf("%s", tb.errors[0])
		}
	}
}

func TestPicture(t *testing.T) {
	b := history.NewBuilder(history.Header{})
	invoke := func(process int64, method string) {
		b.Add(&history.Event{Process: history.IntValue(process), Method: method})
	}
	respond := func(process, result int64) {
		b.Add(&history.Event{Type: history.OK, Process: history.IntValue(process), Result: history.IntValue(result)})
	}
	invoke(0, "put")
	invoke(1, "get")
	respond(0, 1)
	invoke(10, "size")
	respond(1, 2)
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	const want = ` 0  |-|     put(): 1
 1   |--|   get(): 2
10     |->  size(): pending
`
	if got := picture(h); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
