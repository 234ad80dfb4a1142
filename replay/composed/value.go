package composed

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
)

// names has the Go values of one run. Ints, strings and bools are themselves in
// a history. Any other value is a list that contains its name. The name of a value
// without pointers is its type and content. A pointer, channel, map or function
// is named by its type and a number. If the method made or brought it, the number is
// marked, and counts in the order in which the run first used such values; see renaming.
type names struct {
	own      bool            // new pointers are the method's own from now on
	made     []reflect.Value // the method's own pointers; the first one has number 1
	inside   bool            // it names the target of a pointer: pointers in it are named by type only
	byName   map[string]any
	pointers map[pointer]string
	counts   map[reflect.Type]int
	keep     []any // keeps values alive, so that no address is used twice
}

// mark is on both sides of the number of one of the method's own pointers. It does not
// occur elsewhere in a name, because strings are quoted.
const mark = "\x00"

type pointer struct {
	of reflect.Type
	to uintptr
}

func (n *names) value(v any) value {
	switch v := v.(type) {
	case int:
		return history.IntValue(int64(v))
	case string:
		return history.StringValue(v)
	case bool:
		return history.BoolValue(v)
	}
	if n.byName == nil {
		n.byName, n.pointers, n.counts = map[string]any{}, map[pointer]string{}, map[reflect.Type]int{}
	}
	var b strings.Builder
	n.write(&b, reflect.ValueOf(v), 0)
	n.byName[b.String()] = v
	n.keep = append(n.keep, v)
	return history.ListValue(history.StringValue(b.String()))
}

// goValue is the inverse of value.
func (n *names) goValue(v value) any {
	switch v.Kind() {
	case history.Int:
		return int(v.Int())
	case history.String:
		return v.Text()
	case history.Bool:
		return v.Bool()
	}
	return n.byName[v.List()[0].Text()]
}

// maxNesting bounds the nesting of a value that its name shows, because a slice can
// contain itself.
const maxNesting = 8

func (n *names) write(b *strings.Builder, v reflect.Value, depth int) {
	if !v.IsValid() {
		b.WriteString("nil")
		return
	}
	t := v.Type()
	switch v.Kind() {
	case reflect.Bool:
		n.basic(b, t, strconv.FormatBool(v.Bool()), depth)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n.basic(b, t, strconv.FormatInt(v.Int(), 10), depth)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n.basic(b, t, strconv.FormatUint(v.Uint(), 10), depth)
	case reflect.Float32, reflect.Float64:
		n.basic(b, t, strconv.FormatFloat(v.Float()+0, 'g', -1, 64), depth)
	case reflect.Complex64, reflect.Complex128:
		n.basic(b, t, strconv.FormatComplex(v.Complex(), 'g', -1, 128), depth)
	case reflect.String:
		n.basic(b, t, strconv.Quote(v.String()), depth)
	case reflect.Interface:
		n.write(b, v.Elem(), depth)
	case reflect.Struct:
		n.parts(b, t, v.NumField(), v.Field, depth)
	case reflect.Array:
		n.parts(b, t, v.Len(), v.Index, depth)
	case reflect.Slice:
		if v.IsNil() {
			b.WriteString(t.String() + "(nil)")
			return
		}
		n.parts(b, t, v.Len(), v.Index, depth)
	default:
		n.pointer(b, v)
	}
}

func (n *names) basic(b *strings.Builder, t reflect.Type, text string, depth int) {
	if depth > 0 && t.PkgPath() == "" && (t.Kind() == reflect.Int || t.Kind() == reflect.String || t.Kind() == reflect.Bool) {
		b.WriteString(text)
		return
	}
	b.WriteString(t.String() + "(" + text + ")")
}

func (n *names) parts(b *strings.Builder, t reflect.Type, count int, part func(int) reflect.Value, depth int) {
	if depth == maxNesting {
		b.WriteString(t.String() + "{...}")
		return
	}
	if t != reflect.TypeFor[[]any]() {
		b.WriteString(t.String())
	}
	b.WriteByte('{')
	for i := range count {
		if i > 0 {
			b.WriteString(", ")
		}
		n.write(b, part(i), depth+1)
	}
	b.WriteByte('}')
}

func (n *names) pointer(b *strings.Builder, v reflect.Value) {
	t := v.Type()
	if v.IsNil() {
		fmt.Fprintf(b, "%s(nil)", t)
		return
	}
	if n.inside {
		b.WriteString(t.String())
		return
	}
	p := pointer{t, v.Pointer()}
	if n.pointers[p] == "" {
		if n.own {
			n.made = append(n.made, v)
			n.pointers[p] = mark + strconv.Itoa(len(n.made)) + mark
		} else {
			n.counts[t]++
			n.pointers[p] = "#" + strconv.Itoa(n.counts[t])
		}
	}
	b.WriteString(t.String() + n.pointers[p])
}

// content returns the text of the present target of one of the method's own pointers, or
// "" if its type is opaque.
func (n *names) content(number string, opaque map[reflect.Type]bool) string {
	i, _ := strconv.Atoi(number)
	v := n.made[i-1]
	if v.Kind() != reflect.Pointer || opaque[v.Type()] {
		return ""
	}
	inside := names{inside: true}
	var b strings.Builder
	b.WriteByte('{')
	inside.write(&b, v.Elem(), 1)
	b.WriteByte('}')
	return b.String()
}

// isOwn reports whether a value contains one of the method's own pointers.
func isOwn(v value) bool {
	return v.Kind() == history.List && strings.Contains(v.List()[0].Text(), mark)
}

// A renaming maps the old numbers of the method's own pointers to new names: a new
// number, and the content of the target when the method has ended. The numbers
// themselves do not matter: two runs are the same if one can be renamed to the
// other.
type renaming map[string]string

// adds gives the next numbers to pointers of v that have none yet.
func (m renaming) adds(v value) {
	if isOwn(v) {
		for i, number := range strings.Split(v.List()[0].Text(), mark) {
			if i%2 == 1 && m[number] == "" {
				m[number] = strconv.Itoa(len(m) + 1)
			}
		}
	}
}

// of returns v with its new name.
func (m renaming) of(v value) value {
	if !isOwn(v) {
		return v
	}
	words := strings.Split(v.List()[0].Text(), mark)
	for i := range words {
		if i%2 == 1 {
			words[i] = m[words[i]]
		}
	}
	return history.ListValue(history.StringValue(strings.Join(words, mark)))
}

func (m renaming) all(list []value) []value {
	renamed := make([]value, len(list))
	for i, v := range list {
		renamed[i] = m.of(v)
	}
	return renamed
}

// with returns the renaming with the content of the targets added to the numbers.
func (m renaming) with(n *names, opaque map[reflect.Type]bool) renaming {
	named := renaming{}
	for old, number := range m {
		named[old] = number + n.content(old, opaque)
	}
	return named
}

// maxOwn bounds the number of the method's own pointers that it returns or leaves in the
// collection: all their permutations are tried.
const maxOwn = 5

// permutations returns all renamings of the new numbers among one another.
func (m renaming) permutations() []renaming {
	all := []renaming{{}}
	for n := range len(m) {
		var longer []renaming
		for _, p := range all { // insert n+1 at each place
			for at := 1; at <= n+1; at++ {
				q := renaming{strconv.Itoa(n + 1): strconv.Itoa(at)}
				for old, number := range p {
					if i, _ := strconv.Atoi(number); i >= at {
						number = strconv.Itoa(i + 1)
					}
					q[old] = number
				}
				longer = append(longer, q)
			}
		}
		all = longer
	}
	for i, p := range all {
		q := renaming{}
		for old, number := range m {
			q[old] = p[number]
		}
		all[i] = q
	}
	return all
}

// valueText returns a value of a history for people.
func valueText(v value) string {
	switch v.Kind() {
	case history.None:
		return "nothing"
	case history.String:
		return strconv.Quote(v.Text())
	case history.List:
		words := strings.Split(v.List()[0].Text(), mark)
		for i := range words {
			if i%2 == 1 {
				words[i] = "#new" + words[i]
			}
		}
		return strings.Join(words, "")
	case history.Exception:
		return "panic: " + v.Text()
	}
	return v.String()
}

// different returns another value of the type of v, if such a value is easy to make.
func different(v any) (any, bool) {
	old := reflect.ValueOf(v)
	if !old.IsValid() {
		return nil, false
	}
	next := reflect.New(old.Type()).Elem()
	switch old.Kind() {
	case reflect.Bool:
		next.SetBool(!old.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		next.SetInt(old.Int() + 1)
		if next.Int() < old.Int() { // the largest of its type
			next.SetInt(0)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		next.SetUint(old.Uint() + 1)
	case reflect.Float32, reflect.Float64:
		next.SetFloat(old.Float() + 1)
	case reflect.String:
		next.SetString(old.String() + "'")
	case reflect.Pointer:
		next.Set(reflect.New(old.Type().Elem()))
	case reflect.Struct, reflect.Array:
		if old.IsZero() {
			return nil, false
		}
	default:
		return nil, false
	}
	return next.Interface(), true
}
