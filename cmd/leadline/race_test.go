//go:build race

package main

// underRace reports whether the race detector is on, which takes several times
// the memory.
const underRace = true
