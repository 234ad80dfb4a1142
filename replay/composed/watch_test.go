package composed

import (
	"strings"
	"testing"
	"time"
)

// A releaser lets a method go on once there is a warning.
type releaser struct {
	strings.Builder
	release chan bool
}

func (r *releaser) Write(text []byte) (int, error) {
	defer close(r.release) // once, or it panics
	return r.Builder.Write(text)
}

// TestWaits: there is a line about a method that waits, and none about others.
func TestWaits(t *testing.T) {
	r := &releaser{release: make(chan bool)}
	defer func(d time.Duration) { patience = d }(patience)
	patience, warnings = time.Millisecond, r
	Test(t, func(m Map) any { m.Load(1); <-r.release; return nil }, Options{Ops: 1})
	if text := r.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "has neither returned nor used the collection") {
		t.Errorf("%q", text)
	}
	other := &releaser{release: make(chan bool)}
	patience, warnings = 50*time.Millisecond, other
	defer close(other.release)
	x, err := newExplorer(t.Context(), func(m Map) any { m.Load(1); return nil }, Options{})
	if err != nil {
		t.Fatal(err)
	}
	stop := x.watch()
	time.Sleep(3 * patience)
	stop()
	if other.Len() > 0 {
		t.Errorf("%q", other.String())
	}
}
