package batch

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
)

// TestCensus: an interrupted batch counts its whole input, unless it is a stream.
func TestCensus(t *testing.T) {
	longCount = time.Hour
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	fault := Entry{Err: &history.Error{Msg: "missing"}}
	input := func(context.Context) iter.Seq[Entry] {
		return slices.Values([]Entry{{History: &history.History{}}, fault, {Err: &history.Errors{}}, {History: &history.History{}}})
	}
	interrupted, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var c Census
	for range c.Of(interrupted, input(interrupted)) {
		interrupt()
	}
	if got, want := c.Stopped(2, 1, "linearizable"), "stopped after 2 of 3 or more: 1 not linearizable"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for range c.Of(t.Context(), input(interrupted)) {
		break
	}
	c.Finish([]string{"-"}, input)
	if got, want := c.Stopped(9, 1, "linearizable"), "stopped after 9 of 9 or more: 1 not linearizable"; got != want {
		t.Errorf("a stream: %s, want %s", got, want)
	}
	c = Census{N: 1}
	c.Finish([]string{file}, input)
	if got, want := c.Stopped(1, 0, "linearizable"), "stopped after 1 of 3: 0 not linearizable"; got != want {
		t.Errorf("a file: %s, want %s", got, want)
	}
}
