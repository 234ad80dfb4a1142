package main

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

var keep []byte

// collections counts the garbage collections while 4 MiB are allocated
// several times.
func collections(times int) uint32 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		keep = make([]byte, 4<<20)
	}
	runtime.ReadMemStats(&after)
	return after.NumGC - before.NumGC
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
	c.reading(180 << 20) // no collection below 556 MiB
	if n := collections(20); n != 0 {
		t.Errorf("%d collections of 80 MiB of garbage", n)
	}
	if n := collections(200); n == 0 {
		t.Error("880 MiB of garbage, and no collection")
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
	if n := collections(20); n < 2 {
		t.Errorf("%d collections of 80 MiB of garbage after the first", n)
	}
	c.checking(1)
	if got := debug.SetGCPercent(soonGarbage); got != soonGarbage {
		t.Errorf("while a long history is checked, collections at %d %%", got)
	}
	c.checking(-1)
	if got := debug.SetGCPercent(usualGarbage); got != usualGarbage {
		t.Errorf("usually, collections at %d %%", got)
	}
	c.stop()
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("afterwards, collections at %d %%", got)
	}
	if got := debug.SetMemoryLimit(-1); got != limit {
		t.Errorf("afterwards, a limit of %d bytes", got)
	}
}
