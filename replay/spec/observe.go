package spec

import (
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// looks are the methods, by the first of their names, that change nothing in
// any specification that has them.
var looks = wordSet(`read get getOrDefault size mappingCount isEmpty isLocked remainingCapacity
	contains count containsAll containsKey containsValue hasWaitingConsumer getWaitingConsumerCount
	peek peekFront peekBack peekFirst peekLast element getFirst getLast first last
	toString toArray values keys elements keySet entrySet navigableKeySet
	descendingKeySet descendingMap descendingSet headMap tailMap subMap headSet tailSet subSet
	firstKey lastKey firstEntry lastEntry ceiling floor higher lower
	ceilingKey floorKey higherKey lowerKey ceilingEntry floorEntry higherEntry lowerEntry`)

// findNothing are the methods that answer null where they found nothing to
// remove or replace, in specifications whose elements are never null.
var findNothing = wordSet("poll pollFirst pollLast pollFirstEntry pollLastEntry remove replace")

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// Observes reports whether op changes nothing wherever it has its recorded
// result; see replay.Observer. Besides methods that only look, these are the
// ones that answer false, which in all these specifications means that
// nothing was changed, and those that found nothing.
func (s *specification[S]) Observes(op *history.Operation) bool {
	i := s.table.find(op.Method, len(op.Args))
	if i < 0 {
		return false
	}
	signature := &s.table.list[i]
	name := signature.names[0]
	switch op.Result.Kind() {
	case history.Bool:
		return !op.Result.Bool() || looks[name]
	case history.Null:
		return looks[name] || findNothing[name] && signature.result != anyValue
	}
	return looks[name]
}

// parted are the methods, by the first of their names, that are about their
// first argument alone, of the specifications that consist of independent
// parts.
var parted = map[string][]string{
	"kv":                    {"get", "put", "remove", "delete", "contains", "cas", "append"},
	"set":                   {"add", "remove", "contains"},
	"multiset":              {"add", "remove", "contains", "count"},
	"ConcurrentHashMap":     {"get", "put", "remove", "containsKey", "putIfAbsent", "replace", "getOrDefault"},
	"ConcurrentSkipListMap": {"get", "put", "remove", "containsKey", "putIfAbsent", "replace", "getOrDefault"},
	"ConcurrentSkipListSet": {"add", "remove", "contains"},
}

// Part returns the key, or element, that op is about; see
// replay.Partitioned.
func (s *specification[S]) Part(op *history.Operation) (history.Value, bool) {
	i := s.table.find(op.Method, len(op.Args))
	if i < 0 || len(op.Args) == 0 || !slices.Contains(parted[s.name], s.table.list[i].names[0]) {
		return history.Value{}, false
	}
	return op.Args[0], true
}
