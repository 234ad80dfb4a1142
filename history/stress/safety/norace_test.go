//go:build !race

package safety

// underRace reports whether the race detector is on.
const underRace = false
