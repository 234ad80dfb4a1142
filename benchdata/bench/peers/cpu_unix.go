//go:build unix

package peers

import (
	"syscall"
	"time"
)

// CPU returns the CPU time that the process has used: all its threads,
// including the garbage collector.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
