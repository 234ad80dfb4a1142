package stress

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/visibility"
)

var seedFlag = flag.Uint64("seed", 1, "seed of the random tests")

// A cells is an object with a few keys. As a counter it has one key.
type cells struct{ values [3]int64 }

// smallMethods are the methods of three objects, by what they do in one.
var smallMethods = map[string]func(s *cells, a []int64) history.Value{
	"inc": func(s *cells, _ []int64) history.Value { s.values[0]++; return history.NoValue },
	"next": func(s *cells, _ []int64) history.Value {
		s.values[0]++
		return history.IntValue(s.values[0])
	},
	"value": func(s *cells, _ []int64) history.Value { return history.IntValue(s.values[0]) },
	"add": func(s *cells, a []int64) history.Value {
		old := s.values[a[0]]
		s.values[a[0]] = 1
		return history.BoolValue(old == 0)
	},
	"remove": func(s *cells, a []int64) history.Value {
		old := s.values[a[0]]
		s.values[a[0]] = 0
		return history.BoolValue(old != 0)
	},
	"put": func(s *cells, a []int64) history.Value {
		old := s.values[a[0]]
		s.values[a[0]] = 1 + a[1]
		return history.IntValue(old)
	},
	"get": func(s *cells, a []int64) history.Value { return history.IntValue(s.values[a[0]]) },
	"size": func(s *cells, _ []int64) history.Value {
		n := int64(0)
		for _, v := range s.values {
			n += min(v, 1)
		}
		return history.IntValue(n)
	},
	"all": func(s *cells, _ []int64) history.Value {
		return history.ListValue(history.IntValue(s.values[0]), history.IntValue(s.values[1]))
	},
}

var smallObjects = [][]string{{"inc", "next", "value"}, {"add", "remove", "get", "size", "all"}, {"put", "remove", "get", "size", "all"}}

func smallClass(names []string, level func(name string) (visibility.Level, bool)) *Class {
	c := &Class{Name: "small", New: func() any { return &cells{} }}
	for _, name := range names {
		m := &Method{Name: name, ReadOnly: slices.Contains([]string{"value", "get", "size", "all"}, name)}
		m.Params = slices.Repeat([]Param{Int}, map[string]int{"add": 1, "remove": 1, "get": 1, "put": 2}[name])
		m.Level, m.Weak = level(name)
		m.Failure = history.StringValue("failed")
		m.Prepare = func(args []history.Value) Call {
			return func(object any) history.Value { return smallMethods[name](object.(*cells), ints(args)) }
		}
		c.Methods = append(c.Methods, m)
	}
	return c
}

func ints(args []history.Value) (list []int64) {
	for _, a := range args {
		list = append(list, a.Int())
	}
	return list
}

// A literal enumerates the outcomes of a program by the definitions: all orders of its invocations
// and all sets of what each sees. It shares no code with Expected.
type literal struct {
	all      []Invocation
	before   [][]bool
	order    []int
	sees     []uint
	failed   []bool
	outcomes map[string]bool
}

func enumerateLiterally(p *Program) map[string]bool {
	n := p.Len()
	l := &literal{all: p.All(), sees: make([]uint, n), failed: make([]bool, n), outcomes: map[string]bool{}}
	sequence := slices.Repeat([]int{-1}, n)
	at := len(p.Initial)
	for s, list := range p.Sequences {
		for range list {
			sequence[at] = s
			at++
		}
	}
	for i := range n {
		l.before = append(l.before, make([]bool, n))
		for j := range n {
			l.before[i][j] = i < j && (sequence[i] < 0 || sequence[j] < 0 || sequence[i] == sequence[j])
		}
	}
	l.extend(0)
	return l.outcomes
}

func (l *literal) extend(placed uint) {
	n := len(l.all)
	if placed == 1<<n-1 {
		l.outcomes[l.outcome().String()] = true
		return
	}
next:
	for i := range n {
		if placed>>i&1 != 0 {
			continue
		}
		for j := range n {
			if l.before[j][i] && placed>>j&1 == 0 {
				continue next
			}
		}
		l.order = append(l.order, i)
		for set := range placed + 1 {
			if set&^placed != 0 || !l.allows(placed, set, i) {
				continue
			}
			l.sees[i] = set
			l.extend(placed | 1<<i)
			if m := l.all[i].Method; m.Weak && !m.ReadOnly {
				l.failed[i] = true
				l.extend(placed | 1<<i)
				l.failed[i] = false
			}
		}
		l.order = l.order[:len(l.order)-1]
	}
}

// allows reports whether invocation i may see set of those that are placed.
func (l *literal) allows(placed, set uint, i int) bool {
	level := l.all[i].Method.Level
	if level == visibility.Complete {
		return set == placed
	}
	after := func(a, b int) bool { return slices.Index(l.order, a) > slices.Index(l.order, b) }
	for a := range l.all {
		if placed>>a&1 == 0 {
			continue
		}
		for b := range l.all {
			must := false
			switch {
			case placed>>b&1 == 0:
			case level == visibility.Weak:
			case l.before[b][i]:
				must = true
			case level == visibility.Bundle:
				key := func(i int) int64 { return append(ints(l.all[i].Args), -1)[0] }
				mutates := !l.all[a].Method.ReadOnly && !l.all[b].Method.ReadOnly
				must = l.before[a][i] && after(a, b) || set>>a&1 != 0 && after(a, b) && mutates && key(a) == key(b)
			case level >= visibility.Monotonic && l.before[a][i] && l.sees[a]>>b&1 != 0:
				must = true
			case level >= visibility.Peer && set>>a&1 != 0 && l.before[b][a]:
				must = true
			case level >= visibility.Causal && set>>a&1 != 0 && l.sees[a]>>b&1 != 0:
				must = true
			}
			if must && set>>b&1 == 0 {
				return false
			}
		}
	}
	return true
}

// outcome returns the results of the order with what each invocation sees.
func (l *literal) outcome() Outcome {
	o := make(Outcome, len(l.all))
	for _, i := range l.order {
		s := &cells{}
		for _, w := range l.order {
			if l.sees[i]>>w&1 != 0 && !l.failed[w] {
				smallMethods[l.all[w].Method.Name](s, ints(l.all[w].Args))
			}
		}
		m := l.all[i].Method
		switch o[i] = smallMethods[m.Name](s, ints(l.all[i].Args)); {
		case l.failed[i]:
			o[i] = m.Failure
		case m.Weak && m.ReadOnly:
			o[i] = history.UnknownValue
		}
	}
	return o
}

// TestLevels compares the expected outcomes of random programs, with levels for some methods, with a
// literal enumeration of orders and sets.
func TestLevels(t *testing.T) {
	t.Logf("-seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 4))
	rounds, most, more, weak := 3000, 5, 0, 0
	switch {
	case flag.Lookup("full").Value.String() == "true":
		rounds, most = 100_000, 6
	case testing.Short():
		rounds = 600
	}
	for range rounds {
		names := smallObjects[r.IntN(len(smallObjects))]
		bundle := r.IntN(4) == 0
		c := smallClass(names, func(name string) (visibility.Level, bool) {
			readOnly := slices.Contains([]string{"value", "get", "size", "all"}, name)
			switch k := r.IntN(8); {
			case bundle && readOnly && names[0] != "inc":
				return visibility.Bundle, false
			case bundle:
				return visibility.Complete, false
			case k == 0:
				return visibility.Complete, true
			case k < 5:
				return visibility.Level(r.IntN(int(visibility.Causal) + 1)), false
			}
			return visibility.Complete, false
		})
		p := &Program{Sequences: make([][]Invocation, 2)}
		for k := range 3 + r.IntN(most-2) {
			m := c.Methods[r.IntN(len(c.Methods))]
			inv := Invocation{Method: m}
			for range m.Params {
				inv.Args = append(inv.Args, history.IntValue(int64(r.IntN(2))))
			}
			switch {
			case k == 5, k == 4 && r.IntN(2) == 0:
				p.Final = append(p.Final, inv)
			case k == 3 && r.IntN(2) == 0:
				p.Initial = append(p.Initial, inv)
			default:
				p.Sequences[k%2] = append(p.Sequences[k%2], inv)
			}
		}
		e, err := NewExpected(c, p)
		if err != nil {
			t.Fatalf("%v, %v: %v", p, c.Levels(), err)
		}
		want, got := enumerateLiterally(p), map[string]bool{}
		for _, o := range e.Outcomes() {
			got[o.Outcome.String()] = true
		}
		for text := range want {
			if !got[text] {
				t.Fatalf("%v, %v: %s is not expected", p, c.Levels(), text)
			}
		}
		for text := range got {
			if !want[text] {
				t.Fatalf("%v, %v: %s is expected", p, c.Levels(), text)
			}
		}
		if e.IsRelaxed() {
			weak++
			if plain, _ := NewExpected(smallClass(names, func(name string) (visibility.Level, bool) { return visibility.Complete, c.Method(name).Weak }), mustParse(t, p, names, c)); len(plain.Outcomes()) < len(got) {
				more++
			}
		}
	}
	if t.Logf("%d programs with levels, %d have more outcomes than without", weak, more); more < rounds/20 {
		t.Errorf("in only %d of %d programs the levels matter", more, rounds)
	}
}

// mustParse returns the program for a class without levels.
func mustParse(t *testing.T, p *Program, names []string, weak *Class) *Program {
	t.Helper()
	plain := smallClass(names, func(name string) (visibility.Level, bool) { return visibility.Complete, weak.Method(name).Weak })
	q, err := Parse(p.String(), plain)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestLevelsTooLarge: a program with too many sets to see is an error, with a level only.
func TestLevelsTooLarge(t *testing.T) {
	for _, test := range []struct {
		n     int
		level visibility.Level
		fails bool
	}{{3, visibility.Weak, false}, {7, visibility.Weak, true}, {7, visibility.Complete, false}} {
		c := smallClass([]string{"next", "value"}, func(name string) (visibility.Level, bool) {
			if name == "value" {
				return test.level, false
			}
			return visibility.Complete, false
		})
		calls := strings.Repeat("next(); ", test.n-1)
		p, err := Parse("{ "+calls+"next() } || { "+calls+"value() }", c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewExpected(c, p); (err == errSets) != test.fails || err != nil && !test.fails {
			t.Errorf("%v, %v: %v", p, test.level, err)
		}
	}
}
