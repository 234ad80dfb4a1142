// Package history holds recorded histories of concurrent objects and checks
// that they are well-formed.
//
// A history is a sequence of events. A process issues operations one at a
// time: its invocation names a method with arguments, its response has a
// result. The two together are an Operation; one without a response is
// pending. Three processes on a queue with room for one element:
//
//	A  |--- offer(1): true ---|
//	B       |------ poll(): 1 ------|      |-- poll(): ...
//	C                          |-- size(): 0 --|
//
//	   0    1                 2 3   4      5   6
//
// The numbers are the positions of the events: Call and Return of each
// Operation. Real time orders two operations if one returned before the
// other was invoked: here A's offer comes before size and before the second
// poll. All else is concurrent, except within a process, which is sequential.
// The second poll is pending. It may take effect at any time after its
// invocation, or never.
//
// # Building
//
// New, or a Builder event by event, is the only way to a History, and what
// they return is well-formed: every response has its invocation before it, no
// operation has two, no process has two operations open, no identifier is
// used twice, edges close no cycle. Everything else is an *Errors, whose
// messages read file:line: message. The meaning of methods is not checked.
//
// Events are given in the order in which they happened (FileOrder), or with time
// stamps by which they are sorted (StampOrder). The Tie says what equal stamps mean:
// under Closed a response at t and an invocation at t are concurrent, which is
// the cautious reading of a clock; under HalfOpen the response was first. A
// process is sequential under both: its operations are ordered even if they
// share a stamp.
//
// # What did not happen
//
// A response of type Fail says that the operation certainly did not happen;
// a mark may say so of a pending one. Such operations are left out and
// counted in Dropped. One with order edges is kept among the Ghosts, since the
// order through it holds all the same. Info says that the outcome is unknown:
// the operation stays pending. If its process "a" goes on, that is a new process, "a#2".
// An edge out of
// a pending operation, or a mark, says that it happened.
//
// An event of type Crash ends processes, and with them their operations without a response.
// Header.Durability says what these may do: under Strict they took effect before the crash or never,
// so that their intervals end there (Operation.Crashed); under Durable they are pending.
//
// # Values
//
// Arguments, results and identifiers are Values: null, booleans, integers,
// floats, strings, lists and maps. There are also None, what a void method
// returns; Exception, by name; and Unknown, a result that was not observed.
// A Value never changes. Its zero value is None.
//
// The package promises nothing about memory beyond O(n) for n events, and
// histories have at most 2^31-2 events.
package history
