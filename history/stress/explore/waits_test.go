package explore_test

import (
	"context"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/explore/shim/sync"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
)

// A locks takes two locks in both orders, and a read lock twice.
type locks struct {
	a, b sync.Mutex
	rw   sync.RWMutex
}

func (l *locks) AB()    { both(&l.a, &l.b) }
func (l *locks) BA()    { both(&l.b, &l.a) }
func (l *locks) Twice() { both(l.rw.RLocker(), l.rw.RLocker()) }
func (l *locks) Write() { both(&l.rw, &l.a) }

// TestWaits: in the history of a deadlock, calls never returned, and say where they wait, for
// what, and who holds it. A writer that waits does not hold the lock.
func TestWaits(t *testing.T) {
	for program, want := range map[string][2]string{
		"{ AB() } || { BA() }":       {"for sync.Mutex.Lock, held by process 1", "for sync.Mutex.Lock, held by process 0"},
		"{ Twice() } || { Write() }": {"for sync.RWMutex.RLock, behind process 1, which waits to lock it", "for sync.RWMutex.Lock, held by process 0"},
	} {
		var found []*stress.Finding
		c := classOf(t, func() *locks { return &locks{} }, stress.ReflectOptions{ReadOnly: []string{}})
		_, err := stress.Search(context.Background(), c, stress.Options{Executor: explore.New, Preemptions: 1, Programs: []string{program},
			Checker: stresstest.Checker(nil), Found: func(f *stress.Finding) { found = append(found, f) }})
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %d violations, %v", program, len(found), err)
		}
		f := found[0]
		if len(f.Seen.History.Waits) != 2 {
			t.Fatalf("%s: %v", program, f.Seen.History.Waits)
		}
		for i, w := range f.Seen.History.Waits {
			if op := &f.Seen.History.Ops[w.Op]; !op.Waits || !strings.HasPrefix(w.For, "waits at explore/") || !strings.HasSuffix(w.For, want[i]) {
				t.Errorf("%s: %v: %q, want %q", program, op, w.For, want[i])
			}
			if !strings.Contains(f.History, `"type":"waits","for":"`+w.For+`"`) {
				t.Errorf("%s: the encoded history lacks %q:\n%s", program, w.For, f.History)
			}
		}
		if text := strings.Join(f.Waiting, "\n"); strings.Contains(want[0], "behind") != strings.Contains(text, "behind thread 1, which waits to lock it") {
			t.Errorf("%s: %s", program, text)
		}
	}
}
