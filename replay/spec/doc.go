// Package spec has sequential specifications: what an object returns when its
// methods are called one after another. Recorded histories are replayed on
// them.
//
// # Names
//
// [Lookup] finds a specification by name and arguments, as in a history's
// header. [Parse] reads both from one string, as in --model, for instance
// ArrayBlockingQueue:20. [All] lists all specifications with their methods.
// There are plain objects, whose elements can be any value, models of storage systems, whose
// operations return versions, and classes of java.util.concurrent, which are in package java.
//
// # Results
//
// Writing, pushing and enqueuing return nothing. Removing from, or reading
// from, an empty container returns null. Methods that may have no effect return
// true or false: a set's add and remove, cas, a bounded queue's enqueue. A
// method that would wait has no transition: lock of a held mutex, take of an
// empty queue, put into a full one.
//
// Methods have the names usual in the literature, and some synonyms. A synonym
// differs only in its name. If two usual names have different results, they are
// two methods: kv's remove returns the old value, and its delete returns
// nothing.
//
// # Promises
//
// Every object is a [replay.State], and its key is as small as possible. Two
// states of one specification have the same key exactly if no sequence of
// invocations distinguishes them; package java has an exception. The state has exactly
// what can be observed later. A priority-queue shows only its first element, so its state
// includes no order.
//
// Methods that concern one element cost O(1) amortised. In set, multiset, kv,
// priority-queue and the sorted classes of Java they cost O(log n) amortised. Methods
// that search a queue for an element (contains, remove(Object)), list elements or
// concern many elements cost O(n) or more. Clone and AppendKey cost O(n).
//
// # A worked example
//
// Two processes use a queue of capacity one, queue:1:
//
//	A  |-- enqueue 1: true --|   |-- dequeue: 1 --|
//	B          |------- enqueue 2: false -------|
//
// The specification returns true, false and 1 if enqueue 2 comes between the
// other two. In any other order, enqueue 2 returns true, so there is no other
// witness.
package spec
