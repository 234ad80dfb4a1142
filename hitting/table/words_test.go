package table

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWords compares the hash table with a map while it grows, with keys of
// one length and of several, also after some keys were dropped.
func TestWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, words := range []int{0, 1, 2, 3} {
		for _, n := range []int{0, 1, 47, 48, 49, 63, 64, 65, 191, 192, 193, 1023, 1024, 1025, 5000} {
			compareWords(t, r, words, n)
		}
	}
}

func compareWords(t *testing.T, r *rand.Rand, words, n int) {
	k := Words{Length: words}
	want := map[string]bool{}
	for range 2 {
		for tries := 0; len(want) < n && tries < 50*n; tries++ {
			key := randomKey(r, words, n)
			known := want[fmt.Sprint(key)]
			if (k.Find(key) >= 0) != known {
				t.Fatalf("%d words, n=%d: number(%v) = %d, known %v", words, n, key, k.Find(key), known)
			}
			i, isNew := k.Add(key)
			want[fmt.Sprint(key)] = true
			if isNew == known || !slices.Equal(k.At(i), key) || k.index.Len() != len(want) {
				t.Fatalf("%d words, n=%d: add(%v) = %d, %v; known %v, %d keys of %d", words, n, key, i, isNew, known, k.index.Len(), len(want))
			}
		}
		if len(want) != n {
			t.Fatalf("%d words, n=%d: only %d keys", words, n, len(want))
		}
		k.Keep(func(_ int32, key []uint64) bool {
			if key[len(key)-1]%2 == 0 {
				return true
			}
			delete(want, fmt.Sprint(key))
			return false
		})
		if k.index.Len() != len(want) {
			t.Fatalf("%d words, n=%d: keep left %d keys of %d", words, n, k.index.Len(), len(want))
		}
	}
}

// randomKey returns a key of the given number of words, or of a random number
// if words is 0. Many keys differ only in high bits.
func randomKey(r *rand.Rand, words, n int) []uint64 {
	key := make([]uint64, words)
	if words == 0 {
		key = make([]uint64, 2+r.IntN(3))
	}
	for i := range key {
		key[i] = uint64(r.IntN(2*n+2)) << (40 * r.IntN(2))
	}
	if words == 0 {
		key[0] = uint64(len(key))
	}
	return key
}
