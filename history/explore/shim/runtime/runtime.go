package runtime

import (
	"runtime"
	"strings"

	"github.com/leadline/leadline/history/explore/schedule"
)

// processors is what NumCPU and GOMAXPROCS return in a scheduled execution, on
// any machine.
const processors = 4

// MemProfileRate has no effect: an assignment to it does not reach the real one.
var MemProfileRate = runtime.MemProfileRate

// Gosched lets other threads go first.
func Gosched() {
	if schedule.Active() {
		schedule.Step(schedule.Yield, nil)
		return
	}
	runtime.Gosched()
}

// NumCPU returns the number of processors, which is the same in each execution.
func NumCPU() int {
	if schedule.Active() {
		return processors
	}
	return runtime.NumCPU()
}

// GOMAXPROCS returns the number of processors. An execution cannot change it.
func GOMAXPROCS(n int) int {
	if schedule.Active() {
		return processors
	}
	return runtime.GOMAXPROCS(n)
}

// SetDefaultGOMAXPROCS does nothing in an execution.
func SetDefaultGOMAXPROCS() {
	if !schedule.Active() {
		runtime.SetDefaultGOMAXPROCS()
	}
}

// NumGoroutine returns the number of threads of the execution.
func NumGoroutine() int {
	if schedule.Active() {
		return schedule.Threads()
	}
	return runtime.NumGoroutine()
}

// GC does nothing in an execution.
func GC() {
	if !schedule.Active() {
		runtime.GC()
	}
	schedule.Collected("runtime.GC")
}

// Stack writes the stack of the caller, and in an execution no others: a program does not expect the stacks of threads.
func Stack(buf []byte, all bool) int {
	if all && schedule.Active() {
		if _, file, _, _ := runtime.Caller(1); !strings.Contains(file, "goleak") { // which is content without others
			schedule.Collected("runtime.Stack")
		}
		all = false
	}
	return runtime.Stack(buf, all)
}

// ReadMemStats reads what the collector and allocations did, which no schedule determines.
func ReadMemStats(m *MemStats) {
	runtime.ReadMemStats(m)
	schedule.Collected("runtime.ReadMemStats")
}

// LockOSThread does nothing in an execution, whose threads are coroutines.
func LockOSThread() {
	if !schedule.Active() {
		runtime.LockOSThread()
	}
}

// UnlockOSThread does nothing in an execution.
func UnlockOSThread() {
	if !schedule.Active() {
		runtime.UnlockOSThread()
	}
}

// SetFinalizer does nothing in an execution: a finalizer would run at a time
// that no schedule determines.
func SetFinalizer(obj, finalizer any) {
	if !schedule.Active() {
		runtime.SetFinalizer(obj, finalizer)
	}
	schedule.Collected("runtime.SetFinalizer")
}

// AddCleanup does nothing in an execution, as SetFinalizer.
func AddCleanup[T, S any](ptr *T, cleanup func(S), arg S) Cleanup {
	if schedule.Active() {
		schedule.Collected("runtime.AddCleanup")
		return Cleanup{}
	}
	return runtime.AddCleanup(ptr, cleanup, arg)
}

// Caller and Callers leave out their own frame.
func Caller(skip int) (pc uintptr, file string, line int, ok bool) { return runtime.Caller(skip + 1) }

func Callers(skip int, pc []uintptr) int { return runtime.Callers(skip+1, pc) }

// GOROOT and CPUProfile are deprecated, but code under test may call them.

//lint:ignore SA1019 it replaces the deprecated function
func GOROOT() string { return runtime.GOROOT() }

//lint:ignore SA1019 it replaces the deprecated function
func CPUProfile() []byte { return runtime.CPUProfile() }
