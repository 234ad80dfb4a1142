package records

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// A mapping whose result is improbable gets a warning. It never changes a verdict.
const (
	fewOverlap       = 3  // operations that all overlap are too many from here on
	manyOverlap      = 20 // above, half of the operations are too many, and none is too few
	severalProcesses = 3  // of operations that should overlap
)

// overlapDoubt says what is improbable about the overlaps of operations, as with stamps of a
// wrong unit.
func overlapDoubt(h *history.History) string {
	n := len(h.Ops)
	returns := make([]int32, 0, n)
	for i := range h.Ops {
		returns = append(returns, h.Ops[i].Return)
	}
	slices.Sort(returns)
	most, done := 0, 0     // open at once
	for i := range h.Ops { // by invocation
		for returns[done] < h.Ops[i].Call {
			done++
		}
		most = max(most, i+1-done)
	}
	switch {
	case n >= fewOverlap && most == n && h.Pending() < n:
		return fmt.Sprintf("all %d operations overlap at one moment", n)
	case n > manyOverlap && most > n/2:
		return fmt.Sprintf("%d of %d operations overlap at one moment", most, n)
	case n > manyOverlap && most == 1 && len(h.Processes) >= severalProcesses:
		return fmt.Sprintf("no two of the %d operations of %d processes overlap", n, len(h.Processes))
	}
	return ""
}

// Names of fields that may say that an operation failed, and what fields of outcomes say then.
var (
	failureName = regexp.MustCompile(`(?i)(err|errors?|errno|exception|failure|failed|timed?[^a-z]?out)$`)
	outcomeName = regexp.MustCompile(`(?i)(status|state|outcome)$`)
	failureText = regexp.MustCompile(`(?i)timed?.?out|err|fail|lost|unknown|cancel|deadline|abort`)
	noFailures  = []string{"", "nil", "null", "none", "no", "false", "ok", "-", "0", "[]", "{}"}
)

func mayTellFailure(name string) bool {
	return failureName.MatchString(name) || outcomeName.MatchString(name)
}

// tellsFailure reports whether the value of a field says that an operation failed. A number is a
// bound on the time, unless the name is about errors.
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
