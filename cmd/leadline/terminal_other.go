//go:build !unix

package main

import "os"

// windowWidth reports that f is not a terminal: its width is not known, and it
// may not know escape sequences.
func windowWidth(*os.File) (columns int, ok bool) { return 0, false }
