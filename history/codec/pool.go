package codec

import (
	"encoding/binary"
	"math/bits"
	"sync"

	"github.com/leadline/leadline/history"
)

// A pool shares what a decoder would otherwise allocate again and again: strings that
// recur from line to line, and memory for lists of arguments. Its own size is bounded;
// its values live as long as the histories.
type pool struct {
	texts      []history.Value // a power of two
	misses     int             // since texts was made
	exceptions [16]history.Value
	room       []history.Value
	made       int64  // bytes of the values that were made
	buffer     []byte // of the window of a decoder that has ended
}

// pools has the pools of decoders that have ended. Archives have many small files, and a pool with
// its buffer is larger than most of them.
var pools = sync.Pool{New: func() any { return new(pool) }}

// borrow returns a pool, and makes w use its buffer, until they are released.
func borrow(w *window) *pool {
	p := pools.Get().(*pool)
	w.buf, p.buffer = p.buffer, nil
	return p
}

// release ends the use of p and of the buffer of w.
func (p *pool) release(w *window) {
	if len(w.buf) <= chunk {
		p.buffer = w.buf
	}
	p.made = 0
	pools.Put(p)
}

// valueBytes is the size of a Value, partBytes that of a string, list or map without
// its content.
const valueBytes, partBytes = 16, 48

const (
	poolSlots    = 256  // initially
	poolSlotsMax = 8192 // with 24 bytes each
	poolText     = 64   // bytes; longer texts seldom recur
	poolRoom     = 512
)

// text returns b as a String. Each slot of the table has its most recent string. The
// table grows while it has many misses.
func (p *pool) text(b []byte) history.Value {
	if len(b) > poolText {
		p.made += partBytes + int64(len(b))
		return history.StringValue(string(b))
	}
	if p.misses == len(p.texts) && len(p.texts) < poolSlotsMax {
		p.texts = make([]history.Value, max(poolSlots, 2*len(p.texts)))
		p.misses = 0
	}
	slot := &p.texts[hash(b)&uint64(len(p.texts)-1)]
	if slot.Kind() != history.String || slot.Text() != string(b) {
		p.misses++
		p.made += partBytes + int64(len(b))
		*slot = history.StringValue(string(b))
	}
	return *slot
}

// hash mixes the length, the beginning and the end of b. It need not be better, since
// a collision only costs an allocation.
func hash(b []byte) uint64 {
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

// exception returns the Exception named b.
func (p *pool) exception(b []byte) history.Value {
	slot := &p.exceptions[hash(b)%uint64(len(p.exceptions))]
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

// list returns a copy of vs, which lives as long as the history and must not be changed.
func (p *pool) list(vs []history.Value) []history.Value {
	if len(vs) == 1 && vs[0].Kind() == history.Int {
		if i := vs[0].Int(); 0 <= i && i < int64(len(smallInts)) {
			return smallInts[i : i+1 : i+1]
		}
	}
	kept := p.newRoom(len(vs))
	copy(kept, vs)
	return kept
}

// newRoom returns room for n values, which lives as long as the history.
func (p *pool) newRoom(n int) []history.Value {
	if n == 0 {
		return nil
	}
	p.made += int64(n) * valueBytes
	if n > poolRoom/8 {
		return make([]history.Value, n)
	}
	if n > len(p.room) {
		p.room = make([]history.Value, poolRoom)
	}
	room := p.room[:n:n]
	p.room = p.room[n:]
	return room
}

// newList returns the List of vs, which the caller may change afterwards.
func (p *pool) newList(vs []history.Value) history.Value {
	if len(vs) == 0 {
		return emptyList
	}
	p.made += partBytes
	return history.ListValue(p.list(vs)...)
}

// newMap returns the Map of pairs, which the caller may change afterwards.
func (p *pool) newMap(pairs []history.Value) (history.Value, bool) {
	p.made += partBytes
	return history.MapValue(p.list(pairs)...)
}
