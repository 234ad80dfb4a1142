// Package simulate makes histories of any length of which the truth is known:
// seeded workloads of threads that use a truly atomic object.
//
// The object is the sequential specification itself. Each operation takes
// effect on it at one moment between its invocation and its response, so that
// the history is linearizable: the moments are a witness.
//
//	thread 0  |------ enqueue(1) ------*--|  |----*-- dequeue(): 1 --|
//	thread 1    |--*-- enqueue(2) --|   |--*-- dequeue(): 2 --------|
//
// where the stars are the moments.
//
// A scheduler picks one thread after the other at random, and each time the
// thread does one thing: it invokes, or its operation takes effect, or it
// returns. Intervals have random lengths then, and at any time almost as many
// operations are open as there are threads.
//
// # Words
//
// A Workload is what to simulate: the model, how many operations and threads,
// the seed, and how operations and values are drawn. Mix says how often which
// kind of operation is drawn. A lost operation never responds; half of the
// lost ones take effect. A Fault is a place at which the object answers what
// no linearizable history allows. At rest no operation is open but the lost
// ones, and an operation is alone if the object is at rest before and after.
//
// # Promises
//
// A Workload gives the same events on every machine, with a fault the same up
// to the fault. Without faults the history is linearizable, with one it is
// not, whatever the other parameters are: the arguments stand beside the code
// of the faults. Events are made as they are asked for, in memory that does
// not grow with their number, but with threads, keys and elements held.
//
// What is not promised: that the intervals are like those of real hardware,
// and that the events stay the same in later versions of this package.
package simulate
