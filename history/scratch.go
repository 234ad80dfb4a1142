package history

// A Scratch makes short-lived lists and maps without garbage: Reset invalidates
// all of them, so copy those that must live longer.
// The zero Scratch is ready for use.
type Scratch struct {
	rests  [][]rest // in pieces that do not move, since values point into them
	used   int      // rests
	values []Value  // of the lists
}

const (
	scratchPiece = 64
	// scratchMost bounds the pieces that Reset keeps.
	scratchMost = 64
)

// Reset frees the memory of all lists and maps for new ones. They become None.
func (s *Scratch) Reset() {
	for i, piece := range s.rests[:(s.used+scratchPiece-1)/scratchPiece] {
		clear(piece[:min(scratchPiece, s.used-i*scratchPiece)])
	}
	if len(s.rests) > scratchMost {
		s.rests = s.rests[:scratchMost:scratchMost]
	}
	if cap(s.values) > scratchPiece*scratchMost {
		s.values = nil
	}
	clear(s.values)
	s.used, s.values = 0, s.values[:0]
}

// ListValue returns the list of vs, which the caller may change afterwards.
func (s *Scratch) ListValue(vs []Value) Value { return s.value(List, s.copied(vs)) }

// MapValue is the function MapValue for a map that lasts until Reset.
func (s *Scratch) MapValue(pairs []Value) (Value, bool) {
	if pairs = s.copied(pairs); len(pairs)%2 != 0 || !sortPairs(pairs) {
		return Value{}, false
	}
	return s.value(Map, pairs), true
}

func (s *Scratch) copied(vs []Value) []Value {
	if cap(s.values)-len(s.values) < len(vs) { // the old ones stay where they are
		s.values = make([]Value, 0, max(len(vs), 2*cap(s.values), scratchPiece))
	}
	from := len(s.values)
	s.values = append(s.values, vs...)
	return s.values[from:len(s.values):len(s.values)]
}

func (s *Scratch) value(kind Kind, list []Value) Value {
	if s.used == scratchPiece*len(s.rests) {
		s.rests = append(s.rests, make([]rest, scratchPiece))
	}
	r := &s.rests[s.used/scratchPiece][s.used%scratchPiece]
	s.used++
	r.kind, r.list = kind, list
	return Value{ref: r}
}
