package table

import "slices"

// Words is an Index that keeps its keys, which are of words. All keys have Length words
// each. If Length is 0, keys differ in length, and the first word of each key is its length.
type Words struct {
	Length int
	index  Index
	keys   []uint64
	starts []uint32 // where each key begins; only if Length is 0
}

// Len returns the number of keys.
func (t *Words) Len() int { return t.index.Len() }

// At returns key i.
func (t *Words) At(i int32) []uint64 {
	if t.Length > 0 {
		return t.keys[int(i)*t.Length : (int(i)+1)*t.Length]
	}
	start := int(t.starts[i])
	return t.keys[start : start+int(t.keys[start])]
}

// Find returns the number of a key, or -1.
func (t *Words) Find(key []uint64) int32 { return t.find(Hash(key...), key) }

func (t *Words) find(hash uint32, key []uint64) int32 {
	return t.index.Find(hash, func(i int32) bool { return slices.Equal(t.At(i), key) })
}

// Add returns the number of a key, and whether it is new.
func (t *Words) Add(key []uint64) (int32, bool) {
	hash := Hash(key...)
	if i := t.find(hash, key); i >= 0 {
		return i, false
	}
	if t.Length == 0 {
		t.starts = append(t.starts, uint32(len(t.keys)))
	}
	t.keys = append(t.keys, key...)
	return t.index.Add(hash), true
}

// Keep drops the keys for which f returns false, and renumbers the others. It is
// called when memory is short, so it works in place and moves keys to the front.
func (t *Words) Keep(f func(i int32, key []uint64) bool) {
	n, end := int32(t.index.Len()), 0
	t.index.Clear()
	for i := range n {
		key := t.At(i)
		if !f(i, key) {
			continue
		}
		start := end
		end += copy(t.keys[start:], key)
		if t.Length == 0 {
			t.starts[t.index.Len()] = uint32(start)
		}
		t.index.Add(Hash(t.keys[start:end]...))
	}
	t.keys = t.keys[:end]
	if t.Length == 0 {
		t.starts = t.starts[:t.index.Len()]
	}
}

// Bytes estimates the memory of the index and the keys. If it will grow soon, that includes
// the growth.
func (t *Words) Bytes() int64 {
	words := t.Length
	if words == 0 && t.index.Len() > 0 { // keys get longer: assume twice the average
		words = 1 + 2*len(t.keys)/t.index.Len()
	}
	return t.index.Bytes() + 8*roomOf(len(t.keys), cap(t.keys), Soon*words) + 4*roomOf(len(t.starts), cap(t.starts), Soon)
}

// roomOf returns the capacity of a slice of n elements with room for room. If that many more
// elements do not fit, it adds the capacity of the larger slice to which append would copy
// it.
func roomOf(n, room, more int) int64 {
	if n+more > room {
		return int64(room) + max(int64(n+more), int64(room)+int64(room)/4)
	}
	return int64(room)
}
