package stress

import (
	"runtime"
	"syscall"
	"unsafe"
)

// pin keeps the calling thread, to which the goroutine must be locked, on one
// of the processors that it may run on: the i-th, counted round. It reports
// false if that cannot be done.
func pin(i int) bool {
	var allowed [16]uint64
	n, _, err := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(allowed), uintptr(unsafe.Pointer(&allowed)))
	if err != 0 {
		return false
	}
	var processors []int
	for p := range int(n) * 8 {
		if allowed[p/64]>>(p%64)&1 != 0 {
			processors = append(processors, p)
		}
	}
	if len(processors) == 0 {
		return false
	}
	p := processors[i%len(processors)]
	var one [16]uint64
	one[p/64] = 1 << (p % 64)
	_, _, err = syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(one), uintptr(unsafe.Pointer(&one)))
	return err == 0
}

// yield lets another thread have the processor.
func yield() {
	runtime.Gosched()
	_, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
}

// nap sleeps briefly. Unlike time.Sleep, it needs no other thread to wake this one.
func nap() {
	t := syscall.NsecToTimespec(int64(napTime))
	_ = syscall.Nanosleep(&t, nil)
}
