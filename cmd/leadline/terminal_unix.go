//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// windowWidth returns the number of columns of the terminal f, or 0 if it is not known.
// ok is false if f is not a terminal.
func windowWidth(f *os.File) (columns int, ok bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, false
	}
	var size *unix.Winsize
	var failed error
	err = raw.Control(func(fd uintptr) { size, failed = unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ) })
	if err != nil || failed != nil {
		return 0, false
	}
	return int(size.Col), true
}

// onTerminal reports whether f is a terminal.
func onTerminal(f *os.File) bool {
	_, ok := windowWidth(f)
	return ok
}
