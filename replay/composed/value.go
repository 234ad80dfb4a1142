package composed

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
)

type value = history.Value

// names names the Go values of one execution. Ints, strings and bools are themselves in
// a history. Any other value is a list that contains its name. The name of a value
// without pointers is its type and content. A pointer, channel, map or function
// is named by its type and a number. If the method made or brought it, the number is
// marked. It counts in the order in which the execution first used such values. The history of
// the execution has other numbers; see name.
type names struct {
	own      bool            // new pointers are the method's own from now on
	made     []reflect.Value // the method's own pointers, by number
	numbers  map[int]int     // their numbers in the history
	inside   bool            // it names the target of a pointer: pointers in it are named by type only
	pointers map[pointer]string
	counts   map[reflect.Type]int
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
	return history.ListValue(history.StringValue(n.text(reflect.ValueOf(v), 0)))
}

// maxNesting bounds the nesting of a value that its name shows, because a slice can
// contain itself.
const maxNesting = 8

func (n *names) text(v reflect.Value, depth int) string {
	if !v.IsValid() {
		return "nil"
	}
	switch t, kind := v.Type(), v.Kind(); {
	case t == typeOfTypes && v.CanInterface() && !v.IsNil():
		return "reflect.Type(" + v.Interface().(reflect.Type).String() + ")"
	case kind == reflect.Interface:
		return n.text(v.Elem(), depth)
	case kind == reflect.Struct && (t.PkgPath() == "sync" || strings.HasSuffix(t.PkgPath(), "/shim/sync")):
		return t.String()
	case kind == reflect.Struct:
		return n.parts(t, v.NumField(), v.Field, depth)
	case kind == reflect.Slice && v.IsNil():
		return t.String() + "(nil)"
	case kind == reflect.Slice || kind == reflect.Array:
		return n.parts(t, v.Len(), v.Index, depth)
	case kind == reflect.Pointer || kind == reflect.Chan || kind == reflect.Map || kind == reflect.Func || kind == reflect.UnsafePointer:
		return n.pointer(v)
	case depth > 0 && (t == reflect.TypeFor[int]() || t == reflect.TypeFor[string]() || t == reflect.TypeFor[bool]()):
		return basic(v)
	default:
		return t.String() + "(" + basic(v) + ")"
	}
}

// typeOfTypes is the type of what a reflect.Type holds.
var typeOfTypes = reflect.TypeOf(reflect.TypeFor[int]())

func basic(v reflect.Value) string {
	switch {
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.CanFloat():
		return strconv.FormatFloat(v.Float()+0, 'g', -1, 64)
	case v.CanComplex():
		return strconv.FormatComplex(v.Complex(), 'g', -1, 128)
	case v.Kind() == reflect.String:
		return strconv.Quote(v.String())
	}
	return strconv.FormatBool(v.Bool())
}

func (n *names) parts(t reflect.Type, count int, part func(int) reflect.Value, depth int) string {
	if depth == maxNesting {
		return t.String() + "{...}"
	}
	list := make([]string, count)
	for i := range list {
		list[i] = n.text(part(i), depth+1)
	}
	text := "{" + strings.Join(list, ", ") + "}"
	if t == reflect.TypeFor[[]any]() {
		return text
	}
	return t.String() + text
}

func (n *names) pointer(v reflect.Value) string {
	t := v.Type()
	switch {
	case v.IsNil():
		return t.String() + "(nil)"
	case n.inside:
		return t.String()
	}
	if n.pointers == nil {
		n.pointers, n.counts = map[pointer]string{}, map[reflect.Type]int{}
	}
	p := pointer{t, v.Pointer()}
	if n.pointers[p] == "" {
		if n.own {
			n.pointers[p] = mark + strconv.Itoa(len(n.made)) + mark
			n.made = append(n.made, v)
		} else {
			n.counts[t]++
			n.pointers[p] = "#" + strconv.Itoa(n.counts[t])
		}
	}
	return t.String() + n.pointers[p]
}

// content returns the text of the present target of one of the method's own pointers, or
// "" if its type is opaque.
func (n *names) content(number int, opaque map[reflect.Type]bool) string {
	v := n.made[number]
	if v.Kind() != reflect.Pointer || opaque[v.Type()] {
		return ""
	}
	inside := names{inside: true}
	return "{" + inside.text(v.Elem(), 1) + "}"
}

// isOwn reports whether a value contains one of the method's own pointers.
func isOwn(v value) bool {
	return v.Kind() == history.List && strings.Contains(v.List()[0].Text(), mark)
}

// own returns the numbers of the method's own pointers in a value.
func own(v value) (numbers []int) {
	if isOwn(v) {
		words := strings.Split(v.List()[0].Text(), mark)
		for i := 1; i < len(words); i += 2 {
			number, _ := strconv.Atoi(words[i])
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// see gives the next numbers in the history to pointers that have none yet.
func (n *names) see(values ...value) {
	if n.numbers == nil {
		n.numbers = map[int]int{}
	}
	for _, v := range values {
		for _, p := range own(v) {
			if n.numbers[p] == 0 {
				n.numbers[p] = len(n.numbers) + 1
			}
		}
	}
}

// name returns the name of a value in the history: it has the numbers there, and what the
// method's own pointers point to when the method has ended.
func (n *names) name(v value, opaque map[reflect.Type]bool) value {
	if !isOwn(v) {
		return v
	}
	n.see(v)
	words := strings.Split(v.List()[0].Text(), mark)
	for i, p := range own(v) {
		words[2*i+1] = strconv.Itoa(n.numbers[p]) + n.content(p, opaque)
	}
	return history.ListValue(history.StringValue(strings.Join(words, mark)))
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
		for i := 1; i < len(words); i += 2 {
			words[i] = "#new" + words[i]
		}
		return strings.Join(words, "")
	case history.Exception:
		return "panic: " + v.Text()
	}
	return v.String()
}

// Func returns a function of type F for a method under test that calls one. The n-th call adds n to
// its last argument of the type of a result, or to the zero value. So results are new at each call
// and depend on the arguments. Make it inside the function that Test gets: then all runs are alike.
func Func[F any]() F {
	return makeFunc(reflect.TypeFor[F](), true).Interface().(F)
}

// makeFunc returns a function like Func, or one whose results depend on the arguments only.
func makeFunc(t reflect.Type, fresh bool) reflect.Value {
	calls := 0
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		if calls == 0 || fresh {
			calls++
		}
		results := make([]reflect.Value, t.NumOut())
		for i := range results {
			r := reflect.New(t.Out(i)).Elem()
			for _, a := range args {
				if a.Type() == r.Type() {
					r.Set(a)
				}
			}
			if r.Type() == reflect.TypeFor[any]() && r.IsNil() {
				r.Set(reflect.ValueOf(0))
			}
			for range calls {
				if next, ok := different(r.Interface()); ok {
					r.Set(reflect.ValueOf(next))
				}
			}
			results[i] = r
		}
		return results
	})
}

// different returns another value of the type of v, if such a value is easy to make.
func different(v any) (any, bool) {
	old := reflect.ValueOf(v)
	if !old.IsValid() {
		return nil, false
	}
	next := reflect.New(old.Type()).Elem()
	switch kind := old.Kind(); {
	case kind == reflect.Bool:
		next.SetBool(!old.Bool())
	case old.CanInt():
		next.SetInt(old.Int() + 1)
		if next.Int() < old.Int() { // the largest of its type
			next.SetInt(0)
		}
	case old.CanUint():
		next.SetUint(old.Uint() + 1)
	case old.CanFloat():
		next.SetFloat(old.Float() + 1)
	case kind == reflect.String:
		next.SetString(old.String() + "'")
	case kind == reflect.Pointer:
		next.Set(reflect.New(old.Type().Elem()))
	case (kind == reflect.Struct || kind == reflect.Array) && !old.IsZero():
	default:
		return nil, false
	}
	return next.Interface(), true
}
