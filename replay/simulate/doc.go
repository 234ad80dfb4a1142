// Package simulate makes histories of any length with a known verdict: seeded
// workloads of threads that use an atomic object.
//
// The object is the sequential specification itself. Each operation takes
// effect on it at one moment between its invocation and its response. So the
// history is linearizable: the moments are a witness.
//
//	thread 0  |------ enqueue(1) ------*--|  |----*-- dequeue(): 1 --|
//	thread 1    |--*-- enqueue(2) --|   |--*-- dequeue(): 2 --------|
//
// The stars are the moments.
//
// A scheduler picks threads at random. Each time, the thread does one thing: it
// invokes, or its operation takes effect, or it returns. So intervals have random
// lengths, and almost as many operations are open as there are threads.
//
// # Words
//
//   - A Workload is what to simulate: the model, the numbers of operations and
//     threads, the seed, and how operations and values are drawn.
//   - A Mix says how often each kind of operation is drawn.
//   - A lost operation never responds; half of the lost ones take effect.
//   - A Fault is a place at which the object returns what no linearizable
//     history allows.
//   - The object is at rest if no operation is open except the lost ones. An
//     operation is alone if the object is at rest before and after it.
//
// # Promises
//
// A Workload makes the same events on every machine. With a fault, they are the
// same up to the fault. Without faults the history is linearizable; with one it
// is not, whatever the other parameters are. The proofs are beside the code of
// the faults. Events are made on demand. Memory grows with the threads, keys and
// elements held, but not with the number of events.
//
// Intervals need not be like those of real hardware, and a later version of this
// package may make other events.
package simulate
