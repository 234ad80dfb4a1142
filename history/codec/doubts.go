package codec

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// A mapping whose result is improbable gets a warning. It never changes a verdict.
const (
	fewOverlap  = 3  // operations that all overlap are too many from here on
	manyOverlap = 20 // above, half of the operations are too many, and none is too few
	processes   = 3  // of operations that should overlap
)

// doubt returns a warning about the stamps and the outcomes of a history, or "".
func (d *mapped) doubt(h *history.History) string {
	var texts []string
	if text := overlapDoubt(h); text != "" && (d.m.has(callPart) || d.m.has(atPart)) {
		var stamps []string
		for p, e := range d.m.parts {
			if e != nil && part(p).isStamp() {
				stamps = append(stamps, partNames[p]+" = "+e.text)
			}
		}
		texts = append(texts, fmt.Sprintf("%s: is the unit right in %s?", text, strings.Join(stamps, " and ")))
	}
	if d.failure != "" {
		texts = append(texts, d.failure)
	}
	return strings.Join(texts, "; ")
}

// overlapDoubt says what is improbable about the overlaps of operations, as with stamps of a
// wrong unit.
func overlapDoubt(h *history.History) string {
	n := len(h.Ops)
	var calls, returns []int32                       // of operations that are not pending
	last, first := int32(0), int32(history.NoReturn) // the last invocation and the first response
	for i := range h.Ops {
		op := &h.Ops[i]
		if last = max(last, op.Call); !op.Pending() {
			calls, returns = append(calls, op.Call), append(returns, op.Return)
			first = min(first, op.Return)
		}
	}
	slices.Sort(calls)
	slices.Sort(returns)
	most, done := 0, 0 // open at once, without pending operations
	for i, call := range calls {
		for done < len(returns) && returns[done] < call {
			done++
		}
		most = max(most, i+1-done)
	}
	switch {
	case n >= fewOverlap && len(calls) > 0 && last < first:
		return fmt.Sprintf("all %d operations overlap at one moment", n)
	case n > manyOverlap && most > n/2:
		return fmt.Sprintf("%d of %d operations overlap at one moment", most, n)
	case n > manyOverlap && most == 1 && h.Pending() == 0 && len(h.Processes) >= processes:
		return fmt.Sprintf("no two of the %d operations of %d processes overlap", n, len(h.Processes))
	}
	return ""
}

// Names of fields and members that may say that an operation failed, and what outcomes do.
var (
	failureName = regexp.MustCompile(`(?i)^(.*[^a-z])?(err|errors?|errno|exception|failure|failed|timed?[^a-z]?out)$|(?-i:[a-z](Err|Errors?|Exception|Timeout|TimedOut)$)`)
	outcomeName = regexp.MustCompile(`(?i)^(.*[^a-z])?(status|state|outcome)$|(?-i:[a-z](Status|State|Outcome)$)`)
	failureText = regexp.MustCompile(`(?i)timed?.?out|err|fail|lost|unknown|cancel|deadline|abort`)
	noFailures  = []string{"", "nil", "null", "none", "no", "false", "ok", "-", "0", "[]", "{}"}
)

func mayTellFailure(name string) bool {
	return failureName.MatchString(name) || outcomeName.MatchString(name)
}

// tellsFailure reports whether the value of a field or a member says that an operation failed. A
// number is a bound on the time, unless the name is about errors.
func tellsFailure(name, value string) bool {
	value = strings.ToLower(strings.Trim(value, `"`))
	switch {
	case outcomeName.MatchString(name):
		return failureText.MatchString(value)
	case areDigits(value) && !strings.Contains(strings.ToLower(name), "err"):
		return false
	}
	return !slices.Contains(noFailures, value)
}

// noteFailure notes the first record of an operation that returned in which a field, or a member
// of one, says that it failed, while no expression names that.
func (d *mapped) noteFailure() {
	if d.failure != "" || !d.env.seeks {
		return
	}
	note := func(name, path string, v any) {
		if text := d.show(v); d.failure == "" && tellsFailure(name, text) {
			d.failure = fmt.Sprintf("line %d has %s = %s, and the operation counts as done: give outcome (of events, type) if its effect is uncertain", d.line, path, text)
		}
	}
	for _, f := range d.env.failures {
		note(f.name, fieldText(f.name), d.env.value(f, false))
	}
	for _, f := range d.env.named {
		object, isObject := d.env.value(f, !f.plain).(map[string]any)
		if !isObject {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if d.mayTell(name) && !d.m.names(fieldText(f.name)+memberText(name)) {
				note(name, fieldText(f.name)+memberText(name), object[name])
			}
		}
	}
}

// mayTell is mayTellFailure, which it calls once for a name.
func (d *mapped) mayTell(name string) bool {
	may, known := d.telling[name]
	if !known {
		if may = mayTellFailure(name); len(d.telling) < templateFields {
			d.telling[name] = may
		}
	}
	return may
}

// names reports whether an expression names a path.
func (m *mapping) names(path string) bool {
	return slices.ContainsFunc(m.parts[:], func(e *expression) bool { return e != nil && strings.Contains(e.text, path) })
}
