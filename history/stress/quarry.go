package stress

import (
	"errors"
	"fmt"
	"iter"
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
	if programs := h.options.Programs; len(programs) > 0 {
		return []*quarry{{stop: func() {}, next: func() *Program {
			if len(programs) == 0 {
				return nil
			}
			p := programs[0]
			programs = programs[1:]
			return p
		}}}, nil
	}
	var names []string
	core := false
	for _, m := range h.class.Methods {
		core = core || m.Core
		if !m.Core && !m.Weak {
			names = append(names, m.Name)
		}
	}
	if core || len(names) == 0 {
		names = append(names, "") // the core methods among themselves
	} else {
		names = []string{""}
	}
	if h.options.Methods != nil {
		names = h.options.Methods
	}
	for _, name := range names {
		if name != "" && h.class.Method(name) == nil {
			return nil, fmt.Errorf("%s has no method %s", h.class.Name, name)
		}
	}
	var list []*quarry
	if h.options.Exhaustive {
		return h.enumerations(names)
	}
	for i, name := range names {
		g, err := NewGenerator(h.class, GeneratorOptions{Bounds: h.options.Bounds, Target: h.class.Method(name), CoreOnly: core && name == "", Seed: h.options.Seed + uint64(i)<<32})
		if err != nil {
			if name == "" && len(names) > 1 {
				continue // core methods that only look cannot be wrong
			}
			return nil, err
		}
		list = append(list, &quarry{method: name, next: g.Next, stop: func() {}})
	}
	if h.options.Hunting != nil {
		h.options.Hunting(names)
	}
	if len(list) == 0 {
		return nil, errors.New("no programs can be generated for " + h.class.Name)
	}
	return list, nil
}

func (h *hunter) expected(p *Program) (*Expected, error) {
	if h.options.BySpec {
		return NewExpectedOf(h.class.Spec, h.class, p)
	}
	return NewExpected(h.class, p)
}

// maxGenerated is up to how many enumerated programs are counted.
const maxGenerated = 1 << 22

// enumerations returns quarries of which all programs are run.
func (h *hunter) enumerations(names []string) ([]*quarry, error) {
	if err := h.options.Bounds.Validate(); err != nil {
		return nil, err
	}
	var list []*quarry
	for _, name := range names {
		all := Enumerate(h.class, h.class.Method(name), h.options.Bounds)
		q := &quarry{method: name}
		for range all {
			if q.generated++; q.generated == maxGenerated {
				break
			}
		}
		next, stop := iter.Pull(all)
		q.next, q.stop = func() *Program { p, _ := next(); return p }, stop
		list = append(list, q)
	}
	if h.options.Hunting != nil {
		h.options.Hunting(names)
	}
	return list, nil
}
