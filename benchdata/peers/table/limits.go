package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/leadline/leadline/replay"
)

// limits are the limits of one run of a checker.
type limits struct {
	cpu    time.Duration
	memory int64 // bytes
}

// A cost is the resource use of a child process. A median has time and memory
// of different runs.
type cost struct {
	cpu     time.Duration // user and system
	memory  int64         // largest resident set, bytes
	stopped string        // the limit that stopped it, "" if it finished
	answers []string
}

func (c cost) String() string {
	switch {
	case c.cpu == 0:
		return "-"
	case c.stopped == "memory":
		return fmt.Sprintf("stopped at %s after %s s", size(c.memory), seconds(c.cpu))
	case c.stopped != "":
		return fmt.Sprintf("stopped after %s s at %s", seconds(c.cpu), size(c.memory))
	}
	if c.memory == 0 {
		return seconds(c.cpu) + " s"
	}
	text := fmt.Sprintf("%s s, %s", seconds(c.cpu), size(c.memory))
	if c.undecided() {
		return "unknown: " + text
	}
	return text
}

// undecided reports that some history has no verdict.
func (c cost) undecided() bool {
	return c.stopped != "" || slices.Contains(c.answers, replay.Undecided.String())
}

// size prints bytes in MiB or GiB.
func size(bytes int64) string {
	if mib := float64(bytes) / (1 << 20); mib < 1024 {
		return fmt.Sprintf("%.0f MiB", mib)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

// seconds prints a time in seconds with at least two digits, but at most three
// decimal places.
func seconds(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 1:
		return fmt.Sprintf("%.3f", s)
	case s < 10:
		return fmt.Sprintf("%.2f", s)
	default:
		return fmt.Sprintf("%.0f", s)
	}
}
