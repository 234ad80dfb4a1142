package values

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/leadline/leadline/history"
)

// number returns value i of a kind that is no collection.
func (k *Kind) number(i int) history.Value {
	switch k.form {
	case text:
		return Quote(strconv.Itoa(i))
	case boolean:
		return history.BoolValue(i%2 == 1)
	case word:
		return history.StringValue(k.plain[i%len(k.plain)])
	}
	return history.IntValue(int64(i))
}

// The strings "0" to "9", which would have to be allocated.
var digits = func() (vs [10]history.Value) {
	for i := range vs {
		vs[i] = history.StringValue(fmt.Sprint(i))
	}
	return vs
}()

// Quote returns a string as a Value.
func Quote(s string) history.Value {
	if len(s) == 1 && s[0] >= '0' && s[0] <= '9' {
		return digits[s[0]-'0']
	}
	return history.StringValue(stable(s))
}

// Random returns a random argument with v values to choose from: a collection has zero to
// two elements. Odd values are as likely as all others if odd is set.
func (k *Kind) Random(random *rand.Rand, v int, odd bool) history.Value {
	switch k.form {
	case boolean:
		return k.number(random.IntN(2))
	case dynamic:
		if odd && random.IntN(2) == 0 {
			return Text.Random(random, v, odd)
		}
	case word:
		if odd && len(k.odd) > 0 && random.IntN(2) == 0 {
			return history.StringValue(k.odd[random.IntN(len(k.odd))])
		}
		return k.number(random.IntN(len(k.plain)))
	case wrapped:
		return k.elems[0].Random(random, v, odd)
	case structure:
		fields := make([]history.Value, len(k.elems))
		for i, f := range k.elems {
			fields[i] = f.Random(random, v, odd)
		}
		return history.ListValue(fields...)
	case list:
		all := make([]history.Value, random.IntN(3))
		for i := range all {
			all[i] = k.elems[0].Random(random, v, odd)
		}
		return history.ListValue(all...)
	case mapping:
		keys := k.elems[0].All(v)
		var pairs []history.Value
		for _, at := range random.Perm(len(keys))[:random.IntN(min(len(keys), 2)+1)] {
			pairs = append(pairs, keys[at], k.elems[1].Random(random, v, odd))
		}
		m, _ := history.MapValue(pairs...) // the keys differ
		return m
	}
	return k.number(random.IntN(v))
}

// All returns all arguments with v values to choose from, the lesser ones first. The
// collections of the paper have exactly two elements, these have up to two.
func (k *Kind) All(v int) []history.Value {
	switch k.form {
	case boolean:
		v = 2
	case dynamic:
		return append(Int.All(v), Text.All(v)...)
	case word:
		var all []history.Value
		for _, w := range slices.Concat(k.plain, k.odd) {
			all = append(all, history.StringValue(w))
		}
		return all
	case wrapped:
		return k.elems[0].All(v)
	case structure:
		return k.structs(v)
	case list:
		return upToTwo(product(k.elems[0].All(v)), func(_, _ int) bool { return true }, func(elems ...history.Value) history.Value {
			return history.ListValue(elems...)
		})
	case mapping:
		keys, elems := k.elems[0].All(v), k.elems[1].All(v)
		return upToTwo(product(keys, elems), func(i, j int) bool { return i/len(elems) < j/len(elems) }, func(pairs ...history.Value) history.Value {
			m, _ := history.MapValue(pairs...) // the keys differ
			return m
		})
	}
	all := make([]history.Value, v)
	for i := range all {
		all[i] = k.number(i)
	}
	return all
}

// maxStructs bounds the combinations of fields of a struct.
const maxStructs = 1 << 10

// structs returns the structs with all combinations of fields or, if there are too many,
// those whose fields all have the same number.
func (k *Kind) structs(v int) []history.Value {
	fields, many := make([][]history.Value, len(k.elems)), 1
	for i, f := range k.elems {
		fields[i] = f.All(v)
		if many *= len(fields[i]); many > maxStructs {
			var same []history.Value
			for i := range v {
				same = append(same, k.Some(i))
			}
			return same
		}
	}
	var structs []history.Value
	for _, values := range product(fields...) {
		structs = append(structs, history.ListValue(values...))
	}
	return structs
}

// product returns all tuples with one value of each list.
func product(lists ...[]history.Value) [][]history.Value {
	tuples := [][]history.Value{nil}
	for _, list := range lists {
		var longer [][]history.Value
		for _, begin := range tuples {
			for _, v := range list {
				longer = append(longer, append(slices.Clip(begin), v))
			}
		}
		tuples = longer
	}
	return tuples
}

// upToTwo returns the collections with none of the entries, one, or two that may be together.
func upToTwo(entries [][]history.Value, together func(i, j int) bool, collection func(...history.Value) history.Value) []history.Value {
	all := []history.Value{collection()}
	for _, e := range entries {
		all = append(all, collection(e...))
	}
	for i, e := range entries {
		for j, f := range entries {
			if together(i, j) {
				all = append(all, collection(slices.Concat(e, f)...))
			}
		}
	}
	return all
}

// Some returns the n-th of three arguments.
func (k *Kind) Some(n int) history.Value {
	switch next := (n + 1) % 3; k.form {
	case wrapped:
		return k.elems[0].Some(n)
	case structure:
		fields := make([]history.Value, len(k.elems))
		for i, f := range k.elems {
			fields[i] = f.Some(n)
		}
		return history.ListValue(fields...)
	case list:
		return history.ListValue([]history.Value{k.elems[0].Some(n), k.elems[0].Some(next)}[:n]...)
	case mapping:
		key, elem := k.elems[0], k.elems[1]
		pairs := []history.Value{key.Some(n), elem.Some(next), key.Some(next), elem.Some(n)}
		m, ok := history.MapValue(pairs[:2*n]...)
		if !ok { // there are only two keys
			m, _ = history.MapValue(pairs[:2]...)
		}
		return m
	}
	return k.number(n)
}

// Lesser returns the values directly below an argument: the number before it, also as a
// string, the word before it, the struct with a lesser value in one field, or the collection
// without one of its elements.
func (k *Kind) Lesser(v history.Value) []history.Value {
	var all []history.Value
	switch {
	case k.form == wrapped:
		return k.elems[0].Lesser(v)
	case k.form == word:
		words := slices.Concat(k.plain, k.odd)
		if i := slices.Index(words, v.Text()); i > 0 {
			all = append(all, history.StringValue(words[i-1]))
		}
	case k.form == structure:
		for i, f := range k.elems {
			for _, less := range f.Lesser(v.List()[i]) {
				fields := slices.Clone(v.List())
				fields[i] = less
				all = append(all, history.ListValue(fields...))
			}
		}
	case v.Kind() == history.Int && v.Int() > 0:
		all = append(all, history.IntValue(v.Int()-1))
	case v.Kind() == history.String:
		if n, err := strconv.Atoi(v.Text()); err == nil && n > 0 {
			all = append(all, Quote(strconv.Itoa(n-1)))
		}
	case v.Kind() == history.List:
		for i := range v.List() {
			all = append(all, history.ListValue(slices.Delete(slices.Clone(v.List()), i, i+1)...))
		}
	case v.Kind() == history.Map:
		for i := 0; i < len(v.List()); i += 2 {
			m, _ := history.MapValue(slices.Delete(slices.Clone(v.List()), i, i+2)...)
			all = append(all, m)
		}
	}
	return all
}
