package order

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// randomOrdering returns an ordering of n random intervals. Some never end.
func randomOrdering(t *testing.T, r *rand.Rand, n int) *ordering {
	t.Helper()
	o := &ordering{solver: solver{maxBytes: math.MaxInt64, meter: meter.New(nil)}}
	for range n {
		call := 2 * r.Int32N(40)
		ret := call + 1 + 2*r.Int32N(12)
		if r.IntN(8) == 0 {
			ret = history.NoReturn
		}
		o.ops = append(o.ops, operation{call: call, ret: ret})
	}
	slices.SortFunc(o.ops, func(a, b operation) int { return cmp.Compare(a.call, b.call) })
	if cause := o.addPairs(); cause != replay.NoCause {
		t.Fatal(cause)
	}
	return o
}

// closure returns which operations come before which by real time and the literals, and
// whether one comes before itself.
func closure(o *ordering, literals []literal) (before [][]bool, cyclic bool) {
	n := len(o.ops)
	before = make([][]bool, n)
	for a := range before {
		before[a] = make([]bool, n)
		for b := range before[a] {
			before[a][b] = o.ops[a].ret < o.ops[b].call
		}
	}
	for _, l := range literals {
		a, b := o.low[l.variable()], o.high[l.variable()]
		if l.isNegated() {
			a, b = b, a
		}
		before[a][b] = true
	}
	for k := range n {
		for a := range n {
			for b := range n {
				before[a][b] = before[a][b] || before[a][k] && before[k][b]
			}
		}
	}
	for a := range n {
		cyclic = cyclic || before[a][a]
	}
	return before, cyclic
}

// TestTransitive compares what the theory implies with the transitive closure, after
// decisions one by one and several at once.
func TestTransitive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	conflicts := 0
	for range 3000 {
		o := randomOrdering(t, r, 3+r.IntN(12))
		if len(o.low) == 0 {
			continue
		}
		var decisions []literal
		levels := []int{0} // that have been propagated
		for consistent := true; consistent && len(o.assigned) < len(o.low); {
			for range 1 + r.IntN(3) {
				if l := literal(r.IntN(2 * len(o.low))); o.value[l] == 0 {
					decisions = append(decisions, l)
					o.decide(l)
				}
			}
			consistent = o.propagate()
			before, cyclic := closure(o, decisions)
			if cyclic == consistent {
				t.Fatalf("%v, %v: cyclic: %v, but propagate() = %v", o.ops, decisions, cyclic, consistent)
			}
			if cyclic {
				conflicts++
			}
			for v := range o.low {
				if l := variable(v).literal(); consistent && (before[o.low[v]][o.high[v]] != o.isTrue(l) || before[o.high[v]][o.low[v]] != o.isFalse(l)) {
					t.Fatalf("%v, %v: the order of %d and %d is not implied", o.ops, decisions, o.low[v], o.high[v])
				}
			}
			if levels = append(levels, o.currentLevel()); r.IntN(4) == 0 && consistent {
				levels = levels[:1+r.IntN(len(levels))]
				level := levels[len(levels)-1]
				decisions = decisions[:level]
				o.backjump(level)
			}
		}
	}
	if conflicts < 500 {
		t.Errorf("only %d conflicts", conflicts)
	}
}

// TestBefore compares the literals of pairs with the intervals.
func TestBefore(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for range 500 {
		o := randomOrdering(t, r, 1+r.IntN(20))
		seen := map[variable]bool{}
		for a := range int32(len(o.ops)) {
			for b := range int32(len(o.ops)) {
				l := o.before(a, b)
				switch {
				case a == b || o.ops[b].ret < o.ops[a].call:
					if l != never {
						t.Fatalf("%d before %d is %d", a, b, l)
					}
				case o.ops[a].ret < o.ops[b].call:
					if l != always {
						t.Fatalf("%d before %d is %d", a, b, l)
					}
				case l != o.before(b, a).not() || o.low[l.variable()] != min(a, b) || o.high[l.variable()] != max(a, b):
					t.Fatalf("%d before %d is %d, and %d the other way", a, b, l, o.before(b, a))
				default:
					seen[l.variable()] = true
				}
			}
		}
		if len(seen) != len(o.low) {
			t.Fatalf("%d pairs have %d variables", len(o.low), len(seen))
		}
	}
}

// TestOrders compares orders that satisfy random clauses with all orders of a few operations.
// Each of these satisfies the learnt clauses.
func TestOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	count, learnt := map[bool]int{}, 0
	for range 2000 {
		o := randomOrdering(t, r, 4+r.IntN(4))
		if len(o.low) < 3 {
			continue
		}
		var clauses [][]literal
		for range len(o.low)/2 + r.IntN(3*len(o.low)) {
			clause := make([]literal, 2+r.IntN(2))
			for i := range clause {
				clause[i] = literal(r.IntN(2 * len(o.low)))
			}
			clauses = append(clauses, clause)
			o.add(clause...)
		}
		models := o.models(make([]int32, 0, len(o.ops)), clauses)
		found := solveSteps(&o.solver, func(clause []literal) {
			learnt++
			for _, m := range models {
				if !o.satisfies(m, clause) {
					t.Fatalf("learnt %v, which %v does not satisfy: %v, %v", clause, m, o.ops, clauses)
				}
			}
		})
		if count[found]++; found != (len(models) > 0) {
			t.Fatalf("found %v, but there are %d orders: %v, %v", found, len(models), o.ops, clauses)
		}
		for k := range o.ops {
			o.ops[k].op = int32(k)
		}
		order := o.inOrder(func(int32) bool { return true })
		if found && !slices.ContainsFunc(models, func(m []int32) bool { return slices.Equal(m, order) }) {
			t.Fatalf("%v does not satisfy %v: %v", order, clauses, o.ops)
		}
	}
	if count[true] < 200 || count[false] < 200 || learnt < 300 {
		t.Errorf("%v, %d clauses learnt", count, learnt)
	}
}

// models returns the orders that begin with a prefix and satisfy real time and the clauses.
func (o *ordering) models(prefix []int32, clauses [][]literal) [][]int32 {
	if len(prefix) == len(o.ops) {
		if slices.ContainsFunc(clauses, func(clause []literal) bool { return !o.satisfies(prefix, clause) }) {
			return nil
		}
		return [][]int32{slices.Clone(prefix)}
	}
	var list [][]int32
	for k := range int32(len(o.ops)) {
		isLate := slices.ContainsFunc(prefix, func(p int32) bool { return o.ops[k].ret < o.ops[p].call })
		if !isLate && !slices.Contains(prefix, k) {
			list = append(list, o.models(append(prefix, k), clauses)...)
		}
	}
	return list
}

// satisfies reports whether an order satisfies a clause.
func (o *ordering) satisfies(order []int32, clause []literal) bool {
	return slices.ContainsFunc(clause, func(l literal) bool {
		v := l.variable()
		return (slices.Index(order, o.low[v]) < slices.Index(order, o.high[v])) != l.isNegated()
	})
}
