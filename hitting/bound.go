package hitting

import "github.com/leadline/leadline/poset"

// Bound returns a depth b at which a strong hitting family has every schedule of p.
// So the linearizability depth of a history with this poset is at most b, and a
// strong b-hitting family without a witness refutes the history. The package
// comment has the proofs. From 1 to max(1, p.Len()).
// O(n) on interval orders, otherwise linear in the number of comparable pairs.
//
// Unlike the bound d = n of the paper, this bound depends on the shape of the poset. It is
// the smaller one of n - (number of blocks) and 2 * (n - size of a largest chain), and at
// least 1. If the work on a general poset was stopped (see poset.Extend), the bound may be
// larger than that.
func Bound(p *poset.Poset) int {
	n := p.Len()
	components := n - (len(p.Blocks()) - 1)
	cover := n - p.LongestChain()
	return max(1, min(components, 2*cover))
}
