package search_test

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
)

// threadTime is the processor time that this thread has used. Other programs do
// not add to it.
func threadTime(t testing.TB) time.Duration {
	const thisThread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thisThread, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkSilence reports the longest processor time between two questions
// whether to stop. The target is 20 ms. TestStopIsAsked counts the work.
func BenchmarkSilence(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, c := range stubborns(b) {
		b.Run(fmt.Sprintf("%s/fresh=%v", strings.ReplaceAll(c.name, " ", "_"), c.fresh), func(b *testing.B) {
			longest := time.Duration(0)
			for b.Loop() {
				longest = max(longest, longestSilence(b, c))
			}
			b.ReportMetric(float64(longest.Microseconds())/1000, "ms/silence")
		})
	}
}

func longestSilence(t testing.TB, c stubborn) time.Duration {
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
	v.Finding = search.RunPruned(ops.New(c.h, s, 1<<32), c.prune, meter.New(listen))
	listen()
	return longest
}
