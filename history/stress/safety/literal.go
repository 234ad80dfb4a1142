package safety

import (
	"math/rand/v2"
	"reflect"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/values"
)

// literalOf returns a value of type t, the same for the same n, and writes it in Go, where
// types have the marks of values.Mark. It is nil if Go has none.
func literalOf(t reflect.Type, n uint64) (reflect.Value, string) {
	random := rand.New(rand.NewPCG(n, 1))
	k := values.Of(t, values.Object{})
	if k == nil || (t.Kind() == reflect.Pointer || t.Kind() == reflect.Func) && random.IntN(8) == 0 {
		return reflect.Zero(t), "nil"
	}
	v := k.Random(random, choices, true)
	if random.IntN(4) == 0 {
		v = awkward(t, v, random.IntN(2))
	}
	text, ok := k.Source(v)
	if !ok {
		return reflect.Zero(t), "nil"
	}
	return new(values.Maker).Go(k, v), text
}

// choices is how many values arguments are chosen from.
const choices = 4

// awkward returns a number or a string that objects may not expect, in the place of v.
func awkward(t reflect.Type, v history.Value, n int) history.Value {
	switch zero := reflect.New(t).Elem(); {
	case zero.CanInt() || zero.CanFloat():
		return history.IntValue([]int64{-1, 10}[n])
	case t.Kind() == reflect.String:
		return history.StringValue([]string{"", "ab"}[n])
	}
	return v
}
