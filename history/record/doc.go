// Package record is a recorder to put around an object under test: it writes
// who called what, in which order, and what came back, as a history that
// leadline checks.
//
//	file, err := os.Create("queue.jsonl.zst")
//	r, err := record.New(file, record.Options{Model: "queue", Compress: record.Zstd})
//	...
//	go func() {
//		p := r.Process() // one for each goroutine
//		for i := range 1000 {
//			p.CallInts("enqueue", i)
//			queue.Enqueue(i)
//			p.Return(history.NoValue)
//		}
//	}()
//	...
//	err = r.Close()
//
//	$ leadline check queue.jsonl.zst
//
// leadline models lists models and their methods. Within a Go test, NewMemory
// makes a history.History without a file. What two processes of a register
// record, and the stamps of their events:
//
//	0  |--- write(1) ---|     |-- write(2) ...
//	1         |---- read(): 1 ----|
//
//	   0      1         2     3   4
//
//	{"leadline":1,"model":"register","order":"stamp"}
//	{"process":0,"op":0,"at":0,"type":"invoke","method":"write","args":[1]}
//	{"process":1,"op":1,"at":1,"type":"invoke","method":"read"}
//	{"process":0,"op":0,"at":2,"type":"ok"}
//	{"process":0,"op":2,"at":3,"type":"invoke","method":"write","args":[2]}
//	{"process":1,"op":1,"at":4,"type":"ok","result":1}
//
// # Responses
//
// Return says that the operation returned. Fail says that it certainly did
// not happen: such an operation is left out. After a time-out, a broken
// connection and the like the outcome is unknown, and Unknown says so: the
// operation may take effect at any later time, or never. Recording it as failed
// leads to false violations, and so does a next operation under the same process
// number. The Process therefore takes a new number by itself.
//
// A Call while an operation is open, a response without a Call and a Call
// without a method are misuse, which Err, Flush and Close report (see
// ErrMisuse), and the file in a comment. The history stays well-formed, but
// may lack operations: do not believe its verdict.
//
// # Stamps, and why they are not times
//
// Each event draws a number from one counter, by an atomic addition: a call
// immediately before the operation begins, a return immediately after it
// ended. All additions to one variable have one order, and an atomic operation
// of Go is also a barrier. So no part of an operation takes place outside of
// its two stamps, and if a return has a smaller stamp than a call, the one
// operation had ended before the other began.
//
// Reading a monotonic clock is no such barrier. On weakly ordered machines
// (ARM, POWER) the processor may read the clock before loads and stores that
// come earlier in the program are done, and even on amd64 it may do so before
// its stores are visible to others. The interval is then too short, and a
// correct object seems broken: anishathalye/porcupine#40 has such false alarms
// about sync.Map on ARM64, and golang/go#81187 shows how little can be relied on
// there. A clock also has ties and a resolution; a counter has neither.
//
// # What is in the file at any moment
//
// A program may die, or be killed, at any moment, and what it has written by
// then must have the right verdict. It is not enough that each process's
// events are written in order: if a get that found 7 is there, and the put of
// 7 was still in the buffer of another process, a correct object seems broken.
// The rule is
//
//	the file holds all events with stamps below some number, and no others.
//
// Then what is there is the history as it was at that moment, with
// operations pending that were open; and if a history is linearizable, so is
// what it was at any earlier moment: if a later one explains a result, it was
// open at the time.
//
// The rule is kept with little effort because stamps have no gaps. The writer
// takes events from the buffers and writes stamp n+1 after stamp n. If n+1 is
// in none of them, a process has drawn it and not handed the event over; the
// writer waits for that. It does not wait long: between the two the process
// does nothing but store the event, since room for a response is made before
// the call draws its stamp. A process that is idle, in the middle of an
// operation, or gone has drawn nothing and delays nothing. Events are in the file
// in the order of their stamps, so the rule also holds for the rest of a last
// write that was torn.
//
// The end of a recording, by Close or ErrFull, first fixes the last stamp and
// then informs the processes, so that nothing in the file depends on operations
// that are no longer recorded.
//
// Each flush is one write, and one frame if compressed. A kill loses at most what
// was recorded since the last flush (see Options.FlushEvery). A torn last line or frame is an error of the file that
// leadline reports, after it has delivered the history before it.
//
// # Without stamps
//
// The counter synchronises processes, which may hide a bug. Under ProgramOrder
// there is none. An event records only the number of the epoch; the
// writer begins a new epoch whenever it takes events. Numbers of epochs are
// written as stamps, equal ones concurrent, so that leadline check needs no
// flag. A process's operations are ordered, and so are operations in different
// epochs. Both are true of the execution, so that not-linearizable means just
// that; linearizable means less than with stamps. By
//
//	leadline check --order program FILE
//
// epochs do not count either, and the verdict is about sequential consistency.
// Since nearly everything is concurrent, checking is hard: keep to thousands
// of operations.
//
// The file has all events of the epochs up to some number. A process announces
// that it is about to read the epoch, reads it, stores its event and announces
// that it is done. The writer begins an epoch and then waits for each process
// that was in the middle of that; any later event reads the new epoch. So all
// events of the old ones are in the buffers. And they suffice: if an operation
// had an influence on the result of another, its call had read the epoch before
// the other's return did, and epochs only grow. Within an epoch the events of one
// process come after those of another, so that this does not hold for a torn last
// write: after a kill, drop what follows the last line "# epoch N is complete".
//
// # Costs
//
// Recording takes no lock and allocates nothing, except for operations with
// more than three arguments and for values that have strings or lists. The
// writer encodes in a goroutine of its own. Measured on a virtual machine with
// 2 cores (AMD EPYC, linux/amd64, Go 1.26), Call and Return together:
//
//	                                one process    two at once, each
//	stamps                             26-47 ns            50-105 ns
//	program order                      26-39 ns             29-57 ns
//	stamps, all in all, plain         about 180 ns
//	stamps, all in all, zstd          about 390 ns
//
// The first two rows are what an operation is delayed as long as its buffer
// has room; the others are the time per operation if a single process does
// nothing else, so that the writer determines the rate. It was busy with
// other work at the time, hence the ranges. A record takes 140 bytes in the
// file, 9 by zstd.
//
// A recorder changes what it observes. Two goroutines that increment a counter
// by a load and a store lost 9 to 14 % of the increments, and one took 23 ns;
// recorded with stamps 0.1 to 6 % (the median of six runs was 3 %) and 85 ns;
// in program order 0.03 to 17 % (4 %) and 75 ns. On this bug stamps cost about
// three quarters of its chance in each operation, and no stamps are not clearly
// better. An operation of a microsecond notices less. BenchmarkLostUpdates
// repeats it.
//
// The package promises no bound on how long a process waits for the writer under
// Block, and records nothing that happens outside of Call and Return.
package record
