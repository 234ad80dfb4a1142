package composed

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A repairer looks for an atomic method that does what the method under test does alone.
type repairer struct {
	x      *explorer
	states [][]replay.Invocation // the insertions that lead to each state
	alone  []*run                // the method alone, in each state
	keys   []value               // of the states
	used   []value               // keys that the method uses
	values []literal             // that the method inserts or compares with, and those of the environment
}

// A literal is an argument of a repaired method. Its Go value is made for each run, because it
// may be a pointer that the method makes.
type literal struct {
	value
	goValue func() any
}

// Bounds of the states in which a repair is compared with the method.
const (
	repairDepth  = 3 // insertions into an empty collection
	repairStates = 256
	repairOps    = 2 // of the environment
)

// repair returns the text of an atomic method that has the results and effects of the method
// alone in all small states, and no violation. It is a single operation of the collection, or,
// if the method uses a single key of a map, a loop that tries again until no other operation
// has come between.
func (x *explorer) repair() (string, error) {
	p := &repairer{x: x}
	p.runAlone()
	switch {
	case len(p.alone) < 2: // any operation may do the same in a single state
		return "none found; alone, the method panics or does not end in most states", nil
	case p.nothing():
		return "none; alone, the method changes nothing and always returns the same", nil
	}
	for _, c := range p.candidates() {
		if !p.same(c.method) {
			continue
		}
		y := &explorer{ctx: x.ctx, c: x.c, method: c.method, o: x.o, repaired: true}
		y.offer = y.adjacent
		y.o.Replay, y.o.Values, y.o.Ops = "", x.pool, min(x.o.Ops, repairOps)
		for _, k := range x.keys {
			if k.Kind() != history.List { // the others are in Options.Keys
				y.o.Keys = append(y.o.Keys, (&names{}).goValue(k))
			}
		}
		report, err := y.explore()
		if err != nil {
			return "", err
		}
		if report.Violation == nil && report.Pending == 0 {
			return fmt.Sprintf("%s\n    (as the method alone in %d states; no violation in %d runs)", c.text(), len(p.alone), report.Runs), nil
		}
	}
	text := fmt.Sprintf("none found; no operation of a %s does what the method does alone in %d states", x.c.name, len(p.alone))
	if len(p.used) > 1 {
		text += fmt.Sprintf(", with %d keys", len(p.used))
	}
	return text, nil
}

// runAlone runs the method in all small states, and collects the keys and values that it uses.
// It leaves out states in which the method panics or does not end.
func (p *repairer) runAlone() {
	pool := slices.Clone(p.x.values)
	first := p.start(nil, p.x.method)
	for _, e := range first.events {
		for _, v := range p.x.c.args(e.Invocation, "v") {
			if v.Kind() != history.List { // a new run does not know the others
				pool = add(pool, v)
			}
		}
	}
	p.keys = slices.Clone(p.x.keys)
	for known := -1; known < len(p.keys); { // in some states, the method uses more keys
		known = len(p.keys)
		p.states, p.alone = nil, nil
		p.walk(pool)
	}
	for _, v := range pool {
		if v.Kind() != history.List {
			p.add(literal{v, func() any { return (&names{}).goValue(v) }})
		}
	}
}

// walk runs the method in each state that insertions of the known keys and the given values
// lead to, breadth first.
func (p *repairer) walk(pool []value) {
	seen := map[string]bool{}
	keys := slices.Clone(p.keys)
	todo := [][]replay.Invocation{nil}
	for len(todo) > 0 && len(seen) < repairStates {
		state := todo[0]
		todo = todo[1:]
		r := p.start(state, nil)
		key := string(r.state.AppendKey(nil))
		if seen[key] {
			continue
		}
		seen[key] = true
		for _, inv := range p.x.c.alphabet(r.state, keys, pool, nil, nil) {
			if inv.Method == p.x.c.insert && len(state) < repairDepth {
				todo = append(todo, append(slices.Clone(state), inv))
			}
		}
		if p.x.endless[key] {
			continue
		}
		if r = p.start(state, p.x.method); !r.pending && r.wrong == nil && r.result.Kind() != history.Exception {
			p.states, p.alone = append(p.states, state), append(p.alone, r)
			p.collect(state, r)
		}
	}
}

// start runs a method, if it is not nil, in the state after the given operations.
func (p *repairer) start(state []replay.Invocation, method func(*run) any) *run {
	r := p.x.newRun()
	for _, inv := range state {
		r.apply(inv, true)
	}
	if method != nil {
		r.call(method)
	}
	r.finish()
	return r
}

// collect adds the keys and values of a run of the method.
func (p *repairer) collect(state []replay.Invocation, r *run) {
	for i, e := range r.events {
		if e.environment {
			continue
		}
		p.used = add(p.used, p.x.c.args(e.Invocation, "k")...)
		p.keys = add(p.keys, p.used...)
		for j, kind := range p.x.c.operation(e.Method).params {
			if kind == 'k' {
				continue
			}
			p.add(literal{r.name(e.Args[j]), func() any {
				again := r
				if isOwn(e.Args[j]) {
					again = p.start(state, p.x.method)
				}
				return again.names.goValue(again.events[i].Args[j])
			}})
		}
	}
}

func (p *repairer) add(l literal) {
	if !slices.ContainsFunc(p.values, func(m literal) bool { return m.Equal(l.value) }) {
		p.values = append(p.values, l)
	}
}

// same reports whether a method does what the method under test does alone, in all states.
func (p *repairer) same(method func(*run) any) bool {
	for i, state := range p.states {
		r := p.start(state, method)
		if r.pending || r.wrong != nil || !slices.Equal(r.observations(len(state)), p.alone[i].observations(len(state))) ||
			!slices.Equal(r.targets(), p.alone[i].targets()) {
			return false
		}
	}
	return true
}

// inPlace reports whether the method, in one state, changes the map and also what a pointer in
// it points to. A loop that tries again would do the latter twice.
func (p *repairer) inPlace() bool {
	for i, r := range p.alone {
		before := p.start(p.states[i], nil)
		if !slices.EqualFunc(r.contents, before.contents, value.Equal) && !slices.Equal(r.targets(), before.targets()) {
			return true
		}
	}
	return false
}

// nothing reports whether the method changes nothing and returns the same in all states.
func (p *repairer) nothing() bool {
	for i, r := range p.alone {
		before := p.start(p.states[i], nil)
		if !slices.EqualFunc(r.contents, before.contents, value.Equal) || !slices.Equal(r.targets(), before.targets()) ||
			!r.result.Equal(p.alone[0].result) {
			return false
		}
	}
	return true
}

// targets returns what the pointers in Options.Values point to after the run.
func (r *run) targets() (list []string) {
	for _, v := range r.x.values {
		if p := reflect.ValueOf(r.names.goValue(v)); p.Kind() == reflect.Pointer && !p.IsNil() {
			inside := names{inside: true}
			list = append(list, inside.text(p.Elem(), 1))
		}
	}
	return list
}
