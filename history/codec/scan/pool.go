package scan

import (
	"encoding/binary"
	"math/bits"
	"sync"

	"github.com/leadline/leadline/history"
)

// A Pool shares what a decoder would otherwise allocate again and again: strings that
// recur from line to line, and memory for lists of arguments. Its own size is bounded;
// its values live as long as the histories.
type Pool struct {
	texts      []history.Value // a power of two
	misses     int             // since texts was made
	exceptions [16]history.Value
	room       []history.Value // of chunk, for values
	chunk      []history.Value
	// Made counts the bytes of the values that were made.
	Made int64
	// Buffer is that of a window that is read no more, for the next one.
	Buffer []byte
}

// pools has the pools of decoders that have ended. Archives have many small files, and a pool with
// its buffer is larger than most of them.
var pools = sync.Pool{New: func() any { return new(Pool) }}

// Borrow returns a pool for one stream, until it is released.
func Borrow() *Pool { return pools.Get().(*Pool) }

// Release ends the use of p. The values from it stay.
func (p *Pool) Release() {
	p.Made = 0
	pools.Put(p)
}

// Recycle makes the lists and maps that p has made room for others: the caller uses them no more.
func (p *Pool) Recycle() { p.room = p.chunk }

// PartBytes is about the size of a string, list or map without its content, and ValueBytes
// the size of a Value, in bytes.
const PartBytes, ValueBytes = 48, 16

// LongestText is the length of the longest strings that are shared, in bytes: longer ones seldom
// recur.
const LongestText = 64

const (
	poolSlots    = 256  // initially
	poolSlotsMax = 8192 // with 24 bytes each
	poolRoom     = 512
)

// Text returns b as a String. Each slot of the table has its most recent string. The
// table grows while it has many misses.
func (p *Pool) Text(b []byte) history.Value {
	if len(b) > LongestText {
		p.Made += PartBytes + int64(len(b))
		return history.StringValue(string(b))
	}
	if p.misses == len(p.texts) && len(p.texts) < poolSlotsMax {
		p.texts = make([]history.Value, max(poolSlots, 2*len(p.texts)))
		p.misses = 0
	}
	slot := &p.texts[Hash(b)&uint64(len(p.texts)-1)]
	if slot.Kind() != history.String || slot.Text() != string(b) {
		p.misses++
		p.Made += PartBytes + int64(len(b))
		*slot = history.StringValue(string(b))
	}
	return *slot
}

// Hash mixes the length, the beginning and the end of b. It need not be better, since
// a collision only costs an allocation.
func Hash(b []byte) uint64 {
	var first, last uint64
	switch n := len(b); {
	case n >= 8:
		first, last = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		first, last = uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[n-4:]))
	case n > 0:
		first, last = uint64(b[0])|uint64(b[n/2])<<8, uint64(b[n-1])
	}
	high, low := bits.Mul64(first^0x9e3779b97f4a7c15^uint64(len(b))<<32, last^0xff51afd7ed558ccd)
	return high ^ low
}

// Exception returns the Exception named b.
func (p *Pool) Exception(b []byte) history.Value {
	slot := &p.exceptions[Hash(b)%uint64(len(p.exceptions))]
	if slot.Kind() != history.Exception || slot.Text() != string(b) {
		*slot = history.ExceptionValue(string(b))
	}
	return *slot
}

// smallInts are the values that lists of one small integer, often a key, share.
var smallInts = func() (vs [1 << 10]history.Value) {
	for i := range vs {
		vs[i] = history.IntValue(int64(i))
	}
	return vs
}()

// List returns a copy of vs, which lives as long as the history and must not be changed.
func (p *Pool) List(vs []history.Value) []history.Value {
	if len(vs) == 1 && vs[0].Kind() == history.Int {
		if i := vs[0].Int(); 0 <= i && i < int64(len(smallInts)) {
			return smallInts[i : i+1 : i+1]
		}
	}
	kept := p.Room(len(vs))
	copy(kept, vs)
	return kept
}

// Room returns room for n values, which lives as long as the history.
func (p *Pool) Room(n int) []history.Value {
	if n == 0 {
		return nil
	}
	p.Made += int64(n) * ValueBytes
	if n > poolRoom/8 {
		return make([]history.Value, n)
	}
	if n > len(p.room) {
		p.chunk = make([]history.Value, poolRoom)
		p.room = p.chunk
	}
	room := p.room[:n:n]
	p.room = p.room[n:]
	return room
}

// NewList returns the List of vs, which the caller may change afterwards.
func (p *Pool) NewList(vs []history.Value) history.Value {
	if len(vs) == 0 {
		return EmptyList
	}
	p.Made += PartBytes
	return history.ListValue(p.List(vs)...)
}

// Identifier returns the integer that a word is in its usual notation, or else a string.
func (p *Pool) Identifier(word []byte) history.Value {
	if n, ok := PlainInt(word); ok {
		return history.IntValue(n)
	}
	return p.Text(word)
}

// NewMap returns the Map of pairs, which the caller may change afterwards.
func (p *Pool) NewMap(pairs []history.Value) (history.Value, bool) {
	p.Made += PartBytes
	return history.MapValue(p.List(pairs)...)
}
