package composed

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A candidate is a method that may be a repair.
type candidate struct {
	method func(*run) any
	text   func() string // is called when the method has run in all states
}

// candidates returns all single operations with the keys and values that the method uses,
// those without a result first, and then the loop.
func (p *repairer) candidates() (all []candidate) {
	rows := slices.Clone(p.x.c.operations)
	slices.SortStableFunc(rows, func(a, b operation) int { return len(a.absent+a.present) - len(b.absent+b.present) })
	var keys []literal
	for _, k := range p.keys {
		keys = append(keys, literal{k, func() any { return p.alone[0].names.goValue(k) }})
	}
	for i := range rows {
		if rows[i].name == "Range" {
			continue // is several operations
		}
		calls, params := [][]literal{nil}, rows[i].params
		if params == allKeys {
			calls, params = [][]literal{keys}, ""
		}
		for _, kind := range params {
			pool := p.values
			if kind == 'k' {
				pool = keys
			}
			var longer [][]literal
			for _, args := range calls {
				for _, l := range pool {
					longer = append(longer, append(slices.Clone(args), l))
				}
			}
			calls = longer
		}
		for _, args := range calls {
			if rows[i].name == "CompareAndSwap" && args[1].Equal(args[2].value) {
				continue
			}
			if c, ok := p.single(&rows[i], args); ok {
				all = append(all, c)
			}
		}
	}
	if p.x.c == mapCollection && len(p.used) == 1 && !p.inPlace() {
		all = append(all, p.loop(p.used[0]))
	}
	return all
}

// A form is a way to make a part of the method's result from the result of an operation.
type form struct {
	text string
	of   func(result any, found bool) any
}

// endings returns what an operation does if it finds or changes something, and otherwise.
func (o *operation) endings() (found, not string) {
	switch o.absent {
	case "":
		return "succeeds", "fails"
	case "stored":
		return "loads", "stores"
	}
	return "finds one", "finds none"
}

// forms returns the forms that can make the given results of the method, one for each state,
// from those of an operation. The constants are the first result, and the first one that
// differs from it.
func (o *operation) forms(results []any) []form {
	yes, no := o.endings()
	list := []form{
		{"whether it " + yes, func(_ any, found bool) any { return found }},
		{"whether it " + no, func(_ any, found bool) any { return !found }},
		{"its value", func(result any, _ bool) any { return result }},
	}
	either := func(text, other string, of func(any) any, otherwise any) {
		list = append(list, form{text + " if it " + yes + " and " + other + " if it " + no, func(result any, found bool) any {
			if found {
				return of(result)
			}
			return otherwise
		}})
	}
	n := names{own: true}
	at := max(0, slices.IndexFunc(results, func(v any) bool { return !n.value(v).Equal(n.value(results[0])) }))
	a, b := results[0], results[at]
	first, isConstant := constant(a, results)
	second, isConstantToo := constant(b, results)
	if isConstant {
		list = append([]form{{first, func(any, bool) any { return a }}}, list...)
		either("its value", first, func(result any) any { return result }, a)
	}
	if isConstantToo {
		either("its value", second, func(result any) any { return result }, b)
	}
	if isConstant && isConstantToo {
		either(first, second, func(any) any { return a }, b)
		either(second, first, func(any) any { return b }, a)
	}
	return list
}

// constant returns the text of a result, and whether it can be a constant. A pointer can if the
// method returned it in two states, such as an error that is a variable.
func constant(v any, results []any) (text string, ok bool) {
	n := names{own: true}
	name := n.value(v)
	if !isOwn(name) {
		return valueText(name), true
	}
	times := 0
	for _, r := range results {
		if reflect.ValueOf(v).Comparable() && reflect.ValueOf(r).Comparable() && r == v {
			times++
		}
	}
	if err, isError := v.(error); isError {
		return fmt.Sprintf("the error %q", err.Error()), times > 1
	}
	return valueText(name), times > 1
}

// An outcome is a run of one operation in a state, its result, and whether it found or changed
// something.
type outcome struct {
	run    *run
	result any
	found  bool
}

// single returns the method that runs one operation, if its result determines the method's in
// all states.
func (p *repairer) single(o *operation, args []literal) (candidate, bool) {
	outcomes := make([]outcome, len(p.states))
	for i, state := range p.states {
		out := &outcomes[i]
		out.run = p.start(state, func(r *run) any {
			out.result, out.found = r.perform(o, args)
			return nil
		})
		if len(out.run.contents) != len(p.alone[i].contents) || out.run.result.Kind() == history.Exception {
			return candidate{}, false
		}
	}
	_, isList := p.alone[0].returned.([]any)
	chosen := make([]form, len(parts(p.alone[0].returned)))
	var texts []string
	for i := range chosen {
		var ok bool
		if chosen[i], ok = p.form(o, outcomes, i, len(chosen)); !ok {
			return candidate{}, false
		}
		if isList || chosen[i].text != "nil" {
			texts = append(texts, chosen[i].text)
		}
	}
	inv := replay.Invocation{Method: o.name}
	for _, l := range args {
		if o.params != allKeys {
			inv.Args = append(inv.Args, l.value)
		}
	}
	text := callText(inv)
	if len(texts) > 0 {
		text += ", and return " + strings.Join(texts, ", ")
	}
	return candidate{func(r *run) any {
		result, found := r.perform(o, args)
		all := make([]any, len(chosen))
		for i, f := range chosen {
			all[i] = f.of(result, found)
		}
		if !isList {
			return all[0]
		}
		return all
	}, func() string { return text }}, true
}

// form returns the first form that makes part i of n of the method's results.
func (p *repairer) form(o *operation, outcomes []outcome, i, n int) (form, bool) {
	var results []any
	for _, r := range p.alone {
		list := parts(r.returned)
		if len(list) != n {
			return form{}, false
		}
		results = append(results, list[i])
	}
	all := o.forms(results)
	at := slices.IndexFunc(all, func(f form) bool {
		for j, out := range outcomes {
			if !out.run.names.value(f.of(out.result, out.found)).Equal(p.alone[j].names.value(results[j])) {
				return false
			}
		}
		return true
	})
	if at < 0 {
		return form{}, false
	}
	return all[at], true
}

// parts returns the results of a method, which returns several as []any.
func parts(returned any) []any {
	if list, ok := returned.([]any); ok {
		return list
	}
	return []any{returned}
}

// perform runs an operation. It returns its result, and whether it found or changed something.
func (r *run) perform(o *operation, args []literal) (result any, found bool) {
	list := make([]any, len(args))
	for i, l := range args {
		if list[i] = l.goValue(); o.params == allKeys || o.params[i] != 'v' {
			list[i] = hashable(list[i])
		}
	}
	v := r.do(o.name, list...)
	switch {
	case o.absent == "" && v.Kind() == history.Bool:
		return v.Bool(), v.Bool()
	case v.Kind() != history.Null && o.present != "":
		return r.names.goValue(v), true
	case o.name == "LoadOrStore":
		return list[1], false
	}
	return nil, false
}

// loop returns the method that loads the key, runs the method under test on a map of its own
// that has this value only, and writes the new value if the key still has the old one.
// Otherwise it tries again.
func (p *repairer) loop(key value) candidate {
	k := p.alone[0].names.goValue(key)
	var used []string
	write := func(m mapOf, old any, found bool, s *run, was value) bool {
		is := s.state.do("get", s.names.value(k))
		name, done := "", true
		switch present := is.Kind() != history.Null; {
		case found == present && is.Equal(was):
		case !present:
			name, done = "CompareAndDelete", m.CompareAndDelete(k, old)
		case !found:
			_, loaded := m.LoadOrStore(k, s.names.goValue(is))
			name, done = "LoadOrStore", !loaded
		default:
			name, done = "CompareAndSwap", m.CompareAndSwap(k, old, s.names.goValue(is))
		}
		if name != "" && !slices.Contains(used, name) {
			used = append(used, name)
		}
		return done
	}
	return candidate{func(r *run) any {
		for {
			m := mapOf{r}
			old, found := m.Load(k)
			s := &run{x: p.x, state: p.x.fresh(), point: -1}
			s.names.value(k)
			was := history.NullValue
			if found {
				was = s.names.value(old)
				s.state.do("put", s.names.value(k), was)
			}
			s.names.own = true
			s.call(p.x.method)
			if s.result.Kind() == history.Exception {
				panic(s.result.Text())
			}
			if !s.pending && write(m, old, found, s, was) {
				return s.returned
			}
		}
	}, func() string {
		if slices.Sort(used); len(used) == 0 {
			return fmt.Sprintf("Load(%s) once, and compute the result from its value", valueText(key))
		}
		return fmt.Sprintf("in a loop, Load(%s) and compute the new value, and write it by %s; if that fails, try again",
			valueText(key), strings.Join(used, " or "))
	}}
}
