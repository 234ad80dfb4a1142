package stress

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/visibility"
	"github.com/leadline/leadline/poset"
)

// Limits of the work for operations below complete, of one program: different lists of calls that
// are run, and sets of seen operations that are tried.
const (
	maxLists = 1 << 13
	maxSets  = 1 << 20
)

// visible is what is known of the operations below complete of a program: what calls they may miss, and
// what they return then.
type visible struct {
	levels  []visibility.Level // of the invocations; nil if all are complete
	parts   []int32            // see visibility.Operations
	before  *poset.Poset       // by the program alone
	results map[string][]history.Value
	// independent: it was checked that parts are
	independent bool
	sets        int
	failure     error
}

// Levels returns the levels below complete of the methods, by name.
func (c *Class) Levels() map[string]visibility.Level {
	levels := map[string]visibility.Level{}
	for _, m := range c.Methods {
		if m.Level != visibility.Complete {
			levels[m.Name] = m.Level
		}
	}
	return levels
}

// newVisible returns what the levels of the methods ask for; one is replaced if a name is given.
func newVisible(p *Program, name string, level visibility.Level) *visible {
	v := &visible{results: map[string][]history.Value{}}
	all := p.All()
	var levels []visibility.Level
	for _, inv := range all {
		at := inv.Method.Level
		if inv.Method.Name == name {
			at = level
		}
		levels = append(levels, at)
	}
	if !slices.ContainsFunc(levels, func(l visibility.Level) bool { return l != visibility.Complete }) {
		return v
	}
	v.levels, v.before = levels, programOrder(p)
	if slices.Contains(levels, visibility.Bundle) {
		v.parts, v.failure = partsOf(all, levels)
	}
	return v
}

// partsOf returns the parts of an object that the invocations change, as level bundle needs them:
// the first argument is the key.
func partsOf(all []Invocation, levels []visibility.Level) (parts []int32, err error) {
	var keys []string
	for i, inv := range all {
		parts = append(parts, -1)
		switch {
		case levels[i] == visibility.Bundle && !inv.Method.ReadOnly:
			return nil, fmt.Errorf("level bundle is for methods that only read, which %s does not", inv.Method.Name)
		case levels[i].IsAtLeast(visibility.Monotonic):
			return nil, visibility.ErrMixed
		case inv.Method.ReadOnly:
			continue
		case len(inv.Args) == 0:
			return nil, fmt.Errorf("level bundle needs changes of one key each, the first argument, and %s has none", inv.Method.Name)
		}
		key := inv.Args[0].String()
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		parts[i] = int32(slices.Index(keys, key))
	}
	return parts, nil
}

// programOrder returns what a program puts in order.
func programOrder(p *Program) *poset.Poset {
	s := NewSequencer(p)
	n := p.Len()
	first, last := len(p.Initial), n-len(p.Final)
	return orderOf(n, func(i, j int) bool {
		a, b := s.sequence[i], s.sequence[j]
		return i < j && (i < first || j >= last || a == b) || a >= 0 && b >= 0 && a != b && slices.Contains(s.before[b], a)
	})
}

// order returns what happened before what in an execution.
func (r *Execution) order(p *Program) *poset.Poset {
	n := p.Len()
	call, ret := slices.Repeat([]int{len(r.Events)}, n), slices.Repeat([]int{len(r.Events)}, n)
	for k, e := range r.Events {
		if e >= 0 {
			call[e] = k
		} else if r.Outcome[-1-e] != Waiting {
			ret[-1-e] = k
		}
	}
	first, last := len(p.Initial), n-len(p.Final)
	return orderOf(n, func(i, j int) bool {
		return i < j && (i < first || j >= last) || i >= first && j >= first && i < last && j < last && ret[i] < call[j]
	})
}

func orderOf(n int, precedes func(i, j int) bool) *poset.Poset {
	var edges []poset.Edge
	for i := range n {
		for j := range n {
			if precedes(i, j) {
				edges = append(edges, poset.Edge{From: int32(i), To: int32(j)})
			}
		}
	}
	order, err := poset.New(n, edges)
	if err != nil {
		panic("stress: " + err.Error()) // a program has at most maxInvocations
	}
	return order
}

var errSets = errors.New("the program has too many sets of operations that those below complete may see")

// relax calls yield with the outcomes of a run if operations below complete miss some of what
// precedes them, as far as their levels allow: with those equal to want, unless it is nil. It
// ends when yield returns true, and returns that. Of a run in which invocations wait, those
// that return count.
func (e *Expected) relax(r *SequentialRun, before *poset.Poset, want Outcome, yield func(Outcome) bool) bool {
	v, n := e.visible, len(r.Order)-r.Waiting
	o := slices.Clone(r.Outcome)
	var order, below []int32
	for k, i := range r.Order {
		if k < n {
			order = append(order, int32(i))
		}
		if k < n && v.levels[i] != visibility.Complete {
			below = append(below, int32(i))
		} else if want != nil && !o[i].Equal(want[i]) {
			return false
		}
	}
	if v.failure != nil {
		return false
	}
	coupled := slices.ContainsFunc(v.levels, visibility.Level.IsCoupled)
	tried := map[string]bool{}
	operations := &visibility.Operations{Before: before, Level: v.levels, Part: v.parts}
	return operations.Along(order, func(op int32, seen []int32, next func() bool) bool {
		if v.sets++; v.sets > maxSets {
			v.failure = errSets
			return true
		}
		for _, result := range e.after(r, seen, op) {
			if want != nil && !result.Equal(want[op]) {
				continue
			}
			o[op] = result
			if key := resultsKey(o, below, op); coupled || !tried[key] {
				tried[key] = true
				if next() {
					return true
				}
			}
		}
		return v.failure != nil
	}, func() bool { return yield(o) })
}

// resultsKey returns a key of the results of operations up to op.
func resultsKey(o Outcome, list []int32, op int32) string {
	var key []byte
	for _, i := range list {
		if key = o[i].AppendKey(append(key, 0)); i == op {
			break
		}
	}
	return string(key)
}

// after returns the results that op can have after those that it sees. Weak ones that have failed
// in the run do not change the object.
func (e *Expected) after(r *SequentialRun, seen []int32, op int32) []history.Value {
	v := e.visible
	var list []int
	for _, i := range append(seen, op) {
		if m := e.all[i].Method; i == op || !m.MayFail() || !r.Outcome[i].Equal(m.Failure) {
			list = append(list, int(i))
		}
	}
	var key strings.Builder
	for _, i := range list {
		key.Write(binary.AppendUvarint(nil, uint64(i)))
	}
	results, known := v.results[key.String()]
	if !known && v.failure == nil {
		if len(v.results) == maxLists {
			v.failure = errSets
			return nil
		}
		var err error
		if results, err = e.Runs.After(list); err != nil {
			v.failure = err
		}
		v.results[key.String()] = results
	}
	return results
}

// addRelaxed adds the outcomes of a run that the levels allow.
func (e *Expected) addRelaxed(r *SequentialRun) {
	var own tally
	own.add(r.Outcome, 1)
	e.relax(r, e.visible.before, nil, func(o Outcome) bool {
		if !own.has(o) {
			own.add(o, 1)
			e.set.add(o, 1)
		}
		return false
	})
}

// Failure returns why the outcomes that the levels allow are not known.
func (e *Expected) Failure() error {
	v := e.visible
	if v.failure == nil && v.parts != nil && !v.independent {
		v.independent = true
		v.failure = e.dependent()
	}
	return v.failure
}

// dependent returns an error if the order of two changes of different parts shows in results, of
// a new object.
func (e *Expected) dependent() error {
	v := e.visible
	after := func(list ...int) ([]history.Value, error) { return e.Runs.After(list) }
	for a := range e.all {
		for b := range a {
			if v.parts[a] < 0 || v.parts[b] < 0 || v.parts[a] == v.parts[b] {
				continue
			}
			for c := range e.all {
				first, err := after(a, b, c)
				second, err2 := after(b, a, c)
				if err := cmp.Or(err, err2); err != nil {
					return err
				}
				if !slices.EqualFunc(first, second, history.Value.Equal) {
					return fmt.Errorf("level bundle needs changes of independent keys, the first argument, and %v and %v depend on each other", e.all[a], e.all[b])
				}
			}
		}
	}
	return nil
}

// IsRelaxed reports whether operations of the program have levels below complete.
func (e *Expected) IsRelaxed() bool { return e.visible.levels != nil }

// IsBelow reports whether an invocation of the program has a level below complete.
func (e *Expected) IsBelow(i int) bool {
	return e.IsRelaxed() && e.visible.levels[i] != visibility.Complete
}

// Allows reports whether the levels allow the execution in the order of a run. Without events, what
// happened before is what the program puts in order.
func (e *Expected) Allows(r *SequentialRun, x *Execution) bool {
	if x.Events == nil {
		return e.allows(r, x.Outcome, e.visible.before)
	}
	return x.Respects(r) && e.allows(r, x.Outcome, x.order(e.Program))
}

func (e *Expected) allows(r *SequentialRun, o Outcome, before *poset.Poset) bool {
	e.visible.sets = 0
	return e.IsRelaxed() && e.relax(r, before, o, func(Outcome) bool { return true }) && e.visible.failure == nil
}

// Respects reports whether no invocation of a run comes before one that had ended when it began.
func (x *Execution) Respects(r *SequentialRun) bool {
	position := make([]int, len(x.Outcome))
	for at, i := range r.Order {
		position[i] = at
	}
	last, respects := -1, true
	for _, e := range x.Events {
		if e >= 0 {
			respects = respects && position[e] > last
		} else if x.Outcome[-1-e] != Waiting {
			last = max(last, position[-1-e])
		}
	}
	return respects
}

// Explaining returns the strongest levels of the methods with which every one of the executions is
// expected, as in Len=monotonic. Other methods keep their levels. The list is nil if that is not
// known, and empty if there is none.
func (e *Expected) Explaining(methods []string, executions []Execution) []string {
	runs, err := e.Runs.All()
	if err != nil || e.Together || len(executions) == 0 {
		return nil
	}
	list := []string{}
	for _, m := range methods {
		strongest := visibility.Complete
		for _, level := range []visibility.Level{visibility.Causal, visibility.Peer, visibility.Bundle, visibility.Monotonic, visibility.Basic, visibility.Weak} {
			if strongest != visibility.Complete && (level != visibility.Bundle || strongest == visibility.Bundle) {
				continue
			}
			relaxed := *e
			relaxed.visible = newVisible(e.Program, m, level)
			relaxed.visible.results = e.visible.results
			explained := relaxed.IsRelaxed() && relaxed.Failure() == nil && !slices.ContainsFunc(executions, func(x Execution) bool {
				return !slices.ContainsFunc(runs, func(r SequentialRun) bool { return relaxed.Allows(&r, &x) })
			})
			switch err := relaxed.Failure(); {
			case explained:
				strongest = level
				list = append(list, m+"="+level.String())
			case err != nil && level != visibility.Bundle:
				return nil
			}
		}
	}
	return list
}
