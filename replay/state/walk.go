package state

import (
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// A Walk is a depth-first search for a witness. It remembers the configurations that
// have failed and explores none of them again (Wing and Gong 1993, with the memory of
// Lowe 2017). The path has the configurations from the first one to the current one in
// which there is a choice.
type Walk struct {
	Meter  *meter.Meter
	Fits   func() bool // whether memory is within its bound, perhaps after forgetting failures
	GaveUp replay.Cause
}

// A Space has the configurations that a walk explores, the path, and the failures.
type Space interface {
	// Settle makes the moves that need no choice, and reports whether a witness is
	// complete.
	Settle() bool
	// HasFailed reports whether the current configuration has failed before.
	HasFailed() bool
	// Push adds the current configuration to the path.
	Push()
	// Back makes the last configuration of the path the current one. It reports false
	// if the path is empty.
	Back() bool
	// Move makes the next move from the last configuration of the path that may lead to
	// a witness. It reports false if none is left, or if the walk has to give up.
	Move() bool
	// Fail remembers that the last configuration of the path has failed, and removes it
	// from the path.
	Fail()
}

// Explore reports whether it found a witness. If not, it returns the cause if it had to
// give up.
func (w *Walk) Explore(s Space) (bool, replay.Cause) {
	for {
		if s.Settle() {
			return true, replay.NoCause
		}
		if !s.HasFailed() {
			s.Push()
		}
		if !w.choose(s) {
			return false, w.GaveUp
		}
	}
}

// choose goes back to the last configuration with a move left and makes that move. It
// reports false if there is none, or if the walk has to stop.
func (w *Walk) choose(s Space) bool {
	for s.Back() && w.GaveUp == replay.NoCause {
		if s.Move() {
			return true
		}
		if w.GaveUp == replay.NoCause {
			s.Fail()
		}
	}
	return false
}

// Spend spends work on the meter, and reports whether the walk has to give up.
func (w *Walk) Spend(work int) bool {
	if w.Meter.Spend(work) && w.GaveUp == replay.NoCause {
		switch {
		case w.Meter.Stopped():
			w.GaveUp = replay.Time
		case !w.Fits():
			w.GaveUp = replay.Memory
		}
	}
	return w.GaveUp != replay.NoCause
}
