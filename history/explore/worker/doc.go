// Package worker runs code that may crash, never return or use up the memory in a process
// of its own, and says how that process ended.
//
// A program serves as a worker of itself or of another program. It asks at its beginning
// whether it is one:
//
//	if worker.Name() != "" {
//		os.Exit(worker.Serve(func(ctx context.Context, c *worker.Conn) error { ... }))
//	}
//
// The supervisor starts it and exchanges messages with it, which are values that package
// json can encode:
//
//	p, err := worker.Start(ctx, worker.Program{Path: os.Args[0], Name: "search"}, worker.Guard{})
//	defer p.Close()
//	p.Send(job)
//	for {
//		var m message
//		err := p.Receive(ctx, &m) // io.EOF if the worker is done, *Death if it died
//	}
//
// # Messages
//
// A message is a frame: a byte for its kind, four bytes for its length (big-endian), and
// JSON. Frames have descriptors of their own, so the worker may write anything to its
// standard streams or close them. Its standard input and output are the null device. On
// systems where os/exec does not pass other descriptors, frames use these two, and
// os.Stdout becomes os.Stderr in the worker. A message that was sent before the worker
// died is received, whatever ended it.
//
// # How a worker ends
//
// A worker that sends nothing for Guard.Silence is asked for its stacks, and killed. One
// that uses more memory than Guard.Memory ends itself; garbage does not count, and the
// runtime collects it in time because GOMEMLIMIT has the same value. When the context of
// Start is cancelled, the context of the worker is, too. It may send what it has found
// within five seconds, and is killed then. The same happens if the supervisor exits,
// however that ends. What the worker has started in turn is killed with it, where the
// system has groups of processes.
//
// Death tells these causes, a crash, a signal from outside, and an exit of the worker's
// own apart. A crash is the exit status of a panic after a message of the runtime with
// stacks, the last one on the standard error.
package worker
