package search

import (
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// A walk is a depth-first search for a witness. It remembers the configurations that
// have failed and explores none of them again (Wing and Gong 1993, with the memory of
// Lowe 2017). The path has the configurations from the first one to the current one in
// which there is a choice.
type walk struct {
	meter  *meter.Meter
	fits   func() bool // whether memory is within its bound, perhaps after forgetting failures
	gaveUp replay.Cause
}

// A space has the configurations that a walk explores, the path, and the failures.
type space interface {
	// settle makes the moves that need no choice, and reports whether a witness is
	// complete.
	settle() bool
	// hasFailed reports whether the current configuration has failed before.
	hasFailed() bool
	// push adds the current configuration to the path.
	push()
	// back makes the last configuration of the path the current one. It reports false
	// if the path is empty.
	back() bool
	// move makes the next move from the last configuration of the path that may lead to
	// a witness. It reports false if none is left, or if the walk has to give up.
	move() bool
	// fail remembers that the last configuration of the path has failed, and removes it
	// from the path.
	fail()
}

// explore reports whether it found a witness. If not, it returns the cause if it had to
// give up.
func (w *walk) explore(s space) (bool, replay.Cause) {
	for {
		if s.settle() {
			return true, replay.NoCause
		}
		if !s.hasFailed() {
			s.push()
		}
		if !w.choose(s) {
			return false, w.gaveUp
		}
	}
}

// choose goes back to the last configuration with a move left and makes that move. It
// reports false if there is none, or if the walk has to stop.
func (w *walk) choose(s space) bool {
	for s.back() && w.gaveUp == replay.NoCause {
		if s.move() {
			return true
		}
		if w.gaveUp == replay.NoCause {
			s.fail()
		}
	}
	return false
}

// spend spends work on the meter, and reports whether the walk has to give up.
func (w *walk) spend(work int) bool {
	if w.meter.Spend(work) && w.gaveUp == replay.NoCause {
		w.gaveUp = giveUp(w.meter, w.fits)
	}
	return w.gaveUp != replay.NoCause
}
