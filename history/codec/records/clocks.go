package records

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
)

// clocks are the fields of events that look like stamps, while a mapping orders the events
// by their lines. If they contradict that order, it is probably wrong.
type clocks struct {
	isChosen bool
	list     []*clock
}

type clock struct {
	field   *recordField
	isNamed bool // its name says that it is a stamp
	first   history.Value
	decode.ClashFinder
}

// choose chooses the clocks by the first record of an event: fields whose names say so, and
// dates and numbers like those since 1970, unless the mapping names them. It forgets other
// fields that no expression names.
func (c *clocks) choose(e *environment) {
	isExtra := make(map[*recordField]bool, len(e.order))
	for _, f := range e.order {
		isExtra[f] = true
	}
	for _, name := range slices.Sorted(maps.Keys(e.fields)) {
		f := e.fields[name]
		v, _ := e.valueOf(e.value(f, false))
		_, isInstant := decode.InstantOf(v)
		if isInstant && (isClockName(name) || isExtra[f] && isSinceEpoch(v)) {
			c.list = append(c.list, &clock{field: f, isNamed: isClockName(name), first: v})
			f.plain = true
			isExtra[f] = false
		}
	}
	e.order = slices.DeleteFunc(e.order, func(f *recordField) bool { return !isExtra[f] })
	e.forget()
	c.isChosen = true
}

// isClockName reports whether the name of a field says that it is a stamp.
func isClockName(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	has := func(list ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	if has("duration", "elapsed", "latency", "took", "taken", "dur", "timeout") {
		return false
	}
	return has("ts", "at", "clock", "when", "date") || strings.Contains(name, "time") || strings.Contains(name, "stamp")
}

// isSinceEpoch reports whether a value is a date, or as large as a recent time since 1970, in
// s, ms, us or ns.
func isSinceEpoch(v history.Value) bool {
	n := float64(v.Int()) + v.Float()
	for n >= 4e9 {
		n /= 1000
	}
	return v.Kind() == history.String || n >= 1e9
}

// isNear reports whether a value may be of the same clock.
func (k *clock) isNear(v history.Value) bool {
	first, n := float64(k.first.Int())+k.first.Float(), float64(v.Int())+v.Float()
	return k.isNamed || 0.8*first <= n && n <= 1.25*first
}

// note takes the next event into account.
func (c *clocks) note(e *environment, ev *history.Event) {
	c.list = slices.DeleteFunc(c.list, func(k *clock) bool {
		v, _ := e.valueOf(e.value(k.field, false))
		at, ok := decode.InstantOf(v)
		if !ok || v.Kind() != k.first.Kind() || !k.isNear(v) {
			return true // it is not a clock
		}
		if ev.Type == history.Invoke || ev.Type == history.OK {
			k.Add(ev.Type, at, ev.Line)
		}
		return false
	})
}

// report reports the clocks that contradict the order of the lines: a response precedes an
// invocation by the one and not by the other.
func (c *clocks) report(b *decode.History) {
	for _, k := range c.list {
		if !k.Found {
			continue
		}
		line := max(k.Clash.Response, k.Clash.Invocation)
		b.Errorf(line, "%s decreases at line %d: give at=%s, or at=$line if the lines are in order",
			k.field.name, line, fieldText(k.field.name))
	}
}

// isPlainName reports whether an expression can name a field as it is.
func isPlainName(name string) bool {
	return name != "" && !slices.Contains(languageWords, name) && !slices.Contains(constants, name) && !unicode.IsDigit(rune(name[0])) &&
		strings.IndexFunc(name, func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0
}
