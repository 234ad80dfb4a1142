package jepsen

import (
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
)

// TestOrderKey compares an orderKey with a list.
func TestOrderKey(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var k orderKey
		var values []history.Value
		next, fractions := int64(r.IntN(10)), r.IntN(2) == 0
		for range r.IntN(4 * eventPiece) {
			v := history.IntValue(next)
			switch r.IntN(eventPiece) {
			case 0:
				next = int64(r.IntN(1000))
			case 1:
				v = history.NullValue
			case 2, 3:
				if fractions {
					v = history.FloatValue(float64(next) + 0.5)
				}
			}
			next++
			k.add(len(values), v)
			values = append(values, v)
		}
		if !k.some {
			continue
		}
		absent := false
		for i, v := range values {
			want := v.Int()
			switch {
			case v.Kind() == history.Null:
				want, absent = noKey, true
			case k.kind == history.Float:
				want = decode.FloatKey(float64(v.Int()) + v.Float())
			}
			if got := k.at(i); got != want {
				t.Fatalf("key %d, of %v, is %d, want %d", i, v, got, want)
			}
		}
		if k.absent != absent || k.keys != nil && len(k.keys) != len(values) {
			t.Fatalf("%d keys, some absent %v: %v", len(k.keys), k.absent, values)
		}
	}
}
