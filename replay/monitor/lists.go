package monitor

import (
	"cmp"
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
	s, ok := in.Spec.(replay.Stepped)
	if !ok || !in.InRealTime() {
		return replay.Declines(replay.NoMonitor)
	}
	l := &lists{h: in.H, spec: s, meter: m, isSet: in.Traits().Discipline == replay.Named,
		numbers: map[string]int32{}, appended: map[string]int32{}}
	if (!l.grows() || !l.read()) && !m.Stopped() {
		return replay.Declines(replay.NoMonitor)
	}
	order, conflict := l.decide(in.Responses())
	return finding(in, m, order, conflict, l.partial)
}

// lists are the lists of a history, with the appends and reads of operations. A set is a
// list whose order does not matter.
type lists struct {
	h       *history.History
	spec    replay.Stepped
	meter   *meter.Meter
	partial replay.Reason // if not "", some effects of operations are not known
	isSet   bool          // the object is a set; otherwise it has lists

	numbers  map[string]int32 // key -> list
	list     []listState
	appended map[string]int32 // list and value -> number in appends
	appends  []appendOp
	reads    []readStep
	known    []knownList
	levels   []level
	buf      []byte
}

// A listState is a list under a key. It is unusable unless all changes of it are appends of
// distinct values, or writes of distinct strings; see epoch.
type listState struct {
	unusable bool
	first    history.Value // the initial value
	isText   bool          // strings are appended to a string
	lengths  []int         // lengths of the strings that are appended, sorted
	last     knownList     // the longest that is known, if its level is not none
	writes   []int32       // the appends that write the list
	hasOther bool          // some operation on it does more than one step

	// State of the last operation with a step on it:
	op    int32
	place int32 // how many values it found, or the place of its last append; none if there is none
}

// An appendOp appends a value to a list, or adds one to a set. A value of a set is unusable
// if it may be added twice, or an operation does anything else to it.
type appendOp struct {
	op, list int32
	unusable bool
	epoch    int32 // the list that begins here if it is a write, or none
	readBy   int32 // an operation that read the value in a list with writes, or none
	level    int32 // of the shortest known list with the value, or none
	place    int32 // in the longest known list, or none
}

// A readStep finds a list. appends is how many appends of its operation and of earlier ones
// come before it.
type readStep struct {
	op, list int32
	appends  int
	value    history.Value
}

// A knownList is a list that operation op read, or that it left behind by its own appends.
// values are numbers of appends.
type knownList struct {
	op, list, level int32
	values          []int32
	isRead          bool
	isExtended      bool // the operation appends to it
}

// A level is a length of a known list. All known lists of a level are equal, and the
// beginning of those of the next level under the same key.
type level struct {
	op      int32 // knows it
	isFirst bool  // under its key
}

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
				l.enterSet(int32(i), s)
			case s.Key.Kind() == history.None: // it concerns several lists, or the whole set
				return false
			default:
				on := l.enter(int32(i), s)
				on.hasOther = on.hasOther || len(steps) > 1
			}
		}
	}
	for k := range l.list {
		on := &l.list[k]
		on.unusable = on.unusable || len(on.writes) > 0 && on.hasOther
		slices.Sort(on.lengths)
		on.lengths = slices.Compact(on.lengths)
		if on.unusable {
			l.partial = replay.UnknownOperations
		}
	}
	return true
}

// enterSet enters a step of an operation on a set.
func (l *lists) enterSet(op int32, step replay.CellStep) {
	k := l.number(step.Key)
	if step.Kind == replay.CellRead {
		l.reads = append(l.reads, readStep{op, k, len(l.appends), step.Value})
		return
	}
	number, twice := l.append(op, k, step.Value)
	if twice || step.Kind != replay.CellAppend {
		l.appends[number].unusable = true
		l.partial = replay.UnknownOperations
	}
}

// enter enters a step of an operation on a list, which it returns.
func (l *lists) enter(op int32, step replay.CellStep) *listState {
	k := l.number(step.Key)
	on := &l.list[k]
	switch v := step.Value; step.Kind {
	case replay.CellRead:
		if v.Equal(on.first) {
			v = history.NullValue // the list is empty
		} else if v.Kind() != history.List && v.Kind() != history.String {
			on.unusable = true
			return on
		}
		l.reads = append(l.reads, readStep{op, k, len(l.appends), v})
	case replay.CellAppend:
		_, twice := l.append(op, k, v)
		on.unusable = on.unusable || twice || on.first.Kind() != history.Null
	case replay.CellConcat, replay.CellWrite:
		number, twice := l.append(op, k, v)
		on.unusable = on.unusable || twice || on.first.Text() != "" || v.Text() == "" // invisible in a string
		on.isText = true
		on.lengths = append(on.lengths, len(v.Text()))
		if step.Kind == replay.CellWrite {
			on.writes = append(on.writes, number)
		}
	default:
		on.unusable = true
	}
	return on
}

// append enters an append. If the same value was appended before, it returns that append.
func (l *lists) append(op, list int32, v history.Value) (number int32, twice bool) {
	key := l.keyOf(list, v)
	if number, twice = l.appended[string(key)]; !twice {
		number = int32(len(l.appends))
		l.appended[string(key)] = number
		l.appends = append(l.appends, appendOp{op: op, list: list, epoch: none, readBy: none, level: none, place: none})
	}
	return number, twice
}

// number returns the number of the list under a key.
func (l *lists) number(key history.Value) int32 {
	l.buf = key.AppendKey(l.buf[:0])
	if k, ok := l.numbers[string(l.buf)]; ok {
		return k
	}
	k := int32(len(l.list))
	l.numbers[string(l.buf)] = k
	l.list = append(l.list, listState{first: l.spec.FirstValue(key), last: knownList{level: none}, op: none})
	return k
}

// keyOf returns a key of a value that is appended to a list, in l.buf.
func (l *lists) keyOf(list int32, v history.Value) []byte {
	l.buf = append(l.buf[:0], byte(list), byte(list>>8), byte(list>>16), byte(list>>24))
	l.buf = v.AppendKey(l.buf)
	return l.buf
}

// explainReads lists the known lists, or returns a conflict. If an operation read a list,
// then the list before its own appends is known, and the list after all of them.
func (l *lists) explainReads() (conflict []int32) {
	first := 0 // of the appends of the operation
	for i := range l.reads {
		r := &l.reads[i]
		on := &l.list[r.list]
		values, ok := l.parse(r)
		switch {
		case l.meter.MustStop(1):
			return nil
		case on.unusable:
			continue
		case !ok:
			return []int32{r.op}
		}
		for ; first < len(l.appends) && l.appends[first].op < r.op; first++ {
		}
		var own []int32
		before := 0 // how many of its own appends come before the read
		for k := first; k < len(l.appends) && l.appends[k].op == r.op; k++ {
			if l.appends[k].list == r.list {
				own = append(own, int32(k))
			}
			if k < r.appends {
				before = len(own)
			}
		}
		found := len(values) - before
		if found < 0 || !slices.Equal(values[found:], own[:before]) || on.op == r.op && int(on.place) != found {
			return []int32{r.op}
		}
		on.op, on.place = r.op, int32(found)
		l.known = append(l.known, knownList{op: r.op, list: r.list, values: values[:found], isRead: true, isExtended: len(own) > 0})
		if len(own) > 0 {
			l.known = append(l.known, knownList{op: r.op, list: r.list, values: slices.Concat(values[:found], own)})
		}
	}
	if conflict = l.divide(); conflict != nil {
		return conflict
	}
	return l.compare()
}

// parse returns the usable values of a list that was read, as numbers of appends. It
// reports false if no operation appends some value, or if the list is empty and not null.
func (l *lists) parse(r *readStep) (values []int32, ok bool) {
	all, text, on := r.value.List(), r.value.Text(), &l.list[r.list]
	switch {
	case r.value.Kind() == history.Null, on.unusable:
		return nil, true
	case on.isText != (r.value.Kind() == history.String):
		on.unusable, l.partial = true, replay.UnknownOperations
		return nil, true
	case text != "":
		return l.parseText(r.list, text)
	case len(all) == 0:
		return nil, l.isSet
	}
	l.meter.Spend(len(all))
	values = make([]int32, 0, len(all))
	for _, v := range all {
		number, ok := l.appended[string(l.keyOf(r.list, v))]
		if !ok {
			return nil, false
		}
		if !l.appends[number].unusable {
			values = append(values, number)
		}
	}
	return values, true
}

// parseText divides a string into appended strings. If more than one fits somewhere, the
// list is unusable.
func (l *lists) parseText(list int32, text string) (values []int32, ok bool) {
	for len(text) > 0 {
		length, number := 0, int32(none)
		for _, k := range l.list[list].lengths {
			l.meter.Spend(1)
			if k > len(text) {
				break
			}
			n, ok := l.appended[string(l.keyOf(list, history.StringValue(text[:k])))]
			switch {
			case !ok:
				continue
			case number != none:
				l.list[list].unusable, l.partial = true, replay.UnknownOperations
				return nil, true
			}
			length, number = k, n
		}
		if number == none {
			return nil, false
		}
		values, text = append(values, number), text[length:]
	}
	return values, true
}

// compare compares each known list with the next longer one under its key, and gives values
// and lists their levels. It returns a conflict if there is one.
func (l *lists) compare() (conflict []int32) {
	l.known = slices.DeleteFunc(l.known, func(k knownList) bool { return l.list[k.list].unusable })
	slices.SortStableFunc(l.known, func(a, b knownList) int {
		return cmp.Or(cmp.Compare(a.list, b.list), cmp.Compare(len(a.values), len(b.values)))
	})
	for i := range l.known {
		k := &l.known[i]
		last := &l.list[k.list].last
		if isFirst := last.level == none; isFirst || len(k.values) > len(last.values) {
			l.levels = append(l.levels, level{k.op, isFirst})
		}
		k.level = int32(len(l.levels)) - 1
		again := 0
		for _, number := range k.values {
			if a := &l.appends[number]; a.level == none {
				a.level = k.level
			} else {
				again++
			}
		}
		switch there := len(last.values); {
		case again < there, !l.isSet && !slices.Equal(k.values[:there], last.values):
			return []int32{k.op, last.op}
		case again > there: // the value is in the list twice
			return []int32{k.op}
		}
		if *last = *k; l.meter.MustStop(1 + len(k.values)/8) {
			return nil
		}
	}
	return l.wholeBlocks()
}

// wholeBlocks returns a conflict if a known list has some values that one operation
// appends, but not all of them, or not one after another.
func (l *lists) wholeBlocks() (conflict []int32) {
	for k := range l.list {
		on := &l.list[k]
		on.op = none
		for place, number := range on.last.values {
			l.appends[number].place = int32(place)
		}
	}
	for i := range l.appends {
		a := &l.appends[i]
		on := &l.list[a.list]
		if on.unusable {
			continue
		}
		if before := on.place; on.op == a.op && (before == none && a.place != none || before != none && a.place != before+1) {
			return []int32{a.op, on.last.op}
		}
		on.op, on.place = a.op, a.place
	}
	return nil
}

// decide returns the operations that took effect in an order that explains all lists and
// the set, or a conflict. If it is stopped, there may be neither.
func (l *lists) decide(returned []int32) (order, conflict []int32) {
	if l.meter.Stopped() {
		return nil, nil
	}
	if conflict = l.explainReads(); conflict != nil || l.meter.Stopped() {
		return nil, conflict
	}
	p := newOrdering(l.h, l.meter)
	for _, a := range l.appends {
		if p.shownBy[a.op] == none && a.level != none {
			p.shownBy[a.op] = l.levels[a.level].op
		}
	}
	l.addPrecedences(p)
	if order, conflict = p.run(returned); conflict != nil || l.meter.Stopped() {
		return nil, conflict
	}
	return l.orderEpochs(p, returned, order)
}

// addPrecedences adds the precedences that follow from the lists. For each level, it adds
// two moments: when all values of the level have been appended, and when the last of its
// lists has been read.
func (l *lists) addPrecedences(p *ordering) {
	full, left := make([]int32, len(l.levels)), make([]int32, len(l.levels))
	for i, at := range l.levels {
		if full[i], left[i] = p.addMoment(), p.addMoment(); !at.isFirst {
			p.add(full[i-1], full[i], none)
			p.add(left[i-1], left[i], none)
		}
	}
	for _, k := range l.known {
		if k.isRead {
			p.add(full[k.level], k.op, none)
		}
		if k.isRead && !k.isExtended { // otherwise its operation appends the next value
			p.add(k.op, left[k.level], none)
		}
	}
	for i, at := range l.levels {
		p.add(full[i], left[i], at.op)
	}
	for k := range l.list {
		last := &l.list[k].last
		for i := 1; i < len(last.values) && !l.isSet; i++ {
			p.add(l.appends[last.values[i-1]].op, l.appends[last.values[i]].op, last.op)
		}
	}
	for _, a := range l.appends {
		on := &l.list[a.list]
		if on.unusable || a.unusable || p.shownBy[a.op] == none {
			continue
		}
		before := on.last.level
		if a.level != none {
			p.add(a.op, full[a.level], none)
			if before = a.level - 1; l.levels[a.level].isFirst {
				before = none
			}
		}
		if before != none {
			p.add(left[before], a.op, none)
		}
	}
}
