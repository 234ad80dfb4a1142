package history

import (
	"os"
	"syscall"
	"unsafe"
)

// madviseHugePage is MADV_HUGEPAGE, which package syscall does not name.
const madviseHugePage = 14

// preferHugePages asks the kernel to back operations that are yet to be
// written by huge pages. A million of them otherwise cost 20,000 page faults, a
// tenth of the time to read them. It is a hint, so that a failure does not
// matter.
func preferHugePages(ops []Operation) {
	page := uintptr(os.Getpagesize())
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(ops)))
	end := begin + uintptr(cap(ops))*unsafe.Sizeof(Operation{})
	skip := -begin & (page - 1) // the memory is the slice's own only from here
	length := (end - begin - skip) &^ (page - 1)
	memory := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(ops)), skip)), length)
	_ = syscall.Madvise(memory, madviseHugePage)
}
