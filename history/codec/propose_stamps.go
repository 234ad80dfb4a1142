package codec

import (
	"slices"

	"github.com/leadline/leadline/history"
)

// stampAt returns the stamp of a record; missing if there is none.
func (p *proposal) stampAt(record int, f *sample) (s stamp, missing bool) {
	if s, ok := f.floats[record]; ok {
		return s, false
	}
	s, fault := (&stamps{zone: "Z"}).read(at(p.records[record], f.path), "")
	return s, fault != ""
}

// sort sets the order of events. Without identifiers of operations, stamps do not count.
func (p *proposal) sort() {
	p.order = make([]int, len(p.records))
	for i := range p.order {
		p.order[i] = i
	}
	if p.id == nil {
		return
	}
	f := p.findStamps()
	if f == nil {
		return
	}
	delete(p.taken, f.path) // until p.stamps takes it
	at := make([]stamp, len(p.records))
	for i := range at {
		at[i], _ = p.stampAt(i, f)
	}
	slices.SortStableFunc(p.order, func(a, b int) int { return compareStamps(at[a], at[b]) })
}

// findStamps returns the field with the stamps of events, and takes it.
func (p *proposal) findStamps() *sample {
	return p.find(atNames, func(f *sample) bool { return f.stamps && len(f.values) == len(p.records) })
}

// stamps proposes a field for the stamps of events, if they are not in order.
func (p *proposal) stamps() {
	f := p.findStamps()
	if f == nil {
		return
	}
	last, sorted, equal := stamp{}, true, false
	for i := range p.records {
		s, _ := p.stampAt(i, f)
		sorted = sorted && (i == 0 || compareStamps(last, s) <= 0)
		equal = equal || i > 0 && last == s
		last = s
	}
	switch {
	case sorted && equal && p.id != nil:
		p.doubt("events are in the order of %s, so that it need not be read; if the order of equal ones does not count, write at=%s", f.path, f.path)
	case sorted:
		p.note("events are in the order of %s, so that it need not be read", f.path)
	case p.id != nil:
		p.entry("at=%s", f.path)
		p.zone(f)
	default:
		p.doubt("events are not in the order of %s; at=%s needs op, an identifier of operations", f.path, f.path)
	}
}

// zone proposes a time zone for dates without one.
func (p *proposal) zone(f *sample) {
	v := f.values[0]
	if _, fault := new(stamps).read(v, "0"); v.Kind() == history.String && fault != "" {
		p.entry("zone=Z")
		p.doubt("the dates of %s have no time zone: if it changes between two of them, their order is wrong", f.path)
	}
}
