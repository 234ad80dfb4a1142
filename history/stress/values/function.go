package values

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/leadline/leadline/history"
)

// iterator returns what an iter.Seq or iter.Seq2 yields, or nil if t is none.
func iterator(t reflect.Type) []reflect.Type {
	if t.Kind() != reflect.Func || t.NumIn() != 1 || t.NumOut() != 0 || !yields(t.In(0)) || t.In(0).NumIn() > 2 {
		return nil
	}
	var list []reflect.Type
	for in := range t.In(0).Ins() {
		list = append(list, in)
	}
	return list
}

// yields reports whether t is a function that returns whether to go on with an iteration.
func yields(t reflect.Type) bool {
	return t.Kind() == reflect.Func && t.NumIn() > 0 && t.NumOut() == 1 && t.Out(0).Kind() == reflect.Bool
}

// function returns the kind of a function: an iterator, or the words for its form.
func (o Object) function(k *Kind, depth int) *Kind {
	t := k.of
	switch yielded := iterator(t); len(yielded) {
	case 1:
		return o.collection(k, list, depth, yielded...)
	case 2:
		return o.collection(k, mapping, depth, yielded...)
	}
	for out := range t.Outs() {
		var e *Kind
		if out != errorType && out.Kind() != reflect.Func {
			e = o.kind(out, depth+1)
		}
		k.outs = append(k.outs, e)
	}
	switch outs := t.NumOut(); {
	case outs == 0:
		k.plain = []string{"f"}
	case outs == 1 && pair(t) && t.Out(0).Kind() == reflect.Bool:
		k.plain, k.odd = []string{"less"}, []string{"=false", "=true"}
	case outs == 1 && t.Out(0).Kind() == reflect.Bool:
		k.plain = []string{"=true", "=false"}
	case outs == 1 && pair(t) && t.Out(0).Kind() == reflect.Int && t.In(0) != t.Out(0):
		k.plain = []string{"compare"}
	case outs == 1 && t.NumIn() == 1 && !t.IsVariadic() && t.In(0) != t.Out(0) && reflect.New(t.Out(0)).Elem().CanUint() && plain(t.In(0)):
		k.plain = []string{"hash"}
	case updates(t):
		k.plain, k.odd = []string{"+1", "=0"}, []string{"=1", "keep"}
	default:
		k.plain = []string{"=0", "=1"}
	}
	if n := t.NumOut(); n > 0 && t.Out(n-1) == errorType {
		k.odd = append(k.odd, "fail")
	}
	return k
}

// pair reports whether a function has two parameters of one type that can be compared.
func pair(t reflect.Type) bool {
	return t.NumIn() == 2 && t.In(0) == t.In(1) && !t.IsVariadic() && plain(t.In(0))
}

// plain reports whether values of type t refer to nothing that changes, so that functions
// can format them while other goroutines use them.
func plain(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Struct:
		for f := range t.Fields() {
			if !plain(f.Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return plain(t.Elem())
	case reflect.Interface:
		return t.NumMethod() == 0
	default:
		return k >= reflect.Bool && k <= reflect.Complex128 || k == reflect.String
	}
}

// hasOrder reports whether Go compares values of type t.
func hasOrder(t reflect.Type) bool {
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64 || t.Kind() == reflect.String
}

// compare compares values that have an order, and others by how they are formatted.
func compare(a, b reflect.Value) int {
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	}
	return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

// updates reports whether a function has a parameter of the type of a result.
func updates(t reflect.Type) bool {
	for out := range t.Outs() {
		if parameter(t, out) >= 0 {
			return true
		}
	}
	return false
}

// parameter returns the first parameter of a type, or -1.
func parameter(t, of reflect.Type) int {
	for i := range t.NumIn() {
		if t.In(i) == of {
			return i
		}
	}
	return -1
}

// Iterates returns the kind of a parameter of a method that calls it for each of its
// elements, until it returns false.
func (k *Kind) Iterates() *Kind {
	if k.of == nil || !yields(k.of) {
		return k
	}
	each := *k
	each.plain, each.odd = []string{"=true"}, []string{"=false", "once"}
	return &each
}

// Records reports whether calls of a method with such a parameter have more results than the
// method returns.
func (k *Kind) Records() bool {
	return len(k.plain) > 0 && (k.plain[0] == "f" || k.plain[0] == "w") || len(k.odd) > 0 && k.odd[len(k.odd)-1] == "once"
}

// errFail is the error of functions that fail.
var errFail = errors.New("fail")

// function returns the function that a word stands for.
func (m *Maker) function(t reflect.Type, k *Kind, w string) reflect.Value {
	var calls atomic.Int64
	records := k.Records()
	return reflect.MakeFunc(t, func(in []reflect.Value) []reflect.Value {
		if records {
			m.call(in)
		}
		n := calls.Add(1)
		out := make([]reflect.Value, t.NumOut())
		for i := range out {
			out[i] = reflect.New(t.Out(i)).Elem()
			m.returns(out[i], t, in, w, n, k.outs[i])
		}
		return out
	})
}

// returns sets a result of the n-th call of a function. k is its kind, or nil.
func (m *Maker) returns(out reflect.Value, t reflect.Type, in []reflect.Value, w string, n int64, k *Kind) {
	at := parameter(t, out.Type())
	switch w {
	case "f":
	case "once":
		out.SetBool(n == 1)
	case "less":
		out.SetBool(compare(in[0], in[1]) < 0)
	case "compare":
		out.SetInt(int64(compare(in[0], in[1])))
	case "hash":
		out.Set(reflect.ValueOf(crc32.ChecksumIEEE(fmt.Append(nil, in[0]))).Convert(out.Type()))
	case "fail":
		if out.Type() == errorType {
			out.Set(reflect.ValueOf(errFail))
		}
	case "keep", "+1":
		if at >= 0 {
			out.Set(in[at])
		}
		if w == "+1" {
			increase(out)
		}
	case "=1", "=true":
		if k != nil {
			out.Set(m.Go(k, k.Some(1)))
		}
	default:
		if k != nil {
			out.Set(m.Go(k, k.Some(0)))
		}
	}
}

// increase adds 1 to a number, also to an int in an interface. A boolean becomes true.
func increase(v reflect.Value) {
	switch {
	case v.CanInt():
		v.SetInt(v.Int() + 1)
	case v.CanUint():
		v.SetUint(v.Uint() + 1)
	case v.CanFloat():
		v.SetFloat(v.Float() + 1)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.Interface && v.NumMethod() == 0:
		if n, ok := v.Interface().(int); ok || v.IsNil() {
			v.Set(reflect.ValueOf(Box(history.IntValue(int64(n) + 1))))
		}
	}
}

// A record has the calls of functions, and what was written, in one call of a method.
type record struct {
	goroutine atomic.Int64 // that calls the method; 0 if nothing is recorded
	calls     [][]history.Value
	written   bytes.Buffer
}

// maxRecorded bounds the calls and the elements of an iterator that are recorded.
const maxRecorded = 64

// Begin begins to record what the calling goroutine does.
func (r *record) Begin() { r.goroutine.Store(goroutine()) }

// End ends the record.
func (r *record) End() { r.goroutine.Store(0) }

// Recorded returns the calls of the functions, or what was written, if k is such a writer.
func (r *record) Recorded(k *Kind) history.Value {
	if k.of.Kind() == reflect.Interface {
		return Quote(r.written.String())
	}
	return sequence(r.calls, k.of.NumIn())
}

// sequence returns a sequence of tuples of one size as a Value: for 0 their number, for 1 a
// list, for 2 a map if the first of all differ.
func sequence(tuples [][]history.Value, size int) history.Value {
	var flat, all []history.Value
	for _, t := range tuples {
		flat = append(flat, t...)
		all = append(all, history.ListValue(t...))
	}
	switch size {
	case 0:
		return history.IntValue(int64(len(tuples)))
	case 1:
		return history.ListValue(flat...)
	case 2:
		if m, ok := history.MapValue(flat...); ok {
			return m
		}
	}
	return history.ListValue(all...)
}

// call records a call of a function.
func (r *record) call(in []reflect.Value) {
	if !r.mine() || len(r.calls) == maxRecorded {
		return
	}
	shown := make([]history.Value, len(in))
	for i, v := range in {
		shown[i] = Show(v)
	}
	r.calls = append(r.calls, shown)
}

// mine reports whether the calling goroutine is in the call of the method.
func (r *record) mine() bool {
	at := r.goroutine.Load()
	return at != 0 && at == goroutine()
}

// goroutine returns the number of the calling goroutine, with which its stack begins.
func goroutine() int64 {
	var text [64]byte
	words := strings.Fields(string(text[:runtime.Stack(text[:], false)]))
	n, _ := strconv.ParseInt(words[1], 10, 64)
	return n
}

// A writer records what is written to it.
type writer struct{ r *record }

func (w *writer) Write(p []byte) (int, error) { return w.WriteString(string(p)) }
func (w *writer) Close() error                { return nil }

func (w *writer) WriteString(s string) (int, error) {
	if w.r.mine() {
		w.r.written.WriteString(s)
	}
	return len(s), nil
}
