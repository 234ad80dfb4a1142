package composed

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

func invocation(method string, args ...any) replay.Invocation {
	var n names
	inv := replay.Invocation{Method: method}
	for _, a := range args {
		inv.Args = append(inv.Args, n.value(a))
	}
	return inv
}

// TestFigure5 is the paper's non-commutativity specification for a map: remove is
// LoadAndDelete, get is Load, and putIfAbsent is LoadOrStore.
func TestFigure5(t *testing.T) {
	remove, get := invocation("LoadAndDelete", 7), invocation("Load", 7)
	first, second := invocation("LoadOrStore", 7, 1), invocation("LoadOrStore", 7, 2)
	always, never := [2]bool{true, true}, [2]bool{}
	absent, present := [2]bool{true, false}, [2]bool{false, true} // get(k) = null, get(k) ≠ null
	for _, row := range []struct {
		a, b replay.Invocation
		// conflicts says whether they do not commute without the key, and with it.
		conflicts [2]bool
	}{
		{remove, remove, present}, {remove, get, present}, {remove, second, always},
		{get, remove, present}, {get, get, never}, {get, second, absent},
		{first, remove, always}, {first, get, absent}, {first, second, absent},
	} {
		absent := mapCollection.fresh()()
		present := absent.clone()
		present.do("put", history.IntValue(7), history.IntValue(3))
		for i, s := range []state{absent, present} {
			if got := !mapCollection.commute(s, row.a, row.b); got != row.conflicts[i] {
				t.Errorf("%s and %s in %s: conflict %v, the paper says %v", callText(row.a), callText(row.b), mapCollection.contents(mapCollection.list(s, row.a.Args[:1])), got, row.conflicts[i])
			}
		}
	}
}

// realSet and realQueue are written without the specifications.
type realSet map[any]bool

func (s realSet) Add(v any) bool      { had := s[v]; s[v] = true; return !had }
func (s realSet) Remove(v any) bool   { had := s[v]; delete(s, v); return had }
func (s realSet) Contains(v any) bool { return s[v] }
func (s realSet) Size() int           { return len(s) }

type realQueue struct{ list []any }

func (q *realQueue) Enqueue(v any) { q.list = append(q.list, v) }
func (q *realQueue) Size() int     { return len(q.list) }
func (q *realQueue) Peek() (any, bool) {
	if len(q.list) == 0 {
		return nil, false
	}
	return q.list[0], true
}
func (q *realQueue) Dequeue() (any, bool) {
	v, ok := q.Peek()
	if ok {
		q.list = q.list[1:]
	}
	return v, ok
}

// call runs an operation on a real object. The results of LoadOrStore after it
// stored are the same as those of Load before: that it stored is a result.
func call(object any, inv replay.Invocation) string {
	var args []reflect.Value
	var n names
	for _, a := range inv.Args {
		args = append(args, reflect.ValueOf(n.goValue(a)))
	}
	out := []any{}
	for _, v := range reflect.ValueOf(object).MethodByName(inv.Method).Call(args) {
		out = append(out, v.Interface())
	}
	if inv.Method == "LoadOrStore" && out[1] == false {
		out[0] = nil // what was stored is an argument
	}
	return fmt.Sprint(out)
}

// show returns the contents of a real object.
func show(object any) string {
	switch o := object.(type) {
	case *sync.Map:
		all := map[any]any{}
		o.Range(func(k, v any) bool { all[k] = v; return true })
		return fmt.Sprint(all)
	case *realQueue:
		return fmt.Sprint(o.list)
	}
	return fmt.Sprint(object)
}

var realObjects = []struct {
	c      *collection
	insert string
	new    func() any
}{
	{mapCollection, "Store", func() any { return &sync.Map{} }},
	{setCollection, "Add", func() any { return realSet{} }},
	{queueCollection, "Enqueue", func() any { return &realQueue{} }},
}

// TestCommute compares all pairs of operations, in every state that two insertions
// can make, with real objects: a sync.Map, and a set and a queue written for this
// test.
func TestCommute(t *testing.T) {
	one, two := history.IntValue(1), history.IntValue(2)
	for _, real := range realObjects {
		t.Run(real.c.name, func(t *testing.T) {
			pool := []value{one, two}
			fresh := real.c.fresh()
			operations := real.c.alphabet(fresh(), pool, pool, pool, nil)
			inserts := slices.DeleteFunc(slices.Clone(operations), func(inv replay.Invocation) bool { return inv.Method != real.insert })
			starts := [][]replay.Invocation{nil}
			for _, a := range inserts {
				starts = append(starts, []replay.Invocation{a})
				for _, b := range inserts {
					starts = append(starts, []replay.Invocation{a, b})
				}
			}
			pairs, conflicts := 0, 0
			for _, start := range starts {
				run := func(rest ...replay.Invocation) (results []string, contents string) {
					object := real.new()
					for _, inv := range start {
						call(object, inv)
					}
					for _, inv := range rest {
						results = append(results, call(object, inv))
					}
					return results, show(object)
				}
				s := fresh()
				for _, inv := range start {
					real.c.apply(s, inv)
				}
				for _, a := range operations {
					for _, b := range operations {
						ab, first := run(a, b)
						ba, second := run(b, a)
						want := ab[0] == ba[1] && ab[1] == ba[0] && first == second
						if got := real.c.commute(s, a, b); got != want {
							t.Errorf("after %v: %s and %s: %v, want %v", start, callText(a), callText(b), got, want)
						}
						if pairs++; !want {
							conflicts++
						}
					}
				}
			}
			if t.Logf("%d states, %d pairs, %d do not commute", len(starts), pairs, conflicts); conflicts == 0 || conflicts == pairs {
				t.Error("nothing was compared")
			}
		})
	}
}
