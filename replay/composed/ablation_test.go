package composed

import (
	"sync"
	"testing"

	"github.com/leadline/leadline/history/explore"
)

// commute reports whether two operations of a map commute after others: both orders give the same results and the
// same contents.
func commute(after []operation, a, b operation) bool {
	run := func(first, second operation) (x, y, contents string) {
		m := &sync.Map{}
		for _, o := range after {
			o.run(m)
		}
		x, _, _ = first.run(m)
		y, _, _ = second.run(m)
		return x, y, show(m)
	}
	a1, b1, ab := run(a, b)
	b2, a2, ba := run(b, a)
	return a1 == a2 && b1 == b2 && ab == ba
}

// TestFigure5 is the paper's non-commutativity specification for a map: remove is
// LoadAndDelete, get is Load, and putIfAbsent is LoadOrStore.
func TestFigure5(t *testing.T) {
	remove, get := operation{"LoadAndDelete", []any{7}}, operation{"Load", []any{7}}
	first, second := operation{"LoadOrStore", []any{7, 1}}, operation{"LoadOrStore", []any{7, 2}}
	always, never := [2]bool{true, true}, [2]bool{}
	absent, present := [2]bool{true, false}, [2]bool{false, true} // get(k) = null, get(k) ≠ null
	for _, row := range []struct {
		a, b operation
		// conflicts says whether they do not commute without the key, and with it.
		conflicts [2]bool
	}{
		{remove, remove, present}, {remove, get, present}, {remove, second, always},
		{get, remove, present}, {get, get, never}, {get, second, absent},
		{first, remove, always}, {first, get, absent}, {first, second, absent},
	} {
		for i, after := range [][]operation{nil, {{"Store", []any{7, 3}}}} {
			if got := !commute(after, row.a, row.b); got != row.conflicts[i] {
				t.Errorf("%v and %v after %v: conflict %v, the paper says %v", row.a, row.b, after, got, row.conflicts[i])
			}
		}
	}
}

// TestAblation: an environment that only runs operations that do not commute with the method's next one
// finds the violation of Figure 8 only in the contents at the end, which the paper does not read. Section 4.5
// has that it does not find it.
func TestAblation(t *testing.T) {
	load, store := operation{"Load", []any{1}}, operation{"Store", []any{1, 2}}
	constant := operation{"CompareAndDelete", []any{9, 9}} // its result is that of the method
	putOnce := []step{{load, -1, false}, {store, 0, false}, {constant, -1, false}}
	runs, inContents := 0, 0
	explore.Enumerate(func(choose func(int) int) bool {
		var before, env []operation // that have run
		var gaps []int
		m := &sync.Map{}
		runSteps(putOnce, m, func(at int, next operation) {
			for range 2 - len(env) {
				var list []operation
				for _, o := range alphabet() {
					if !commute(before, o, next) {
						list = append(list, o)
					}
				}
				choice := choose(len(list) + 1)
				if choice == len(list) {
					break
				}
				before, env, gaps = append(before, list[choice]), append(env, list[choice]), append(gaps, at+1)
			}
			before = append(before, next)
		})
		// One more operation first: then all of the environment overlap the method, as in the paper.
		method := append([]step{{constant, -1, false}}, putOnce...)
		method[2].when = 1
		if !explainedByHand(method, env, gaps, func(*sync.Map) string { return "" }) {
			t.Fatalf("%v before %v: a violation that is not in the contents", env, gaps)
		}
		if !atomicByHand(method, env, gaps) {
			inContents++
		}
		runs++
		return true
	})
	if t.Logf("%d runs, %d violations of contents", runs, inContents); runs < 10 || inContents == 0 {
		t.Error("nothing was compared")
	}
}
