// Package stress finds methods of concurrent objects that are not atomic: it
// generates small test programs, runs each millions of times on fresh objects,
// and compares what the invocations answer with what they can answer one
// after another.
//
// A Class says what the objects are and what can be called on them; Reflect
// derives it from any Go type. A Program is a few sequences of invocations that
// run in parallel, with literal arguments, in Violat's notation:
//
//	{ enqueue(1); dequeue() } || { dequeue() }
//
// Before them there may be an initial part in square brackets, and after them,
// once all have ended, a final part. Its Outcome is what its invocations answer,
// in the order of the text. NewExpected finds the outcomes that are possible if invocations take effect
// one after another, by running every shuffle of the sequences: three here.
//
//	enqueue(1); dequeue() = 1; dequeue() = null      outcome (),1,N
//	enqueue(1); dequeue() = 1; dequeue() = null      outcome (),N,1
//	dequeue() = null; enqueue(1); dequeue() = 1      outcome (),1,N
//
// RunProgram runs it on fresh objects, a thread for each sequence. A queue that
// reads its head and then moves it answers (),1,1 now and then:
//
//	0  |--|          enqueue(1)
//	0       |---|    dequeue(): 1
//	1         |---|  dequeue(): 1
//
// Hunt does all that for one generated program after another, and Supervise lets
// a process of its own do it. In tests, Test is the whole use, and Check holds a
// recorded history against a specification.
//
// # What is promised
//
// Every violation is one: its outcome is that of no shuffle, though all were run
// many times over, and the checker (replay/decide) has found its history not
// linearizable with respect to the specification of the Class or, without one,
// to what the shuffles answered. So objects have to answer the same when they are
// run the same way, one after another; before it reports a violation, a hunt runs
// the shuffles so often again that chance alone would show, and leaves out programs
// of which it sees that they do not.
//
// That nothing was found means little: interleavings are left to chance. A seed
// fixes the programs, not what the threads make of them. Nor is a fault found
// that shows only in the order in which invocations of different sequences
// begin and end, except among the executions that are recorded, about one in
// twenty.
//
// # Speed
//
// Threads are pinned, where the system can do that, and go through batches of
// objects side by side. BenchmarkRunProgram, of programs of four invocations on
// two cores: 4.6 to 9.4 million executions a second on an atomic counter, 1.4 to 2.0
// million on a map under a lock; 80 to 85 % and 44 % of those recorded overlapped.
package stress
