package batch

import (
	"errors"
	"fmt"
	"os"
)

// ErrLocked is the error of a file that another process has locked.
var ErrLocked = errors.New("another process uses it")

// Lock opens a file, or creates it, and locks it for this process until it is closed or the
// process ends. It does not wait. On systems and file systems without such locks, it is not
// locked.
func Lock(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := lock(file); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, nil
}
