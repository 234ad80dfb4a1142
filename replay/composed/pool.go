package composed

import (
	"reflect"
	"slices"
	"strings"
)

// Bounds of what the environment uses.
const (
	poolKeys   = 2
	poolValues = 3
)

// stored returns the keys and values that a run of the method alone has added to those of another run,
// in the order of the keys.
func (b *body) stored(before []string) (keys, values []reflect.Value) {
	inside, all := b.entries()
	var order []int
	for i, k := range inside {
		if !slices.Contains(before, valueText(b.value(k))) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return b.value(inside[i]).Compare(b.value(inside[j])) })
	for _, i := range order {
		keys, values = append(keys, inside[i]), append(values, all[i])
	}
	return dynamic(keys), dynamic(values)
}

// fill chooses the keys and values of the environment after a run of the method alone. They are
// those that it stored, its arguments, constants of the program, and different values, as far as their
// types fit.
func (b *body) fill(before []string) {
	inside, stored := b.stored(before)
	var keyType, valueType reflect.Type
	for i, kinds := range b.kinds {
		for j, kind := range kinds {
			switch kind {
			case 'k':
				keyType = b.operation(i).Type().In(min(j, b.operation(i).Type().NumIn()-1))
			case 'v':
				valueType = b.operation(i).Type().In(j)
			}
		}
	}
	b.samples, b.isKey, b.ofArg = nil, nil, nil
	if keyType != nil {
		keys := fitting(keyType, inside, b.constants(b.Keys))
		if len(keys) == 0 {
			keys = fitting(keyType, slices.DeleteFunc(dynamic(b.args), func(a reflect.Value) bool {
				return a.Kind() > reflect.Float64 && a.Kind() != reflect.String && a.Type() != typeOfTypes
			}), nil)
		}
		if len(keys) == 0 { // the function may assert the type of the keys
			keys = fitting(keyType, b.constants(b.Values), nil)
		}
		keys = slices.DeleteFunc(keys, func(k reflect.Value) bool { return !k.Comparable() })
		if len(keys) == 0 {
			keys = typical(keyType)
		}
		if b.Whole {
			keys = withOthers(keys)
		}
		b.add(keys[:min(len(keys), poolKeys)], true)
	}
	if valueType != nil {
		values := fitting(valueType, stored, b.constants(b.Values))
		if len(values) == 0 {
			values = typical(valueType)
		}
		values = withOthers(values)
		b.add(values[:min(len(values), poolValues)], false)
	}
	b.combineAll()
}

// combineAll sets the calls of the environment.
func (b *body) combineAll() {
	b.calls, b.alphabet = nil, nil
	for i, kinds := range b.kinds {
		if kinds != "r" && !slices.Contains(b.without, b.operationName(i)) {
			b.combine(environmentCall{operation: i}, strings.TrimPrefix(kinds, "?"))
		}
	}
}

// operationName returns the name of an operation.
func (b *body) operationName(i int) string {
	name, _, _ := strings.Cut(b.Operations[i], " ")
	return name
}

func (b *body) add(values []reflect.Value, isKey bool) {
	for _, v := range values {
		isArg := func(a reflect.Value) bool {
			return a.Kind() == reflect.Pointer && a.Type() == v.Type() && a.Interface() == v.Interface()
		}
		b.samples, b.isKey, b.ofArg = append(b.samples, v), append(b.isKey, isKey), append(b.ofArg, slices.IndexFunc(dynamic(b.args), isArg))
	}
}

// combine adds the calls of an operation with all values for the rest of its parameters.
func (b *body) combine(c environmentCall, kinds string) {
	if kinds == "" {
		b.alphabet = append(b.alphabet, c)
		return
	}
	for i := range b.samples {
		switch kind := kinds[0]; {
		case b.isKey[i] != (kind == 'k'):
		case kind == 'o' && !b.samples[i].Comparable():
		case len(c.args) == 2 && c.args[1] == i: // CompareAndSwap of equal values
		default:
			b.combine(environmentCall{c.operation, append(slices.Clone(c.args), i)}, kinds[1:])
		}
	}
}

// expect drops the values with which the method panics alone: often they are not what it expects to find.
// If there are no others, it keeps them and sets unfit.
func (x *checker) expect() {
	serves, unfit := make([]bool, len(x.samples)), ""
	for i, c := range x.alphabet {
		if kinds := x.kinds[c.operation]; kinds != "kv" && kinds != "v" {
			continue
		}
		for _, texts := range x.alone([]int{i}, 1).texts {
			if last := c.args[len(c.args)-1]; !strings.HasPrefix(texts[1], "panic:") {
				serves[last] = true
			} else {
				unfit = texts[1]
			}
		}
	}
	if !slices.Contains(serves, true) {
		x.unfit = unfit
		return
	}
	all := *x.body
	x.samples, x.isKey, x.ofArg = nil, nil, nil
	for i, s := range all.samples {
		if all.isKey[i] || serves[i] {
			x.samples, x.isKey, x.ofArg = append(x.samples, s), append(x.isKey, all.isKey[i]), append(x.ofArg, all.ofArg[i])
		}
	}
	x.combineAll()
	clear(x.expected)
}

func (b *body) constants(list []any) (values []reflect.Value) {
	for _, v := range list {
		values = append(values, reflect.ValueOf(v))
	}
	return values
}

// dynamic returns what interfaces hold.
func dynamic(list []reflect.Value) []reflect.Value {
	list = slices.Clone(list)
	for i, v := range list {
		if v.Kind() == reflect.Interface && !v.IsNil() {
			list[i] = v.Elem()
		}
	}
	return list
}

// fitting returns the values that may be converted to a type, without duplicates. If t is an interface and
// there are values in first, the others have their types.
func fitting(t reflect.Type, first, others []reflect.Value) (list []reflect.Value) {
	for i, v := range slices.Concat(first, dynamic(others)) {
		if !v.IsValid() || !v.Type().AssignableTo(t) || v.Kind() == reflect.Interface {
			continue
		}
		known := slices.ContainsFunc(first, func(f reflect.Value) bool { return f.Type() == v.Type() })
		if i >= len(first) && t.Kind() == reflect.Interface && len(first) > 0 && !known ||
			v.Comparable() && slices.ContainsFunc(list, func(l reflect.Value) bool { return l.Comparable() && l.Interface() == v.Interface() }) {
			continue
		}
		list = append(list, v)
	}
	return list
}

// typical returns values of a type if no others are known.
func typical(t reflect.Type) []reflect.Value {
	letters := 0
	v := argument(t, &letters)
	if v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	return []reflect.Value{v}
}

// withOthers adds a different value for each one.
func withOthers(list []reflect.Value) []reflect.Value {
	for _, v := range list {
		if next, ok := different(v.Interface()); ok {
			list = append(list, reflect.ValueOf(next))
		}
	}
	return fitting(reflect.TypeFor[any](), list, nil)
}
