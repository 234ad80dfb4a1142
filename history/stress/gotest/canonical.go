package gotest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
)

// Canonical writes the result of a call as the function result of Shown does, in the notation
// of stress.Outcome.
func Canonical(v history.Value) string {
	var parts []string
	for _, e := range v.List() {
		parts = append(parts, Canonical(e))
	}
	switch v.Kind() {
	case history.None:
		return "()"
	case history.Null:
		return "N"
	case history.Bool:
		return strings.ToUpper(v.String()[:1])
	case history.Float:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case history.Exception:
		return "!" + strconv.Quote(v.Text())
	case history.List:
		return "[" + strings.Join(parts, ",") + "]"
	case history.Map:
		var pairs []string
		for i := 0; i+1 < len(parts); i += 2 {
			pairs = append(pairs, parts[i]+"="+parts[i+1])
		}
		slices.Sort(pairs)
		return "{" + strings.Join(pairs, ",") + "}"
	}
	return v.String()
}
