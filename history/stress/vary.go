package stress

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/history"
)

// Variations are the programs of a violation with other arguments (figure 8 of "Exposing
// Non-Atomic Methods of Concurrent Objects").
type Variations struct {
	// Tried has the programs that were run, the one of the violation first.
	Tried []Variation `json:"tried"`
	// Untried is how many were not run within the time.
	Untried int `json:"untried,omitempty"`
	// Pattern is what the arguments of exactly those programs have in common that show a
	// violation, as far as one or two comparisons of arguments say so. It is empty if none do.
	Pattern string `json:"pattern,omitempty"`
}

// A Variation is one of these programs. That no violation was seen in its executions, or
// schedules, means little if they are few.
type Variation struct {
	Program    string `json:"program"`
	Seen       bool   `json:"seen"`
	Executions int64  `json:"executions,omitempty"` // if no violation was seen
}

// variationTime bounds the time for the variations of a program, and mostVariations their number.
const variationTime, mostVariations = 2 * time.Second, 64

// An argumentPlace is an argument of an invocation, by the numbers of both.
type argumentPlace struct{ invocation, argument int }

// vary runs the program of a finding with other arguments: numbers and strings, of two values. It
// returns nil if no other arguments exist, or more than mostVariations.
func (s *searcher) vary(f *Finding) *Variations {
	p := f.Seen.Expected.Program
	places, programs := variations(p)
	if len(programs) < 2 || f.Fault != "" {
		return nil
	}
	v := &Variations{}
	var tried []*Program
	s.bounded(min(variationTime, s.left()), func() {
		for n, q := range programs {
			if n > 0 && (s.ctx.Err() != nil || s.left() <= 0) {
				v.Untried = len(programs) - n
				return
			}
			before := s.report.Executions
			seen := n == 0 || s.retry(f, q) != nil
			one := Variation{Program: q.String(), Seen: seen}
			if !seen {
				if one.Executions = s.report.Executions - before; one.Executions == 0 {
					v.Untried++ // its sequential runs differ, say
					continue
				}
			}
			v.Tried, tried = append(v.Tried, one), append(tried, q)
		}
	})
	if len(v.Tried) < 2 {
		return nil
	}
	v.Pattern = pattern(places, tried, v.Tried)
	return v
}

// variations returns the arguments that vary, and all programs with other ones: those with
// fewer changes first, and none if they are too many.
func variations(p *Program) (places []argumentPlace, programs []*Program) {
	programs = []*Program{p}
	for i, inv := range p.All() {
		for a, v := range inv.Args {
			choices := slices.DeleteFunc(inv.Method.Params[a].All(2), func(c history.Value) bool { return c.Kind() != v.Kind() || c.Equal(v) })
			if v.Kind() != history.Int && v.Kind() != history.String || len(choices) == 0 {
				continue
			}
			places = append(places, argumentPlace{i, a})
			for _, q := range slices.Clone(programs) {
				for _, c := range choices {
					other := q.clone()
					changed := other.at(i)
					changed.Args = slices.Clone(changed.Args)
					changed.Args[a] = c
					programs = append(programs, other)
				}
			}
			if len(programs) > mostVariations {
				return nil, nil
			}
		}
	}
	changes := func(q *Program) (n int) {
		for _, at := range places {
			if !q.at(at.invocation).Args[at.argument].Equal(p.at(at.invocation).Args[at.argument]) {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(programs, func(a, b *Program) int { return cmp.Compare(changes(a), changes(b)) })
	return places, programs
}

// A comparison is a condition on the arguments of a program.
type comparison struct {
	text  string
	holds func(p *Program) bool
}

// comparisons compares each argument with the values of the first program, and each two arguments.
func comparisons(places []argumentPlace, all []Invocation) (list []comparison) {
	name := func(at argumentPlace) string {
		return fmt.Sprintf("argument %d of call %d (%s)", at.argument+1, at.invocation+1, all[at.invocation].Method.Name)
	}
	value := func(p *Program, at argumentPlace) history.Value { return p.at(at.invocation).Args[at.argument] }
	for i, a := range places {
		for _, b := range places[i+1:] {
			for _, r := range []struct {
				text  string
				holds func(n int) bool
			}{{"=", func(n int) bool { return n == 0 }}, {"<", func(n int) bool { return n < 0 }}, {">", func(n int) bool { return n > 0 }}, {"differs from", func(n int) bool { return n != 0 }}} {
				if all[a.invocation].Args[a.argument].Kind() != all[b.invocation].Args[b.argument].Kind() {
					continue
				}
				list = append(list, comparison{name(a) + " " + r.text + " " + name(b), func(p *Program) bool { return r.holds(value(p, a).Compare(value(p, b))) }})
			}
		}
	}
	for _, a := range places {
		own := all[a.invocation].Args[a.argument]
		list = append(list, comparison{fmt.Sprintf("%s is %v", name(a), own), func(p *Program) bool { return value(p, a).Equal(own) }})
	}
	return list
}

// pattern returns the first comparison, or two of them, that hold of exactly those programs that
// show a violation. It is "" if all programs do, or if no two comparisons say which.
func pattern(places []argumentPlace, programs []*Program, tried []Variation) string {
	if !slices.ContainsFunc(tried, func(v Variation) bool { return !v.Seen }) {
		return ""
	}
	list := comparisons(places, programs[0].All())
	separates := func(some ...comparison) bool {
		for i, p := range programs {
			if tried[i].Seen == slices.ContainsFunc(some, func(c comparison) bool { return !c.holds(p) }) {
				return false
			}
		}
		return true
	}
	for _, c := range list {
		if separates(c) {
			return c.text
		}
	}
	for i, c := range list {
		for _, d := range list[i+1:] {
			if separates(c, d) {
				return c.text + ", and " + d.text
			}
		}
	}
	return ""
}

// String returns a line about the programs that show the violation, "" for nil.
func (v *Variations) String() string {
	if v == nil {
		return ""
	}
	var seen, not []string
	fewest := int64(0)
	for _, t := range v.Tried {
		if t.Seen {
			seen = append(seen, t.Program)
			continue
		}
		if not = append(not, t.Program); fewest == 0 || t.Executions < fewest {
			fewest = t.Executions
		}
	}
	text := fmt.Sprintf("with other arguments: seen with %d of %d choices", len(seen), len(v.Tried))
	if len(not) > 0 {
		text += fmt.Sprintf(" (not in %d or more executions of each other one, such as %s)", fewest, not[0])
	} else if len(seen) > 1 {
		text += ", such as " + seen[1]
	}
	if v.Untried > 0 {
		text += fmt.Sprintf("; %d not tried", v.Untried)
	}
	if v.Pattern != "" {
		text += "; seen exactly where " + v.Pattern
	}
	return strings.TrimSpace(text)
}
