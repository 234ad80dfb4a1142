package batch

import (
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// A Shard is one of N parts of an input. Entry number k of the input, counted from 0 over
// all files in order, belongs to shard k mod N. The zero value is the whole input. A *Shard
// is a flag that takes a part and the number of parts, counted from 1: 3/10.
type Shard struct {
	Part int // from 0
	N    int
}

// Set parses a part and the number of parts.
func (s *Shard) Set(text string) error {
	part, parts, ok := strings.Cut(text, "/")
	i, err := strconv.Atoi(part)
	if n, errN := strconv.Atoi(parts); ok && err == nil && errN == nil && 1 <= i && i <= n {
		*s = Shard{i - 1, n}
		return nil
	}
	return errors.New("want a part and the number of parts, as 3/10")
}

// String returns what Set parses, or "" for the zero value.
func (s *Shard) String() string {
	if s.N == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Part+1, s.N)
}

// Type returns the placeholder in the help of a command.
func (s *Shard) Type() string { return "i/n" }

// Of returns the entries of the shard.
func (s *Shard) Of(from iter.Seq[Entry]) iter.Seq[Entry] {
	if s.N <= 1 {
		return from
	}
	return func(yield func(Entry) bool) {
		k := 0
		for e := range from {
			if k%s.N == s.Part && !yield(e) {
				return
			}
			k++
		}
	}
}
