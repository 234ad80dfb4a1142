package safety

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// maxNesting bounds the nesting of literals.
const maxNesting = 3

// literalOf returns a value of type t, the same for the same n, and writes it in Go.
// In Go, types have the marks that sourceType gives them.
func literalOf(t reflect.Type, n uint64) (reflect.Value, string) {
	l := literals{random: rand.New(rand.NewPCG(n, 1))}
	v, text := l.value(t, 0)
	if !v.IsValid() {
		return reflect.Zero(t), "nil"
	}
	return v, text
}

type literals struct{ random *rand.Rand }

var (
	numbers = []int64{0, 1, 2, 3, 1, 2, 10, -1}
	strs    = []string{"a", "b", "c", "0", "", "ab"}
)

func (l *literals) value(t reflect.Type, depth int) (reflect.Value, string) {
	switch k := t.Kind(); k {
	case reflect.Interface:
		return l.inInterface(t)
	case reflect.Pointer:
		if inner, text := sourceType(t.Elem()); inner && l.random.IntN(4) > 0 {
			return reflect.New(t.Elem()), "new(" + text + ")"
		}
		return reflect.Zero(t), "nil"
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		return l.composite(t, depth)
	case reflect.Chan:
		if ok, text := sourceType(t); ok && t.ChanDir() == reflect.BothDir {
			return reflect.MakeChan(t, 4), "make(" + text + ", 4)"
		}
		return reflect.Zero(t), "nil"
	case reflect.Func:
		return l.function(t)
	case reflect.UnsafePointer:
		return reflect.Zero(t), "nil"
	default:
		return l.basic(t)
	}
}

// basic returns a boolean, a number or a string.
func (l *literals) basic(t reflect.Type) (reflect.Value, string) {
	v := reflect.New(t).Elem()
	text := ""
	switch n := numbers[l.random.IntN(len(numbers))]; {
	case t.Kind() == reflect.Bool:
		v.SetBool(n&1 == 0)
		text = strconv.FormatBool(v.Bool())
	case v.CanInt():
		v.SetInt(n)
		text = strconv.FormatInt(n, 10)
	case v.CanUint():
		v.SetUint(uint64(max(n, 0)))
		text = strconv.FormatUint(v.Uint(), 10)
	case v.CanFloat():
		v.SetFloat(float64(n) / 2)
		text = strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case v.CanComplex():
		text = "0"
	default:
		v.SetString(strs[l.random.IntN(len(strs))])
		text = strconv.Quote(v.String())
	}
	if ok, name := sourceType(t); ok && t.Kind() != reflect.Bool && t.Name() != "int" && t.Name() != "string" {
		text = name + "(" + text + ")" // so that it has the type in any context
	}
	return v, text
}

func (l *literals) inInterface(t reflect.Type) (reflect.Value, string) {
	if t.NumMethod() > 0 {
		return reflect.Zero(t), "nil"
	}
	of := reflect.TypeFor[int]()
	if l.random.IntN(3) == 0 {
		of = reflect.TypeFor[string]()
	}
	inner, text := l.basic(of)
	v := reflect.New(t).Elem()
	v.Set(inner)
	return v, text
}

func (l *literals) composite(t reflect.Type, depth int) (reflect.Value, string) {
	ok, name := sourceType(t)
	if !ok {
		return reflect.Zero(t), "nil"
	}
	v := reflect.New(t).Elem()
	n := l.random.IntN(4)
	if depth == maxNesting {
		n = 0
	}
	var parts []string
	switch t.Kind() {
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, 0, n))
		for range n {
			e, text := l.value(t.Elem(), depth+1)
			v.Set(reflect.Append(v, e))
			parts = append(parts, text)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for range n {
			key, text := l.value(t.Key(), depth+1)
			if !key.Comparable() || v.MapIndex(key).IsValid() {
				continue
			}
			e, element := l.value(t.Elem(), depth+1)
			v.SetMapIndex(key, e)
			parts = append(parts, text+": "+element)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); n > 1 && f.IsExported() && f.Type.Kind() != reflect.Array {
				e, text := l.value(f.Type, depth+1)
				v.Field(i).Set(e)
				parts = append(parts, f.Name+": "+text)
			}
		}
	}
	return v, name + "{" + strings.Join(parts, ", ") + "}"
}

// function returns one that compares, orders or hashes its parameters if it may, and
// another that returns true and zero values.
func (l *literals) function(t reflect.Type) (reflect.Value, string) {
	n := l.random.IntN(8)
	if n == 0 {
		return reflect.Zero(t), "nil"
	}
	if n > 1 {
		if f, text, ok := ordering(t); ok {
			return f, text
		}
	}
	var params, results []string
	body := ""
	for i := range t.NumIn() {
		p, dots := t.In(i), ""
		if t.IsVariadic() && i == t.NumIn()-1 {
			p, dots = p.Elem(), "..."
		}
		ok, name := sourceType(p)
		if !ok {
			return reflect.Zero(t), "nil"
		}
		params = append(params, "_ "+dots+name)
	}
	for i := range t.NumOut() {
		ok, name := sourceType(t.Out(i))
		if !ok {
			return reflect.Zero(t), "nil"
		}
		results = append(results, fmt.Sprintf("r%d %s", i, name))
		if t.Out(i).Kind() == reflect.Bool {
			body += fmt.Sprintf("r%d = true; ", i)
		}
	}
	f := reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value {
		out := make([]reflect.Value, t.NumOut())
		for i := range out {
			out[i] = reflect.New(t.Out(i)).Elem()
			if out[i].Kind() == reflect.Bool {
				out[i].SetBool(true)
			}
		}
		return out
	})
	text := "func(" + strings.Join(params, ", ") + ") "
	if len(results) > 0 {
		text += "(" + strings.Join(results, ", ") + ") "
		body += "return "
	}
	return f, text + "{ " + body + "}"
}

// ordering returns a function of type t that compares two parameters as strings, or
// hashes one. It returns false if t is of another kind.
func ordering(t reflect.Type) (f reflect.Value, text string, ok bool) {
	if t.NumIn() == 0 || t.NumOut() != 1 || t.IsVariadic() || !plainValue(t.In(0)) {
		return f, "", false
	}
	in, out := t.In(0), t.Out(0)
	named, param := sourceType(in)
	nameable, result := sourceType(out)
	integer := out.Kind() >= reflect.Int && out.Kind() <= reflect.Uint64
	const format = mark + "fmt" + mark + ".Sprint"
	one := t.NumIn() == 1
	var value func(a, b string) reflect.Value
	switch a, b := format+"(a)", format+"(b)"; {
	case !named || !nameable || !one && (t.NumIn() > 2 || t.In(1) != in):
		return f, "", false
	case one && integer:
		value = func(a, _ string) reflect.Value { return reflect.ValueOf(crc32.ChecksumIEEE([]byte(a))) }
		text = fmt.Sprintf("func(a %s) %s { return %[2]s(%shash/crc32%[3]s.ChecksumIEEE([]byte(%s))) }", param, result, mark, a)
	case !one && out.Kind() == reflect.Int:
		value = func(a, b string) reflect.Value { return reflect.ValueOf(strings.Compare(a, b)) }
		text = fmt.Sprintf("func(a, b %s) %s { return %[2]s(%sstrings%[3]s.Compare(%s, %s)) }", param, result, mark, a, b)
	case !one && out.Kind() == reflect.Bool:
		value = func(a, b string) reflect.Value { return reflect.ValueOf(a < b) }
		text = fmt.Sprintf("func(a, b %s) %s { return %s < %s }", param, result, a, b)
	default:
		return f, "", false
	}
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		return []reflect.Value{value(fmt.Sprint(args[0]), fmt.Sprint(args[len(args)-1])).Convert(out)}
	}), text, true
}

// plainValue reports whether values of type t can be formatted while other goroutines
// use them: they refer to nothing that changes. Literals of any are like that.
func plainValue(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Struct:
		for i := range t.NumField() {
			if !plainValue(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return plainValue(t.Elem())
	default:
		return k >= reflect.Bool && k <= reflect.Complex128 || k == reflect.String || isAny(t)
	}
}

// mark encloses import paths in generated source, which imports replaces.
const mark = "\x00"

// sourceType writes t in Go, with the import path between marks where the name of
// the package goes. It returns false if the type has no name outside its package.
func sourceType(t reflect.Type) (bool, string) {
	if t.Name() != "" {
		return sourceName(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		ok, text := sourceType(t.Elem())
		return ok, "*" + text
	case reflect.Slice:
		ok, text := sourceType(t.Elem())
		return ok, "[]" + text
	case reflect.Array:
		ok, text := sourceType(t.Elem())
		return ok, fmt.Sprintf("[%d]%s", t.Len(), text)
	case reflect.Map:
		ok, key := sourceType(t.Key())
		elemOK, elem := sourceType(t.Elem())
		return ok && elemOK, "map[" + key + "]" + elem
	case reflect.Chan:
		ok, text := sourceType(t.Elem())
		switch t.ChanDir() {
		case reflect.RecvDir:
			return ok, "<-chan " + text
		case reflect.SendDir:
			return ok, "chan<- " + text
		}
		return ok, "chan (" + text + ")"
	case reflect.Func:
		return sourceFunc(t)
	}
	return t.Kind() == reflect.Struct && sourceStruct(t) || t.Kind() == reflect.Interface && t.NumMethod() == 0, t.String()
}

// sourceStruct reports whether the String of a struct without a name is Go.
func sourceStruct(t reflect.Type) bool {
	for i := range t.NumField() {
		if f := t.Field(i); !f.IsExported() || f.Type.PkgPath() != "" || f.Type.Name() == "" {
			return false
		}
	}
	return true
}

func sourceName(t reflect.Type) (bool, string) {
	name := t.Name()
	if t.PkgPath() == "" {
		return true, name
	}
	exported := name[0] >= 'A' && name[0] <= 'Z'
	_, args, _ := strings.Cut(name, "[")
	hidden := slices.Contains(strings.Split(t.PkgPath(), "/"), "internal")
	return exported && !hidden && !strings.ContainsAny(args, "./"), mark + t.PkgPath() + mark + "." + name
}

func sourceFunc(t reflect.Type) (bool, string) {
	all := true
	var params, results []string
	for i := range t.NumIn() {
		p, dots := t.In(i), ""
		if t.IsVariadic() && i == t.NumIn()-1 {
			p, dots = p.Elem(), "..."
		}
		ok, text := sourceType(p)
		all = all && ok
		params = append(params, dots+text)
	}
	for i := range t.NumOut() {
		ok, text := sourceType(t.Out(i))
		all = all && ok
		results = append(results, text)
	}
	return all, "func(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ")"
}
