package codec

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/leadline/leadline/history"
)

// An orderKey is what orders events besides their place in the file: an index or a time.
type orderKey struct {
	n      int          // events
	some   bool         // one of them has a key
	absent bool         // one of them has none
	pieces []keyPiece   // of eventPiece keys each
	kind   history.Kind // of the keys, all of which are numbers or all dates
}

// A keyPiece has the keys of consecutive events. As long as these are consecutive numbers
// too, as an index usually is, it has the first only.
type keyPiece struct {
	first int64
	keys  []int64
}

const noKey = math.MinInt64

// at returns the key of an event, or noKey.
func (k *orderKey) at(i int) int64 {
	p, i := &k.pieces[i/eventPiece], i%eventPiece
	if p.keys != nil {
		return p.keys[i]
	}
	return p.first + int64(i)
}

// set sets the key of an event before the last one, or adds that.
func (k *orderKey) set(i int, key int64) {
	if i%eventPiece == 0 && i == k.n {
		k.pieces = append(k.pieces, keyPiece{first: key})
	}
	p := &k.pieces[i/eventPiece]
	if within := i % eventPiece; p.keys == nil && (key == noKey || key != p.first+int64(within)) {
		begin := i - within
		keys := make([]int64, eventPiece)
		for n := begin; n < min(k.n, begin+eventPiece); n++ {
			keys[n-begin] = k.at(n)
		}
		p.keys = keys
	}
	if p.keys != nil {
		p.keys[i%eventPiece] = key
	}
	k.n = max(k.n, i+1)
}

// add adds the key of the next event. A value that is not a stamp counts as absent.
func (k *orderKey) add(v history.Value) {
	key, ok := k.keyOf(v)
	switch {
	case ok && !k.some:
		k.some = true
		for n := range k.n {
			k.n = n
			k.set(n, noKey)
		}
	case !ok:
		if k.absent = true; k.some {
			k.set(k.n, noKey)
		} else {
			k.n++
		}
		return
	}
	k.set(k.n, key)
}

// keyOf returns the key for a value. If some are floats, all are ordered as floats.
func (k *orderKey) keyOf(v history.Value) (key int64, ok bool) {
	switch kind := v.Kind(); {
	case k.kind == history.Int && kind == history.Float:
		k.apply(func(n int64) int64 { return floatKey(float64(n)) })
	case k.kind == history.Float && kind == history.Int:
		v = history.FloatValue(float64(v.Int()))
	case k.kind != history.None && k.kind != kind:
		return 0, false
	}
	if key, ok = instantOf(v); ok {
		k.kind = v.Kind()
	}
	return key, ok
}

// instantOf returns an integer for a number or a date, in the order of those of its kind.
// A date without a time zone has that of others.
func instantOf(v history.Value) (key int64, ok bool) {
	switch v.Kind() {
	case history.Int:
		return v.Int(), true
	case history.Float:
		return floatKey(v.Float()), true
	case history.String:
		if !isDate(v.Text()) {
			return 0, false
		}
		n, err := nanosecondsAt(v.Text())
		if err != nil {
			n, err = nanosecondsAt(v.Text() + "Z")
		}
		if err == nil {
			return int64(n.(int)), true
		}
	}
	return 0, false
}

// floatKey returns an integer for a float. The integers have the order of the floats.
func floatKey(f float64) int64 {
	bits := int64(math.Float64bits(f))
	if bits < 0 {
		bits = math.MinInt64 - bits
	}
	return bits
}

// apply applies f to all keys.
func (k *orderKey) apply(f func(int64) int64) {
	for i := range k.n {
		if at := k.at(i); at != noKey {
			k.set(i, f(at))
		}
	}
}

// A clash is a response that precedes an invocation by place and not by key, or the
// other way round.
type clash struct{ response, invocation int }

// A clashFinder finds the first clash among events that it gets in the order of the file.
// Equal keys order nothing. An end whose outcome is unknown counts as a response, since
// events of a process are paired in their order.
type clashFinder struct {
	found   bool
	clash   clash    // the lines
	latest  [2]int64 // key of the latest invocation and of the latest response
	lines   [2]int   // and their lines
	started [2]bool  // whether there is any
}

func (c *clashFinder) add(typ history.EventType, at int64, line int) {
	mine, other := 0, 1
	if typ != history.Invoke {
		mine, other = 1, 0
	}
	if !c.found && c.started[other] && at < c.latest[other] {
		c.found, c.clash = true, clash{line, c.lines[other]}
		if mine == 0 {
			c.clash = clash{c.lines[other], line}
		}
	}
	if !c.started[mine] || at > c.latest[mine] {
		c.latest[mine], c.lines[mine], c.started[mine] = at, line, true
	}
}

// clashOf returns the first clash of the order of lines with a key, if there is any.
func (w *wordEvents) clashOf(k *orderKey) (clash, bool) {
	var c clashFinder
	for i := 0; k.some && i < k.n; i++ {
		if p, at := w.packed(i), k.at(i); at != noKey {
			c.add(p.typ, at, int(p.line))
		}
	}
	return c.clash, c.found
}

// order puts the events in the order of their index, or else of their time, if one of
// these clashes with the order of their lines. It returns false if that is not possible.
func (w *wordHistory) order() bool {
	index, times := &w.events.index, &w.events.time
	c, byIndex := w.events.clashOf(index)
	found, name := byIndex, "index"
	if !found {
		c, found = w.events.clashOf(times)
		name = "time"
	}
	if !found {
		return true
	}
	text := c.message(name)
	by, name := times, "time"
	if index.isComplete() {
		by, name = index, "index"
	}
	switch {
	case !by.isComplete():
		w.b.Errorf(max(c.response, c.invocation), "%s; no order is certain, since some events have no index and some no time", text)
		return false
	case by == index && !byIndex: // it agrees with the lines
		w.b.SetSorted(name, history.FileOrder, text+": the index decides, which agrees with the lines")
		return true
	}
	w.b.SetSorted(name, history.StampOrder, text+": events are ordered by "+name)
	return w.sortBy(*by, by == index, text)
}

func (k *orderKey) isComplete() bool { return k.some && !k.absent }

// isNumbered reports whether all events have an index, or a time since the test began. In the
// events of two tests, these clash with the order of the lines.
func (w *wordEvents) isNumbered() bool {
	return w.index.isComplete() || w.time.isComplete() && w.time.kind != history.String
}

func (c clash) message(name string) string {
	first, second := fmt.Sprintf("response at line %d", c.response), fmt.Sprintf("invocation at line %d", c.invocation)
	if c.invocation < c.response {
		first, second = second, first
	}
	return fmt.Sprintf("%s contradicts the order of the lines: the %s comes before the %s in the file, and not by %s", name, first, second, name)
}

// sortBy sorts the events by their keys, which are indices or times, and pairs them anew.
func (w *wordHistory) sortBy(k orderKey, isIndex bool, clash string) bool {
	old := w.events
	list := make([]int, old.n)
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(x, y int) int { return cmp.Compare(k.at(x), k.at(y)) })
	for n := 1; isIndex && n < len(list); n++ {
		if x, y := list[n-1], list[n]; k.at(x) == k.at(y) {
			first, second := w.events.packed(x).line, w.events.packed(y).line
			w.b.Errorf(int(second), "the index of this event is that of line %d: %s", first, twoTests)
			return false
		}
	}
	w.events = wordEvents{}
	for _, i := range list {
		p := old.packed(i)
		w.events.add(&wordEvent{typ: p.typ, process: old.processes[p.process], f: old.names[p.f], value: p.value, key: p.key,
			paired: p.paired, unknown: p.unknown, line: int(p.line)})
	}
	stamps, calls, sound := make([]wordStamp, old.n), int64(0), true
	for i, from := range list {
		stamps[i].at = k.at(from)
		switch p := w.events.packed(i); {
		case p.typ == history.Invoke:
			stamps[i].op = history.IntValue(calls)
			calls++
		case p.other >= 0:
			stamps[i].op = stamps[p.other].op
		default:
			sound = false
			w.b.Errorf(int(p.line), "%s; and in that order, process %v has no open operation here", clash, w.events.processes[p.process])
		}
	}
	w.events.stamps = stamps
	return sound
}
