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
	x      *explorer
	names  names
	state  replay.State
	alone  bool  // for the reference
	limit  int   // bound of the environment's operations
	prefix []int // choices to repeat; after them the environment does nothing if pick is nil
	// pick chooses after the prefix, if it is not nil: 0 or 1 + the operation.
	pick func([]replay.Invocation) int

	chosen     []int // 0 or 1 + the operation chosen, at each choice
	offered    []int // how many operations there were to choose from
	events     []event
	used       int                 // number of operations of the environment
	steps      int                 // number of operations of the method
	calls      []event             // operations of the method, with the state before
	refused    []replay.Invocation // offered after the last operation of the method, and not chosen
	lastAt     int                 // number of environment operations before the last one of the method
	lastEvent  int                 // index in events of the last operation of the method
	pointAt    int                 // lastAt at the linearization point, or -1
	pointEvent int                 // lastEvent at the linearization point

	result   value
	contents []value // of the collection at the end; see finish
	pending  bool    // the run was stopped
	wrong    error
}

// An event is an operation of the method or of the environment.
type event struct {
	replay.Invocation
	result      value
	environment bool
	before      replay.State
}

// stopped is the panic that ends a run.
type stopped struct{}

// start runs the method on s, which belongs to the run from then on.
func (r *run) start(s replay.State) {
	r.state, r.pointAt = s, -1
	if r.x.needsGoValues {
		for _, k := range r.x.o.Keys {
			r.names.value(k)
		}
		for _, v := range r.x.pool() {
			r.names.value(v)
		}
	}
	r.names.own = true
	defer func() {
		if v := recover(); r.pending {
			r.result = history.UnknownValue
		} else if v != nil {
			r.result = history.ExceptionValue(fmt.Sprint(v))
		}
	}()
	r.x.enter()
	defer r.x.leave()
	r.result = r.names.value(r.x.method(r))
}

// do runs an operation of the method.
func (r *run) do(method string, args ...any) value {
	r.x.leave()
	defer r.x.enter()
	if r.pending || r.steps >= r.mostSteps() || r.wrong != nil {
		r.pending = true
		panic(stopped{})
	}
	r.steps++
	inv := replay.Invocation{Method: method}
	for _, a := range args {
		inv.Args = append(inv.Args, r.names.value(a))
	}
	for _, k := range r.x.c.keys(inv) {
		if isOwn(k) {
			r.wrong = fmt.Errorf("composed: the method uses the key %s; keys with pointers have to be in Options.Keys", valueText(k))
		}
	}
	if r.x.o.Places&Before != 0 {
		r.environment(func() []replay.Invocation { return r.x.before(r, inv) })
	}
	e := event{Invocation: inv, before: r.state.Clone()}
	e.result = r.x.c.apply(r.state, inv)
	r.events = append(r.events, e)
	r.calls = append(r.calls, e)
	r.lastAt, r.lastEvent, r.refused = r.used, len(r.events)-1, nil
	if r.x.o.Places&After != 0 {
		r.refused = r.environment(func() []replay.Invocation { return r.x.after(r) })
	}
	return e.result
}

// mostSteps returns the bound of the method's operations. It is larger if the method runs
// alone, so that a complete run is not compared with one that was stopped.
func (r *run) mostSteps() int {
	if r.alone {
		return 1000 * r.x.o.Steps
	}
	return r.x.o.Steps
}

// environment runs operations of the environment, as chosen. It returns the candidates
// at the choice not to run one more, or nil if there was no such choice.
func (r *run) environment(candidates func() []replay.Invocation) []replay.Invocation {
	for r.used < r.limit {
		list := candidates()
		if len(list) == 0 {
			return nil
		}
		i := r.choose(list)
		if i == 0 {
			return list
		}
		inv := list[i-1]
		result := r.x.abstract(inv, r.x.c.apply(r.state, inv), r.missing)
		r.events = append(r.events, event{Invocation: inv, result: result, environment: true})
		r.used++
		r.refused = nil
		r.x.recordState(r.state)
	}
	return nil
}

// choose returns 0, or 1 + the operation to run.
func (r *run) choose(list []replay.Invocation) int {
	i, n, at := 0, len(list), len(r.chosen)
	switch {
	case at < len(r.prefix):
		i = r.prefix[at]
	case r.pick != nil:
		i = r.pick(list)
	}
	if i > n {
		r.wrong = fmt.Errorf("composed: choice %d is %d of %d; the method, or the options, differ from those of the earlier run", at+1, i, n)
		i = 0
	}
	r.chosen, r.offered = append(r.chosen, i), append(r.offered, n)
	return i
}

// missing is Options.Missing for a value of a history.
func (r *run) missing(v value) bool { return r.x.o.Missing(r.names.goValue(v)) }

// abstract returns the result of an operation of the environment. It is null in place of
// a value that counts as missing.
func (x *explorer) abstract(inv replay.Invocation, result value, missing func(value) bool) value {
	if x.o.Missing != nil && x.c.operation(inv.Method).absent != "" && result.Kind() != history.Null && missing(result) {
		return history.NullValue
	}
	return result
}

// point makes the last operation the linearization point.
func (r *run) point() {
	if r.steps > 0 {
		r.pointAt, r.pointEvent = r.lastAt, r.lastEvent
	}
}

// A mapOf is the Map of a run.
type mapOf struct{ r *run }

func (m mapOf) point() { m.r.point() }

// found returns the value that an operation returns, and whether there is one.
func (r *run) found(method string, args ...any) (any, bool) {
	v := r.do(method, args...)
	if v.Kind() == history.Null {
		return nil, false
	}
	return r.names.goValue(v), true
}

func (m mapOf) Load(key any) (any, bool) { return m.r.found("Load", hashable(key)) }

func (m mapOf) Store(key, v any) { m.r.do("Store", hashable(key), v) }

func (m mapOf) LoadOrStore(key, v any) (any, bool) {
	if actual, loaded := m.r.found("LoadOrStore", hashable(key), v); loaded {
		return actual, true
	}
	return v, false
}

func (m mapOf) LoadAndDelete(key any) (any, bool) { return m.r.found("LoadAndDelete", hashable(key)) }

func (m mapOf) Delete(key any) { m.r.do("Delete", hashable(key)) }

func (m mapOf) Swap(key, v any) (any, bool) { return m.r.found("Swap", hashable(key), v) }

func (m mapOf) CompareAndSwap(key, old, new any) bool {
	return m.r.do("CompareAndSwap", hashable(key), hashable(old), new).Bool()
}

func (m mapOf) CompareAndDelete(key, old any) bool {
	return m.r.do("CompareAndDelete", hashable(key), hashable(old)).Bool()
}

// hashable returns v. It panics like sync.Map if v cannot be compared.
func hashable(v any) any {
	if v != nil && !reflect.ValueOf(v).Comparable() {
		panic(fmt.Sprintf("comparing uncomparable type %T", v))
	}
	return v
}

// A setOf is the Set of a run.
type setOf struct{ r *run }

func (s setOf) point()              { s.r.point() }
func (s setOf) Add(v any) bool      { return s.r.do("Add", hashable(v)).Bool() }
func (s setOf) Remove(v any) bool   { return s.r.do("Remove", hashable(v)).Bool() }
func (s setOf) Contains(v any) bool { return s.r.do("Contains", hashable(v)).Bool() }
func (s setOf) Size() int           { return int(s.r.do("Size").Int()) }

// A queueOf is the Queue of a run.
type queueOf struct{ r *run }

func (q queueOf) point()               { q.r.point() }
func (q queueOf) Enqueue(v any)        { q.r.do("Enqueue", v) }
func (q queueOf) Dequeue() (any, bool) { return q.r.found("Dequeue") }
func (q queueOf) Peek() (any, bool)    { return q.r.found("Peek") }
func (q queueOf) Size() int            { return int(q.r.do("Size").Int()) }

// before returns the operations that the environment may run before next.
func (x *explorer) before(r *run, next replay.Invocation) []replay.Invocation {
	list := x.operations(r, []event{{Invocation: next, before: r.state}})
	if len(r.refused) == 0 || x.o.Missing != nil { // with Missing, what the method did meanwhile can matter
		return list
	}
	if x.o.Guide == Blind { // all operations have been refused
		return nil
	}
	// Running a refused operation here is the same as running it earlier.
	return slices.DeleteFunc(slices.Clone(list), func(e replay.Invocation) bool {
		return slices.ContainsFunc(r.refused, func(f replay.Invocation) bool { return same(e, f) })
	})
}

// after returns the operations that the environment may run after the last one of
// the method.
func (x *explorer) after(r *run) []replay.Invocation {
	if x.o.Guide == Adjacent {
		return x.operations(r, r.calls[len(r.calls)-1:])
	}
	return x.operations(r, r.calls)
}

// operations returns the operations that the environment may run, by the guide:
// operations on keys of the operations in around that do not commute with at least one
// of them.
func (x *explorer) operations(r *run, around []event) []replay.Invocation {
	memo := ""
	if x.o.Missing == nil {
		x.key = r.state.AppendKey(x.key[:0])
		for _, c := range around {
			x.key = appendInvocation(c.before.AppendKey(append(x.key, 0xff)), c.Invocation)
		}
		memo = string(x.key)
		if list, ok := x.offers[memo]; ok {
			return list
		}
	}
	var keys, olds []value
	for _, c := range around {
		keys, olds = add(keys, x.c.keys(c.Invocation)...), add(olds, x.c.values(c.Invocation)...)
	}
	// The environment knows the method's pointers only where they are in the map.
	olds = slices.DeleteFunc(olds, isOwn)
	if len(keys) == 0 || x.o.Guide == Blind {
		keys = x.keys
	}
	if x.o.Guide == Blind {
		olds = x.values
	}
	list := slices.DeleteFunc(x.c.alphabet(r.state, keys, x.values, olds, x.o.Without), func(e replay.Invocation) bool {
		commutes := func(c event) bool { return x.c.commute(c.before, c.Invocation, e) }
		return x.o.Guide != Blind && !slices.ContainsFunc(around, func(c event) bool { return !commutes(c) }) ||
			x.o.Missing != nil && !r.describable(e)
	})
	if memo != "" {
		x.offers[memo] = list
	}
	return list
}

func same(a, b replay.Invocation) bool {
	return a.Method == b.Method && slices.EqualFunc(a.Args, b.Args, value.Equal)
}

// describable reports whether an operation leaves missing values as they are, and
// has the same result and effect on the map without the keys of missing values.
func (r *run) describable(e replay.Invocation) bool {
	before := r.state.(*mapState)
	whole, part := before.Clone().(*mapState), before.without(r.missing)
	a, b := r.x.abstract(e, r.x.c.apply(whole, e), r.missing), r.x.abstract(e, r.x.c.apply(part, e), r.missing)
	for i, v := range before.values {
		if at, found := whole.find(before.keys[i]); r.missing(v) && (!found || !whole.values[at].Equal(v)) {
			return false
		}
	}
	return a.Equal(b) && string(whole.without(r.missing).AppendKey(nil)) == string(part.without(r.missing).AppendKey(nil))
}
