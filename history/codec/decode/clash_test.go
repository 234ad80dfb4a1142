package decode

import (
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/history"
)

// TestClashFinder compares ClashFinder with the definition.
func TestClashFinder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	found := 0
	for range 2000 {
		n := 1 + r.IntN(6)
		types, keys := make([]history.EventType, n), make([]int64, n)
		var c ClashFinder
		want := false
		for i := range n {
			types[i], keys[i] = history.EventType(r.IntN(4)), int64(r.IntN(4))
			c.Add(types[i], keys[i], i+1)
			for k := range i {
				want = want || (types[k] == history.Invoke) != (types[i] == history.Invoke) && keys[k] > keys[i]
			}
		}
		if c.Found != want {
			t.Fatalf("found %v, want %v: %v %v", c.Found, want, types, keys)
		}
		if want {
			found++
			x, y := c.Clash.Response-1, c.Clash.Invocation-1
			if types[x] == history.Invoke || types[y] != history.Invoke || (x < y) == (keys[x] < keys[y]) {
				t.Fatalf("%v is not a clash of %v %v", c.Clash, types, keys)
			}
		}
	}
	if found < 100 || found > 1900 {
		t.Errorf("%d clashes say little", found)
	}
}
