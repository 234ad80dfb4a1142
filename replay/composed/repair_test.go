package composed

import (
	"errors"
	"strings"
	"testing"
)

// TestRepair: each method that is not atomic has the given repair.
func TestRepair(t *testing.T) {
	nodes := Options{Values: func() []any { return []any{&node{7}} }}
	for name, c := range map[string]struct {
		method func(Map) any
		o      Options
		want   string
	}{
		"Figure 2a":     {removeAttribute, Options{}, `LoadAndDelete("A"), and return its value`},
		"Figure 8":      {putOnce, Options{}, "LoadOrStore(7, 2)"},
		"Figure 12 iii": {compute3, Options{}, "LoadOrStore(7, 14), and return its value"},
		"Figure 12 v":   {compute5, Options{}, "LoadOrStore(7, 14), and return its value"},
		"store and delete": {func(m Map) any { m.Store(key, 1); m.Delete(key); return "done" }, Options{},
			`Delete(7), and return "done"`},
		"two results": {func(m Map) any {
			v, ok := m.Load(key)
			if !ok {
				v = 1
				m.Store(key, v)
			}
			return []any{v, !ok, "x"}
		}, Options{}, `LoadOrStore(7, 1), and return its value, whether it stores, "x"`},
		"swap with a default": {func(m Map) any {
			v, ok := m.Load(key)
			m.Store(key, 1)
			if !ok {
				return 0
			}
			return v
		}, Options{}, "Swap(7, 1), and return its value if it finds one and 0 if it finds none"},
		"claim": {func(m Map) any {
			if v, ok := m.Load(key); ok && v == "idle" {
				m.Store(key, "busy")
				return true
			}
			return false
		}, Options{Values: func() []any { return []any{"idle", "busy", "stopped"} }},
			`CompareAndSwap(7, "idle", "busy"), and return whether it succeeds`},
		"remove if old": {func(m Map) any {
			if v, ok := m.Load(key); ok && v == "old" {
				m.Delete(key)
			}
			return nil
		}, Options{Values: func() []any { return []any{"old", "new"} }}, `CompareAndDelete(7, "old")`},
		"a new pointer": {func(m Map) any {
			if v, ok := m.Load(key); ok {
				return v
			}
			n := &node{1}
			m.Store(key, n)
			return n
		}, nodes, "LoadOrStore(7, *composed.node#new1{composed.node{1}}), and return its value"},
		"count": {func(m Map) any {
			v, ok := m.Load(key)
			if !ok {
				v = 0
			}
			m.Store(key, v.(int)+1)
			return v
		}, Options{}, "in a loop, Load(7) and compute the new value, and write it by CompareAndSwap or LoadOrStore; if that fails, try again"},
		"count, with another key": {func(m Map) any {
			v, ok := m.Load(key)
			if !ok {
				v = 0
			}
			m.Store(key, v.(int)+1)
			return v
		}, Options{Keys: []any{8}}, "in a loop, Load(7) and compute the new value, and write it by CompareAndSwap or LoadOrStore; if that fails, try again"},
		"take one": {func(m Map) any {
			v, ok := m.Load(key)
			if !ok {
				return false
			}
			if v == 1 {
				m.Delete(key)
			} else {
				m.Store(key, v.(int)-1)
			}
			return true
		}, Options{Values: func() []any { return []any{1, 2} }}, "in a loop, Load(7) and compute the new value, and write it by CompareAndDelete or CompareAndSwap; if that fails, try again"},
		"two loads": {func(m Map) any {
			sum := 0
			for range 2 {
				if v, ok := m.Load(key); ok {
					sum += v.(int)
				}
			}
			return sum
		}, Options{}, "Load(7) once, and compute the result from its value"},
		"two keys": {func(m Map) any {
			v, _ := m.LoadAndDelete(1)
			m.Store(2, v)
			return nil
		}, Options{}, "none found; no operation of a map does what the method does alone in 4 states, with 2 keys"},
		"the second key is in the map": {func(m Map) any {
			k, ok := m.Load("id")
			if ok {
				m.Delete("id")
				m.Delete(k)
			}
			return nil
		}, Options{Values: func() []any { return []any{"type"} }}, "none found; no operation of a map does what the method does alone in 4 states, with 2 keys"},
		"changes in place": {func(m Map) any {
			if v, ok := m.Load(key); ok {
				v.(*node).n++
			} else {
				m.Store(key, &node{1})
			}
			return nil
		}, nodes, "in a loop, Load(7) and compute the new value, and write it by LoadOrStore; if that fails, try again"},
		"changes in place, and deletes": {func(m Map) any {
			v, ok := m.Load(key)
			if ok {
				v.(*node).n = -1
				m.Delete(key)
			}
			return v
		}, nodes, "none found; no operation of a map does what the method does alone in 2 states"},
		"an error of the package": {func(m Map) any {
			if _, ok := m.Load(key); ok {
				return errCancelled
			}
			m.Store(key, 1)
			return nil
		}, Options{}, `LoadOrStore(7, 1), and return the error "cancelled" if it loads and nil if it stores`},
		"a new error": {func(m Map) any {
			if _, ok := m.Load(key); ok {
				return errors.New("there")
			}
			m.Store(key, 1)
			return nil
		}, Options{}, "in a loop, Load(7) and compute the new value, and write it by LoadOrStore; if that fails, try again"},
		"mark": {func(m Map) any {
			if _, loaded := m.LoadOrStore(key, 1); !loaded {
				m.Delete(key)
			}
			return nil
		}, Options{}, "none; alone, the method changes nothing and always returns the same"},
		"always panics": {func(m Map) any {
			m.Store(1, 1)
			m.Delete(1)
			panic("no")
		}, Options{}, "none found; alone, the method panics or does not end in most states"},
	} {
		checkRepair(t, name, c.method, c.o, c.want)
	}
	checkRepair(t, "check then add", func(s Set) any {
		if s.Contains(1) {
			return "there"
		}
		s.Add(1)
		return "added"
	}, Options{}, `Add(1), and return "added" if it succeeds and "there" if it fails`)
	checkRepair(t, "add once", func(s Set) any { had := s.Contains(1); s.Add(1); return !had }, Options{},
		"Add(1), and return whether it succeeds")
	checkRepair(t, "dequeue if any", func(q Queue) any {
		v, ok := q.Peek()
		if ok {
			q.Dequeue()
		}
		return []any{v, ok}
	}, Options{}, "Dequeue(), and return its value, whether it finds one")
}

func checkRepair[O any](t *testing.T, name string, method func(O) any, o Options, want string) {
	t.Helper()
	r := explored(t, method, o)
	if r.Violation == nil {
		t.Errorf("%s: no violation", name)
		return
	}
	if got, _, _ := strings.Cut(r.Violation.Repair, "\n"); got != want || !strings.Contains(r.Violation.String(), "Repair: "+want) {
		t.Errorf("%s: %s\nwant %s\n%v", name, r.Violation.Repair, want, r.Violation)
	}
}

// TestWrongRepairs: a method that does the same in some states only, or that another operation
// can come between, is not a repair.
func TestWrongRepairs(t *testing.T) {
	x := prepared(t, compute5, adjacent, Options{})
	p := &repairer{x: x}
	p.runAlone()
	if !p.same(func(r *run) any { return compute2(mapOf{r}) }) {
		t.Error("Figure 12 ii does not do the same as Figure 12 v alone")
	}
	for name, method := range map[string]func(Map) any{
		"stores always":          func(m Map) any { m.Store(key, calculate(key)); return calculate(key) },
		"only loads":             func(m Map) any { v, _ := m.Load(key); return v },
		"another result":         func(m Map) any { m.LoadOrStore(key, calculate(key)); return nil },
		"same on an empty map":   func(m Map) any { m.Swap(key, calculate(key)); return calculate(key) },
		"the key in another way": func(m Map) any { v, _ := m.LoadOrStore(key, 99); return v },
	} {
		if p.same(func(r *run) any { return method(mapOf{r}) }) {
			t.Errorf("%s counts as the same", name)
		}
	}
}

// TestRepairStates: of a method with many keys, a bounded number of states is tried.
func TestRepairStates(t *testing.T) {
	for keys, want := range map[int]int{1: 3, 2: 9, 6: 233, 7: repairStates, 20: repairStates} {
		x := prepared(t, func(m Map) any {
			for k := range keys {
				m.Store(k, 1)
			}
			return nil
		}, adjacent, Options{})
		p := &repairer{x: x}
		p.runAlone()
		if len(p.states) != want || len(p.used) != keys {
			t.Errorf("%d keys: %d states, want %d", len(p.used), len(p.states), want)
		}
	}
}
