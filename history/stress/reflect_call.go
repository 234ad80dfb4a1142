package stress

import (
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/leadline/leadline/history"
)

// A signature is what a method takes and returns.
type signature struct {
	params   []parameter
	variadic bool
	isError  []bool // by result
}

// signatureOf returns the signature of m, or why m cannot be called.
func signatureOf(m reflect.Method) (s signature, reason string) {
	first := 0
	if m.Func.IsValid() {
		first = 1 // the receiver, which methods of interfaces do not have
	}
	for i := first; i < m.Type.NumIn(); i++ {
		p, ok := parameterOf(m.Type.In(i))
		if !ok {
			return s, fmt.Sprintf("parameter of type %v", m.Type.In(i))
		}
		s.params = append(s.params, p)
	}
	s.variadic = m.Type.IsVariadic()
	for i := range m.Type.NumOut() {
		out := m.Type.Out(i)
		if !showable(out, 0) {
			return s, fmt.Sprintf("result of type %v", out)
		}
		s.isError = append(s.isError, out.Kind() == reflect.Interface && out.Implements(errorType))
	}
	return s, ""
}

// byReflection is the Prepare of methods that have no direct call.
func (s signature) byReflection(m reflect.Method) func([]history.Value) Call {
	found := &implementation{}
	return func(args []history.Value) Call {
		fixed := make([]reflect.Value, 1+len(args)) // after the receiver
		for i, p := range s.params {
			fixed[1+i] = p.goValue(args[i])
		}
		return func(object any) history.Value {
			in := slices.Clone(fixed)
			in[0] = reflect.ValueOf(object)
			for i, p := range s.params {
				if p.fresh {
					in[1+i] = p.goValue(args[i])
				}
			}
			f := m.Func
			if !f.IsValid() {
				f = found.method(in[0].Type(), m.Name)
			}
			if s.variadic {
				return s.answer(f.CallSlice(in))
			}
			return s.answer(f.Call(in))
		}
	}
}

// An implementation of an interface's method, by the type that was seen last.
type implementation struct{ last atomic.Pointer[typedMethod] }

type typedMethod struct {
	of reflect.Type
	f  reflect.Value
}

// method returns the method of a type, which takes the receiver first.
func (i *implementation) method(of reflect.Type, name string) reflect.Value {
	if last := i.last.Load(); last != nil && last.of == of {
		return last.f
	}
	m, _ := of.MethodByName(name)
	i.last.Store(&typedMethod{of, m.Func})
	return m.Func
}

// zero is the answer of zero results.
func (s signature) zero(m reflect.Method) history.Value {
	var out []reflect.Value
	for i := range m.Type.NumOut() {
		out = append(out, reflect.Zero(m.Type.Out(i)))
	}
	return s.answer(out)
}

// answer makes one value of all results.
func (s signature) answer(out []reflect.Value) history.Value {
	var one history.Value
	var all []history.Value
	for i, v := range out {
		if s.isError[i] {
			if !v.IsNil() {
				return history.ExceptionValue(v.Interface().(error).Error())
			}
			continue
		}
		if one = shown(v, 0); len(out) > 1 {
			all = append(all, one)
		}
	}
	switch len(all) {
	case 0, 1:
		return one
	case 2:
		if all[1].Kind() == history.Bool {
			return pairValue(all[0], all[1].Bool())
		}
	}
	return history.ListValue(all...)
}

// Values that would have to be allocated and occur all the time, ready-made:
// the texts "0" to "9", and pairs of an int from -1 or null with a truth value.
var (
	readyTexts = func() (texts [10]history.Value) {
		for i := range texts {
			texts[i] = history.StringValue(fmt.Sprint(i))
		}
		return texts
	}()
	readyPairs = func() (pairs [32][2]history.Value) {
		for i := range pairs {
			pairs[i] = bothPairs(history.IntValue(int64(i - 1)))
		}
		return pairs
	}()
	readyNulls = bothPairs(history.NullValue)
	readyBlank = bothPairs(history.StringValue(""))
)

func bothPairs(v history.Value) [2]history.Value {
	return [2]history.Value{history.ListValue(v, history.BoolValue(false)), history.ListValue(v, history.BoolValue(true))}
}

func textValue(s string) history.Value {
	if len(s) == 1 && s[0] >= '0' && s[0] <= '9' {
		return readyTexts[s[0]-'0']
	}
	return history.StringValue(s)
}

func pairValue(v history.Value, ok bool) history.Value {
	which := 0
	if ok {
		which = 1
	}
	switch v.Kind() {
	case history.Int:
		if i := uint64(v.Int() + 1); i < uint64(len(readyPairs)) {
			return readyPairs[i][which]
		}
	case history.Null:
		return readyNulls[which]
	case history.String:
		if v.Text() == "" {
			return readyBlank[which]
		}
	}
	return history.ListValue(v, history.BoolValue(ok))
}
