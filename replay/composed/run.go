package composed

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A run is one run of the method, with the environment's operations in it.
type run struct {
	x     *explorer
	names names
	state state
	limit int // bound of the environment's operations
	// pick chooses what the environment does: 0 for nothing, or 1 + the operation. It is
	// nil if the method runs alone.
	pick func([]replay.Invocation) int

	chosen  []int // what pick returned
	events  []event
	used    int                 // number of operations of the environment
	keys    []value             // all that may be in the collection
	steps   int                 // number of operations of the method
	refused []replay.Invocation // offered after the last operation of the method, and not chosen
	whole   bool                // the method used Range or Clear
	last    int                 // index in events of the last operation of the method
	point   int                 // index in events of the linearization point, or -1

	result   value
	returned any     // what the method returned
	contents []value // of the collection at the end; see finish
	pending  bool    // the run was stopped
	wrong    error
}

// An event is an operation of the method or of the environment.
type event struct {
	replay.Invocation
	result      value
	environment bool
}

// stopped is the panic that ends a run.
type stopped struct{}

// newRun returns a run on an empty collection. In all runs, the values of the options
// have the same names.
func (x *explorer) newRun() *run {
	r := &run{x: x, state: x.fresh(), keys: slices.Clone(x.keys), point: -1}
	for _, v := range append(slices.Clone(x.o.Keys), x.pool()...) {
		r.names.value(v)
	}
	r.names.own = true
	return r
}

// run runs the method once, on an empty collection.
func (x *explorer) run(limit int, pick func([]replay.Invocation) int) *run {
	r := x.newRun()
	r.limit, r.pick = limit, pick
	r.call(x.method)
	return r
}

// call runs a method.
func (r *run) call(method func(*run) any) {
	defer func() {
		if v := recover(); r.pending {
			r.result = history.UnknownValue
		} else if v != nil {
			r.result = history.ExceptionValue(fmt.Sprint(v))
		}
	}()
	r.returned = method(r)
	r.result = r.names.value(r.returned)
}

// do runs an operation of the method.
func (r *run) do(method string, args ...any) value {
	steps := r.x.o.Steps
	if r.pick == nil { // a complete run is not compared with one that was stopped
		steps *= 1000
	}
	if r.pending || r.steps >= steps || r.wrong != nil {
		r.pending = true
		panic(stopped{})
	}
	r.steps++
	inv := replay.Invocation{Method: method}
	for _, a := range args {
		inv.Args = append(inv.Args, r.names.value(a))
	}
	for _, k := range r.x.c.args(inv, "k") {
		if r.keys = add(r.keys, k); isOwn(k) {
			r.wrong = fmt.Errorf("composed: the method uses the key %s; keys with pointers have to be in Options.Keys", valueText(k))
		}
	}
	r.environment(func() []replay.Invocation { return r.x.before(r, inv) })
	before := r.state.clone()
	e := r.apply(inv, false)
	r.last = len(r.events) - 1
	r.refused = r.environment(func() []replay.Invocation { return r.x.offer(r, inv, before) })
	return e.result
}

// apply runs an operation and records it.
func (r *run) apply(inv replay.Invocation, environment bool) event {
	r.keys = add(r.keys, r.x.c.args(inv, "k")...)
	e := event{inv, r.x.c.apply(r.state, inv), environment}
	if environment {
		e.result = r.abstract(inv, e.result)
		r.used++
	}
	r.events = append(r.events, e)
	return e
}

// environment runs operations of the environment, as chosen. It returns the candidates
// at the choice not to run one more, or nil if there was no such choice.
func (r *run) environment(candidates func() []replay.Invocation) []replay.Invocation {
	for r.used < r.limit {
		list := candidates()
		if len(list) == 0 {
			return nil
		}
		i := r.pick(list)
		if i > len(list) {
			r.wrong = fmt.Errorf("composed: choice %d is %d of %d; the method, or the options, differ from those of the earlier run", len(r.chosen)+1, i, len(list))
			i = 0
		}
		if r.chosen = append(r.chosen, i); i == 0 {
			return list
		}
		r.apply(list[i-1], true)
		r.refused = nil
		r.x.recordState(r.state)
	}
	return nil
}

// markPoint makes the last operation of the method the linearization point.
func (r *run) markPoint() {
	if r.steps > 0 {
		r.point = r.last
	}
}

// list returns the contents of the collection in a state.
func (r *run) list(s state) []value {
	slices.SortFunc(r.keys, value.Compare)
	return r.x.c.list(s.clone(), r.keys)
}

// The following is about Options.Missing.

func (r *run) missing(v value) bool { return r.x.o.Missing(r.names.goValue(v)) }

// abstract returns the result of an operation of the environment. It is null in place of
// a value that counts as missing.
func (r *run) abstract(inv replay.Invocation, result value) value {
	if r.x.o.Missing != nil && r.x.c.operation(inv.Method).absent != "" && result.Kind() != history.Null && r.missing(result) {
		return history.NullValue
	}
	return result
}

// known returns a copy of a state without the keys whose values are missing.
func (r *run) known(s state) state {
	s = s.clone()
	if r.x.o.Missing != nil {
		for _, k := range r.keys {
			if v := s.do("get", k); v.Kind() != history.Null && r.missing(v) {
				s.do("delete", k)
			}
		}
	}
	return s
}

// describable reports whether an operation leaves missing values as they are, and
// has the same result and effect on the map without the keys of missing values.
func (r *run) describable(e replay.Invocation) bool {
	whole, part := r.state.clone(), r.known(r.state)
	a, b := r.abstract(e, r.x.c.apply(whole, e)), r.abstract(e, r.x.c.apply(part, e))
	for _, k := range r.keys {
		v := r.state.do("get", k)
		if v.Kind() != history.Null && r.missing(v) && !whole.do("get", k).Equal(v) {
			return false
		}
	}
	return a.Equal(b) && string(r.known(whole).AppendKey(nil)) == string(r.known(part).AppendKey(nil))
}

// A mapOf is the Map of a run.
type mapOf struct{ *run }

// found returns the value that an operation returns, and whether there is one.
func (r *run) found(method string, args ...any) (any, bool) {
	v := r.do(method, args...)
	if v.Kind() == history.Null {
		return nil, false
	}
	return r.names.goValue(v), true
}

func (m mapOf) Load(key any) (any, bool) { return m.found("Load", hashable(key)) }

func (m mapOf) Store(key, v any) { m.do("Store", hashable(key), v) }

func (m mapOf) LoadOrStore(key, v any) (any, bool) {
	if actual, loaded := m.found("LoadOrStore", hashable(key), v); loaded {
		return actual, true
	}
	return v, false
}

func (m mapOf) LoadAndDelete(key any) (any, bool) { return m.found("LoadAndDelete", hashable(key)) }

func (m mapOf) Delete(key any) { m.do("Delete", hashable(key)) }

func (m mapOf) Swap(key, v any) (any, bool) { return m.found("Swap", hashable(key), v) }

func (m mapOf) CompareAndSwap(key, old, new any) bool {
	return m.do("CompareAndSwap", hashable(key), hashable(old), new).Bool()
}

func (m mapOf) CompareAndDelete(key, old any) bool {
	return m.do("CompareAndDelete", hashable(key), hashable(old)).Bool()
}

func (m mapOf) Range(f func(key, v any) bool) {
	m.all("Range")
	after := func(last value) (next value, ok bool) {
		for _, k := range m.keys {
			if (last.Kind() == history.None || k.Compare(last) > 0) && (!ok || k.Compare(next) < 0) {
				next, ok = k, true
			}
		}
		return next, ok
	}
	for k, ok := after(value{}); ok; k, ok = after(k) {
		if v, there := m.found("Load", m.names.goValue(k)); there && !f(m.names.goValue(k), v) {
			return
		}
	}
}

func (m mapOf) Clear() { m.all("Clear") }

// all runs an operation on all keys.
func (m mapOf) all(method string) {
	m.whole = true
	var keys []any
	for _, k := range m.keys {
		keys = append(keys, m.names.goValue(k))
	}
	m.do(method, keys...)
}

// hashable returns v. It panics like sync.Map if v cannot be compared.
func hashable(v any) any {
	if v != nil && !reflect.ValueOf(v).Comparable() {
		panic(fmt.Sprintf("comparing uncomparable type %T", v))
	}
	return v
}

// A setOf is the Set of a run.
type setOf struct{ *run }

func (s setOf) Add(v any) bool      { return s.do("Add", hashable(v)).Bool() }
func (s setOf) Remove(v any) bool   { return s.do("Remove", hashable(v)).Bool() }
func (s setOf) Contains(v any) bool { return s.do("Contains", hashable(v)).Bool() }
func (s setOf) Size() int           { return int(s.do("Size").Int()) }

// A queueOf is the Queue of a run.
type queueOf struct{ *run }

func (q queueOf) Enqueue(v any)        { q.do("Enqueue", v) }
func (q queueOf) Dequeue() (any, bool) { return q.found("Dequeue") }
func (q queueOf) Peek() (any, bool)    { return q.found("Peek") }
func (q queueOf) Size() int            { return int(q.do("Size").Int()) }
