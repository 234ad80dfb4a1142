package proof

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// Make gives up on longer histories, and on certificates with more operations if there are edges,
// because it adds an edge for each pair.
const (
	mostOperations = 1 << 17
	mostWithEdges  = 1 << 7
)

// A Hint says which operations of a history fail together. Make adds what no rule allows leaving out.
type Hint struct {
	Core  []int    // numbers of operations, by invocation
	Until int      // the number of events up to which they fail; 0 means all
	Only  []string // keys or values that matter, in JSON; nil: those of Core
}

// Make returns a certificate that a history is not linearizable; the history is in leadline's own
// format, as convert writes it. Verify accepts each certificate that Make returns. It returns an error
// if there is none: the history has a model or an event that this package does not know, the
// operations do not fail, or the certificate would be too large.
func Make(history []byte, hint Hint) ([]byte, error) {
	r, err := read(history)
	if err != nil {
		return nil, err
	} else if len(r.ops) > mostOperations {
		return nil, fmt.Errorf("more than %d operations", mostOperations)
	}
	c := &certificate{claim: claim{Certificate: 1, History: r.id, SHA256: sum(history), Model: r.model, Args: r.args, Until: cmp.Or(hint.Until, r.events), Of: r.events}}
	if err := c.open(); err != nil {
		return nil, err
	}
	all, err := c.cut(r)
	if err != nil {
		return nil, err
	}
	core, every, only := map[int]bool{}, map[int]bool{}, make(state, len(hint.Only))
	for _, i := range hint.Core {
		core[i] = true
	}
	for i, text := range hint.Only {
		if err := json.Unmarshal([]byte(text), &only[i]); err != nil {
			return nil, err
		}
	}
	for _, o := range all {
		if every[o.Number] = true; core[o.Number] && hint.Only == nil {
			only = append(only, c.model.facts(&o).about...)
		}
	}
	slices.Sort(only)
	only = slices.Compact(only)
	// Fewer operations are tried first. Reads that are not in the core may show a state that was before.
	if err = c.choose(r, all, core, &only); err != nil {
		if err = c.choose(r, all, core, nil); err != nil {
			err = c.choose(r, all, every, nil)
		}
	}
	if err != nil {
		return nil, err
	}
	return c.text(), nil
}

// choose keeps the core and what cannot be left out, and finds the closed set. It adds to only what
// the operations are about that cannot be left out.
func (c *certificate) choose(r *record, all []operation, core map[int]bool, only *state) (err error) {
	c.ops, c.edges, c.Only = nil, nil, only
	for n := -1; n != len(c.ops); {
		n, c.ops = len(c.ops), nil
		for _, o := range all {
			p := c.project(o)
			if p == nil || !core[o.Number] && c.mayLeave(p) {
				continue
			}
			c.ops = append(c.ops, *p)
			for _, v := range c.model.facts(p).about {
				if !c.has(v) {
					*c.Only = append(*c.Only, v)
				}
			}
		}
	}
	if len(r.edges) > 0 && len(c.ops) > mostWithEdges {
		return fmt.Errorf("more than %d operations, with edges", mostWithEdges)
	} else if len(r.edges) > 0 {
		c.addEdges(r, all)
	}
	if err := c.connect(); err != nil {
		return err
	}
	if err := c.checkLeftOut(r); err != nil {
		return err
	}
	c.set, err = c.reachable()
	return err
}

// addEdges adds all edges between operations that are not in real time anyway.
func (c *certificate) addEdges(r *record, all []operation) {
	for i := range c.ops {
		after := r.reachedFrom(c.ops[i].Number, all)
		for k := range c.ops {
			if i != k && after[c.ops[k].Number] && !c.ops[i].precedes(&c.ops[k]) {
				c.edges = append(c.edges, [2]int{i, k})
			}
		}
	}
}
