package monitor

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// Lists decides a history of lists to which operations append, or of a set to which they
// add, with a Witness or a Conflict; see the package documentation. It declines if the
// specification is not a replay.Stepped, or if there is order beyond real time.
// If it does not know what some operations do, or cannot use some of the lists or values,
// it can only refute: without a conflict among the others, it declines. It takes
// O(n + k log k) for n operations and lists that have k values together, and gives up when
// m stops.
//
// The specification must have accepted the history (replay.Check).
func Lists(in *ops.Problem, m *meter.Meter) replay.Finding {
	h := in.H
	s, ok := in.Spec.(replay.Stepped)
	if !ok || !in.InRealTime() {
		return replay.Declines("no lists in real time")
	}
	l := &lists{h: h, spec: s, meter: m, numbers: map[string]int32{}, appended: map[string]int32{},
		isSet: in.Traits().Discipline == replay.Named, set: setState{numbers: map[string]int32{}}}
	if (!l.grows() || !l.read()) && !m.Stopped() {
		return replay.Declines("no lists that are read while they grow, or operations on several")
	}
	order, conflict := l.decide()
	return finding(in, m, order, conflict, l.partial)
}

// lists are the lists and the set of a history, with the appends and reads of operations.
type lists struct {
	h       *history.History
	spec    replay.Stepped
	meter   *meter.Meter
	partial string // if not "", some effects of operations are not known
	isSet   bool   // the object is a set; otherwise it has lists

	numbers  map[string]int32 // key -> list
	list     []listState
	appended map[string]int32 // list and value -> number in appends
	appends  []appendOp
	steps    []listStep // of lists
	reads    []listRead
	set      setState
	buf      []byte
}

// A listState is a list under a key. It is unusable unless all changes of it are appends of
// distinct values.
type listState struct {
	unusable bool
	first    history.Value // the initial value
	isText   bool          // strings are appended to a string
	lengths  []int         // lengths of the strings that are appended, sorted
	known    []int32       // the longest list that is known, as numbers of appends
	owner    int32         // the operation that knows it, or none

	// State of the last operation with a step on it:
	op   int32
	read int32   // how many appended values it found, or none if it has not read the list
	own  []int32 // its appends
}

// An appendOp appends a value to a list. place is the place of the value in the known list,
// or none.
type appendOp struct{ op, list, place int32 }

type listStep struct {
	kind     replay.CellStepKind
	op, list int32
	append   int32 // number of the append
	value    history.Value
}

// A listRead is an operation that found a list of length values.
type listRead struct{ op, list, length int32 }

// grows reports whether a list or set grows and one is read.
func (l *lists) grows() bool {
	grows, areRead := false, false
	var steps []replay.CellStep
	for i := range l.h.Ops {
		steps = l.spec.AppendSteps(steps[:0], &l.h.Ops[i])
		for _, s := range steps {
			grows = grows || s.Kind == replay.CellAppend || s.Kind == replay.CellConcat
			areRead = areRead || s.Kind == replay.CellRead
		}
		if grows && areRead || l.meter.MustStop(1) {
			return true
		}
	}
	return false
}

// read reads all steps. It reports false if the steps of an operation are not known.
func (l *lists) read() bool {
	var steps []replay.CellStep
	for i := range l.h.Ops {
		steps = l.spec.AppendSteps(steps[:0], &l.h.Ops[i])
		if l.meter.MustStop(1 + len(steps)) {
			return false
		}
		for _, s := range steps {
			switch {
			case l.isSet && s.Value.Kind() != history.None:
				l.set.enter(l, int32(i), s)
			case s.Key.Kind() == history.None: // it concerns several lists, or the whole set
				return false
			default:
				l.enter(int32(i), s)
			}
		}
	}
	for k := range l.list {
		on := &l.list[k]
		slices.Sort(on.lengths)
		on.lengths = slices.Compact(on.lengths)
		if on.unusable {
			l.partial = unknownEffects
		}
	}
	return true
}

// enter enters a step of an operation.
func (l *lists) enter(op int32, step replay.CellStep) {
	s := listStep{kind: step.Kind, op: op, list: l.number(step.Key), value: step.Value}
	on := &l.list[s.list]
	switch step.Kind {
	case replay.CellRead:
		if s.value.Equal(on.first) {
			s.value = history.NullValue // the list is empty
		} else if isList := s.value.Kind() == history.List || s.value.Kind() == history.String; !isList {
			on.unusable = true
			return
		}
	case replay.CellAppend, replay.CellConcat:
		s.append = int32(len(l.appends))
		value := l.keyOf(s.list, s.value)
		_, twice := l.appended[string(value)]
		if step.Kind == replay.CellConcat {
			isEmpty := s.value.Text() == "" // invisible in a string
			on.isText, on.unusable = true, on.unusable || isEmpty || on.first.Text() != ""
			on.lengths = append(on.lengths, len(s.value.Text()))
		} else {
			on.unusable = on.unusable || on.first.Kind() != history.Null
		}
		on.unusable = on.unusable || twice
		l.appended[string(value)] = s.append
		l.appends = append(l.appends, appendOp{op, s.list, none})
	default:
		on.unusable = true
		return
	}
	l.steps = append(l.steps, s)
}

// number returns the number of the list under a key.
func (l *lists) number(key history.Value) int32 {
	l.buf = key.AppendKey(l.buf[:0])
	if k, ok := l.numbers[string(l.buf)]; ok {
		return k
	}
	k := int32(len(l.list))
	l.numbers[string(l.buf)] = k
	l.list = append(l.list, listState{first: l.spec.FirstValue(key), owner: none, op: none, read: none})
	return k
}

// keyOf returns a key of a value that is appended to a list, in l.buf.
func (l *lists) keyOf(list int32, v history.Value) []byte {
	l.buf = append(l.buf[:0], byte(list), byte(list>>8), byte(list>>16), byte(list>>24))
	l.buf = v.AppendKey(l.buf)
	return l.buf
}

// explainReads compares the lists that were read, and gives each append its place. It
// returns a conflict if there is one.
func (l *lists) explainReads() (conflict []int32) {
	for first := 0; first < len(l.steps) && conflict == nil; {
		end := first + 1
		for end < len(l.steps) && l.steps[end].op == l.steps[first].op {
			end++
		}
		if l.meter.MustStop(end - first) {
			return nil
		}
		conflict = l.explain(l.steps[first:end])
		first = end
	}
	if conflict != nil {
		return conflict
	}
	return l.wholeBlocks()
}

// explain explains the steps of one operation, or returns a conflict. If the operation read
// a list, then the list before its own appends is known, and the list after all of them.
func (l *lists) explain(steps []listStep) (conflict []int32) {
	op := steps[0].op
	for i := range steps {
		s := &steps[i]
		on := &l.list[s.list]
		if on.unusable {
			continue
		}
		if on.op != op {
			on.op, on.read, on.own = op, none, on.own[:0]
		}
		if s.kind != replay.CellRead {
			on.own = append(on.own, s.append)
			continue
		}
		values, answer := l.parse(s)
		switch {
		case answer == isAmbiguous:
			on.unusable, l.partial = true, unknownEffects
			continue
		case answer == isImpossible:
			return []int32{op}
		}
		found := len(values) - len(on.own)
		if found < 0 || !slices.Equal(values[found:], on.own) || on.read != none && int(on.read) != found {
			return []int32{op}
		}
		if other := l.recordKnown(s.list, op, values[:found], 0); other != none {
			return []int32{op, other}
		}
		if on.read == none {
			on.read = int32(found)
			l.reads = append(l.reads, listRead{op, s.list, on.read})
		}
	}
	for i := range steps {
		s := &steps[i]
		on := &l.list[s.list]
		if on.unusable || on.read == none || len(on.own) == 0 || on.own[0] != s.append || s.kind == replay.CellRead {
			continue // handle each list only once
		}
		if other := l.recordKnown(s.list, op, on.own, on.read); other != none {
			return []int32{op, other}
		}
	}
	return nil
}

// recordKnown records that a list once had the known values before a place, and then these
// values. If that contradicts another known list, it returns the operation that knows that.
func (l *lists) recordKnown(list, op int32, values []int32, from int32) (other int32) {
	on := &l.list[list]
	l.meter.Spend(1 + len(values)/8)
	known := on.known[from:]
	if n := min(len(known), len(values)); !slices.Equal(known[:n], values[:n]) {
		return on.owner
	}
	for i := len(known); i < len(values); i++ {
		a := &l.appends[values[i]]
		if a.place != none { // the value is in the list twice
			return op
		}
		a.place = int32(len(on.known))
		on.known, on.owner = append(on.known, values[i]), op
	}
	return none
}

// Results of parse.
const (
	isParsed = iota
	isAmbiguous
	isImpossible // no operation appends some value, or the list is empty and not null
)

// parse returns the appended values of a list that was read.
func (l *lists) parse(s *listStep) (values []int32, answer int) {
	all, text := s.value.List(), s.value.Text()
	switch {
	case s.value.Kind() == history.Null:
		return nil, isParsed
	case l.list[s.list].isText != (s.value.Kind() == history.String):
		return nil, isAmbiguous
	case text != "":
		return l.parseText(s.list, text)
	case len(all) == 0:
		return nil, isImpossible
	}
	l.meter.Spend(len(all))
	for _, v := range all {
		number, ok := l.appended[string(l.keyOf(s.list, v))]
		if !ok {
			return nil, isImpossible
		}
		values = append(values, number)
	}
	return values, isParsed
}

// parseText divides a string into appended strings. At each place, only one may fit.
func (l *lists) parseText(list int32, text string) (values []int32, answer int) {
	for len(text) > 0 {
		length, number := 0, int32(none)
		for _, k := range l.list[list].lengths {
			l.meter.Spend(1)
			if k > len(text) {
				break
			}
			n, ok := l.appended[string(l.keyOf(list, history.StringValue(text[:k])))]
			if !ok {
				continue
			}
			if number != none {
				return nil, isAmbiguous
			}
			length, number = k, n
		}
		if number == none {
			return nil, isImpossible
		}
		values, text = append(values, number), text[length:]
	}
	return values, isParsed
}

// wholeBlocks returns a conflict if a known list has some values that one operation
// appends, but not all of them, or not one after another.
func (l *lists) wholeBlocks() (conflict []int32) {
	for k := range l.list {
		l.list[k].op = none
	}
	for i := range l.steps {
		s := &l.steps[i]
		on := &l.list[s.list]
		if on.unusable || s.kind == replay.CellRead {
			continue
		}
		place := l.appends[s.append].place
		if before := on.read; on.op == s.op && (before == none && place != none || before != none && place != before+1) {
			return []int32{s.op, on.owner}
		}
		on.op, on.read = s.op, place // the place of its last append
	}
	return nil
}

// decide returns the operations that took effect in an order that explains all lists and
// the set, or a conflict. If it is stopped, there may be neither.
func (l *lists) decide() (order, conflict []int32) {
	if l.meter.Stopped() {
		return nil, nil
	}
	if conflict = l.explainReads(); conflict != nil || l.meter.Stopped() {
		return nil, conflict
	}
	if conflict = l.set.explainReads(l.meter); conflict != nil || l.meter.Stopped() {
		return nil, conflict
	}
	p := newOrdering(l.h, l.meter)
	for _, a := range l.appends {
		if on := &l.list[a.list]; p.shownBy[a.op] == none && a.place != none && !on.unusable {
			p.shownBy[a.op] = on.owner
		}
	}
	l.set.showAdded(p)
	l.addPrecedences(p)
	l.set.addPrecedences(p)
	return p.run()
}

// addPrecedences adds the precedences that follow from the lists.
func (l *lists) addPrecedences(p *ordering) {
	end := make([]int32, len(l.list)) // when no known list is read any more
	for k := range l.list {
		on := &l.list[k]
		if on.unusable {
			continue
		}
		end[k] = p.addMoment()
		if len(on.known) == 0 {
			continue
		}
		for i, a := range on.known[1:] {
			p.add(l.appends[on.known[i]].op, l.appends[a].op, on.owner)
		}
		p.add(on.owner, end[k], none)
	}
	for _, r := range l.reads {
		on := &l.list[r.list]
		if on.unusable {
			continue
		}
		if r.length > 0 {
			p.add(l.appends[on.known[r.length-1]].op, r.op, none)
		}
		next := end[r.list]
		if int(r.length) < len(on.known) {
			next = l.appends[on.known[r.length]].op
		}
		p.add(r.op, next, none)
	}
	for _, a := range l.appends {
		if a.place == none && p.shownBy[a.op] != none && !l.list[a.list].unusable {
			p.add(end[a.list], a.op, none)
		}
	}
}
