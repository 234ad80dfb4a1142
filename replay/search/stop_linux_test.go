package search_test

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/search"
)

// threadTime is the processor time that this thread has used, which other
// programs do not add to.
func threadTime(t *testing.T) time.Duration {
	const thisThread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thisThread, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestStopIsAskedInTime: all that an engine does between two questions takes
// less than 20 ms of processor time, looking up what is known included.
func TestStopIsAskedInTime(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, c := range stubborns(t) {
		longest := longestSilence(t, c)
		// The garbage collector may have got in between: not every time.
		for again := 0; again < 3 && longest > 20*time.Millisecond; again++ {
			longest = min(longest, longestSilence(t, c))
		}
		t.Logf("%s: %v at most between two questions", c.name, longest)
		if longest > 20*time.Millisecond {
			t.Errorf("%s: %v between two questions", c.name, longest)
		}
	}
}

func longestSilence(t *testing.T, c stubborn) time.Duration {
	s := lookup(t, c.model)
	asked, longest := 0, time.Duration(0)
	last := threadTime(t)
	listen := func() bool {
		asked++
		now := threadTime(t)
		longest = max(longest, now-last)
		last = now
		return asked >= c.stops
	}
	var v replay.Verdict
	search.RunPruned(c.h, s, c.prune, 1<<32, listen, &v)
	listen()
	return longest
}
