package atomic

import (
	"sync/atomic"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
)

// read and write are the scheduling points before a load and before anything
// that may store.
func read[T any](p *T)  { schedule.Step(schedule.Read, unsafe.Pointer(p)) }
func write[T any](p *T) { schedule.Step(schedule.Write, unsafe.Pointer(p)) }

// got and put note a value that was read or written where a trace is made.
func got[T any](v T) T {
	if schedule.Traced() {
		schedule.NoteValue("= ", v)
	}
	return v
}

func put[T any](v T) T {
	if schedule.Traced() {
		schedule.NoteValue("<- ", v)
	}
	return v
}

// swapped marks a compare-and-swap that wrote nothing as a read.
func swapped[T any](ok bool, v T) bool {
	if !ok {
		schedule.Failed()
	}
	if schedule.Traced() {
		if ok {
			schedule.NoteValue("swapped to ", v)
		} else {
			schedule.NoteValue("not swapped to ", v)
		}
	}
	return ok
}

// kept marks a write of the value that was there before, which it returns.
func kept[T comparable](new, old T) T {
	if new == old {
		schedule.Unchanged()
	}
	return old
}

// An integer is a type whose values the functions of package atomic change.
type integer interface {
	~int32 | ~int64 | ~uint32 | ~uint64 | ~uintptr
}

// is32 returns p as a pointer to 32 bits, or nil if there are 64.
func is32[T integer](p *T) *uint32 {
	if unsafe.Sizeof(*p) == 4 {
		return (*uint32)(unsafe.Pointer(p))
	}
	return nil
}

func is64[T integer](p *T) *uint64 { return (*uint64)(unsafe.Pointer(p)) }

// These are the real operations.

func realLoad[T integer](p *T) T {
	if p := is32(p); p != nil {
		return T(atomic.LoadUint32(p))
	}
	return T(atomic.LoadUint64(is64(p)))
}

func realSwap[T integer](p *T, new T) (old T) {
	if p := is32(p); p != nil {
		return T(atomic.SwapUint32(p, uint32(new)))
	}
	return T(atomic.SwapUint64(is64(p), uint64(new)))
}

func realAdd[T integer](p *T, delta T) (new T) {
	if p := is32(p); p != nil {
		return T(atomic.AddUint32(p, uint32(delta)))
	}
	return T(atomic.AddUint64(is64(p), uint64(delta)))
}

func realCAS[T integer](p *T, old, new T) bool {
	if p := is32(p); p != nil {
		return atomic.CompareAndSwapUint32(p, uint32(old), uint32(new))
	}
	return atomic.CompareAndSwapUint64(is64(p), uint64(old), uint64(new))
}

// change replaces the value by what f returns for it.
func change[T integer](p *T, f func(old T) T) (old T) {
	write(p)
	for old = realLoad(p); !realCAS(p, old, f(old)); old = realLoad(p) {
	}
	return kept(f(old), got(old))
}

// These are the operations with their scheduling points.

func load[T integer](p *T) T { read(p); return got(realLoad(p)) }

func store[T integer](p *T, val T) {
	write(p)
	kept(val, realLoad(p))
	realSwap(p, put(val))
}

func swap[T integer](p *T, new T) (old T) {
	write(p)
	return kept(new, got(realSwap(p, put(new))))
}

func add[T integer](p *T, delta T) (new T) { write(p); return put(realAdd(p, delta)) }
func and[T integer](p *T, mask T) (old T)  { return change(p, func(old T) T { return old & mask }) }
func or[T integer](p *T, mask T) (old T)   { return change(p, func(old T) T { return old | mask }) }

func cas[T integer](p *T, old, new T) bool { write(p); return swapped(realCAS(p, old, new), new) }

// A number has the methods of the integer types.
type number[T integer] struct{ v T }

func (x *number[T]) Load() T                        { return load(&x.v) }
func (x *number[T]) Store(val T)                    { store(&x.v, val) }
func (x *number[T]) Swap(new T) (old T)             { return swap(&x.v, new) }
func (x *number[T]) Add(delta T) (new T)            { return add(&x.v, delta) }
func (x *number[T]) And(mask T) (old T)             { return and(&x.v, mask) }
func (x *number[T]) Or(mask T) (old T)              { return or(&x.v, mask) }
func (x *number[T]) CompareAndSwap(old, new T) bool { return cas(&x.v, old, new) }

// The types of integers replace those of package atomic. Those of 64 bits are aligned on each
// platform.
type (
	Int32   struct{ number[int32] }
	Uint32  struct{ number[uint32] }
	Uintptr struct{ number[uintptr] }
	Int64   struct {
		_ [0]atomic.Int64
		number[int64]
	}
	Uint64 struct {
		_ [0]atomic.Uint64
		number[uint64]
	}
)

func LoadInt32(addr *int32) int32                          { return load(addr) }
func StoreInt32(addr *int32, val int32)                    { store(addr, val) }
func SwapInt32(addr *int32, new int32) (old int32)         { return swap(addr, new) }
func AddInt32(addr *int32, delta int32) (new int32)        { return add(addr, delta) }
func AndInt32(addr *int32, mask int32) (old int32)         { return and(addr, mask) }
func OrInt32(addr *int32, mask int32) (old int32)          { return or(addr, mask) }
func CompareAndSwapInt32(addr *int32, old, new int32) bool { return cas(addr, old, new) }

func LoadInt64(addr *int64) int64                          { return load(addr) }
func StoreInt64(addr *int64, val int64)                    { store(addr, val) }
func SwapInt64(addr *int64, new int64) (old int64)         { return swap(addr, new) }
func AddInt64(addr *int64, delta int64) (new int64)        { return add(addr, delta) }
func AndInt64(addr *int64, mask int64) (old int64)         { return and(addr, mask) }
func OrInt64(addr *int64, mask int64) (old int64)          { return or(addr, mask) }
func CompareAndSwapInt64(addr *int64, old, new int64) bool { return cas(addr, old, new) }

func LoadUint32(addr *uint32) uint32                          { return load(addr) }
func StoreUint32(addr *uint32, val uint32)                    { store(addr, val) }
func SwapUint32(addr *uint32, new uint32) (old uint32)        { return swap(addr, new) }
func AddUint32(addr *uint32, delta uint32) (new uint32)       { return add(addr, delta) }
func AndUint32(addr *uint32, mask uint32) (old uint32)        { return and(addr, mask) }
func OrUint32(addr *uint32, mask uint32) (old uint32)         { return or(addr, mask) }
func CompareAndSwapUint32(addr *uint32, old, new uint32) bool { return cas(addr, old, new) }

func LoadUint64(addr *uint64) uint64                          { return load(addr) }
func StoreUint64(addr *uint64, val uint64)                    { store(addr, val) }
func SwapUint64(addr *uint64, new uint64) (old uint64)        { return swap(addr, new) }
func AddUint64(addr *uint64, delta uint64) (new uint64)       { return add(addr, delta) }
func AndUint64(addr *uint64, mask uint64) (old uint64)        { return and(addr, mask) }
func OrUint64(addr *uint64, mask uint64) (old uint64)         { return or(addr, mask) }
func CompareAndSwapUint64(addr *uint64, old, new uint64) bool { return cas(addr, old, new) }

func LoadUintptr(addr *uintptr) uintptr                          { return load(addr) }
func StoreUintptr(addr *uintptr, val uintptr)                    { store(addr, val) }
func SwapUintptr(addr *uintptr, new uintptr) (old uintptr)       { return swap(addr, new) }
func AddUintptr(addr *uintptr, delta uintptr) (new uintptr)      { return add(addr, delta) }
func AndUintptr(addr *uintptr, mask uintptr) (old uintptr)       { return and(addr, mask) }
func OrUintptr(addr *uintptr, mask uintptr) (old uintptr)        { return or(addr, mask) }
func CompareAndSwapUintptr(addr *uintptr, old, new uintptr) bool { return cas(addr, old, new) }

// A Bool replaces atomic.Bool.
type Bool struct{ v atomic.Bool }

func (x *Bool) Load() bool               { read(x); return got(x.v.Load()) }
func (x *Bool) Store(val bool)           { write(x); kept(val, x.v.Load()); x.v.Store(put(val)) }
func (x *Bool) Swap(new bool) (old bool) { write(x); return kept(new, got(x.v.Swap(put(new)))) }
func (x *Bool) CompareAndSwap(old, new bool) bool {
	write(x)
	return swapped(x.v.CompareAndSwap(old, new), new)
}

// A Pointer replaces atomic.Pointer.
type Pointer[T any] struct{ v atomic.Pointer[T] }

func (x *Pointer[T]) Load() *T             { read(x); return got(x.v.Load()) }
func (x *Pointer[T]) Store(val *T)         { write(x); kept(val, x.v.Load()); x.v.Store(put(val)) }
func (x *Pointer[T]) Swap(new *T) (old *T) { write(x); return kept(new, got(x.v.Swap(put(new)))) }
func (x *Pointer[T]) CompareAndSwap(old, new *T) bool {
	write(x)
	return swapped(x.v.CompareAndSwap(old, new), new)
}

func LoadPointer(addr *unsafe.Pointer) unsafe.Pointer {
	read(addr)
	return got(atomic.LoadPointer(addr))
}
func StorePointer(addr *unsafe.Pointer, val unsafe.Pointer) {
	write(addr)
	kept(val, atomic.LoadPointer(addr))
	atomic.StorePointer(addr, put(val))
}
func SwapPointer(addr *unsafe.Pointer, new unsafe.Pointer) (old unsafe.Pointer) {
	write(addr)
	return kept(new, got(atomic.SwapPointer(addr, put(new))))
}
func CompareAndSwapPointer(addr *unsafe.Pointer, old, new unsafe.Pointer) bool {
	write(addr)
	return swapped(atomic.CompareAndSwapPointer(addr, old, new), new)
}

// A Value replaces atomic.Value.
type Value struct{ v atomic.Value }

func (v *Value) Load() any              { read(v); return got(v.v.Load()) }
func (v *Value) Store(val any)          { write(v); v.v.Store(put(val)) }
func (v *Value) Swap(new any) (old any) { write(v); return got(v.v.Swap(put(new))) }
func (v *Value) CompareAndSwap(old, new any) bool {
	write(v)
	return swapped(v.v.CompareAndSwap(old, new), new)
}
