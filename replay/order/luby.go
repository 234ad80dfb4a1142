package order

import "math/bits"

// luby returns the i-th number of 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, ..., from 1 on (Luby,
// Sinclair and Zuckerman, "Optimal speedup of Las Vegas algorithms", 1993).
func luby(i int) int {
	for {
		n := bits.Len(uint(i + 1))
		if i+1 == 1<<(n-1) {
			return 1 << (n - 2)
		}
		i -= 1<<(n-1) - 1
	}
}
