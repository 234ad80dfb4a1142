// Package spec has sequential specifications: what an object returns when its
// methods are called one after another. Recorded histories are replayed on
// them.
//
// # Names
//
// [Lookup] finds a specification by name and arguments, as in a history's
// header. [Parse] reads both from one string, as in --model, for instance
// ArrayBlockingQueue:20. [All] lists all specifications with their methods.
// There are plain objects, whose elements can be any value, and classes of
// java.util.concurrent. The elements of these are ints, and they behave like JDK 17.
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
// The Java classes return what histories in Violat's format record:
//   - an exception is its class name,
//   - a collection or map is the string that its toString returns,
//   - an array or Enumeration is such a string without blanks.
//
// Arguments that are collections are lists. Arguments that are maps are maps
// whose keys are ints, or strings that spell ints as JSON requires. A view
// (keySet, headMap, descendingSet) is the string that it printed immediately.
//
// The following methods are left out:
//   - methods that take functions or time limits,
//   - methods that return iterators or fill an argument (drainTo),
//   - methods that copy or compare whole objects, and
//   - transfer of LinkedTransferQueue, which would always wait.
//
// For the last reason, tryTransfer without a time limit returns false: it needs
// a take that waits, and in a sequential run there is none.
//
// The queues and deques of Java that are never full, and PriorityBlockingQueue, have a
// [replay.Discipline], like the plain ones. So monitors decide histories of their
// methods that insert, remove or look at one value, count values or remove all. An
// exception because there was nothing counts like null.
//
// # Promises
//
// Every object is a [replay.State], and its key is as small as possible. Two
// states of one specification have the same key exactly if no sequence of
// invocations distinguishes them. (A ConcurrentHashMap whose order of iteration is not
// modelled may have several keys for one such state.) The state has exactly what can
// be observed later. The state of a ConcurrentHashMap includes the size of its table
// and the order of the keys that share a bin, because iteration shows them. JDK 17
// makes a tree of a bin that eight or more keys share. After that, until the map is
// cleared, methods that list its content panic with a [replay.Unmodelled].
// A PriorityBlockingQueue includes the position of each element in its
// heap. A priority-queue shows only its first element, so its state includes no
// order.
//
// Methods that concern one element cost O(1) amortised. In set, multiset, kv,
// priority-queue, PriorityBlockingQueue and the ConcurrentSkipList classes they
// cost O(log n) amortised. Methods that search a queue for an element
// (contains, remove(Object)), list elements or concern many elements cost O(n)
// or more. Clone and AppendKey cost O(n).
//
// The Java classes are compared with JDK 17. A test runs random programs on the
// JDK, if one is installed, and on the specification; without a JDK it replays
// recorded programs.
//
// The specifications do not describe what threads may see in Java while a
// method runs. According to them, a weakly consistent method (size or toString
// of ConcurrentLinkedQueue, addAll of most classes) takes effect at once. A
// history in which it does not is not linearizable.
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
