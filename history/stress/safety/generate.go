package safety

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
)

// errNoInstance means that no prefix could be made.
var errNoInstance = errors.New("no call makes an instance without failing")

// A generator makes tests by Algorithm 1 of "Fully Automatic and Precise Detection
// of Thread Safety Violations" (PLDI 2012). Unlike in the paper, the number of calls that
// change the state of a prefix varies up to the given limit, and a new suffix sometimes
// makes a test with two or three others, not only with one.
//
// The suffixes of a test share only those results of the prefix that concurrent calls
// may share: the instance, values of types of its own package, and immutable values. A
// value of any other type is passed to only one call, so that the caller is not at fault.
type generator struct {
	*catalog
	random   *rand.Rand
	options  Parameters
	prefixes []*prefix // P
	ready    []*Test   // T
	suffixes int       // that were tried
	most     limits
	// works reports whether calls run one after another without failing.
	works func(t *Test) bool
	// failed counts the candidates in a row that failed, by method.
	failed map[int]int
}

// limits are the limits of a round.
type limits struct{ prefixes, suffixes int }

// A prefix has the suffixes that were made for it.
type prefix struct {
	Test
	suffixes [][]call // M(p)
}

// candidates is the number of attempts at each task.
const candidates = 10

// next returns a test, or nil if the limits are reached.
func (g *generator) next() (*Test, error) {
	for len(g.ready) == 0 {
		if g.suffixes >= g.most.suffixes {
			return nil, nil
		}
		p, err := g.prefix()
		if err != nil {
			return nil, err
		}
		g.suffix(p)
	}
	n := g.random.IntN(len(g.ready))
	t := g.ready[n]
	g.ready[n] = g.ready[len(g.ready)-1]
	g.ready = g.ready[:len(g.ready)-1]
	return t, nil
}

// prefix makes a prefix, or returns one of the earlier ones.
func (g *generator) prefix() (*prefix, error) {
	if len(g.prefixes) < g.most.prefixes {
		for n := range candidates {
			p := g.instantiate(n)
			if p == nil {
				continue
			}
			for range g.random.IntN(g.options.StateChangers + 1) {
				if calls := g.callTarget(p, nil); calls != nil {
					p.Prefix = calls
				}
			}
			g.prefixes = append(g.prefixes, p)
			return p, nil
		}
	}
	if len(g.prefixes) == 0 {
		return nil, errNoInstance
	}
	return g.prefixes[g.random.IntN(len(g.prefixes))], nil
}

// instantiate returns a prefix that makes an instance, or nil. The last tries use the
// zero value.
func (g *generator) instantiate(try int) *prefix {
	s := &sequence{generator: g}
	made := g.zero
	if len(g.makers) > 0 && (g.zero < 0 || try < candidates-2) {
		made = g.makers[g.random.IntN(len(g.makers))]
	}
	if !s.add(made, nil, 0) {
		return nil
	}
	p := &prefix{Test: Test{Prefix: s.calls, At: len(s.calls) - 1}}
	p.Result = s.gives(g.functions[made], g.target.Type)
	if p.Result < 0 || !g.works(&p.Test) {
		return nil
	}
	return p
}

// suffix makes a suffix of p, and tests of it and each earlier one.
func (g *generator) suffix(p *prefix) {
	g.suffixes++
	calls := []call{}
	for range g.options.Calls {
		if more := g.callTarget(p, calls); more != nil {
			calls = more
		}
	}
	if len(calls) == 0 {
		return
	}
	p.suffixes = append(p.suffixes, calls)
	for _, other := range p.suffixes {
		t := p.Test
		t.Suffixes = [][]call{calls, other}
		for len(t.Suffixes) < g.options.Sequences && g.random.IntN(6) == 0 {
			t.Suffixes = append(t.Suffixes, p.suffixes[g.random.IntN(len(p.suffixes))])
		}
		g.ready = append(g.ready, &t)
	}
}

// callTarget appends a call of a method of the target to a suffix of p, or to the
// prefix itself if calls is nil. It returns all calls, or nil if no candidate works.
func (g *generator) callTarget(p *prefix, calls []call) []call {
	for range candidates {
		m := g.methods[g.random.IntN(len(g.methods))]
		if n := g.failed[m]; n >= 2*candidates && g.random.IntN(n) > 0 {
			continue
		}
		s := &sequence{generator: g, instance: &argument{From: fromPrefix, Call: p.At, Result: p.Result}}
		t := p.Test
		if calls == nil {
			s.calls = slices.Clone(p.Prefix)
			s.instance.From = fromOwn
		} else {
			s.calls, s.prefix = slices.Clone(calls), p.Prefix
		}
		if !s.add(m, s.instance, 0) {
			continue
		}
		if calls == nil {
			t.Prefix = s.calls
		} else {
			t.Suffixes = [][]call{s.calls}
		}
		if g.works(&t) {
			g.failed[m] = 0
			return s.calls
		}
		g.failed[m]++
	}
	return nil
}

// A sequence is a list of calls that is being made.
type sequence struct {
	*generator
	instance *argument // nil if it is yet to be made
	prefix   []call    // of a suffix
	calls    []call
}

// add appends a call, and before it those that make its parameters. It returns
// false if it cannot.
func (s *sequence) add(n int, receiver *argument, depth int) bool {
	f := s.functions[n]
	count := len(f.in)
	if f.variadic {
		count += s.random.IntN(3) - 1
	}
	c := call{Function: n}
	for i := range count {
		if i == 0 && receiver != nil {
			c.Args = append(c.Args, *receiver)
			continue
		}
		a, ok := s.argument(f.parameter(i), depth, f.method && i == 0)
		if !ok {
			return false
		}
		c.Args = append(c.Args, a)
	}
	s.calls = append(s.calls, c)
	return true
}

// maxDepth bounds the calls that make parameters of calls.
const maxDepth = 3

// argument makes a parameter of type t available: an earlier result, a literal, or
// the result of a call that it appends. A needed one is not nil.
func (s *sequence) argument(t reflect.Type, depth int, needed bool) (argument, bool) {
	if s.instance != nil && s.target.Type.AssignableTo(t) && !isAny(t) && s.random.IntN(3) == 0 {
		return *s.instance, true
	}
	if list := s.results(t); len(list) > 0 && s.random.IntN(2) == 0 {
		return list[s.random.IntN(len(list))], true
	}
	lit := argument{Literal: s.random.Uint64()}
	k := t.Kind()
	composed := k == reflect.Pointer || k == reflect.Interface && !isAny(t) || k == reflect.Struct
	if !composed && !needed {
		return lit, s.written(t, lit, false)
	}
	var makers []int
	for n, f := range s.functions {
		if s.gives(f, t) >= 0 {
			makers = append(makers, n)
		}
	}
	if len(makers) == 0 || k == reflect.Struct && s.random.IntN(2) == 0 || depth == maxDepth {
		return lit, s.written(t, lit, needed)
	}
	n := makers[s.random.IntN(len(makers))]
	var receiver *argument
	if f := s.functions[n]; f.method && s.instance != nil && f.in[0] == s.target.Type {
		receiver = s.instance
	}
	if !s.add(n, receiver, depth+1) {
		return argument{}, false
	}
	return argument{From: fromOwn, Call: len(s.calls) - 1, Result: s.gives(s.functions[n], t)}, true
}

// written reports whether Go has the literal. A needed one is not nil.
func (s *sequence) written(t reflect.Type, lit argument, needed bool) bool {
	_, text := literalOf(t, lit.Literal)
	return text != "nil" || !needed && t.Kind() != reflect.Struct && t.Kind() != reflect.Array
}

func isAny(t reflect.Type) bool { return t.Kind() == reflect.Interface && t.NumMethod() == 0 }

// gives returns the result of f that is a t, or -1.
func (s *sequence) gives(f *function, t reflect.Type) int {
	return slices.IndexFunc(f.out, func(out reflect.Type) bool { return out.AssignableTo(t) })
}

// results returns the earlier results that can be of type t.
func (s *sequence) results(t reflect.Type) []argument {
	if isAny(t) {
		return nil
	}
	var list []argument
	for i, c := range s.prefix {
		for j, out := range s.functions[c.Function].out {
			if out.AssignableTo(t) && s.shared(c, out) {
				list = append(list, argument{From: fromPrefix, Call: i, Result: j})
			}
		}
	}
	for i, c := range s.calls {
		for j, out := range s.functions[c.Function].out {
			a := argument{From: fromOwn, Call: i, Result: j}
			if out.AssignableTo(t) && (s.shared(c, out) || !s.used(a)) {
				list = append(list, a)
			}
		}
	}
	return list
}

// shared reports whether concurrent calls of the instance may get a result of type
// t that c has returned. If its methods do not return it, the fault is the caller's.
func (s *sequence) shared(c call, t reflect.Type) bool {
	f, k := s.functions[c.Function], t.Kind()
	switch {
	case t == s.target.Type, k >= reflect.Bool && k <= reflect.Complex128, k == reflect.String:
		return true
	case k == reflect.Pointer, k == reflect.Struct, k == reflect.Interface:
		return s.own(t) && f.method && f.in[0] == s.target.Type
	}
	return false
}

// used reports whether a call has the argument.
func (s *sequence) used(a argument) bool {
	return slices.ContainsFunc(s.calls, func(c call) bool { return slices.Contains(c.Args, a) })
}
