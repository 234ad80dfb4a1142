package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
)

var keep []byte

// collected reports whether garbage is collected while 4 MiB are allocated several
// times. It returns at once if so.
func collected(times int) bool {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		keep = make([]byte, 4<<20)
		if runtime.ReadMemStats(&after); after.NumGC > before.NumGC {
			return true
		}
	}
	return false
}

// TestCollector runs in a process of its own, whose memory is its own.
func TestCollector(t *testing.T) {
	const child = "LEADLINE_TEST_COLLECTOR"
	if os.Getenv(child) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestCollector$")
		cmd.Env = append(os.Environ(), child+"=1")
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		return
	}
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	defer debug.SetGCPercent(percent)
	debug.FreeOSMemory() // what the tests before have left

	c := newCollector(4 << 30)
	c.reading(180 << 20) // no collection below 400 MiB
	if collected(20) {
		t.Error("80 MiB of garbage are collected")
	}
	if !collected(2000) { // on a busy machine, a collection takes long
		t.Error("8 GiB of garbage, and no collection")
	}
	for { // until the runtime finds time to call begun
		c.mu.Lock()
		waiting := c.waiting
		c.mu.Unlock()
		if !waiting {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if got := debug.SetGCPercent(usualGarbage); got != usualGarbage {
		t.Errorf("after the first collection, others at %d %%", got)
	}
	if got := debug.SetMemoryLimit(-1); got != c.limit {
		t.Errorf("after the first collection, a limit of %d bytes", got)
	}
	c.stop()
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("afterwards, collections at %d %%", got)
	}
	if got := debug.SetMemoryLimit(-1); got != limit {
		t.Errorf("afterwards, a limit of %d bytes", got)
	}
}

// TestAbove: on a terminal that shows both, the line of progress goes before a result is
// written.
func TestAbove(t *testing.T) {
	var screen bytes.Buffer
	p := &progress{w: &screen, what: "histories"}
	out := p.above(&screen)
	for n := range 2 {
		p.n = n
		p.print()
		fmt.Fprintln(out, "one")
		fmt.Fprintln(out, "two")
	}
	const want = "\r\033[K0 histories\r\033[Kone\ntwo\n\r\033[K1 histories\r\033[Kone\ntwo\n"
	if got := screen.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestProgressMoves: a line that moves by itself changes though nothing is counted, not while
// something else is written, and is gone when it stops.
func TestProgressMoves(t *testing.T) {
	screen := &lockedBuffer{}
	p := &progress{w: screen, what: "programs"}
	stop := p.move()
	p.hide(func() { fmt.Fprint(screen, "<"); time.Sleep(2 * progressEvery); fmt.Fprint(screen, ">") })
	for !strings.Contains(screen.String(), "0 programs, ") {
		time.Sleep(time.Millisecond)
	}
	stop()
	text := screen.String()
	if !strings.Contains(text, "<>") || !strings.HasSuffix(text, "\r\033[K") {
		t.Errorf("%q", text)
	}
}

// A lockedBuffer may be written and read at once.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
