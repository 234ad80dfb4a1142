package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
	"github.com/leadline/leadline/replay/spec/java"
)

// An Entry describes one specification, for listings.
type Entry struct {
	Name string // for Lookup, Parse and the headers of histories
	Args string // its arguments as in queue[:capacity], without the name
	Doc  string // one line
	// Methods are the signatures, as in "remove(key: null|int) -> bool".
	// Synonyms are separated by bars; each overload has its own line.
	Methods []string
	Notes   []string // lines with facts that the signatures do not show
}

// entries is the list of all specifications: the plain objects first, then
// the classes of java.util.concurrent. Each entry is in the file of its type.
var entries = slices.Concat([]*table.Entry{
	&registerEntry, &casRegisterEntry, &counterEntry, &kvEntry, &setEntry, &multisetEntry,
	&stackEntry, &queueEntry, &dequeEntry, &priorityQueueEntry, &mutexEntry, &multiRegisterEntry,
	&versionedEntry, &etcdEntry, &logEntry, &lockEntry, &bankEntry,
}, java.Entries)

type value = history.Value

// What package replay lists as optional, and the specifications here have.
var (
	_ replay.Described = (*table.Specification[*counter])(nil)
	_ replay.Trusted   = (*table.Specification[*counter])(nil)
	_ replay.Stepped   = table.Cells[*cellMap]{}
	_ replay.Divisible = multiRegisterSpec{}
	_ replay.Versioned = logSpec{}
	_ replay.Versioned = etcdSpec{}

	_ replay.Holder      = (*table.Specification[*counter])(nil)
	_ replay.Projectable = table.Cells[*cellMap]{}
)

// sizeMethods are the methods of all containers.
func sizeMethods[S table.Sized]() []table.Method[S] {
	return table.SizeMethods[S]("size|len|length", "isEmpty|is_empty|empty")
}

// All returns a description of every specification, in a fixed order.
func All() []Entry {
	all := make([]Entry, len(entries))
	for i, e := range entries {
		all[i] = Entry{Name: e.Name, Args: e.Args, Doc: e.Doc, Notes: e.Notes}
		e.Methods.Read()
		for _, s := range e.Methods.List {
			all[i].Methods = append(all[i].Methods, s.Text)
		}
	}
	return append(all, Entry{Name: RunsName, Args: ":class,tree", Doc: "the results of a class in sequential runs, which the header lists; see leadline stress"})
}

// Lookup returns the specification called name with the given arguments. If no name
// matches exactly, Lookup ignores case. Classes of java.util.concurrent may be given with
// their package.
func Lookup(name string, args []history.Value) (replay.Spec, error) {
	if name == RunsName {
		return newRuns(args)
	}
	short := strings.TrimPrefix(name, java.Package)
	i := slices.IndexFunc(entries, func(e *table.Entry) bool { return e.Name == short })
	if i < 0 {
		i = slices.IndexFunc(entries, func(e *table.Entry) bool { return strings.EqualFold(e.Name, short) })
	}
	if i < 0 || short != name && !strings.HasPrefix(entries[i].Doc, java.Package) {
		return nil, fmt.Errorf("unknown model %q (closest: %s)", name, strings.Join(closest(short, 3), ", "))
	}
	return entries[i].New(slices.Clone(args))
}

// closest returns the n names whose spelling is closest to name.
func closest(name string, n int) []string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(Distance(name, a), Distance(name, b))
	})
	return names[:n]
}

// Distance returns the edit distance of two names, ignoring case: the number of
// letters to insert, remove or change (Wagner and Fischer, 1974).
func Distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
