package decode

import (
	"fmt"
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/scan"
)

// InstantOf returns an integer for a number or a date. Integers of numbers are in the order of the
// numbers, and integers of dates in the order of the dates. A date without a time zone is in UTC.
func InstantOf(v history.Value) (key int64, ok bool) {
	switch v.Kind() {
	case history.Int:
		return v.Int(), true
	case history.Float:
		return FloatKey(v.Float()), true
	case history.String:
		if !scan.IsDate(v.Text()) {
			return 0, false
		}
		n, err := scan.NanosecondsAt(v.Text())
		if err != nil {
			n, err = scan.NanosecondsAt(v.Text() + "Z")
		}
		if err == nil {
			return n, true
		}
	}
	return 0, false
}

// FloatKey returns an integer for a float. The integers have the order of the floats.
func FloatKey(f float64) int64 {
	bits := int64(math.Float64bits(f))
	if bits < 0 {
		bits = math.MinInt64 - bits
	}
	return bits
}

// A Clash is a response that precedes an invocation by place and not by key, or the
// other way round.
type Clash struct{ Response, Invocation int } // their lines

// A ClashFinder finds the first clash among events that it gets in the order of the file.
// Equal keys order nothing. An end whose outcome is unknown counts as a response, since
// events of a process are paired in their order.
type ClashFinder struct {
	Found   bool
	Clash   Clash
	latest  [2]int64 // key of the latest invocation and of the latest response
	lines   [2]int   // and their lines
	started [2]bool  // whether there is any
}

// Add adds the next event, with its key and its line.
func (c *ClashFinder) Add(typ history.EventType, at int64, line int) {
	mine, other := 0, 1
	if typ != history.Invoke {
		mine, other = 1, 0
	}
	if !c.Found && c.started[other] && at < c.latest[other] {
		c.Found, c.Clash = true, Clash{line, c.lines[other]}
		if mine == 0 {
			c.Clash = Clash{c.lines[other], line}
		}
	}
	if !c.started[mine] || at > c.latest[mine] {
		c.latest[mine], c.lines[mine], c.started[mine] = at, line, true
	}
}

// Message says what contradicts the order of the lines, which is called name.
func (c Clash) Message(name string) string {
	first, second := fmt.Sprintf("response at line %d", c.Response), fmt.Sprintf("invocation at line %d", c.Invocation)
	if c.Invocation < c.Response {
		first, second = second, first
	}
	return fmt.Sprintf("%s contradicts the order of the lines: the %s comes before the %s in the file, and not by %s", name, first, second, name)
}
