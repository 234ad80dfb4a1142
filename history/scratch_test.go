package history

import (
	"fmt"
	"testing"
)

// TestScratch makes values of many sizes, more than fit one piece, and finds each
// as the functions ListValue and MapValue make it, until Reset.
func TestScratch(t *testing.T) {
	var s Scratch
	for round := range 3 {
		var got, want []Value
		for n := range 200 {
			var list, pairs []Value
			for i := range n % 40 {
				list = append(list, IntValue(int64(i+round)))
				pairs = append(pairs, StringValue(fmt.Sprint((7*i)%41)), IntValue(int64(i)))
			}
			if n > 0 {
				list = append(list, got[len(got)-1])
			}
			got = append(got, s.ListValue(list))
			want = append(want, ListValue(append([]Value(nil), list...)...))
			m, ok := s.MapValue(pairs)
			if !ok {
				t.Fatalf("a map of %d keys is refused", n%40)
			}
			got = append(got, m)
			m, _ = MapValue(append([]Value(nil), pairs...)...)
			want = append(want, m)
			clear(list) // the caller may change them
			clear(pairs)
		}
		for i := range got {
			if !got[i].Equal(want[i]) {
				t.Fatalf("round %d: value %d is %v, not %v", round, i, got[i], want[i])
			}
		}
		s.Reset()
		for i := range got {
			if got[i].Kind() != None {
				t.Fatalf("round %d: value %d is still %v after Reset", round, i, got[i])
			}
		}
	}
	if _, ok := s.MapValue([]Value{StringValue("k"), NullValue, StringValue("k"), NullValue}); ok {
		t.Error("a map with a key twice is accepted")
	}
}
