package stress

import (
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress/values"
)

// A signature has the parameters and results of a method.
type signature struct {
	params   []Param
	hidden   []bool // the parameters that programs do not have
	variadic bool
	none     bool                 // the variadic parameter gets no values and is not among params
	recorded []Param              // those that record what the method does with them
	isError  []bool               // by result
	outs     []reflect.Type       // of the results
	other    func() reflect.Value // makes another object
}

// signatureOf returns the signature of m, or why m cannot be called. With a specification,
// contexts are hidden, as specifications do not have them.
func signatureOf(m reflect.Method, o values.Object, specified bool) (s signature, reason string) {
	first := 0
	if m.Func.IsValid() {
		first = 1 // the receiver, which methods of interfaces do not have
	}
	for i := first; i < m.Type.NumIn(); i++ {
		t := m.Type.In(i)
		p := values.Of(t, o)
		variadic := m.Type.IsVariadic() && i == m.Type.NumIn()-1
		if s.none = variadic && (p == nil || isOption(t.Elem())); s.none {
			break
		}
		if p == nil {
			return s, values.Missing(t, m.Name)
		}
		if m.Type.NumOut() == 0 && iterates(m.Name) {
			p = p.Iterates()
		}
		_, ok := p.Default()
		s.params, s.hidden = append(s.params, p), append(s.hidden, specified && ok)
		if p.Records() {
			s.recorded = append(s.recorded, p)
		}
	}
	s.variadic = m.Type.IsVariadic() && !s.none
	for out := range m.Type.Outs() {
		s.outs = append(s.outs, out)
		s.isError = append(s.isError, out.Kind() == reflect.Interface && out.Implements(errorType))
	}
	return s, ""
}

var errorType = reflect.TypeFor[error]()

// isOption reports whether a variadic parameter of this type has options. It gets none.
func isOption(t reflect.Type) bool {
	return t.Kind() == reflect.Func || t.Kind() == reflect.Interface && t.NumMethod() > 0
}

// A goMethod is a method that Reflect has found.
type goMethod struct {
	signature
	reflect.Method
	home string // the import path of its type
}

// prepare returns a Prepare whose calls return what show makes of their results.
func (g *goMethod) prepare(show show) func([]history.Value) Call {
	made := g.caller()
	return func(args []history.Value) Call {
		call := made(args)
		return func(object any) history.Value { return call(object, nil, show) }
	}
}

// A caller calls a method of an object by reflection, and returns what show makes of the results.
type caller func(object any, earlier earlier, show show) history.Value

// An earlier returns the argument for a parameter that is the result of an earlier call.
type earlier func(p Param, call int) reflect.Value

// A show makes one value of the results of a call, whose arguments the maker has made.
type show func(out []reflect.Value, maker *values.Maker) history.Value

// caller returns what prepares calls of the method.
func (g *goMethod) caller() func(args []history.Value) caller {
	s, m, found := &g.signature, &g.Method, &implementation{}
	constant := !slices.ContainsFunc(s.params, func(p Param) bool { return !p.Shared() })
	return func(args []history.Value) caller {
		given := s.given(args)
		made := func(object reflect.Value, maker *values.Maker, earlier earlier) []reflect.Value {
			in := make([]reflect.Value, 1+len(s.params)) // after the receiver
			in[0] = object
			for i, p := range s.params {
				if n, ok := earlierCall(p, given[i]); ok {
					in[1+i] = earlier(p, n)
				} else {
					in[1+i] = maker.Go(p, given[i])
				}
			}
			return in
		}
		var fixed []reflect.Value
		shared := constant && len(earlierCalls(Invocation{&Method{Params: s.params}, given})) == 0
		if shared {
			fixed = made(reflect.Value{}, &values.Maker{}, nil)
		}
		return func(object any, earlier earlier, show show) history.Value {
			in := slices.Clone(fixed)
			var maker *values.Maker
			if shared {
				in[0] = reflect.ValueOf(object)
			} else {
				maker = &values.Maker{Self: reflect.ValueOf(object), New: s.other}
				in = made(maker.Self, maker, earlier)
			}
			f := m.Func
			if !f.IsValid() {
				f = found.method(in[0].Type(), m.Name)
			}
			call := f.Call
			if s.variadic {
				call = f.CallSlice
			}
			if len(s.recorded) > 0 {
				maker.Begin()
				defer maker.End()
			}
			out := call(in)
			schedule.Keep(out) // a caller could use them
			return show(out, maker)
		}
	}
}

// given returns an argument for each parameter, also for those that programs do not have.
func (s signature) given(args []history.Value) []history.Value {
	given := make([]history.Value, len(s.params))
	for i, p := range s.params {
		if given[i], _ = p.Default(); !s.hidden[i] {
			given[i], args = args[0], args[1:]
		}
	}
	return given
}

// An implementation is an interface's method for the type that was seen last.
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

// zeros returns the zero results.
func (s signature) zeros() (out []reflect.Value) {
	for _, t := range s.outs {
		out = append(out, reflect.Zero(t))
	}
	return out
}

// value makes one value of all results, and of what the maker has recorded.
func (s signature) value(out []reflect.Value, maker *values.Maker) history.Value {
	var one history.Value
	var all []history.Value // if there are several
	add := func(v history.Value) {
		if one = v; len(out)+len(s.recorded) > 1 {
			all = append(all, v)
		}
	}
	for i, v := range out {
		switch {
		case !s.isError[i]:
			add(values.Show(v))
		case !v.IsNil():
			return values.Exception(v.Interface().(error).Error())
		}
	}
	for _, p := range s.recorded {
		add(maker.Recorded(p))
	}
	if len(all) < 2 {
		return one
	}
	return history.ListValue(all...)
}
