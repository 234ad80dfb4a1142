package maphash

import (
	"encoding/binary"
	"hash"
	"math"
	"math/bits"
	"reflect"
)

// The hash is not that of the standard package, whose values differ between
// processes.
const (
	key1 = 0xa0761d6478bd642f
	key2 = 0xe7037ed1a0b428db
)

func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// A Seed replaces maphash.Seed.
type Seed struct{ s uint64 }

// MakeSeed returns a seed: the same one in each call and each process.
func MakeSeed() Seed { return Seed{0x9e3779b97f4a7c15} }

// A Hash replaces maphash.Hash.
type Hash struct {
	_     [0]func() // not comparable
	seed  Seed
	state uint64
	size  uint64
	n     int // bytes in buf
	buf   [8]byte
}

func (h *Hash) init() {
	if h.seed.s == 0 {
		h.SetSeed(MakeSeed())
	}
}

// WriteByte adds b.
func (h *Hash) WriteByte(b byte) error {
	h.init()
	h.buf[h.n] = b
	h.n++
	h.size++
	if h.n == len(h.buf) {
		h.block(binary.LittleEndian.Uint64(h.buf[:]))
		h.n = 0
	}
	return nil
}

func (h *Hash) block(x uint64) { h.state = mix(h.state^x^key1, key2) }

// Write adds b.
func (h *Hash) Write(b []byte) (int, error) {
	h.init()
	i := 0
	for ; i < len(b); i++ {
		for h.n == 0 && len(b)-i >= 8 {
			h.block(binary.LittleEndian.Uint64(b[i:]))
			h.size += 8
			i += 8
		}
		if i < len(b) {
			h.WriteByte(b[i])
		}
	}
	return len(b), nil
}

// WriteString adds the bytes of s.
func (h *Hash) WriteString(s string) (int, error) { return h.Write([]byte(s)) }

// Seed returns the seed.
func (h *Hash) Seed() Seed {
	h.init()
	return h.seed
}

// SetSeed sets the seed and discards what was written.
func (h *Hash) SetSeed(seed Seed) {
	if seed.s == 0 {
		panic("maphash: use of uninitialized Seed")
	}
	h.seed = seed
	h.Reset()
}

// Reset discards what was written.
func (h *Hash) Reset() {
	h.init()
	h.state, h.size, h.n = h.seed.s, 0, 0
}

// Sum64 returns the hash of what was written.
func (h *Hash) Sum64() uint64 {
	h.init()
	var tail [8]byte
	copy(tail[:], h.buf[:h.n])
	return mix(mix(h.state^binary.LittleEndian.Uint64(tail[:])^key2, key1)^h.size, key2)
}

// Sum appends the hash to b.
func (h *Hash) Sum(b []byte) []byte { return binary.BigEndian.AppendUint64(b, h.Sum64()) }

// Size returns 8.
func (h *Hash) Size() int { return 8 }

// BlockSize returns the size of the blocks that are hashed.
func (h *Hash) BlockSize() int { return len(h.buf) }

// Clone returns a copy.
func (h *Hash) Clone() (hash.Cloner, error) {
	h.init()
	c := *h
	return &c, nil
}

// Bytes returns the hash of b.
func Bytes(seed Seed, b []byte) uint64 {
	var h Hash
	h.SetSeed(seed)
	h.Write(b)
	return h.Sum64()
}

// String returns the hash of s.
func String(seed Seed, s string) uint64 { return Bytes(seed, []byte(s)) }

// Comparable returns the hash of v.
func Comparable[T comparable](seed Seed, v T) uint64 {
	var h Hash
	h.SetSeed(seed)
	WriteComparable(&h, v)
	return h.Sum64()
}

// WriteComparable adds x.
func WriteComparable[T comparable](h *Hash, x T) {
	switch x := any(x).(type) {
	case int:
		h.number(uint64(x))
	case string:
		h.text(x)
	default:
		h.value(reflect.ValueOf(x))
	}
}

func (h *Hash) number(x uint64) { h.Write(binary.LittleEndian.AppendUint64(nil, x)) }

func (h *Hash) text(s string) {
	h.number(uint64(len(s)))
	h.WriteString(s)
}

func (h *Hash) float(f float64) {
	if f == 0 {
		f = 0 // of either sign
	}
	h.number(math.Float64bits(f))
}

func (h *Hash) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid:
		h.text("nil")
	case reflect.Bool:
		if v.Bool() {
			h.number(1)
		} else {
			h.number(0)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		h.number(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		h.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		h.float(v.Float())
	case reflect.Complex64, reflect.Complex128:
		h.float(real(v.Complex()))
		h.float(imag(v.Complex()))
	case reflect.String:
		h.text(v.String())
	case reflect.Pointer, reflect.UnsafePointer, reflect.Chan:
		h.number(uint64(v.Pointer()))
	case reflect.Array:
		for i := range v.Len() {
			h.value(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			h.value(v.Field(i))
		}
	case reflect.Interface:
		if !v.IsNil() {
			h.text(v.Elem().Type().String())
		}
		h.value(v.Elem())
	default:
		panic("hash of unhashable type " + v.Type().String())
	}
}
