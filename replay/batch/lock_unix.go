//go:build unix

package batch

import (
	"errors"
	"os"
	"syscall"
)

var errLocked = errors.New("another process uses it")

// lock locks the file for this process until it is closed. It does not wait.
func lock(f *os.File) error {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return nil // on file systems without locks, it is not locked
}
