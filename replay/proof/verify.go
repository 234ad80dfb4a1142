package proof

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// A certificate has no more configurations than these bounds allow: so many steps to find
// them, and so many bytes.
const (
	mostSteps = 1 << 21
	mostBytes = 1 << 22
)

// Verify checks a certificate. If history is nil, it checks that no order of the operations in the
// certificate is a linearization of them. Otherwise it also checks that they are those of the history,
// which is in leadline's own format as convert writes it, and that what was left out does not matter:
// then the history is not linearizable. See the package documentation. It returns an error for a
// certificate that proves nothing, and whatever the error, the history may or may not be linearizable.
//
// A certificate with a witness claims that the history is linearizable, and needs it.
//
// It takes O(c n) steps of the model for c configurations and n operations, and O(n + e) for the history
// and its e edges, once for each operation from which an edge of the certificate leads.
func Verify(text, history []byte) (claim string, err error) {
	c, err := parse(text)
	if err != nil {
		return "", err
	}
	if c.Witness != nil {
		return fmt.Sprintf("history %q is linearizable as a %s, as the order of its operations shows", c.History, c.Model), c.checkWitness(history)
	}
	if err := c.checkSet(); err != nil {
		return "", err
	}
	n := len(c.ops)
	if history == nil {
		return fmt.Sprintf("its %d operations have no linearization as a %s (%d configurations); whether they are those of a history was not checked, since none was given", n, c.Model, len(c.set)), nil
	}
	r, err := c.historyOf(history)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("history %q is not linearizable as a %s: %d of its %d operations have no linearization (%d configurations), and the others may be left out",
		c.History, c.Model, n, len(r.ops), len(c.set)), c.checkLeftOut(r)
}

// historyOf reads the history of the certificate.
func (c *certificate) historyOf(history []byte) (*record, error) {
	if c.SHA256 != sum(history) {
		return nil, errors.New("the certificate is of another history: the SHA-256 of this one, as convert writes it, is " + sum(history))
	}
	r, err := read(history)
	if err == nil && (r.model != c.Model || !slices.Equal(r.args, c.Args)) {
		err = fmt.Errorf("the history is of the model %s%q, and the certificate of %s%q", r.model, r.args, c.Model, c.Args)
	}
	return r, err
}

// checkSet checks that the set has the start and no end, and that it is closed: that it has each
// configuration that the start leads to. Others in it do not matter.
func (c *certificate) checkSet() error {
	known := map[string]bool{}
	for i := range c.set {
		known[textOf(&c.set[i])] = true
	}
	needed, err := c.reachable()
	if err != nil {
		return err
	}
	for i := range needed {
		if key := textOf(&needed[i]); !known[key] {
			return fmt.Errorf("the set lacks %s", key)
		}
	}
	return nil
}

// reachable returns the configurations that the start leads to. It returns an error if one of them is
// an end, or if there are too many.
func (c *certificate) reachable() ([]configuration, error) {
	set := []configuration{{State: append(state{}, c.model.start...)}}
	seen := map[string]bool{textOf(&set[0]): true}
	steps, size := 0, 0
	for i := 0; i < len(set); i++ {
		if c.isEnd(&set[i]) {
			return nil, errors.New("these operations have a linearization")
		}
		for _, next := range c.after(&set[i]) {
			if key := textOf(&next); !seen[key] {
				seen[key] = true
				set = append(set, next)
				size += len(key)
			}
		}
		if steps += len(c.ops); steps > mostSteps || size > mostBytes {
			return nil, fmt.Errorf("more than %d configurations of %d operations", i, len(c.ops))
		}
	}
	return set, nil
}

// isEnd reports whether nothing has to follow a configuration.
func (c *certificate) isEnd(now *configuration) bool {
	for place := range c.ops {
		if !now.has(place) && !c.ops[place].isOpen() {
			return false
		}
	}
	return true
}

// after returns the configurations that follow one: an operation that is not done, and before which all
// are that come before it, is done with its result.
func (c *certificate) after(now *configuration) (all []configuration) {
	due := math.MaxInt // the first response of what is not done
	for place := range c.ops {
		if o := &c.ops[place]; o.Return > 0 && !now.has(place) {
			due = min(due, o.Return)
		}
	}
	for place := range c.ops {
		o := &c.ops[place]
		if now.has(place) || o.Call > due || slices.ContainsFunc(c.before[place], func(from int) bool { return !now.has(from) }) {
			continue
		}
		next, result, ok := c.model.step(now.State, o)
		if ok && o.accepts(result) {
			all = append(all, now.with(place, next))
		}
	}
	return all
}

// cut returns the history up to the events that are considered.
func (c *certificate) cut(r *record) ([]operation, error) {
	if c.Of != r.events || c.Until < 1 || c.Until > r.events {
		return nil, errors.New("the history has another number of events")
	}
	var all []operation
	for i, o := range r.ops {
		if r.failed[i] || o.Call > c.Until {
			continue
		}
		if o.Return > c.Until {
			o.Return, o.Result, o.Unknown, o.Threw = 0, "", false, false
		}
		o.Happened = o.Happened && o.Return == 0 && c.Until == r.events // later, perhaps
		o.isDue = len(r.out[i]) > 0
		o, err := c.model.named(o)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// checkLeftOut checks that the operations are those of the history, and that a rule allows leaving
// out each of the others.
func (c *certificate) checkLeftOut(r *record) error {
	all, err := c.cut(r)
	if err != nil {
		return err
	}
	kept := 0
	for i := range all {
		o := &all[i]
		projected := c.project(*o)
		isKept := kept < len(c.ops) && c.ops[kept].Number == o.Number
		switch {
		case !isKept && projected != nil && !c.mayLeave(projected):
			return fmt.Errorf("operation %d, %s, may matter", o.Number, o.Method)
		case !isKept:
			continue
		case projected == nil || textOf(projected) != textOf(&c.ops[kept]):
			return fmt.Errorf("operation %d is another one in the history", o.Number)
		case !c.mayKeep(projected):
			return fmt.Errorf("operation %d, %s, may depend on what was left out", o.Number, o.Method)
		}
		kept++
	}
	if kept < len(c.ops) {
		return fmt.Errorf("operation %d is not in the history", c.ops[kept].Number)
	}
	return c.checkEdges(r, all)
}

// has reports whether operations about a key or value were kept.
func (c *certificate) has(v value) bool { return c.Only == nil || slices.Contains(*c.Only, v) }

// project returns an operation without what was left out, or nil if nothing is left.
func (c *certificate) project(o operation) *operation {
	if c.model.project == nil || c.Only == nil {
		return &o
	}
	return c.model.project(o, c.has)
}

// mayLeave reports whether an operation may be left out: it changes nothing, or is only about keys or
// values that were left out.
func (c *certificate) mayLeave(o *operation) bool {
	f := c.model.facts(o)
	return f.reads || len(f.about) > 0 && !slices.ContainsFunc(f.about, c.has)
}

// mayKeep reports whether an operation may be kept: it is only about keys or values that were kept, and
// others do not matter to it.
func (c *certificate) mayKeep(o *operation) bool {
	f := c.model.facts(o)
	return c.Only == nil || f.apart && !slices.ContainsFunc(f.about, func(v value) bool { return !c.has(v) })
}

// checkEdges checks that the edges of the certificate hold: that real time and the edges of the
// history have their order.
func (c *certificate) checkEdges(r *record, all []operation) error {
	from, reached := -1, map[int]bool{}
	for _, e := range c.edges { // mostly by their beginnings
		if n := c.ops[e[0]].Number; n != from {
			from, reached = n, r.reachedFrom(n, all)
		}
		if to := c.ops[e[1]].Number; !reached[to] {
			return fmt.Errorf("operation %d does not have to come before operation %d", from, to)
		}
	}
	return nil
}

// reachedFrom returns the numbers of the operations that come after one, of all, which are in the
// order of their invocations.
func (r *record) reachedFrom(from int, all []operation) map[int]bool {
	place := map[int]int{}
	for i := range all {
		place[all[i].Number] = i
	}
	reached, todo := map[int]bool{}, []int{from}
	for next := len(all); len(todo) > 0; { // all from next on are reached, since they are invoked later
		at, isThere := place[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if !isThere {
			continue
		}
		after := r.out[all[at].Number]
		for ret := all[at].Return; ret > 0 && next > 0 && all[next-1].Call > ret; {
			next--
			after = append(slices.Clip(after), all[next].Number)
		}
		for _, to := range after {
			if !reached[to] {
				reached[to] = true
				todo = append(todo, to)
			}
		}
	}
	return reached
}

// checkWitness replays the witness on the model.
func (c *certificate) checkWitness(history []byte) error {
	if history == nil {
		return errors.New("a witness needs the history")
	}
	r, err := c.historyOf(history)
	if err != nil {
		return err
	}
	place, s, latest := map[int]int{}, c.model.start, 0
	for k, i := range c.Witness {
		if i < 0 || i >= len(r.ops) || r.failed[i] || place[i] > 0 {
			return fmt.Errorf("place %d of the witness has no operation, or repeats one", k)
		}
		o, err := c.model.named(r.ops[i])
		if err != nil {
			return err
		}
		if o.Return > 0 && o.Return < latest {
			return fmt.Errorf("operation %d follows one that was invoked after its response", i)
		}
		place[i], latest = k+1, max(latest, o.Call)
		next, result, ok := c.model.step(s, &o)
		if !ok && o.isOpen() {
			continue
		}
		if !ok || !o.accepts(result) {
			return fmt.Errorf("operation %d, %s, cannot follow", i, o.Method)
		}
		s = next
	}
	for i := range r.ops {
		if place[i] == 0 && !r.failed[i] {
			return fmt.Errorf("the witness lacks operation %d", i)
		}
	}
	for _, e := range r.edges {
		if place[e[0]] > place[e[1]] && place[e[1]] > 0 {
			return errors.New("an edge of the history is not respected")
		}
	}
	return nil
}
