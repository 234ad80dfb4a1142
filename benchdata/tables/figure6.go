package tables

import (
	"slices"
	"strings"
)

// A figure6Class is a row of Figure 6 of "Exposing Non-Atomic Methods of
// Concurrent Objects" (JDK 8). It has methods by name; remove(Object) is
// remove/1.
type figure6Class struct {
	core, atomic, nonAtomic string
}

// Rows that several classes share in the figure.
var (
	linkedQueue = figure6Class{"offer peek poll", "add isEmpty remove/0 remove/1 contains element",
		"removeAll retainAll clear containsAll size toString toArray"}
	lockedQueue = figure6Class{"offer peek poll",
		"put add take remove/0 element clear remove/1 isEmpty contains size remainingCapacity toString toArray",
		"addAll removeAll retainAll containsAll"}
)

// figure6Classes is the figure. addAll is non-atomic in LinkedTransferQueue and
// possibly atomic in ConcurrentLinkedQueue; headMap and subMap of the map are
// inferred from the set.
var figure6Classes = map[string]figure6Class{
	"ConcurrentHashMap": {"put get remove/1 containsKey", "putIfAbsent replace",
		"putAll clear contains containsValue isEmpty elements entrySet keys keySet values size mappingCount toString"},
	"ConcurrentSkipListMap": {"put get remove/1 containsKey",
		"putIfAbsent replace ceilingKey floorKey firstKey lastKey higherKey lowerKey keySet isEmpty",
		"putAll clear containsValue entrySet values tailMap headMap subMap size toString"},
	"ConcurrentSkipListSet": {"add remove contains", "ceiling floor first last lower higher isEmpty",
		"addAll removeAll clear pollFirst pollLast containsAll tailSet headSet subSet size toString toArray"},
	"ConcurrentLinkedQueue": {linkedQueue.core, linkedQueue.atomic + " addAll", linkedQueue.nonAtomic},
	"LinkedTransferQueue":   {linkedQueue.core, linkedQueue.atomic, linkedQueue.nonAtomic + " addAll"},
	"LinkedBlockingQueue": {"offer peek poll", "put add take remove/0 element",
		"addAll removeAll retainAll clear remove/1 isEmpty contains containsAll size remainingCapacity toString toArray"},
	"ArrayBlockingQueue":    lockedQueue,
	"PriorityBlockingQueue": lockedQueue,
	"LinkedBlockingDeque":   lockedQueue,
	"ConcurrentLinkedDeque": {"offer peek poll",
		"add addAll addLast contains element getFirst isEmpty offerLast peekFirst pollFirst remove/0 remove/1 removeFirst removeFirstOccurrence",
		"addFirst clear containsAll getLast offerFirst peekLast pollLast removeAll removeLast removeLastOccurrence retainAll size toString toArray"},
}

// lists reports whether a list of the figure has the method: by its full
// signature, or by its name where the figure does not distinguish overloads.
func lists(list, method string) bool {
	name, _, _ := strings.Cut(method, "/")
	words := strings.Fields(list)
	return slices.Contains(words, method) || slices.Contains(words, name)
}

// isCore reports whether the method is core in the figure; an unknown class has
// no core methods.
func isCore(class, method string) bool { return lists(figure6Classes[class].core, method) }

// coreOf lists the core methods.
func coreOf(class string) string {
	words := strings.Fields(figure6Classes[class].core)
	for i, w := range words {
		words[i], _, _ = strings.Cut(w, "/")
	}
	return strings.Join(words, ", ")
}

// figure6 returns the classification of a method in the figure.
func figure6(class, method string) any {
	f := figure6Classes[class]
	switch {
	case lists(f.core, method):
		return "core"
	case lists(f.nonAtomic, method):
		return "non-atomic"
	case lists(f.atomic, method):
		return "atomic (?)"
	}
	return nil
}

// ownBulk are the bulk methods that JDK 17 implements in the class itself,
// under its lock, where JDK 8 inherits a loop over single calls. (removeAll and
// retainAll of the linked blocking classes have their own implementation too,
// but are non-atomic nevertheless.)
var ownBulk = map[string]string{
	"ArrayBlockingQueue":    "removeAll retainAll",
	"PriorityBlockingQueue": "removeAll retainAll",
	"LinkedBlockingDeque":   "addAll",
}

// difference explains a disagreement between a finding and the figure.
func difference(class, method string, nonAtomic bool) any {
	there := figure6(class, method)
	switch {
	case nonAtomic && there == "atomic (?)":
		return "exposed here, not there"
	case nonAtomic || there != "non-atomic":
		return nil
	case lists(ownBulk[class], method):
		return "JDK 17 has it under one lock"
	}
	return "not exposed here"
}
