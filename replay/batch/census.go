package batch

import (
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"strconv"
	"time"
)

// A Census counts the histories of an input. So an interrupted batch can report how many
// there are.
type Census struct {
	N     int
	Ended bool // there are no more than N
}

// Of passes on the entries and counts the histories among them. ctx is the context of
// reading them.
func (c *Census) Of(ctx context.Context, from iter.Seq[Entry]) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for e := range from {
			if !e.IsFileFault() {
				c.N++
			}
			if !yield(e) {
				return
			}
		}
		c.Ended = ctx.Err() == nil
	}
}

// longCount bounds the time of Finish: a user who interrupts a batch waits no longer. Tests
// replace it.
var longCount = time.Second

// Finish reads the whole input of paths again, for at most a second, to count the
// histories that an interrupt left out. It does nothing if a path can be read only once.
func (c *Census) Finish(paths []string, entries func(context.Context) iter.Seq[Entry]) {
	if c.Ended || slices.ContainsFunc(paths, isStream) {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), longCount)
	defer stop()
	var all Census
	for range all.Of(ctx, entries(ctx)) {
	}
	c.N, c.Ended = max(c.N, all.N), all.Ended
}

// isStream reports whether a path can be read only once.
func isStream(name string) bool {
	info, err := os.Stat(name)
	return name == "-" || err == nil && !info.IsDir() && !info.Mode().IsRegular()
}

// Stopped returns the last line of an interrupted batch. n histories are done, and not is
// the number of these that do not have the property.
func (c *Census) Stopped(n, not int, property string) string {
	all := strconv.Itoa(max(n, c.N))
	if !c.Ended {
		all += " or more"
	}
	return fmt.Sprintf("stopped after %d of %s: %d not %s", n, all, not, property)
}
