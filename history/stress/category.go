package stress

import (
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// categories are the kinds of operations of Emmi and Enea ("Exposing Non-Atomic Methods of
// Concurrent Objects", figure 5).
var categories = map[string]string{
	"R-1": "snapshot", "R-2": "predicate on the whole", "R-3": "query",
	"M-1": "bulk mutation", "M-2": "reset", "M-3": "local mutation",
}

// queries are the first words of the names of methods that return one element and have no argument.
var queries = []string{"back", "element", "first", "front", "get", "head", "last", "load", "max", "min", "peek", "read", "tail", "top", "value"}

// categoryOf returns the category of a method that had a result. It is guessed: from whether
// the method is read-only, from its parameters, its result and its name.
func categoryOf(m *Method, result history.Value) string {
	name := strings.ToLower(m.Name)
	named := slices.ContainsFunc(queries, func(word string) bool { return strings.HasPrefix(name, word) && name != word+"s" })
	bulk := slices.ContainsFunc(m.Params, func(p Param) bool {
		return strings.HasPrefix(p.String(), "list(") || strings.HasPrefix(p.String(), "map(")
	})
	switch {
	case m.ReadOnly && (len(m.Params) > 0 || named && result.Kind() != history.List && result.Kind() != history.Map):
		return "R-3"
	case m.ReadOnly && result.Kind() == history.Bool:
		return "R-2"
	case m.ReadOnly:
		return "R-1"
	case bulk:
		return "M-1"
	case len(m.Params) == 0 && (result.Kind() == history.None || strings.HasPrefix(name, "clear") || strings.HasPrefix(name, "reset")):
		return "M-2"
	}
	return "M-3"
}

// categorise returns the categories of the methods of a finding, in their order.
func (f *Finding) categorise() (list []string) {
	all := f.Seen.Expected.Program.All()
	for _, name := range f.Methods {
		i := slices.IndexFunc(all, func(inv Invocation) bool { return inv.Method.Name == name })
		list = append(list, categoryOf(all[i].Method, f.Seen.Outcome[i]))
	}
	return list
}

// Kinds returns a line with the kind of operation of each method of the finding, or "".
func (f *Finding) Kinds() string {
	var list []string
	for i, category := range f.Categories {
		list = append(list, f.Methods[i]+" is a "+categories[category])
	}
	return strings.Join(list, ", ")
}
