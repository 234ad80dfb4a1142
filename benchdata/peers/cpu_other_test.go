//go:build !unix

package peers_test

import "time"

var began = time.Now()

// cpu returns the time that has passed, where CPU time is not to be had.
func cpu() time.Duration { return time.Since(began) }
