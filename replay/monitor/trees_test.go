package monitor

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// treeSizes are where levels of sets and trees begin and end.
var treeSizes = []int32{1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 5000}

func TestNumberSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for _, n := range treeSizes {
		for _, full := range []bool{false, true} {
			set, plain := newNumberSet(n, full), make([]bool, n)
			for x := range plain {
				plain[x] = full
			}
			for range 200 {
				x, y := r.Int32N(n), r.Int32N(n)
				switch r.IntN(6) {
				case 0, 1, 2:
					set.add(x)
					plain[x] = true
				case 3, 4:
					set.remove(x)
					plain[x] = false
				default:
					y = min(y, x+r.Int32N(100))
					set.removeRange(x, y)
					for z := x; z <= y; z++ {
						plain[z] = false
					}
				}
				checkNext(t, set, plain, r.Int32N(n))
			}
			set.removeRange(0, n-1)
			if set.next(0) != n || set.prev(n-1) != -1 {
				t.Fatalf("size %d: not empty", n)
			}
		}
	}
}

func checkNext(t *testing.T, set *numberSet, plain []bool, x int32) {
	next, prev := x, x
	for next < set.size && !plain[next] {
		next++
	}
	for prev >= 0 && !plain[prev] {
		prev--
	}
	if set.next(x) != next || set.prev(x) != prev {
		t.Fatalf("size %d: next and prev of %d are %d and %d, not %d and %d", set.size, x, set.next(x), set.prev(x), next, prev)
	}
}

func TestLeastTree(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for _, n := range treeSizes {
		list := make([]int32, n)
		for i := range list {
			list[i] = r.Int32N(1000) - 500
		}
		tree, plain := newLeastTree(list), slices.Clone(list)
		for range 500 {
			lo, hi, limit := r.Int32N(n+1), r.Int32N(n+1), r.Int32N(1100)-550
			if r.IntN(2) == 0 {
				limit = r.Int32N(50) - 500
			}
			hi = max(lo, hi)
			want := lo
			for want < hi && plain[want] >= limit {
				want++
			}
			if got := tree.below(lo, hi, limit); got != want {
				t.Fatalf("size %d: the first below %d from %d to %d is at %d, not %d", n, limit, lo, hi, got, want)
			}
			if want < hi && r.IntN(2) == 0 {
				tree.remove(want)
				plain[want] = math.MaxInt32
			}
		}
	}
}

// TestCoverTree takes intervals away one by one, in a random order.
func TestCoverTree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for _, n := range treeSizes {
		intervals := make([][2]int32, r.IntN(100))
		counts, sums := make([]int32, n), make([]int32, n)
		for i := range intervals {
			from := r.Int32N(n)
			intervals[i] = [2]int32{from, min(n-1, from-1+r.Int32N(n))}
			for g := from; g <= intervals[i][1]; g++ {
				counts[g]++
				sums[g] ^= int32(i)
			}
		}
		tree := newCoverTree(counts, sums)
		for _, i := range r.Perm(len(intervals)) {
			from, to := intervals[i][0], intervals[i][1]
			tree.remove(int32(i), from, to)
			var want []soleCover
			for g := from; g <= to; g++ {
				counts[g]--
				if sums[g] ^= int32(i); counts[g] == 1 {
					want = append(want, soleCover{g, sums[g]})
				}
			}
			if !slices.Equal(tree.sole, want) {
				t.Fatalf("size %d: %v, want %v", n, tree.sole, want)
			}
		}
	}
}
