// Package java has specifications of classes of java.util.concurrent, whose elements are
// ints. They behave like JDK 17. Package spec finds them by name; this package exports only
// what package spec needs for that.
//
// # Results
//
// The classes return what histories in Violat's format record:
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
// The queues and deques that are never full, and PriorityBlockingQueue, have a
// [replay.Discipline], like the plain ones. So monitors decide histories of their
// methods that insert, remove or look at one value, count values or remove all. An
// exception because there was nothing counts like null.
//
// # States
//
// The state of a ConcurrentHashMap includes the size of its table and the order of the
// keys that share a bin, because iteration shows them. JDK 17 makes a tree of a bin that
// eight or more keys share. After that, until the map is cleared, methods that list its
// content panic with a [replay.Unmodelled], and several keys may stand for one state.
// A PriorityBlockingQueue includes the position of each element in its heap.
//
// # What is tested
//
// The classes are compared with JDK 17. A test of package spec runs random programs on
// the JDK, if one is installed, and on the specification; without a JDK it replays
// recorded programs.
//
// The specifications do not describe what threads may see in Java while a
// method runs. According to them, a weakly consistent method (size or toString
// of ConcurrentLinkedQueue, addAll of most classes) takes effect at once. A
// history in which it does not is not linearizable.
package java
