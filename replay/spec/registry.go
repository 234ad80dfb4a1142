package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
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

type entry struct {
	name, args, doc string
	methods         *signatures
	build           func(args []value) (replay.Spec, error)
	notes           []string
}

// javaPackage is an optional prefix of the names of its classes.
const javaPackage = "java.util.concurrent."

// entries is the list of all specifications: the plain objects first, then
// the classes of java.util.concurrent. Each entry is in the file of its type.
var entries = []entry{
	registerEntry, casRegisterEntry, counterEntry, kvEntry, setEntry, multisetEntry,
	stackEntry, queueEntry, dequeEntry, priorityQueueEntry, mutexEntry, multiRegisterEntry,
	arrayBlockingQueueEntry, concurrentHashMapEntry, concurrentLinkedDequeEntry,
	concurrentLinkedQueueEntry, concurrentSkipListMapEntry, concurrentSkipListSetEntry,
	linkedBlockingDequeEntry, linkedBlockingQueueEntry, linkedTransferQueueEntry,
	priorityBlockingQueueEntry,
}

// All returns a description of every specification, in a fixed order.
func All() []Entry {
	all := make([]Entry, len(entries))
	for i, e := range entries {
		all[i] = Entry{Name: e.name, Args: e.args, Doc: e.doc, Notes: e.notes}
		e.methods.read()
		for _, s := range e.methods.list {
			all[i].Methods = append(all[i].Methods, s.text)
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
	short := strings.TrimPrefix(name, javaPackage)
	i := slices.IndexFunc(entries, func(e entry) bool { return e.name == short })
	if i < 0 {
		i = slices.IndexFunc(entries, func(e entry) bool { return strings.EqualFold(e.name, short) })
	}
	if i < 0 || short != name && !strings.HasPrefix(entries[i].doc, javaPackage) {
		return nil, fmt.Errorf("unknown model %q (closest: %s)", name, strings.Join(closest(short, 3), ", "))
	}
	s, err := entries[i].build(slices.Clone(args))
	if err != nil {
		return nil, err
	}
	s.(interface{ complete() }).complete()
	return s, nil
}

// closest returns the n names whose spelling is closest to name.
func closest(name string, n int) []string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.name
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(Distance(name, a), Distance(name, b))
	})
	return names[:n]
}
