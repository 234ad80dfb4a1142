//go:build !unix

package peers

import "time"

var began = time.Now()

// CPU returns the time that has passed, where CPU time is not to be had.
func CPU() time.Duration { return time.Since(began) }
