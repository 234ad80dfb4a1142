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
	// Synonyms are separated by bars, overloads have lines of their own.
	Methods []string
}

type entry struct {
	name, args, doc string
	methods         *signatures
	build           func(args []value) (replay.Spec, error)
}

// javaPackage may stand before the names of its classes.
const javaPackage = "java.util.concurrent."

// entries is the list of all specifications: the plain objects first, then
// the classes of java.util.concurrent.
var entries = []entry{
	{"register", "[:initial]", "a value to read and write, at first null",
		&registerTable.signatures, newRegister},
	{"cas-register", "[:initial]", "a register with compare-and-set",
		&casRegisterTable.signatures, newCASRegister},
	{"counter", "[:initial]", "a 64-bit integer, at first 0",
		&counterTable.signatures, newCounter},
	{"kv", "[:missing]", "a map from keys to values; a missing key answers null or what is given",
		&kvTable.signatures, newKV},
	{"set", "", "a set of values; add and remove answer whether they changed it",
		&setTable.signatures, newSet},
	{"multiset", "", "a set that holds a value as often as it is added; remove answers whether there was one",
		&multisetTable.signatures, newMultiset},
	{"stack", "", "last in, first out; pop of the empty stack answers null",
		&stackTable.signatures, newStack},
	{"queue", "[:capacity]", "first in, first out; dequeue of the empty queue answers null; with a capacity, enqueue answers true or false",
		&queueTable.signatures, newQueue},
	{"deque", "", "a queue with two ends; removing from the empty deque answers null",
		&dequeTable.signatures, newDeque},
	{"priority-queue", "[:min|:max]", "serves the smallest value first, or the largest; null when empty",
		&priorityQueueTable.signatures, newPriorityQueue},
	{"mutex", "", "a lock; locking it while it is held has to wait",
		&mutexTable.signatures, newMutex},
	{"multi-register", "[:initial]", "registers under keys, read and written by transactions; at first null, or what is given for all or in a map",
		&multiRegisterTable.signatures, newMultiRegister},
	{"ArrayBlockingQueue", ":capacity[,fair]", "java.util.concurrent.ArrayBlockingQueue of JDK 17, holding ints",
		&arrayBlockingQueueTable.signatures, newArrayBlockingQueue},
	{"ConcurrentHashMap", "[:capacity]", "java.util.concurrent.ConcurrentHashMap of JDK 17, from ints to ints",
		&concurrentHashMapTable.signatures, newConcurrentHashMap},
	{"ConcurrentLinkedDeque", "", "java.util.concurrent.ConcurrentLinkedDeque of JDK 17, holding ints",
		&concurrentLinkedDequeTable.signatures, newConcurrentLinkedDeque},
	{"ConcurrentLinkedQueue", "", "java.util.concurrent.ConcurrentLinkedQueue of JDK 17, holding ints",
		&concurrentLinkedQueueTable.signatures, newConcurrentLinkedQueue},
	{"ConcurrentSkipListMap", "", "java.util.concurrent.ConcurrentSkipListMap of JDK 17, from ints to ints",
		&concurrentSkipListMapTable.signatures, newConcurrentSkipListMap},
	{"ConcurrentSkipListSet", "", "java.util.concurrent.ConcurrentSkipListSet of JDK 17, holding ints",
		&concurrentSkipListSetTable.signatures, newConcurrentSkipListSet},
	{"LinkedBlockingDeque", "[:capacity]", "java.util.concurrent.LinkedBlockingDeque of JDK 17, holding ints",
		&linkedBlockingDequeTable.signatures, newLinkedBlockingDeque},
	{"LinkedBlockingQueue", "[:capacity]", "java.util.concurrent.LinkedBlockingQueue of JDK 17, holding ints",
		&linkedBlockingQueueTable.signatures, newLinkedBlockingQueue},
	{"LinkedTransferQueue", "", "java.util.concurrent.LinkedTransferQueue of JDK 17, holding ints",
		&linkedTransferQueueTable.signatures, newLinkedTransferQueue},
	{"PriorityBlockingQueue", "[:capacity]", "java.util.concurrent.PriorityBlockingQueue of JDK 17, holding ints",
		&priorityBlockingQueueTable.signatures, newPriorityBlockingQueue},
}

// All returns a description of every specification, in a fixed order.
func All() []Entry {
	all := make([]Entry, len(entries))
	for i, e := range entries {
		all[i] = Entry{Name: e.name, Args: e.args, Doc: e.doc}
		for _, s := range e.methods.list {
			all[i].Methods = append(all[i].Methods, s.text)
		}
	}
	return append(all, Entry{Name: RunsName, Args: ":class,tree", Doc: "what objects of a class answered in sequential runs, which the header lists; see leadline stress"})
}

// Lookup returns the specification called name with the given arguments. A
// name is matched exactly, else whatever its case; classes of
// java.util.concurrent may be given with their package.
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
		return nil, fmt.Errorf("no model is called %q (closest: %s)", name, strings.Join(closest(short, 3), ", "))
	}
	s, err := entries[i].build(slices.Clone(args))
	if err != nil {
		return nil, err
	}
	s.(interface{ complete() }).complete()
	return s, nil
}

// closest returns the n names that are spelled most like name.
func closest(name string, n int) []string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.name
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(distance(name, a), distance(name, b))
	})
	return names[:n]
}
