//go:build !unix

package safety

import "time"

// cpuTime is unknown, so nothing counts as computing forever.
func cpuTime() time.Duration { return 0 }
