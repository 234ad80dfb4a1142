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
	at     []int64 // per event, or noKey; nil while no event has one
	absent bool    // some event has none
	stamps stamps
}

const noKey = math.MinInt64

// add adds the key of event number n. What is no stamp is absent.
func (k *orderKey) add(n int, v history.Value) {
	s, fault := stamp{}, "absent"
	if kind := v.Kind(); kind == history.Int || kind == history.Float || kind == history.String {
		k.stamps.zone = "Z"
		s, fault = k.stamps.read(v, v.String())
	}
	if fault != "" {
		if k.absent = true; k.at != nil {
			k.at = append(k.at, noKey)
		}
		return
	}
	if k.at == nil {
		k.at = slices.Repeat([]int64{noKey}, n)
	}
	at := k.stamps.take(s, k.apply)
	k.at = append(k.at, at)
}

// apply applies f to all keys.
func (k *orderKey) apply(f func(int64) int64) {
	for i, at := range k.at {
		if at != noKey {
			k.at[i] = f(at)
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
	if k.stamps.list != nil {
		scaled := k.stamps.scale()
		k.apply(func(i int64) int64 { return scaled[i] })
		k.stamps.list = nil
	}
	var c clashFinder
	for i, at := range k.at {
		if p := w.packed(i); at != noKey {
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
	return w.sortBy(by.at, text)
}

func (k *orderKey) isComplete() bool { return k.at != nil && !k.absent }

func (c clash) message(name string) string {
	first, second := fmt.Sprintf("response at line %d", c.response), fmt.Sprintf("invocation at line %d", c.invocation)
	if c.invocation < c.response {
		first, second = second, first
	}
	return fmt.Sprintf("%s contradicts the order of the lines: the %s comes before the %s in the file, and not by %s", name, first, second, name)
}

// sortBy sorts the events by their keys, and pairs them anew.
func (w *wordHistory) sortBy(at []int64, clash string) bool {
	old := w.events
	list := make([]int, old.n)
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(x, y int) int { return cmp.Compare(at[x], at[y]) })
	w.events = wordEvents{}
	for _, i := range list {
		p := old.packed(i)
		w.events.add(&wordEvent{typ: p.typ, process: old.processes[p.process], f: old.names[p.f], value: p.value, key: p.key,
			paired: p.paired, unknown: p.unknown, line: int(p.line)})
	}
	stamps, calls, sound := make([]wordStamp, old.n), int64(0), true
	for i, from := range list {
		stamps[i].at = at[from]
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
