//go:build !unix

package main

import "os"

// windowWidth reports that f is not a terminal: its width is not known, and it may not
// support escape sequences.
func windowWidth(*os.File) (columns int, ok bool) { return 0, false }

// onTerminal reports whether f is a character device other than the null device.
func onTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
