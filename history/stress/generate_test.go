package stress

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/hitting/visibility"
)

func makeGenerator(t *testing.T, c *Class, o GeneratorOptions) *generator {
	t.Helper()
	g, err := newGenerator(c, o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestGenerate checks random programs against what Generate promises.
func TestGenerate(t *testing.T) {
	c := notationClass()
	options := []GeneratorOptions{
		{}, {CoreOnly: true}, {Target: c.Method("estimate")},
		{Bounds: Bounds{MinInvocations: 2, MaxInvocations: 2}, Target: c.Method("size")},
		{Bounds: Bounds{Sequences: 5, Values: 1, Initial: 4}}, {Bounds: Bounds{Initial: -1, Final: -1}}, {Bounds: Bounds{Sequences: 1, Values: 3}, Target: c.Method("clear")},
	}
	for _, m := range c.Methods {
		options = append(options, GeneratorOptions{Target: m, Seed: 3})
	}
	for _, o := range options {
		g := makeGenerator(t, c, o)
		lengths, initials, finals := map[int]bool{}, map[int]bool{}, map[int]bool{}
		for range 1000 {
			p := g.next()
			checkGenerated(t, o, p)
			lengths[parallel(p)], initials[len(p.Initial)], finals[len(p.Final)] = true, true, true
			if q, err := Parse(p.String(), c); err != nil || !samePrograms(p, q) {
				t.Fatalf("%v is parsed as %v: %v", p, q, err)
			}
		}
		if b := g.bounds; len(lengths) != b.MaxInvocations-b.MinInvocations+1 {
			t.Errorf("%+v: lengths %v", o, lengths)
		} else if len(initials) != max(b.Initial, 0)+1 || len(finals) != max(b.Final, 0)+1 {
			t.Errorf("%+v: lengths of the initial parts %v, of the final ones %v", o, initials, finals)
		}
	}
}

// parallel is the number of invocations of the sequences.
func parallel(p *Program) int { return p.Len() - len(p.Initial) - len(p.Final) }

func checkGenerated(t *testing.T, o GeneratorOptions, p *Program) {
	t.Helper()
	b := o.Bounds.fill()
	r := rank(p)
	sequences, values := r[1], r[2]
	if n := parallel(p); n < b.MinInvocations || n > b.MaxInvocations || sequences != b.Sequences || values > b.Values || len(p.Order) > 0 {
		t.Fatalf("%+v: %v is out of bounds", o, p)
	}
	trusted := func(m *Method) bool { return m.Core && m != o.Target }
	for _, inv := range p.Initial {
		if inv.Method.ReadOnly || !trusted(inv.Method) {
			t.Fatalf("%v begins with %v", p, inv)
		}
	}
	for i, inv := range p.Final {
		if !inv.Method.ReadOnly || !trusted(inv.Method) || slices.ContainsFunc(p.Final[:i], inv.equal) {
			t.Fatalf("%v ends with %v", p, inv)
		}
	}
	others, targets, most, homes := 0, 0, 2, map[int]bool{}
	if b.MaxInvocations < 3 {
		most = 1
	}
	mutators := make([]bool, sequences)
	for s, sequence := range p.Sequences {
		if len(sequence) == 0 {
			t.Fatalf("%v has an empty sequence", p)
		}
		for _, inv := range sequence {
			switch m := inv.Method; {
			case m.Weak && m != o.Target:
				t.Fatalf("%v has a weak method", p)
			case m == o.Target:
				targets++
				homes[s] = true
			case !m.Core:
				others++
				homes[s] = true
			}
			mutators[s] = mutators[s] || !inv.Method.ReadOnly
		}
	}
	switch {
	case o.Target != nil && (targets < 1 || targets > most || others != 0), o.CoreOnly && others != 0, o.Target == nil && !o.CoreOnly && (others < 1 || others > most):
		t.Fatalf("%+v: %v has %d of the target and %d that are not core", o, p, targets, others)
	case !slices.Contains(mutators, true):
		t.Fatalf("%v is read-only", p)
	}
	seen := len(homes) == 0
	for home := range homes {
		for _, inv := range p.Sequences[home] {
			m := inv.Method
			seen = seen || (m == o.Target || o.Target == nil && !m.Core) && !m.ReadOnly
		}
		for s, mutates := range mutators {
			seen = seen || mutates && s != home
		}
	}
	if !seen {
		t.Fatalf("%v: nothing changes the object in parallel with the target", p)
	}
}

// TestGenerateTwice: one in four programs calls the target twice, and each one if it has a level.
func TestGenerateTwice(t *testing.T) {
	c := notationClass()
	relaxed := *c.Method("size")
	relaxed.Level = visibility.Monotonic
	leveled := &Class{Name: "leveled", Methods: append(slices.Clone(c.Methods), &relaxed)}
	for _, e := range []struct {
		class  *Class
		target *Method
		least  int
		most   int
	}{{c, c.Method("size"), 200, 300}, {leveled, &relaxed, 1000, 1000}} {
		twice := 0
		g := makeGenerator(t, e.class, GeneratorOptions{Target: e.target})
		for range 1000 {
			n := 0
			for _, inv := range g.next().All() {
				if inv.Method == e.target {
					n++
				}
			}
			if n > 1 {
				twice++
			}
		}
		if twice < e.least || twice > e.most {
			t.Errorf("%d of 1000 programs call %s twice, want %d to %d", twice, e.target.Name, e.least, e.most)
		}
	}
}

// TestGenerateWeights: core mutators are three times as likely as read-only
// methods, lengths and values are uniform.
func TestGenerateWeights(t *testing.T) {
	c := notationClass()
	g := makeGenerator(t, c, GeneratorOptions{Target: c.Method("clear"), Bounds: Bounds{Initial: -1, Final: -1}})
	counts := map[string]int{}
	all := 0
	for range 20000 {
		p := g.next()
		counts[fmt.Sprint(p.Len())]++
		for _, inv := range p.All() {
			counts[inv.Method.Name]++
			counts[inv.String()]++
			if inv.Method != c.Method("clear") {
				all++
			}
		}
	}
	near := func(what string, want float64) {
		t.Helper()
		if got := float64(counts[what]); math.Abs(got-want) > 5*math.Sqrt(want) {
			t.Errorf("%s: %.0f times, want about %.0f", what, got, want)
		}
	}
	for _, n := range []string{"3", "4", "5", "6"} {
		near(n, 5000)
	}
	share := float64(all) / (4*3 + 2) // put, remove, name, flag; get, contains
	near("put", 3*share)
	near("remove", 3*share)
	near("flag", 3*share)
	near("get", share)
	near("contains", share)
	near("clear", 20000+20000/4)
	near("put(0,1)", 3*share/4)
	near("put(1,1)", 3*share/4)
	near(`name("1")`, 3*share/2)
	near("flag(true)", 3*share/2)
}

// TestGenerateCollections: collections have zero to two elements.
func TestGenerateCollections(t *testing.T) {
	c := notationClass()
	for name, want := range map[string]int{"addAll": 7, "names": 7, "putAll": 9} {
		g := makeGenerator(t, c, GeneratorOptions{Target: c.Method(name)})
		seen := map[string]bool{}
		for range 1000 {
			for _, inv := range g.next().All() {
				if inv.Method.Name == name {
					seen[inv.String()] = true
				}
			}
		}
		for _, inv := range invocations(c.Method(name), 2) {
			if !seen[inv.String()] {
				t.Errorf("%v is not generated", inv)
			}
		}
		if len(seen) != want {
			t.Errorf("%s with %d arguments, want %d", name, len(seen), want)
		}
	}
}

// TestGenerateSeed: a seed makes the same programs, today and later.
func TestGenerateSeed(t *testing.T) {
	c := notationClass()
	first := func(seed uint64) string {
		g := makeGenerator(t, c, GeneratorOptions{Seed: seed})
		var lines []string
		for range 4 {
			lines = append(lines, g.next().String())
		}
		return strings.Join(lines, "\n")
	}
	const want = `[ remove(0); put(1,1) ] { remove(0); remove(0); addAll([]) } || { name("1"); addAll([]) }
[ flag(true) ] { get(0); clear() } || { get(0); name("0") } [ contains(0); contains(1) ]
{ remove(0); get(1); names(["1"]); names(["1"]) } || { put(0,1); put(1,1) } [ get(0) ]
[ flag(true) ] { flag(true); put(0,0) } || { putAll({0=1}) } [ get(1) ]`
	if got := first(1); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if first(1) == first(2) {
		t.Error("two seeds make the same programs")
	}
}

// TestGenerateNoCore: where no method is core, all occur freely.
func TestGenerateNoCore(t *testing.T) {
	c := &Class{Name: "Plain", Methods: []*Method{{Name: "add"}, {Name: "clear"}, {Name: "size", ReadOnly: true}}}
	g := makeGenerator(t, c, GeneratorOptions{})
	most := 0
	for range 200 {
		text := g.next().String()
		most = max(most, strings.Count(text, "add"))
	}
	if most < 3 {
		t.Errorf("at most %d invocations of one method", most)
	}
	if p := makeGenerator(t, &Class{Name: "Plain", Methods: c.Methods[:2]}, GeneratorOptions{Bounds: Bounds{Final: 5}}).next(); len(p.Final) == 0 {
		t.Errorf("%v: without read-only methods, the final part should have others", p)
	}
	g = makeGenerator(t, c, GeneratorOptions{Target: c.Methods[1]})
	for range 200 {
		if p := g.next(); strings.Count(p.String(), "clear") < 1 || strings.Count(p.String(), "clear") > 2 {
			t.Errorf("%v does not have the target once or twice", p)
		}
	}
}

func TestGenerateErrors(t *testing.T) {
	get, size := &Method{Name: "get", Core: true, ReadOnly: true}, &Method{Name: "size", ReadOnly: true}
	put, clear := &Method{Name: "put", Core: true}, &Method{Name: "clear", Weak: true}
	for _, e := range []struct {
		methods []*Method
		options GeneratorOptions
		want    string
	}{
		{nil, GeneratorOptions{}, "there is no method to call"},
		{[]*Method{clear}, GeneratorOptions{}, "there is no method to call"},
		{[]*Method{get, size}, GeneratorOptions{CoreOnly: true}, "no method that may be called changes the object"},
		{[]*Method{get, clear}, GeneratorOptions{}, "no method that may be called changes the object"},
		{[]*Method{get, size}, GeneratorOptions{}, "size is read-only, and no core method changes the object"},
		{[]*Method{put, size}, GeneratorOptions{Bounds: Bounds{Sequences: 1}}, "size is read-only, and one sequence has nothing in parallel with it"},
		{[]*Method{put}, GeneratorOptions{Target: put}, "there is no core method to call beside put"},
		{[]*Method{put}, GeneratorOptions{Target: clear}, "the target clear is a method of another class"},
		{[]*Method{put}, GeneratorOptions{Bounds: Bounds{MinInvocations: 4, MaxInvocations: 3}}, "at least 4 invocations, but at most 3"},
		{[]*Method{put}, GeneratorOptions{Bounds: Bounds{Sequences: 4, MaxInvocations: 3}}, "4 sequences, but at most 3 invocations"},
		{[]*Method{put}, GeneratorOptions{Bounds: Bounds{Values: -1}}, "the bounds of a program are negative: 3 to 6 invocations, 2 sequences, -1 values"},
		{[]*Method{put}, GeneratorOptions{Bounds: Bounds{Values: 65}}, "65 values, but at most 64 are possible"},
	} {
		_, err := newGenerator(&Class{Name: "Some", Methods: e.methods}, e.options)
		if want := "generating programs of Some: " + e.want; err == nil || err.Error() != want {
			t.Errorf("%+v: %v, want %s", e.options, err, want)
		}
	}
}

// TestGenerateAgain: each range over the programs yields the same ones.
func TestGenerateAgain(t *testing.T) {
	c := notationClass()
	for _, exhaustive := range []bool{false, true} {
		programs, err := Generate(c, GeneratorOptions{Seed: 4, Target: c.Method("clear"), Exhaustive: exhaustive})
		if err != nil {
			t.Fatal(err)
		}
		var texts [2]string
		for i := range texts {
			n := 0
			for p := range programs {
				texts[i] += p.String() + "\n"
				if n++; n == 20 {
					break
				}
			}
		}
		if texts[0] != texts[1] || strings.Count(texts[0], "\n") != 20 {
			t.Errorf("exhaustive %v: first\n%s, then\n%s", exhaustive, texts[0], texts[1])
		}
		if _, err := Generate(c, GeneratorOptions{Bounds: Bounds{Values: -1}, Exhaustive: exhaustive}); err == nil {
			t.Errorf("exhaustive %v: no error for bounds that are not valid", exhaustive)
		}
	}
}
