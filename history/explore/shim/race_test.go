//go:build race

package shim_test

// underRace reports whether the race detector is on.
const underRace = true
