//go:build !linux

package stress

import (
	"runtime"
	"sync/atomic"
	"time"
)

// pin does nothing here: threads run where the system puts them.
func pin(int) bool { return false }

// yield lets another goroutine run.
func yield() { runtime.Gosched() }

// nap sleeps briefly.
func nap() { time.Sleep(napTime) }

// sleepOn sleeps briefly.
func sleepOn(*atomic.Uint32, uint32) { nap() }

// wake wakes nobody, as sleepOn sleeps only briefly.
func wake(*atomic.Uint32) {}
