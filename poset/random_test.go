package poset

import (
	"flag"
	"math/rand/v2"
	"testing"
)

var (
	seedFlag = flag.Uint64("seed", 1, "seed of the random tests")
	full     = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
)

// newRand logs the seed first, so that a failure can be repeated by -seed.
func newRand(t testing.TB) *rand.Rand {
	t.Logf("-seed %d", *seedFlag)
	return rand.New(rand.NewPCG(*seedFlag, 0))
}

// randomIntervals returns n intervals, about width of them open at a time,
// and some of them for ever.
func randomIntervals(r *rand.Rand, n, width int) (call, ret []int32) {
	const forever = 1<<31 - 1
	call, ret = make([]int32, 0, n), make([]int32, n)
	var open []int
	position := int32(0)
	for len(call) < n || len(open) > 0 {
		if len(call) < n && (len(open) == 0 || r.IntN(width) >= len(open)) {
			open = append(open, len(call))
			call = append(call, position)
		} else {
			k := r.IntN(len(open))
			ret[open[k]] = position
			if r.IntN(20) == 0 {
				ret[open[k]] = forever
			}
			open = append(open[:k], open[k+1:]...)
		}
		position++
	}
	return call, ret
}

// matrix is the naive oracle: a relation as a table.
type matrix [][]bool

func newMatrix(n int) matrix {
	m := make(matrix, n)
	for i := range m {
		m[i] = make([]bool, n)
	}
	return m
}

// closeTransitively makes the relation transitive (Warshall).
func (m matrix) closeTransitively() {
	for k := range m {
		for i := range m {
			for j := range m {
				m[i][j] = m[i][j] || m[i][k] && m[k][j]
			}
		}
	}
}

func intervalMatrix(call, ret []int32) matrix {
	m := newMatrix(len(call))
	for i := range m {
		for j := range m {
			m[i][j] = ret[i] < call[j]
		}
	}
	return m
}

func (m matrix) check(t *testing.T, p *Poset) {
	t.Helper()
	if p.Len() != len(m) {
		t.Fatalf("%d elements, want %d", p.Len(), len(m))
	}
	for i := range int32(len(m)) {
		for j := range int32(len(m)) {
			if p.Less(i, j) != m[i][j] {
				t.Fatalf("Less(%d, %d) = %v", i, j, p.Less(i, j))
			}
			if want := i != j && !m[i][j] && !m[j][i]; p.Concurrent(i, j) != want {
				t.Fatalf("Concurrent(%d, %d) = %v", i, j, !want)
			}
		}
	}
}

// randomDAG returns edges among n elements under random names, with their
// transitive closure.
func randomDAG(r *rand.Rand, n int) ([]Edge, matrix) {
	name := r.Perm(n)
	density := r.Float64() * 3 / float64(n)
	m := newMatrix(n)
	var edges []Edge
	for i := range n {
		for j := range i {
			if r.Float64() < density {
				edges = append(edges, Edge{int32(name[j]), int32(name[i])})
				m[name[j]][name[i]] = true
			}
		}
	}
	m.closeTransitively()
	return edges, m
}
