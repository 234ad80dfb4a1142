package composed

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/sync"
)

// A standIn is the collection that Test gives to the method. Each execution has a new one. An operation
// is one step of the schedule; Range is one for each key, and one before.
type standIn struct {
	call       func() any   // the method under test, on this collection
	operations []any        // for the environment, in the order of Target.Operations
	list       func() []any // the contents, or nil if they are read by Range
	forget     func()       // removes what Options.Missing reports, or is nil
	log        *log
}

// A log has the operations of the method. The environment uses the collection without one.
type log struct {
	b     *body
	calls []loggedCall
	most  int // bounds the calls, if it is not 0
	point int // the number of the call that is the linearization point, or -1
	// There were too many calls, or the environment did what Options.Missing forbids.
	unjudged bool
}

type loggedCall struct {
	name          string
	args, results []any
	after         int // how many operations of the environment had run
}

// mostCalls bounds the operations of the method in one execution. It is larger when the method runs alone,
// so that one that ends is not compared with one that was stopped.
const mostCalls = 100

// add logs an operation. It is called before another thread can go on.
func (l *log) add(name string, args []any, results ...any) {
	switch {
	case l == nil:
	case l.most > 0 && len(l.calls) >= l.most:
		l.unjudged = true
		panic("composed: too many operations")
	default:
		l.calls = append(l.calls, loggedCall{name, args, results, len(l.b.results)})
	}
}

// markPoint makes the last operation the linearization point, if there is one.
func (l *log) markPoint() { l.point = len(l.calls) - 1 }

// pointAfter returns how many operations of the environment come before the linearization point.
func (l *log) pointAfter() int { return l.calls[l.point].after }

// The operations as in Target.Operations. The environment does not run Clear, nor Range, which reads the
// contents.
var (
	mapOperations   = []string{"Load ?k", "Store kv", "LoadOrStore kv", "LoadAndDelete k", "Delete k", "Swap kv", "CompareAndSwap kov", "CompareAndDelete ko", "Range r"}
	setOperations   = []string{"Add k", "Remove k", "Contains ?k", "Size ?"}
	queueOperations = []string{"Enqueue v", "Dequeue", "Peek ?", "Size ?"}
)

// standInFor returns a function that makes the collections for a method, and their operations as in
// Target.Operations.
func standInFor(method any, missing func(any) bool) (open func(*log) *standIn, operations []string, err error) {
	switch f := method.(type) {
	case func(Map) any:
		return func(l *log) *standIn {
			m := mapOf{all: &sync.Map{}, log: l}
			env := mapOf{all: m.all, missing: missing, unjudged: &l.unjudged}
			s := &standIn{call: func() any { return f(m) }, log: l,
				operations: []any{env.Load, env.Store, env.LoadOrStore, env.LoadAndDelete, env.Delete, env.Swap, env.CompareAndSwap, env.CompareAndDelete, env.Range}}
			if missing != nil {
				s.forget = env.forget
			}
			return s
		}, mapOperations, nil
	case func(Set) any:
		return func(l *log) *standIn {
			s, env := setOf{&[]any{}, l}, setOf{}
			env.all = s.all
			return &standIn{call: func() any { return f(s) }, log: l,
				operations: []any{env.Add, env.Remove, env.Contains, env.Size}, list: func() []any { return *s.all }}
		}, setOperations, nil
	case func(Queue) any:
		return func(l *log) *standIn {
			q, env := queueOf{&[]any{}, l}, queueOf{}
			env.all = q.all
			return &standIn{call: func() any { return f(q) }, log: l,
				operations: []any{env.Enqueue, env.Dequeue, env.Peek, env.Size}, list: func() []any { return *q.all }}
		}, queueOperations, nil
	}
	return nil, nil, fmt.Errorf("composed: the method is a %T; it has to take a composed.Map, Set or Queue", method)
}

// A mapOf is the map for the method, or for the environment. For the environment, values that are
// missing are not there, and it leaves them in the map: it does not run an operation other than Load that
// meets one.
type mapOf struct {
	all *sync.Map
	*log
	missing  func(any) bool
	unjudged *bool // is set then
}

// meets reports whether a value is missing for the environment.
func (m mapOf) meets(v any, found bool) bool { return found && m.missing != nil && m.missing(v) }

// done logs an operation that met a value.
func (m mapOf) done(met any, found bool, name string, args []any, results ...any) {
	if m.meets(met, found) {
		*m.unjudged = true
	}
	m.add(name, args, results...)
}

func (m mapOf) Load(key any) (any, bool) {
	v, ok := m.all.Load(key)
	if m.meets(v, ok) {
		v, ok = nil, false
	}
	m.add("Load", []any{key}, v, ok)
	return v, ok
}

func (m mapOf) Store(key, v any) {
	old, ok := m.all.Swap(key, v)
	m.done(old, ok, "Store", []any{key, v})
}

func (m mapOf) LoadOrStore(key, v any) (any, bool) {
	actual, loaded := m.all.LoadOrStore(key, v)
	m.done(actual, loaded, "LoadOrStore", []any{key, v}, actual, loaded)
	return actual, loaded
}

func (m mapOf) LoadAndDelete(key any) (any, bool) {
	v, loaded := m.all.LoadAndDelete(key)
	m.done(v, loaded, "LoadAndDelete", []any{key}, v, loaded)
	return v, loaded
}

func (m mapOf) Delete(key any) {
	v, ok := m.all.LoadAndDelete(key)
	m.done(v, ok, "Delete", []any{key})
}

func (m mapOf) Swap(key, v any) (any, bool) {
	old, loaded := m.all.Swap(key, v)
	m.done(old, loaded, "Swap", []any{key, v}, old, loaded)
	return old, loaded
}

func (m mapOf) CompareAndSwap(key, old, new any) bool {
	ok := m.all.CompareAndSwap(key, old, new)
	m.done(old, ok, "CompareAndSwap", []any{key, old, new}, ok)
	return ok
}

func (m mapOf) CompareAndDelete(key, old any) bool {
	ok := m.all.CompareAndDelete(key, old)
	m.done(old, ok, "CompareAndDelete", []any{key, old}, ok)
	return ok
}

func (m mapOf) Range(f func(key, v any) bool) {
	m.add("Range", nil)
	m.all.Range(func(k, v any) bool {
		m.add("Range, at", []any{k}, v)
		return f(k, v)
	})
}

func (m mapOf) Clear() {
	m.all.Clear()
	m.add("Clear", nil)
}

// forget removes the values that are missing.
func (m mapOf) forget() {
	m.all.Range(func(k, v any) bool {
		if m.missing(v) {
			m.all.Delete(k)
		}
		return true
	})
}

// A setOf is the set for the method, or for the environment, with the elements in any order.
type setOf struct {
	all *[]any
	*log
}

func (s setOf) step(k schedule.Kind, v any) (at int) {
	_ = map[any]bool{v: true} // panics as a map does, if v is not comparable
	schedule.Step(k, unsafe.Pointer(s.all))
	return slices.Index(*s.all, v)
}

func (s setOf) Add(v any) bool {
	added := s.step(schedule.Write, v) < 0
	if added {
		*s.all = append(*s.all, v)
	} else {
		schedule.Failed()
	}
	s.add("Add", []any{v}, added)
	return added
}

func (s setOf) Remove(v any) bool {
	at := s.step(schedule.Write, v)
	if at >= 0 {
		*s.all = slices.Delete(*s.all, at, at+1)
	} else {
		schedule.Failed()
	}
	s.add("Remove", []any{v}, at >= 0)
	return at >= 0
}

func (s setOf) Contains(v any) bool {
	contains := s.step(schedule.Read, v) >= 0
	s.add("Contains", []any{v}, contains)
	return contains
}

func (s setOf) Size() int {
	schedule.Step(schedule.Read, unsafe.Pointer(s.all))
	s.add("Size", nil, len(*s.all))
	return len(*s.all)
}

// A queueOf is the queue for the method, or for the environment.
type queueOf struct {
	all *[]any
	*log
}

func (q queueOf) Enqueue(v any) {
	schedule.Step(schedule.Write, unsafe.Pointer(q.all))
	*q.all = append(*q.all, v)
	q.add("Enqueue", []any{v})
}

// first returns the first value.
func (q queueOf) first(k schedule.Kind) (v any, ok bool) {
	schedule.Step(k, unsafe.Pointer(q.all))
	if len(*q.all) > 0 {
		return (*q.all)[0], true
	}
	schedule.Failed()
	return nil, false
}

func (q queueOf) Dequeue() (any, bool) {
	v, ok := q.first(schedule.Write)
	if ok {
		*q.all = (*q.all)[1:]
	}
	q.add("Dequeue", nil, v, ok)
	return v, ok
}

func (q queueOf) Peek() (any, bool) {
	v, ok := q.first(schedule.Read)
	q.add("Peek", nil, v, ok)
	return v, ok
}

func (q queueOf) Size() int {
	schedule.Step(schedule.Read, unsafe.Pointer(q.all))
	q.add("Size", nil, len(*q.all))
	return len(*q.all)
}
