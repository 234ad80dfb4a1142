package stress

import (
	"fmt"
	"iter"
	"slices"
)

// A quarry is a method to be blamed, with the programs that call it.
type quarry struct {
	method    string
	next      func() *Program // nil when there are no more
	stop      func()          // of next
	explored  int
	generated int
	caught    bool
}

// quarries returns what is to be hunted.
func (h *hunter) quarries() ([]*quarry, error) {
	if len(h.options.Programs) > 0 {
		return []*quarry{given(h.options.Programs)}, nil
	}
	names, err := h.suspects()
	if err != nil {
		return nil, err
	}
	programs := h.drawn
	if h.options.Exhaustive {
		programs = h.enumerated
	}
	var list []*quarry
	for i, name := range names {
		q, err := programs(name, uint64(i))
		switch {
		case err == nil:
			list = append(list, q)
		case name != "" || len(names) == 1: // core methods that only look cannot be wrong
			return nil, err
		}
	}
	if h.options.Hunting != nil {
		h.options.Hunting(names)
	}
	return list, nil
}

// suspects returns the names of the methods to be blamed, "" for the core
// methods among themselves, or for all together where none is core.
func (h *hunter) suspects() ([]string, error) {
	if len(h.options.Methods) > 0 {
		for _, name := range h.options.Methods {
			if name != "" && h.class.Method(name) == nil {
				return nil, fmt.Errorf("%s has no method %s", h.class.Name, name)
			}
		}
		return h.options.Methods, nil
	}
	var names []string
	if h.hasCore() {
		for _, m := range h.class.Methods {
			if !m.Core && !m.Weak {
				names = append(names, m.Name)
			}
		}
	}
	return append(names, ""), nil
}

func (h *hunter) hasCore() bool {
	return slices.ContainsFunc(h.class.Methods, func(m *Method) bool { return m.Core })
}

// given is a quarry of these programs, once each.
func given(programs []*Program) *quarry {
	next, stop := iter.Pull(slices.Values(programs))
	return &quarry{next: orNil(next), stop: stop}
}

func orNil(next func() (*Program, bool)) func() *Program {
	return func() *Program { p, _ := next(); return p }
}

// suspect returns the only method of a program that is neither core nor weak,
// "" if there is none, or several, or no method is core.
func (h *hunter) suspect(p *Program) string {
	name := ""
	for _, inv := range p.All() {
		switch m := inv.Method; {
		case m.Core || m.Weak || m.Name == name:
		case name == "" && h.hasCore():
			name = m.Name
		default:
			return ""
		}
	}
	return name
}

// drawn is a quarry of random programs.
func (h *hunter) drawn(name string, i uint64) (*quarry, error) {
	g, err := NewGenerator(h.class, GeneratorOptions{Bounds: h.options.Bounds, Target: h.class.Method(name),
		CoreOnly: h.hasCore() && name == "", Seed: h.options.Seed + i<<32})
	if err != nil {
		return nil, err
	}
	return &quarry{method: name, next: g.Next, stop: func() {}}, nil
}

// maxGenerated is up to how many enumerated programs are counted.
const maxGenerated = 1 << 22

// enumerated is a quarry of all programs within the bounds.
func (h *hunter) enumerated(name string, _ uint64) (*quarry, error) {
	if err := h.options.Bounds.Validate(); err != nil {
		return nil, err
	}
	all := Enumerate(h.class, h.class.Method(name), h.options.Bounds)
	q := &quarry{method: name}
	for range all {
		if q.generated++; q.generated == maxGenerated {
			break
		}
	}
	next, stop := iter.Pull(all)
	q.next, q.stop = orNil(next), stop
	return q, nil
}
