package stress

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
)

// In a search for failures, an argument may be the result of an earlier call: of the initial part,
// or of the same sequence. Programs write it as $n, where n counts the calls of the program from 1:
//
//	[ PushFront(0) ] { Remove($1) } || { InsertAfter(1,$1) }

// takesEarlier reports whether arguments of a kind may be results of earlier calls. These are
// objects: a program can write a number or a list as well as a call can return it.
func takesEarlier(p Param) bool {
	t := p.Type()
	if t == nil {
		return false
	}
	switch t.Kind() {
	case reflect.Pointer:
		return t.Elem().Kind() == reflect.Struct
	case reflect.Interface:
		return t.NumMethod() > 0
	}
	return t.Kind() == reflect.Struct && t.PkgPath() != "time"
}

// earlierCall returns which call of the program an argument is the result of, as a number of
// Program.All.
func earlierCall(p Param, v history.Value) (call int, ok bool) {
	if v.Kind() != history.String || !takesEarlier(p) {
		return 0, false
	}
	text, ok := strings.CutPrefix(v.Text(), "$")
	n, err := strconv.Atoi(text)
	return n - 1, ok && err == nil && n > 0
}

// resultOf returns the argument that is the result of a call.
func resultOf(call int) history.Value { return history.StringValue("$" + strconv.Itoa(call+1)) }

// earlierCalls returns the calls whose results are arguments of the invocation.
func earlierCalls(inv Invocation) (list []int) {
	for i, a := range inv.Args {
		if n, ok := earlierCall(inv.Method.Params[i], a); ok {
			list = append(list, n)
		}
	}
	return list
}

// held returns the calls of the program whose results are arguments of others.
func (p *Program) held() (list []int) {
	for _, inv := range p.All() {
		list = append(list, earlierCalls(inv)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// renumber changes the arguments that are results of earlier calls after the i-th call was removed:
// references to that call become values.
func (p *Program) renumber(i int) {
	p.replaceEarlier(func(param Param, n int) history.Value {
		if n == i {
			return param.Some(0)
		} else if n > i {
			n--
		}
		return resultOf(n)
	}, 0)
}

// replaceEarlier replaces arguments of calls from the first on that are results of earlier calls.
func (p *Program) replaceEarlier(by func(param Param, call int) history.Value, first int) {
	for k := first; k < p.Len(); k++ {
		inv := p.at(k)
		if len(earlierCalls(*inv)) == 0 {
			continue
		}
		inv.Args = slices.Clone(inv.Args)
		for i, a := range inv.Args {
			if n, ok := earlierCall(inv.Method.Params[i], a); ok {
				inv.Args[i] = by(inv.Method.Params[i], n)
			}
		}
	}
}

// lesser returns the values directly below an argument.
func lesser(p Param, v history.Value) []history.Value {
	if _, ok := earlierCall(p, v); ok {
		return []history.Value{p.Some(0)}
	}
	return p.Lesser(v)
}

// resultFor returns which result of a method can be an argument of a kind, or -1. It is of a type of the
// package of the object: what two calls do to another one may be the caller's fault.
func (m *Method) resultFor(p Param) int {
	g := m.inGo
	if g == nil || g.home == "" {
		return -1
	}
	return slices.IndexFunc(g.outs, func(out reflect.Type) bool {
		return elem(out).PkgPath() == g.home && out.AssignableTo(p.Type())
	})
}

// checkEarlier returns an error if an argument is the result of a call that the program does not
// make before, or that has no such result.
func (p *Program) checkEarlier(c *Class) error {
	all, order, held := p.All(), NewSequencer(p), p.held()
	if len(held) > 0 && !c.failing {
		return fmt.Errorf("$%d is the result of a call, which only a search for failures has as an argument", held[0]+1)
	}
	if len(held) > maxHeld {
		return fmt.Errorf("the results of %d calls are arguments, but at most %d are possible", len(held), maxHeld)
	}
	for i, inv := range all {
		for k, a := range inv.Args {
			n, ok := earlierCall(inv.Method.Params[k], a)
			if !ok {
				continue
			}
			if n >= i || n >= len(p.Initial) && order.SequenceOf(n) != order.SequenceOf(i) {
				return fmt.Errorf("$%d is not a call before %v, in the initial part or the same sequence", n+1, inv)
			}
			if all[n].Method.resultFor(inv.Method.Params[k]) < 0 {
				return fmt.Errorf("$%d, which is %v, has no result that can be an argument of %s", n+1, all[n], inv.Method.Name)
			}
		}
	}
	return nil
}
