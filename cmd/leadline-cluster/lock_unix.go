//go:build unix

package main

import (
	"os"
	"syscall"
)

// locked keeps the files open that this process has locked.
var locked []*os.File

// lock makes sure that no other process has the file locked, until this one ends.
func lock(name string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return err
	}
	locked = append(locked, f)
	return nil
}
