package codec

import (
	"math"

	"github.com/leadline/leadline/history"
)

// number returns the number at pos: an Int if it has neither fraction nor
// exponent, else a Float.
func (s *scanner) number() history.Value {
	data, start := s.data, s.pos
	i := start
	if i < len(data) && data[i] == '-' {
		i++
	}
	first, n := i, uint64(0)
	for i < len(data) && data[i]-'0' < 10 {
		n = n*10 + uint64(data[i]-'0')
		i++
	}
	if i < len(data) && (data[i] == '.' || data[i]|0x20 == 'e') || i == first || data[first] == '0' && i > first+1 {
		return s.float(start, first, i)
	}
	s.pos = i
	negative := uint64(first - start) // 1 if there is a sign
	if i-first > 19 || n > math.MaxInt64+negative {
		if s.wide {
			return history.StringValue(string(data[start:i]))
		}
		s.fail(start, "integer %s does not fit 64 bits", clip(data[start:i]))
		return history.Value{}
	}
	if negative == 1 {
		n = -n
	}
	return history.IntValue(int64(n))
}

// float finishes a number whose integer digits are data[first:i].
func (s *scanner) float(start, first, i int) history.Value {
	digits := func() bool {
		from := i
		for i < len(s.data) && s.data[i]-'0' < 10 {
			i++
		}
		s.pos = i
		if i == from {
			s.unexpected("a digit")
		}
		return i > from
	}
	switch {
	case i == first:
		digits()
		return history.Value{}
	case s.data[first] == '0' && i > first+1:
		s.fail(first, "a number must not begin with 0")
		return history.Value{}
	}
	if s.data[i] == '.' {
		if i++; !digits() {
			return history.Value{}
		}
	}
	if i < len(s.data) && s.data[i]|0x20 == 'e' {
		if i++; i < len(s.data) && (s.data[i] == '+' || s.data[i] == '-') {
			i++
		}
		if !digits() {
			return history.Value{}
		}
	}
	s.pos = i
	f, ok := history.ParseFloat(string(s.data[start:i]))
	if !ok {
		s.fail(start, "number %s does not fit a 64-bit float", clip(s.data[start:i]))
		return history.Value{}
	}
	return history.FloatValue(f)
}
