//go:build !linux

package history

// preferHugePages does nothing here.
func preferHugePages([]Operation) {}
