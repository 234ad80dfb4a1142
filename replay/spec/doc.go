// Package spec holds sequential specifications: what one object answers when
// its methods are called one after another. They are what recorded histories
// are replayed on.
//
// # Names
//
// [Lookup] finds a specification by name and arguments, as a history's header
// has them; [Parse] reads both from one text, as --model has them, for
// instance ArrayBlockingQueue:20; [All] lists every one with its methods.
// There are plain objects, which take any value for an element, and classes
// of java.util.concurrent, which take ints and answer what JDK 17 answers.
//
// # Answers
//
// Writing, pushing and enqueuing answer nothing. Removing from, or looking
// into, an empty container answers null. Methods that may fail to have an
// effect answer true or false: set's add and remove, cas, a bounded queue's
// enqueue. A method that would wait has no transition: lock of a held mutex,
// take of an empty queue, put into a full one.
//
// Methods have the names usual in the literature, and some synonyms. A
// synonym differs in nothing but its name; where two usual names stand for
// different answers, as with kv's remove (which answers what was there) and
// delete (which answers nothing), they are two methods.
//
// The Java classes answer as histories in Violat's format have it: an
// exception is its class name, a collection or map the text that its toString
// gives, an array or Enumeration the like without blanks. Arguments that are
// collections are lists, those that are maps are maps whose keys are ints, or
// texts that spell ints as JSON demands. A view (keySet, headMap, descendingSet)
// is the text of what it showed at once.
//
// Left out are methods that take functions or time limits, that return
// iterators or fill what they are given (drainTo), that copy or compare whole
// objects, and transfer of LinkedTransferQueue, which alone would always wait.
// For the same reason tryTransfer without a time limit answers false: it hands
// over only to a take that waits, and here none does.
//
// # Promises
//
// Every object is a [replay.State], and its key is as small as it can be: two
// states of one specification have the same key exactly if no sequence of
// invocations tells them apart. (A ConcurrentHashMap with eight or more keys
// in one bin may have several keys for one such state.) The state is what can
// be seen later and no more: a ConcurrentHashMap remembers the size of its
// table and the order of the keys that share a bin, since iteration shows
// them, and a PriorityBlockingQueue where in its heap each element stands; a
// priority-queue, which shows no more than its first element, remembers no
// order at all.
//
// Methods that touch one element cost O(1), or O(log n) in set, multiset, kv,
// priority-queue, PriorityBlockingQueue and the ConcurrentSkipList classes,
// amortised. Those that look for an element of a queue (contains,
// remove(Object)), list elements or work on many cost O(n) or more, Clone and
// AppendKey O(n).
//
// The Java classes are held against JDK 17: a test runs random programs
// through the JDK, where one is installed, and through the specification, and
// replays recorded ones where none is.
//
// Not promised: what threads may see in Java while a method runs. The
// specification of a weakly consistent method (size or toString of
// ConcurrentLinkedQueue, addAll of most classes) is that it takes effect at
// once, and a history in which it does not is not linearizable.
//
// # A worked example
//
// Two processes use a queue of one place, queue:1:
//
//	A  |-- enqueue 1: true --|   |-- dequeue: 1 --|
//	B          |------- enqueue 2: false -------|
//
// The specification answers true, false and 1 if enqueue 2 comes between the
// other two; anywhere else it would answer true, so there is no other witness.
package spec
