package stress

import (
	"slices"
	"strconv"
	"time"

	"github.com/leadline/leadline/history"
)

// reduceTime bounds the reduction of a program.
const reduceTime = 10 * time.Second

// reduce makes the program of a finding smaller as long as a smaller one
// still has an unexpected outcome when it is run again, several times as long
// as that should take.
func (h *hunter) reduce(f *Finding) {
	end := time.Now().Add(reduceTime)
	for again := true; again; {
		again = false
		for _, p := range smaller(f.Program) {
			if h.ctx.Err() != nil || time.Now().After(end) {
				return
			}
			if smallerFinding := h.retry(f, p); smallerFinding != nil {
				*f = *smallerFinding
				again = true
				break
			}
		}
	}
}

// retry runs a smaller program; it returns nil if nothing was seen.
func (h *hunter) retry(f *Finding, p *Program) *Finding {
	h.starting(f.Method, p)
	expected, err := h.expected(p)
	if err != nil {
		return nil
	}
	run := h.run(p, RunOptions{Time: 3 * recordFor(f), Seed: h.options.Seed + 2, Stop: expected})
	found := h.judge(p, run, expected)
	if found == nil {
		return nil
	}
	found.Method, found.Explored, found.Generated, found.Elapsed = f.Method, f.Explored, f.Generated, f.Elapsed
	if found.Method != "" && !calls(p, found.Method) {
		found.Method = "" // somebody else is to blame
	}
	if h.confirm(found) != nil {
		return nil
	}
	return found
}

func calls(p *Program, method string) bool {
	return slices.ContainsFunc(p.All(), func(inv Invocation) bool { return inv.Method.Name == method })
}

// smaller returns the programs with one invocation less, or with one order
// less between sequences, or with a lesser argument.
func smaller(p *Program) []*Program {
	var list []*Program
	for i := range p.Initial {
		q := p.clone()
		q.Initial = slices.Delete(q.Initial, i, i+1)
		list = append(list, q)
	}
	for i := range p.Final {
		q := p.clone()
		q.Final = slices.Delete(q.Final, i, i+1)
		list = append(list, q)
	}
	for s, sequence := range p.Sequences {
		for i := range sequence {
			q := p.clone()
			q.Sequences[s] = slices.Delete(q.Sequences[s], i, i+1)
			if len(q.Sequences[s]) > 0 {
				list = append(list, q)
			} else if len(p.Sequences) > 2 {
				q.dropSequence(s)
				list = append(list, q)
			}
		}
	}
	for i := range p.Order {
		q := p.clone()
		q.Order = slices.Delete(q.Order, i, i+1)
		list = append(list, q)
	}
	for i, inv := range p.All() {
		for a, v := range inv.Args {
			for _, less := range lesser(v) {
				q := p.clone()
				changed := q.at(i)
				changed.Args = slices.Clone(changed.Args)
				changed.Args[a] = less
				list = append(list, q)
			}
		}
	}
	return list
}

// lesser returns the values that come next below an argument: the number before
// it, also as a text, a collection without one of its elements.
func lesser(v history.Value) []history.Value {
	var list []history.Value
	switch v.Kind() {
	case history.Int:
		if v.Int() > 0 {
			list = append(list, history.IntValue(v.Int()-1))
		}
	case history.String:
		if n, err := strconv.Atoi(v.Text()); err == nil && n > 0 {
			list = append(list, history.StringValue(strconv.Itoa(n-1)))
		}
	case history.List:
		for i := range v.List() {
			list = append(list, history.ListValue(slices.Delete(slices.Clone(v.List()), i, i+1)...))
		}
	case history.Map:
		for i := 0; i < len(v.List()); i += 2 {
			m, _ := history.MapValue(slices.Delete(slices.Clone(v.List()), i, i+2)...)
			list = append(list, m)
		}
	}
	return list
}

func (p *Program) clone() *Program {
	q := &Program{Initial: slices.Clone(p.Initial), Order: slices.Clone(p.Order), Final: slices.Clone(p.Final)}
	for _, s := range p.Sequences {
		q.Sequences = append(q.Sequences, slices.Clone(s))
	}
	return q
}

// at returns the i-th invocation of All.
func (p *Program) at(i int) *Invocation {
	if i < len(p.Initial) {
		return &p.Initial[i]
	}
	i -= len(p.Initial)
	for _, s := range p.Sequences {
		if i < len(s) {
			return &s[i]
		}
		i -= len(s)
	}
	return &p.Final[i]
}

// dropSequence drops sequence s, which is empty. What was ordered through it
// no longer is.
func (p *Program) dropSequence(s int) {
	p.Sequences = slices.Delete(p.Sequences, s, s+1)
	var order [][2]int
	for _, o := range p.Order {
		if o[0] == s || o[1] == s {
			continue
		}
		for i := range o {
			if o[i] > s {
				o[i]--
			}
		}
		order = append(order, o)
	}
	p.Order = order
}
