package schedule

import (
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"unsafe"
)

// Threads returns how many threads of the execution have not ended, 0 if the caller is
// not Active.
func Threads() int {
	if !Active() {
		return 0
	}
	return bits.OnesCount64(the.alive)
}

// Go is go f().
func Go(f func()) { Spawn(f) }

// outsiders has the numbers of goroutines that objects started outside of any execution.
var outsiders sync.Map

// Outside calls f in a goroutine that was started outside of any execution. Its hooks do
// nothing, and Result.Foreign does not count them: it belongs to an object of its own.
func Outside(f func()) {
	id := routine()
	outsiders.Store(id, true)
	defer outsiders.Delete(id)
	f()
}

// Load replaces the load *p, with a scheduling point before it.
func Load[T any](p *T) T {
	if p != nil && unsafe.Sizeof(*p) > 0 && Active() {
		Step(Read, unsafe.Pointer(p))
		if Traced() {
			NoteValue("= ", *p)
		}
	}
	return *p
}

// Store is the scheduling point of a store:
//
//	x, _ = e, schedule.Store(&x)
func Store[T any](p *T) struct{} {
	if p != nil && unsafe.Sizeof(*p) > 0 {
		Step(Write, unsafe.Pointer(p))
	}
	return struct{}{}
}

// MapRead returns m, with a scheduling point before it is read.
func MapRead[M ~map[K]V, K comparable, V any](m M) M {
	if m != nil {
		Step(Read, address(m))
	}
	return m
}

// MapWrite returns m, with a scheduling point before it is written.
func MapWrite[M ~map[K]V, K comparable, V any](m M) M {
	if m != nil {
		Step(Write, address(m))
	}
	return m
}

// RandomChoices is how many random numbers of an execution are choices between
// a usual number and a rare one, so that a skip list is explored with levels
// that differ. Later numbers are pseudorandom and the same in each execution.
const RandomChoices = 2

type random struct {
	epoch uint64
	drawn int
	state uint64
	list  []uint64 // the different numbers, at most mostDrawn
	again []uint64 // see Redraw
}

var randomness random

// mostDrawn bounds the random numbers that are kept of an execution.
const mostDrawn = 16

// Drawn returns the different random numbers of the last execution.
func Drawn() []uint64 {
	if randomness.epoch+1 != Epoch() { // the end of an execution counts
		return nil
	}
	return slices.Clone(randomness.list)
}

// Redraw makes the first mostDrawn random numbers of later executions choices among these,
// until it is called with none. So a sequential run may give each invocation the number that
// it had in another execution. Later numbers are pseudorandom, so that a loop which draws
// until a number fits ends also if none of these fits.
func Redraw(numbers []uint64) { randomness.again = numbers }

// rare is small, and so are its halves, which are multiples of 4: a level of a skip
// list that counts trailing zeros, leading zeros, or numbers below a bound, is 3 at
// least.
const rare = 0x0400000404000004

// usual has the bits set that make such a level 1, and a fraction one half at least.
const usual = 1<<63 | 1<<62 | 1<<55 | 1<<52 | 1<<32 | 1<<31 | 1

// Rand64 replaces the random numbers of the runtime.
func Rand64() uint64 {
	if !Active() {
		return rand.Uint64()
	}
	the.changed = true // see hangs
	r := &randomness
	if e := Epoch(); r.epoch != e {
		r.epoch, r.drawn, r.state, r.list = e, 0, 0, r.list[:0]
	}
	x := r.next()
	if len(r.list) < mostDrawn && !slices.Contains(r.list, x) {
		r.list = append(r.list, x)
	}
	return x
}

func (r *random) next() uint64 {
	if len(r.again) > 0 && r.drawn < mostDrawn {
		r.drawn++
		return r.again[Choose(len(r.again))]
	}
	r.state += 0x9e3779b97f4a7c15 // splitmix64
	x := r.state
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	if r.drawn < RandomChoices {
		r.drawn++
		if Choose(2) == 1 {
			return rare
		}
		return x | usual
	}
	return x
}

// NoteValue notes a value that the last step of the caller read or wrote. It
// does not call methods of the value.
func NoteValue(what string, v any) {
	if Traced() {
		Note(what + valueText(reflect.ValueOf(v), 2))
	}
}

// pointerName returns the name of an address in a traced execution: p1 for the first one
// that is noted, and so on, since addresses differ between executions.
func pointerName(p unsafe.Pointer) string {
	if the.addresses == nil {
		the.addresses = map[unsafe.Pointer]int{} // not of uintptr, so that no address is used twice
	}
	n, ok := the.addresses[p]
	if !ok {
		n = len(the.addresses) + 1
		the.addresses[p] = n
	}
	return "p" + strconv.Itoa(n)
}

// valueText returns a short text of a value.
func valueText(v reflect.Value, depth int) string {
	switch v.Kind() {
	case reflect.Invalid:
		return "nil"
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.String:
		s := []rune(v.String())
		if len(s) > 20 {
			return strconv.Quote(string(s[:20])) + "..."
		}
		return strconv.Quote(string(s))
	case reflect.Interface:
		return valueText(v.Elem(), depth)
	case reflect.Chan, reflect.Func, reflect.Map, reflect.Slice:
		if v.IsNil() {
			return "nil"
		}
	case reflect.UnsafePointer, reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		name := pointerName(v.UnsafePointer())
		if v.Kind() == reflect.Pointer && depth > 0 && v.Elem().Kind() == reflect.Struct {
			return name + " &" + valueText(v.Elem(), depth-1)
		}
		return name
	case reflect.Struct:
		if depth > 0 {
			return structText(v, depth-1)
		}
	}
	return v.Type().String()
}

func structText(v reflect.Value, depth int) string {
	text := "{"
	for i := range v.NumField() {
		if i == 4 {
			return text + " ...}"
		}
		if i > 0 {
			text += " "
		}
		text += valueText(v.Field(i), depth)
	}
	return text + "}"
}
