package spec

import (
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// orders are the disciplines that determine which value a removal takes.
var orders = []replay.Discipline{replay.FirstIn, replay.LastIn, replay.BothEnds, replay.Smallest, replay.Largest, replay.FirstInBounded}

// answers are results that a history may have, right or wrong.
var answers = []value{
	history.NoValue, history.NullValue, history.BoolValue(true), history.BoolValue(false),
	history.IntValue(-1), history.IntValue(0), history.IntValue(1), history.IntValue(2), history.IntValue(3), history.IntValue(1 << 40),
	history.ExceptionValue("java.lang.NullPointerException"), table.IllegalState, table.NoSuchElement, history.ExceptionValue("E"),
}

// TestRolesBehave calls every method of queues, stacks, deques and priority queues in
// random states. The role of an operation with some result says in which states the
// method has that result, and what it does then.
func TestRolesBehave(t *testing.T) {
	r := newRandom(t)
	tried := 0
	for i := range models {
		m := &models[i]
		s, methods := m.open(t)
		described := s.(replay.Described)
		d, capacity := described.Traits().Discipline, described.Traits().Capacity
		if !slices.Contains(orders, d) {
			continue
		}
		tried++
		roles := map[replay.Role]int{}
		for range 400 {
			state := s.New().(replay.State)
			for range r.IntN(8) {
				state.Apply(m.invocation(r, methods))
			}
			before := contents(t, state, methods, d)
			if slices.ContainsFunc(before, history.NullValue.Equal) { // monitors decline such a history
				continue
			}
			for j := range methods.List {
				inv := m.call(r, methods, j)
				next := state.Clone()
				result, ok := next.Apply(inv)
				after := contents(t, next, methods, d)
				for _, recorded := range append(answers, result) {
					op := &history.Operation{Method: inv.Method, Args: inv.Args, Result: recorded, Return: 1}
					if s.Check(op) != nil {
						continue
					}
					f := described.Facts(op)
					if f.Role == replay.Other {
						continue
					}
					roles[f.Role]++
					if want, possible := apply(d, capacity, f, before); possible != (ok && result.Equal(recorded)) || possible && !sameValues(after, want) {
						t.Fatalf("%s: %v in state %v: role %d of %v, but it returns %v and leads to %v", m.text, op, before, f.Role, f.Value, result, after)
					}
				}
				checkPendingRole(t, m.text, described, inv, before, after)
			}
		}
		needed := []replay.Role{replay.Insert, replay.Remove, replay.Look, replay.Nothing, replay.Size, replay.Clear, replay.Never}
		if d == replay.FirstInBounded {
			needed = append(needed, replay.Full)
		}
		if d == replay.BothEnds {
			needed = append(needed, replay.InsertFront, replay.RemoveFront, replay.LookFront)
		}
		for _, role := range needed {
			if roles[role] == 0 {
				t.Errorf("%s: no operation has role %d", m.text, role)
			}
		}
	}
	if tried < 10 {
		t.Errorf("only %d models were tried", tried)
	}
}

// checkPendingRole checks the role of an operation that did not return: what it does to
// the collection if it takes effect, which it need not do.
func checkPendingRole(t *testing.T, model string, s replay.Described, inv replay.Invocation, before, after []value) {
	t.Helper()
	d, capacity := s.Traits().Discipline, s.Traits().Capacity
	op := &history.Operation{Method: inv.Method, Args: inv.Args, Result: history.UnknownValue, Return: history.NoReturn}
	f := s.Facts(op)
	want, possible := before, true
	switch f.Role {
	case replay.Other:
		return
	case replay.Idle:
	case replay.Remove, replay.RemoveFront:
		if len(before) > 0 {
			f.Value = before[end(d, f.Role, len(before))]
			want, possible = apply(d, capacity, f, before)
		}
	default:
		if want, possible = apply(d, capacity, f, before); !possible { // it finds the collection full
			want, possible = before, d == replay.FirstInBounded
		}
	}
	if !possible || !sameValues(after, want) {
		t.Fatalf("%s: %v in state %v: role %d of %v, but it leads to %v", model, op, before, f.Role, f.Value, after)
	}
}

func sameValues(a, b []value) bool { return slices.EqualFunc(a, b, value.Equal) }

// contents returns the values of a collection in the order of the queue, or that of a
// stack from the bottom, or those of a priority queue as they are removed.
func contents(t *testing.T, state replay.State, methods *table.Signatures, d replay.Discipline) []value {
	t.Helper()
	c := state.Clone()
	n, _ := c.Apply(replay.Invocation{Method: "size"})
	var values []value
	for range n.Int() {
		values = append(values, takeOne(t, c, methods))
	}
	if d == replay.LastIn {
		slices.Reverse(values)
	}
	return values
}

// takeOne removes the next value, at the front of a deque.
func takeOne(t *testing.T, c replay.State, methods *table.Signatures) value {
	t.Helper()
	for _, method := range []string{"popFront", "poll", "pop"} {
		if slices.ContainsFunc(methods.List, func(m table.Signature) bool { return len(m.Params) == 0 && slices.Contains(m.Names, method) }) {
			v, _ := c.Apply(replay.Invocation{Method: method})
			return v
		}
	}
	t.Fatal("no method removes a value")
	return value{}
}

// end returns the position of the value that a removal or a look in that role takes.
func end(d replay.Discipline, role replay.Role, n int) int {
	switch {
	case role == replay.RemoveFront, role == replay.LookFront, d != replay.LastIn && d != replay.BothEnds:
		return 0
	}
	return n - 1
}

// apply returns the values after an operation with these facts. It returns false if
// the operation cannot have its result.
func apply(d replay.Discipline, capacity int, f replay.Facts, before []value) ([]value, bool) {
	n := len(before)
	isFull := d == replay.FirstInBounded && n >= capacity
	switch f.Role {
	case replay.Insert:
		after := append(slices.Clone(before), f.Value)
		switch d {
		case replay.Smallest:
			slices.SortFunc(after, value.Compare)
		case replay.Largest:
			slices.SortFunc(after, func(a, b value) int { return b.Compare(a) })
		}
		return after, !isFull
	case replay.Full:
		return before, isFull
	case replay.InsertFront:
		return append([]value{f.Value}, before...), true
	case replay.Remove, replay.RemoveFront, replay.Look, replay.LookFront:
		if n == 0 {
			return nil, false
		}
		at := end(d, f.Role, n)
		after := before
		if f.Role == replay.Remove || f.Role == replay.RemoveFront {
			after = slices.Delete(slices.Clone(before), at, at+1)
		}
		return after, before[at].Equal(f.Value)
	case replay.Nothing:
		return nil, n == 0
	case replay.Size:
		return before, n > 0 && (f.Value.Kind() == history.Unknown || f.Value.Int() == int64(n))
	case replay.Clear:
		return nil, true
	}
	return nil, false // Never
}
