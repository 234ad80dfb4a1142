package records

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
)

// A clock is the field of events that looks like a stamp, while a mapping orders the events by
// their lines. If it contradicts that order, it is probably wrong.
type clock struct {
	isChosen bool
	field    *recordField // nil if there is none
	isNamed  bool         // its name says that it is a stamp
	first    history.Value
	decode.ClashFinder
}

// Names of fields that may be stamps, and of those that are durations and so no stamps.
var (
	clockName    = regexp.MustCompile(`(?i)time|stamp|(^|[^a-z])(ts|at|clock|when|date)([^a-z]|$)`)
	durationName = regexp.MustCompile(`(?i)duration|elapsed|latency|took|taken|timeout|(^|[^a-z])dur([^a-z]|$)`)
)

// choose chooses the clock by the first record of an event: a field whose name says so, or that
// no expression names and that has a date or a number like those since 1970. It forgets the other
// fields that no expression names. If there are several, the mapping has to say which it is.
func (c *clock) choose(e *environment) error {
	isExtra := make(map[*recordField]bool, len(e.order))
	for _, f := range e.order {
		isExtra[f] = true
	}
	var candidates []*recordField
	for _, name := range slices.Sorted(maps.Keys(e.fields)) {
		f := e.fields[name]
		v, _ := e.valueOf(e.value(f, false))
		_, isInstant := decode.InstantOf(v)
		if isInstant && !durationName.MatchString(name) && (clockName.MatchString(name) || isExtra[f] && isSinceEpoch(v)) {
			candidates = append(candidates, f)
		}
	}
	c.isChosen = true
	if len(candidates) == 1 {
		c.field = candidates[0]
		c.field.plain, c.isNamed = true, clockName.MatchString(c.field.name)
		c.first, _ = e.valueOf(e.value(c.field, false))
		e.order = slices.DeleteFunc(e.order, func(f *recordField) bool { return f == c.field })
	}
	e.forget()
	if len(candidates) <= 1 {
		return nil
	}
	var names []string
	for _, f := range candidates {
		names = append(names, fieldText(f.name))
	}
	return fmt.Errorf("%s look like stamps: give at=FIELD for the one that orders the events, or at=$line if the lines are in order",
		strings.Join(names, " and "))
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
func (c *clock) isNear(v history.Value) bool {
	first, n := float64(c.first.Int())+c.first.Float(), float64(v.Int())+v.Float()
	return c.isNamed || 0.8*first <= n && n <= 1.25*first
}

// note takes the next event into account.
func (c *clock) note(e *environment, ev *history.Event) {
	if c.field == nil {
		return
	}
	v, _ := e.valueOf(e.value(c.field, false))
	at, ok := decode.InstantOf(v)
	switch {
	case !ok || v.Kind() != c.first.Kind() || !c.isNear(v):
		c.field = nil // it is not a clock
	case ev.Type == history.Invoke || ev.Type == history.OK:
		c.Add(ev.Type, at, ev.Line)
	}
}

// report reports that the clock contradicts the order of the lines: a response precedes an
// invocation by the one and not by the other.
func (c *clock) report(b *decode.History) {
	if c.field == nil || !c.Found {
		return
	}
	line := max(c.Clash.Response, c.Clash.Invocation)
	b.Errorf(line, "%s decreases at line %d: give at=%s, or at=$line if the lines are in order",
		c.field.name, line, fieldText(c.field.name))
}
