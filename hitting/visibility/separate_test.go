package visibility_test

import (
	"slices"
	"testing"

	"github.com/leadline/leadline/hitting/visibility"
)

// TestSeparate finds a smallest history between each level and the next higher one: it meets
// the first, but not the second. The package comment draws these histories.
func TestSeparate(t *testing.T) {
	const labelled = visibility.Weak
	kinds := []op{{method: "add", key: 0, result: 1}, {method: "add", key: 1, result: 1}, {method: "read", result: 0, level: labelled},
		{method: "read", result: 1, level: labelled}, {method: "read", result: 4, level: labelled}, {method: "add", key: 0, result: 1, level: labelled}}
	for _, test := range []struct {
		lower, higher visibility.Level
		want          string
	}{
		{visibility.Weak, visibility.Basic, "0-1 add(0): 1; 2-3 weak read(): 0"},
		{visibility.Basic, visibility.Monotonic, "0-2 basic read(): 1; 1-4 add(0): 1; 3-5 basic read(): 0"},
		{visibility.Monotonic, visibility.Peer, "0-2 add(1): 1; 1-4 monotonic read(): 1; 3-5 add(0): 1"},
		{visibility.Peer, visibility.Causal, "0-4 peer read(): 4; 1-5 peer read(): 1; 2-6 add(1): 1; 3-7 add(0): 1"},
		{visibility.Causal, visibility.Complete, "0-2 causal add(0): 1; 1-3 add(0): 1"},
		{visibility.Monotonic, visibility.Bundle, "0-4 monotonic read(): 4; 1-6 read(): 1; 2-7 add(1): 1; 3-8 add(0): 1; 5-9 monotonic read(): 4"},
		{visibility.Bundle, visibility.Complete, "0-2 add(1): 1; 1-4 bundle read(): 1; 3-5 add(0): 1"},
	} {
		at := func(h hist, level visibility.Level) hist {
			h = append(hist(nil), h...)
			for i := range h {
				if h[i].level != visibility.Complete {
					h[i].level = level
				}
			}
			return h
		}
		got := ""
		for n := 1; n <= 5 && got == ""; n++ {
			using := kinds
			if test.lower == visibility.Bundle || test.higher == visibility.Bundle { // only reads may be bundles
				using = append(slices.Clone(kinds[:5]), op{method: "read", result: 1})
			}
			if n == 5 {
				using = []op{kinds[0], kinds[1], kinds[4], using[5]}
			}
			histories(n, using, func(h hist) {
				if got == "" && brute(at(h, test.lower)) && !brute(at(h, test.higher)) {
					got = at(h, test.lower).String()
				}
			})
		}
		if got != test.want {
			t.Errorf("%v, not %v: %s, want %s", test.lower, test.higher, got, test.want)
		}
	}
}
