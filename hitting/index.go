package hitting

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/leadline/leadline/poset"
)

// An Index is a schedule index <chain, (x1, ..., x_{d-1})> of Section 4.1:
// elements of the chain are delayed, and elements of the tuple are delayed more, in the
// order of the tuple.
type Index struct {
	Chain int32
	Tuple []int32
}

// Depth returns the smallest depth of a family with this index.
func (x Index) Depth() int { return len(x.Tuple) + 1 }

// Clone returns a copy that shares nothing with x.
func (x Index) Clone() Index {
	return Index{x.Chain, append([]int32{}, x.Tuple...)}
}

// String returns the index as <chain, (x1, x2)>.
func (x Index) String() string {
	var b strings.Builder
	b.WriteByte('<')
	b.WriteString(strconv.Itoa(int(x.Chain)))
	b.WriteString(", (")
	for i, e := range x.Tuple {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(int(e)))
	}
	b.WriteString(")>")
	return b.String()
}

// Hits reports whether the schedule strongly hits the tuple (Definition 4.1):
// each element at or after x_i in the schedule is x_j or above x_j in the poset,
// for some j >= i. It follows the definition only, so that tests can check the
// generator against it. It panics if an entry of schedule or tuple is not an element.
// O(n * d^2).
func Hits(p *poset.Poset, schedule, tuple []int32) bool {
	checkElements(p, schedule)
	checkElements(p, tuple)
	seen := make([]bool, len(tuple))
	for _, y := range schedule {
		for i, x := range tuple {
			seen[i] = seen[i] || y == x
		}
		for i := range tuple {
			if seen[i] && !aboveSome(p, y, tuple[i:]) {
				return false
			}
		}
	}
	return true
}

// aboveSome reports whether y >= x for some x in xs.
func aboveSome(p *poset.Poset, y int32, xs []int32) bool {
	for _, x := range xs {
		if y == x || p.Less(x, y) {
			return true
		}
	}
	return false
}

// Feasible reports whether the tuple has distinct elements and none after a
// larger one: no i < j with x_i > x_j in the poset. It panics if an entry is not
// an element.
func Feasible(p *poset.Poset, tuple []int32) bool {
	checkElements(p, tuple)
	for j, y := range tuple {
		for _, x := range tuple[:j] {
			if x == y || p.Less(y, x) {
				return false
			}
		}
	}
	return true
}

// checkElements panics unless all of list are elements of p.
func checkElements(p *poset.Poset, list []int32) {
	n := p.Len()
	for _, e := range list {
		if e < 0 || int(e) >= n {
			panic(fmt.Sprintf("hitting: element %d of a poset of %d", e, n))
		}
	}
}

// checkChains panics unless chains gives each element of p the number of a
// chain. It does not check that elements of one chain are comparable.
func checkChains(p *poset.Poset, chains []int32) {
	n := p.Len()
	if len(chains) != n {
		panic(fmt.Sprintf("hitting: chains of %d elements, but the poset has %d", len(chains), n))
	}
	for e, chain := range chains {
		if chain < 0 || int(chain) >= n {
			panic(fmt.Sprintf("hitting: element %d of %d has chain %d", e, n, chain))
		}
	}
}
