package jepsen

import (
	"cmp"
	"math"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
)

// An orderKey is what orders events besides their place in the file: an index or a time.
type orderKey struct {
	some   bool         // some event has one
	absent bool         // some event has none
	kind   history.Kind // of the keys: all numbers, or all dates
	first  int64        // the first key; those after it count up from there while keys is nil
	keys   []int64      // per event
}

const noKey = math.MinInt64

// at returns the key of event number i.
func (k *orderKey) at(i int) int64 {
	if k.keys != nil {
		return k.keys[i]
	}
	return k.first + int64(i)
}

// add adds the key of event number n. A value that is not a stamp counts as absent.
func (k *orderKey) add(n int, v history.Value) {
	key, ok := k.keyOf(n, v)
	switch {
	case !ok:
		if key, k.absent = noKey, true; !k.some {
			return
		}
	case n == 0:
		k.some, k.first = true, key
		return
	case k.some && k.keys == nil && key == k.at(n):
		return // as an index usually is
	}
	k.list(n)
	k.some, k.keys = true, append(k.keys, key)
}

// list makes the list of the first n keys, unless there is one.
func (k *orderKey) list(n int) {
	if k.keys != nil {
		return
	}
	keys := make([]int64, n, 2*n)
	for i := range keys {
		if keys[i] = noKey; k.some {
			keys[i] = k.at(i)
		}
	}
	k.keys = keys
}

// keyOf returns the key for the value of event number n. If some are floats, all are ordered as floats.
func (k *orderKey) keyOf(n int, v history.Value) (key int64, ok bool) {
	switch kind := v.Kind(); {
	case k.kind == history.Int && kind == history.Float:
		k.list(n)
		for i, key := range k.keys {
			if key != noKey {
				k.keys[i] = decode.FloatKey(float64(key))
			}
		}
	case k.kind == history.Float && kind == history.Int:
		v = history.FloatValue(float64(v.Int()))
	case k.kind != history.None && k.kind != kind:
		return 0, false
	}
	if key, ok = decode.InstantOf(v); ok {
		k.kind = v.Kind()
	}
	return key, ok
}

// clashOf returns the first clash of the order of lines with a key, if there is any.
func (w *wordEvents) clashOf(k *orderKey) (decode.Clash, bool) {
	var c decode.ClashFinder
	for i := 0; k.some && i < w.n; i++ {
		if p, at := w.packed(i), k.at(i); at != noKey {
			c.Add(p.typ, at, int(p.line))
		}
	}
	return c.Clash, c.Found
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
	text := c.Message(name)
	by, name := times, "time"
	if index.isComplete() {
		by, name = index, "index"
	}
	switch {
	case !by.isComplete():
		w.b.Errorf(max(c.Response, c.Invocation), "%s; no order is certain, since some events have no index and some no time", text)
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
