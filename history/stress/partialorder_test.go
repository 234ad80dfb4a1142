package stress

import "testing"

// TestPartialOrders: as many as there are (OEIS A001035), but for the total
// ones.
func TestPartialOrders(t *testing.T) {
	total := 1
	for k, want := range []int{1, 1, 3, 19, 219, 4231} {
		total *= max(k, 1)
		if k >= 2 {
			want -= total
		}
		if got := len(partialOrders(k)); k > 0 && got != want {
			t.Errorf("%d things have %d partial orders, want %d", k, got, want)
		}
	}
	for _, o := range partialOrders(4) {
		var r relation
		for _, pair := range o.pairs {
			r = r.with(pair[0], pair[1])
		}
		for range 2 {
			for i := range 4 {
				for j := range 4 {
					for m := range 4 {
						if r.has(i, m) && r.has(m, j) {
							r = r.with(i, j)
						}
					}
				}
			}
		}
		if r != o.before {
			t.Errorf("%v leads to %x, want %x", o.pairs, r, o.before)
		}
	}
}
