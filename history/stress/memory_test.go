package stress_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// TestMemory: a search ends when something holds objects, so that they cannot be collected.
func TestMemory(t *testing.T) {
	defer stress.SetMaxMemory(stress.SetMaxMemory(128 << 20))
	var all [][]byte
	var mu sync.Mutex
	c := &stress.Class{Name: "held", New: func() any {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, make([]byte, 256<<10))
		return &atomic.Int64{}
	}, Methods: []*stress.Method{{Name: "add", Prepare: func([]history.Value) stress.Call {
		return func(o any) history.Value { return history.IntValue(o.(*atomic.Int64).Add(1)) }
	}}}}
	r, err := search(c, stress.Options{Effort: stress.Effort{Time: patience, Program: patience}})
	if err != nil || !r.Worn || r.Memory < 64<<20 || len(r.Findings) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestBigObjects: few big objects exist at one time.
func TestBigObjects(t *testing.T) {
	var live, most atomic.Int64
	c := &stress.Class{Name: "big", New: func() any {
		if n := live.Add(1); n > most.Load() {
			most.Store(n)
		}
		b := make([]byte, 8<<20)
		return &b
	}, Close: func(any) { live.Add(-1) }, Methods: []*stress.Method{{Name: "len", Prepare: func([]history.Value) stress.Call {
		return func(o any) history.Value { return history.IntValue(int64(len(*o.(*[]byte)))) }
	}}}}
	_, err := search(c, stress.Options{Programs: []string{"{ len() } || { len() }"}, Effort: stress.Effort{Time: time.Second, Program: 50 * time.Millisecond}})
	if err != nil || most.Load() == 0 || most.Load() > 8 {
		t.Errorf("%d at one time, %v", most.Load(), err)
	}
}
