// Package synctest replaces testing/synctest in instrumented code. In an execution the clock is virtual
// anyway, so Test runs a subtest of the same name, and Wait is a sleep of a nanosecond: it ends when nothing
// else can go on.
//
//	synctest.Test(t, func(t *testing.T) { go f(); synctest.Wait() })
package synctest

import (
	std "testing"
	"testing/synctest"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/testing"
)

// Test runs f with a clock of its own.
func Test(t *testing.T, f func(*testing.T)) {
	if !schedule.Active() {
		synctest.Test(t.Real(), func(t *std.T) { f(testing.Outside(t)) })
		return
	}
	t.Run("synctest", f)
}

// Wait waits until no other goroutine can go on without time passing.
func Wait() {
	if !schedule.Active() {
		synctest.Wait()
		return
	}
	schedule.Sleep(1, "synctest.Wait")
}
