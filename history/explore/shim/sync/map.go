package sync

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
)

// poolChoices is how many calls of Get in an execution may choose between an
// object that was put and a new one. Later ones take one that was put.
const poolChoices = 3

// A Pool replaces sync.Pool. In an execution it is empty at the beginning,
// and Get returns the object that was put last, or a new one, as it chooses.
type Pool struct {
	New func() any

	real sync.Pool
	used used
	gets int
	list []any
}

type poolState Pool

func (p *poolState) Reset() { p.used, p.gets, p.list = false, 0, nil }

// Get returns an object that was put, or else a new one.
func (p *Pool) Get() any {
	if p == nil {
		panic("nil Pool")
	}
	var x any
	if schedule.Active() {
		schedule.Step(write, unsafe.Pointer(p))
		x = p.take()
	} else {
		x = p.real.Get()
	}
	if x == nil && p.New != nil {
		x = p.New()
	}
	return x
}

func (p *Pool) take() any {
	n := len(p.list)
	if n == 0 {
		return nil
	}
	if p.gets++; p.gets <= poolChoices && schedule.Choose(2) == 1 {
		return nil
	}
	x := p.list[n-1]
	p.list[n-1] = nil
	p.list = p.list[:n-1]
	return x
}

// Put gives back an object.
func (p *Pool) Put(x any) {
	if x == nil {
		return
	}
	if !schedule.Active() {
		p.real.Put(x)
		return
	}
	schedule.Step(write, unsafe.Pointer(p))
	p.used.mark((*poolState)(p))
	p.list = append(p.list, x)
}

// A Map replaces sync.Map: each operation is one atomic step of the real
// one. Range visits the keys in an order that it chooses.
type Map struct{ real sync.Map }

// writes counts the operations on Maps that may have changed them.
var writes atomic.Uint64

func init() {
	schedule.SaveBy(func(m *Map) (restore func()) {
		saved := map[any]any{}
		m.real.Range(func(k, v any) bool { saved[k] = v; return true })
		at := writes.Load()
		return func() {
			now := writes.Load()
			if now == at {
				return
			}
			at = now
			m.fill(saved)
		}
	})
}

// fill makes entries those of m. It keeps the memory of m, which restoring package-level variables
// may bring back.
func (m *Map) fill(entries map[any]any) {
	m.real.Range(func(k, _ any) bool {
		if _, ok := entries[k]; !ok {
			m.real.Delete(k)
		}
		return true
	})
	for k, v := range entries {
		now, ok := m.real.Load(k)
		if !ok || *(*[2]unsafe.Pointer)(unsafe.Pointer(&v)) != *(*[2]unsafe.Pointer)(unsafe.Pointer(&now)) {
			m.real.Store(k, v)
		}
	}
}

func (m *Map) step(k schedule.Kind) *sync.Map {
	if k == write {
		writes.Add(1)
	}
	schedule.Step(k, unsafe.Pointer(m))
	return &m.real
}

// wrote marks the last step as a read if it changed nothing.
func wrote(changed bool) {
	if !changed {
		schedule.Failed()
	}
}

func (m *Map) Load(key any) (value any, ok bool) {
	value, ok = m.step(read).Load(key)
	note(value, ok)
	return value, ok
}

func (m *Map) Store(key, value any) { m.step(write).Store(key, value) }
func (m *Map) Delete(key any)       { m.LoadAndDelete(key) }
func (m *Map) Clear()               { m.step(write).Clear() }

func (m *Map) LoadOrStore(key, value any) (actual any, loaded bool) {
	actual, loaded = m.step(write).LoadOrStore(key, value)
	wrote(!loaded)
	note(actual, loaded)
	return actual, loaded
}

func (m *Map) LoadAndDelete(key any) (value any, loaded bool) {
	value, loaded = m.step(write).LoadAndDelete(key)
	wrote(loaded)
	note(value, loaded)
	return value, loaded
}

func (m *Map) Swap(key, value any) (previous any, loaded bool) {
	previous, loaded = m.step(write).Swap(key, value)
	note(previous, loaded)
	return previous, loaded
}

func (m *Map) CompareAndSwap(key, old, new any) (swapped bool) {
	swapped = m.step(write).CompareAndSwap(key, old, new)
	wrote(swapped)
	return swapped
}

func (m *Map) CompareAndDelete(key, old any) (deleted bool) {
	deleted = m.step(write).CompareAndDelete(key, old)
	wrote(deleted)
	return deleted
}

// Range calls f for the entries of m. Each one is a step of its own.
func (m *Map) Range(f func(key, value any) bool) {
	if !schedule.Active() {
		m.real.Range(f)
		return
	}
	for o := schedule.NewOrder(m.keys); ; {
		k, ok := o.Next()
		if !ok {
			return
		}
		if v, ok := m.Load(k); ok && !f(k, v) {
			return
		}
	}
}

func (m *Map) keys() []any {
	var keys []any
	m.step(read).Range(func(k, _ any) bool { keys = append(keys, k); return true })
	return keys
}

// note notes what an operation found at its key.
func note(value any, ok bool) {
	if !schedule.Traced() {
		return
	}
	if ok {
		schedule.NoteValue("found ", value)
	} else {
		schedule.Note("not found")
	}
}
