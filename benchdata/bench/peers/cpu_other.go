//go:build !unix

package peers

import "time"

var began = time.Now()

// CPU returns the elapsed time, where CPU time is not available.
func CPU() time.Duration { return time.Since(began) }
