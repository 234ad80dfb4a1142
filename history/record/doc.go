// Package record is a recorder to put around an object under test. It writes
// who called what, in which order, and what was returned, as a history that
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
// leadline models lists models and their methods. In a Go test, NewMemory makes
// a history.History without a file. The following is a recording of two
// processes of a register, with the stamps of their events:
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
// Return records that the operation returned. Fail records that it certainly
// did not happen: such an operation is left out. After a time-out or a broken
// connection, the outcome is not known. Unknown records that: the operation may
// take effect at any later time, or never. Recording it as failed leads to
// false violations, and so does another operation under the same process
// number. The Process therefore takes a new number by itself.
//
// Misuse is a Call while an operation is open, a response without a Call, or a
// Call without a method. Err, Flush and Close report it (see ErrMisuse), and so
// does a comment in the file. The history stays well-formed but may lack
// operations: do not trust its verdict.
//
// # Stamps, and why they are not times
//
// Each event draws a number from one counter, by an atomic addition: a call
// immediately before the operation begins, a return immediately after it ended.
// All additions to one variable have one order, and an atomic operation of Go
// is also a barrier. So no part of an operation takes place outside of its two
// stamps. If a return has a smaller stamp than a call, the first operation
// ended before the second began.
//
// Reading a monotonic clock is not such a barrier. On weakly ordered machines
// (ARM, POWER) the processor may read the clock before earlier loads and stores
// of the program are done. Even on amd64 it may do so before its stores are
// visible to others. The interval is then too short, and a correct object seems
// broken. anishathalye/porcupine#40 has such false alarms about sync.Map on
// ARM64, and golang/go#81187 shows how unreliable clocks are there. A clock
// also has ties and a resolution; a counter has neither.
//
// # What is in the file at any moment
//
// A program may crash or be killed at any moment, and the file must then have
// the right verdict. It is not enough that each process's events are written in
// order. Suppose a get that found 7 is in the file, but the put of 7 was still
// in the buffer of another process. Then a correct object seems broken. The
// rule is
//
//	the file holds all events with stamps below some number, and no others.
//
// Then the file has the history up to that moment, and operations that were
// open then are pending. If a history is linearizable, so is each of its
// prefixes in time: an operation that explains an earlier result was open at
// that moment.
//
// The rule is cheap because stamps have no gaps. The writer takes events from
// the buffers and writes stamp n+1 after stamp n. If n+1 is in no buffer, a
// process has drawn it but not published the event; the writer waits for that.
// The wait is short. Between the two steps the process only stores the event,
// since room for a response is reserved before the call draws its stamp. A
// process that is idle, in the middle of an operation, or gone has drawn
// nothing and delays nothing. Events are in the file in the order of their
// stamps, so the rule also holds up to the last whole line if the last write was cut.
//
// The end of a recording, by Close or ErrFull, first fixes the last stamp and
// then informs the processes. So nothing in the file depends on operations that
// are no longer recorded.
//
// Each flush is one write, and one frame if compressed. A kill loses at most
// what was recorded since the last flush (see Options.FlushEvery). If the last
// line or frame is cut, leadline reports that the file is invalid, since it does not
// rely on the order of lines with stamps: remove what is after the last whole line.
//
// # Without stamps
//
// The counter synchronises processes, which may hide a bug. Under ProgramOrder
// there is no counter. An event records only the number of the epoch; the
// writer begins a new epoch whenever it takes events. Epoch numbers are written
// as stamps, where equal stamps are concurrent, so leadline check needs no
// flag. The operations of a process are ordered, and so are operations in
// different epochs. Both orders are true of the execution, so not-linearizable
// means just that; linearizable means less than with stamps. With
//
//	leadline check --order program FILE
//
// epochs do not count either, and the verdict is about sequential consistency.
// Since nearly all operations are concurrent, checking is hard: record at most
// a few thousand.
//
// The file has all events of the epochs up to some number. A process announces
// that it is about to read the epoch, reads it, stores its event and announces
// that it is done. The writer begins an epoch and then waits for each process
// that was between the two announcements; any later event reads the new epoch.
// So all events of the old epochs are in the buffers. That is enough. If an
// operation influenced the result of another, its call read the epoch before
// the other's return did, and epochs only grow. Within an epoch, the file has
// the events of one process after those of another, so this does not hold for a
// last write that was cut. After a kill, drop what follows the last line "# epoch N is
// complete".
//
// # Costs
//
// Recording takes no lock. It allocates only for operations with more than
// three arguments and for values that have strings or lists. The writer encodes
// in its own goroutine. Measured on a virtual machine with 2 cores (AMD EPYC,
// linux/amd64, Go 1.26), Call and Return together:
//
//	                                one process    two at once, each
//	stamps                             26-47 ns            50-105 ns
//	program order                      26-39 ns             29-57 ns
//	stamps, all in all, plain         about 180 ns
//	stamps, all in all, zstd          about 390 ns
//
// On another (Intel Xeon, nothing else running), stamps took 34 to 40 ns in one
// process and 168 to 174 ns in each of two, program order 34 to 38 and 44 to 46 ns.
//
// The first two rows are the delay of an operation whose buffer has room. The
// other rows are the time per operation if a single process does nothing else,
// so that the writer determines the rate. The machine was also doing other
// work, hence the ranges. A record takes 140 bytes in the file, 9 with zstd.
//
// A recorder changes what it observes. Two goroutines that increment a counter
// by a load and a store lost 9 to 14 % of the increments, and an increment took
// 23 ns. Recorded with stamps they lost 0.1 to 6 % (the median of six runs was
// 3 %) at 85 ns. In program order they lost 0.03 to 17 % (4 %) at 75 ns. So
// stamps reduce the probability of this bug in each operation by about three
// quarters, and recording without stamps is not clearly better. An operation
// that takes a microsecond is affected less. BenchmarkLostUpdates repeats the
// measurement.
//
// The package does not bound how long a process waits for the writer under
// Block. It records nothing that happens outside of Call and Return.
package record
