package atomic

import (
	"sync/atomic"
	"unsafe"

	"github.com/leadline/leadline/history/stress/explore/schedule"
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

func and[T ~int32 | ~int64 | ~uint32 | ~uint64 | ~uintptr](old, mask T) T { return kept(old&mask, old) }
func or[T ~int32 | ~int64 | ~uint32 | ~uint64 | ~uintptr](old, mask T) T  { return kept(old|mask, old) }

// An Int32 replaces atomic.Int32.
type Int32 struct{ v atomic.Int32 }

func (x *Int32) Load() int32                 { read(x); return got(x.v.Load()) }
func (x *Int32) Store(val int32)             { write(x); kept(val, x.v.Load()); x.v.Store(put(val)) }
func (x *Int32) Swap(new int32) (old int32)  { write(x); return kept(new, got(x.v.Swap(put(new)))) }
func (x *Int32) Add(delta int32) (new int32) { write(x); return put(x.v.Add(delta)) }
func (x *Int32) And(mask int32) (old int32)  { write(x); return and(got(x.v.And(mask)), mask) }
func (x *Int32) Or(mask int32) (old int32)   { write(x); return or(got(x.v.Or(mask)), mask) }
func (x *Int32) CompareAndSwap(old, new int32) bool {
	write(x)
	return swapped(x.v.CompareAndSwap(old, new), new)
}

func LoadInt32(addr *int32) int32 { read(addr); return got(atomic.LoadInt32(addr)) }
func StoreInt32(addr *int32, val int32) {
	write(addr)
	kept(val, atomic.LoadInt32(addr))
	atomic.StoreInt32(addr, put(val))
}
func SwapInt32(addr *int32, new int32) (old int32) {
	write(addr)
	return kept(new, got(atomic.SwapInt32(addr, put(new))))
}
func AddInt32(addr *int32, delta int32) (new int32) {
	write(addr)
	return put(atomic.AddInt32(addr, delta))
}
func AndInt32(addr *int32, mask int32) (old int32) {
	write(addr)
	return and(got(atomic.AndInt32(addr, mask)), mask)
}
func OrInt32(addr *int32, mask int32) (old int32) {
	write(addr)
	return or(got(atomic.OrInt32(addr, mask)), mask)
}
func CompareAndSwapInt32(addr *int32, old, new int32) bool {
	write(addr)
	return swapped(atomic.CompareAndSwapInt32(addr, old, new), new)
}

// An Int64 replaces atomic.Int64.
type Int64 struct{ v atomic.Int64 }

func (x *Int64) Load() int64                 { read(x); return got(x.v.Load()) }
func (x *Int64) Store(val int64)             { write(x); kept(val, x.v.Load()); x.v.Store(put(val)) }
func (x *Int64) Swap(new int64) (old int64)  { write(x); return kept(new, got(x.v.Swap(put(new)))) }
func (x *Int64) Add(delta int64) (new int64) { write(x); return put(x.v.Add(delta)) }
func (x *Int64) And(mask int64) (old int64)  { write(x); return and(got(x.v.And(mask)), mask) }
func (x *Int64) Or(mask int64) (old int64)   { write(x); return or(got(x.v.Or(mask)), mask) }
func (x *Int64) CompareAndSwap(old, new int64) bool {
	write(x)
	return swapped(x.v.CompareAndSwap(old, new), new)
}

func LoadInt64(addr *int64) int64 { read(addr); return got(atomic.LoadInt64(addr)) }
func StoreInt64(addr *int64, val int64) {
	write(addr)
	kept(val, atomic.LoadInt64(addr))
	atomic.StoreInt64(addr, put(val))
}
func SwapInt64(addr *int64, new int64) (old int64) {
	write(addr)
	return kept(new, got(atomic.SwapInt64(addr, put(new))))
}
func AddInt64(addr *int64, delta int64) (new int64) {
	write(addr)
	return put(atomic.AddInt64(addr, delta))
}
func AndInt64(addr *int64, mask int64) (old int64) {
	write(addr)
	return and(got(atomic.AndInt64(addr, mask)), mask)
}
func OrInt64(addr *int64, mask int64) (old int64) {
	write(addr)
	return or(got(atomic.OrInt64(addr, mask)), mask)
}
func CompareAndSwapInt64(addr *int64, old, new int64) bool {
	write(addr)
	return swapped(atomic.CompareAndSwapInt64(addr, old, new), new)
}

// A Uint32 replaces atomic.Uint32.
type Uint32 struct{ v atomic.Uint32 }

func (x *Uint32) Load() uint32                  { read(x); return got(x.v.Load()) }
func (x *Uint32) Store(val uint32)              { write(x); kept(val, x.v.Load()); x.v.Store(put(val)) }
func (x *Uint32) Swap(new uint32) (old uint32)  { write(x); return kept(new, got(x.v.Swap(put(new)))) }
func (x *Uint32) Add(delta uint32) (new uint32) { write(x); return put(x.v.Add(delta)) }
func (x *Uint32) And(mask uint32) (old uint32)  { write(x); return and(got(x.v.And(mask)), mask) }
func (x *Uint32) Or(mask uint32) (old uint32)   { write(x); return or(got(x.v.Or(mask)), mask) }
func (x *Uint32) CompareAndSwap(old, new uint32) bool {
	write(x)
	return swapped(x.v.CompareAndSwap(old, new), new)
}

func LoadUint32(addr *uint32) uint32 { read(addr); return got(atomic.LoadUint32(addr)) }
func StoreUint32(addr *uint32, val uint32) {
	write(addr)
	kept(val, atomic.LoadUint32(addr))
	atomic.StoreUint32(addr, put(val))
}
func SwapUint32(addr *uint32, new uint32) (old uint32) {
	write(addr)
	return kept(new, got(atomic.SwapUint32(addr, put(new))))
}
func AddUint32(addr *uint32, delta uint32) (new uint32) {
	write(addr)
	return put(atomic.AddUint32(addr, delta))
}
func AndUint32(addr *uint32, mask uint32) (old uint32) {
	write(addr)
	return and(got(atomic.AndUint32(addr, mask)), mask)
}
func OrUint32(addr *uint32, mask uint32) (old uint32) {
	write(addr)
	return or(got(atomic.OrUint32(addr, mask)), mask)
}
func CompareAndSwapUint32(addr *uint32, old, new uint32) bool {
	write(addr)
	return swapped(atomic.CompareAndSwapUint32(addr, old, new), new)
}

// A Uint64 replaces atomic.Uint64.
type Uint64 struct{ v atomic.Uint64 }

func (x *Uint64) Load() uint64                  { read(x); return got(x.v.Load()) }
func (x *Uint64) Store(val uint64)              { write(x); kept(val, x.v.Load()); x.v.Store(put(val)) }
func (x *Uint64) Swap(new uint64) (old uint64)  { write(x); return kept(new, got(x.v.Swap(put(new)))) }
func (x *Uint64) Add(delta uint64) (new uint64) { write(x); return put(x.v.Add(delta)) }
func (x *Uint64) And(mask uint64) (old uint64)  { write(x); return and(got(x.v.And(mask)), mask) }
func (x *Uint64) Or(mask uint64) (old uint64)   { write(x); return or(got(x.v.Or(mask)), mask) }
func (x *Uint64) CompareAndSwap(old, new uint64) bool {
	write(x)
	return swapped(x.v.CompareAndSwap(old, new), new)
}

func LoadUint64(addr *uint64) uint64 { read(addr); return got(atomic.LoadUint64(addr)) }
func StoreUint64(addr *uint64, val uint64) {
	write(addr)
	kept(val, atomic.LoadUint64(addr))
	atomic.StoreUint64(addr, put(val))
}
func SwapUint64(addr *uint64, new uint64) (old uint64) {
	write(addr)
	return kept(new, got(atomic.SwapUint64(addr, put(new))))
}
func AddUint64(addr *uint64, delta uint64) (new uint64) {
	write(addr)
	return put(atomic.AddUint64(addr, delta))
}
func AndUint64(addr *uint64, mask uint64) (old uint64) {
	write(addr)
	return and(got(atomic.AndUint64(addr, mask)), mask)
}
func OrUint64(addr *uint64, mask uint64) (old uint64) {
	write(addr)
	return or(got(atomic.OrUint64(addr, mask)), mask)
}
func CompareAndSwapUint64(addr *uint64, old, new uint64) bool {
	write(addr)
	return swapped(atomic.CompareAndSwapUint64(addr, old, new), new)
}

// A Uintptr replaces atomic.Uintptr.
type Uintptr struct{ v atomic.Uintptr }

func (x *Uintptr) Load() uintptr     { read(x); return got(x.v.Load()) }
func (x *Uintptr) Store(val uintptr) { write(x); kept(val, x.v.Load()); x.v.Store(put(val)) }
func (x *Uintptr) Swap(new uintptr) (old uintptr) {
	write(x)
	return kept(new, got(x.v.Swap(put(new))))
}
func (x *Uintptr) Add(delta uintptr) (new uintptr) { write(x); return put(x.v.Add(delta)) }
func (x *Uintptr) And(mask uintptr) (old uintptr)  { write(x); return and(got(x.v.And(mask)), mask) }
func (x *Uintptr) Or(mask uintptr) (old uintptr)   { write(x); return or(got(x.v.Or(mask)), mask) }
func (x *Uintptr) CompareAndSwap(old, new uintptr) bool {
	write(x)
	return swapped(x.v.CompareAndSwap(old, new), new)
}

func LoadUintptr(addr *uintptr) uintptr { read(addr); return got(atomic.LoadUintptr(addr)) }
func StoreUintptr(addr *uintptr, val uintptr) {
	write(addr)
	kept(val, atomic.LoadUintptr(addr))
	atomic.StoreUintptr(addr, put(val))
}
func SwapUintptr(addr *uintptr, new uintptr) (old uintptr) {
	write(addr)
	return kept(new, got(atomic.SwapUintptr(addr, put(new))))
}
func AddUintptr(addr *uintptr, delta uintptr) (new uintptr) {
	write(addr)
	return put(atomic.AddUintptr(addr, delta))
}
func AndUintptr(addr *uintptr, mask uintptr) (old uintptr) {
	write(addr)
	return and(got(atomic.AndUintptr(addr, mask)), mask)
}
func OrUintptr(addr *uintptr, mask uintptr) (old uintptr) {
	write(addr)
	return or(got(atomic.OrUintptr(addr, mask)), mask)
}
func CompareAndSwapUintptr(addr *uintptr, old, new uintptr) bool {
	write(addr)
	return swapped(atomic.CompareAndSwapUintptr(addr, old, new), new)
}

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
