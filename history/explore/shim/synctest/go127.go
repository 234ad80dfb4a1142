//go:build go1.27

package synctest

import "github.com/leadline/leadline/history/explore/shim/time"

// Sleep is time.Sleep and Wait.
func Sleep(d time.Duration) {
	time.Sleep(d)
	Wait()
}
