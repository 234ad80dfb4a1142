// Package synctest replaces testing/synctest in instrumented code. The clock of an execution is virtual
// anyway, so Test runs a subtest, in which reading the clock does not move it. Wait ends when nothing else can go on.
//
//	synctest.Test(t, func(t *testing.T) { go f(); synctest.Wait() })
package synctest

import (
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/testing"
)

// Test runs f with a clock that goes on when nothing else can.
func Test(t *testing.T, f func(*testing.T)) {
	before := schedule.Advance(0)
	t.Run("synctest", f)
	schedule.Advance(before)
}

// Wait waits until no other goroutine can go on without time passing.
func Wait() { schedule.Idle("synctest.Wait") }
