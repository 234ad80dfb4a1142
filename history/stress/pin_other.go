//go:build !linux

package stress

import (
	"runtime"
	"time"
)

// pin does nothing here: threads run where the system puts them.
func pin(int) bool { return false }

// yield lets another goroutine run.
func yield() { runtime.Gosched() }

// nap sleeps briefly.
func nap() { time.Sleep(napTime) }
