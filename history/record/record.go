package record

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leadline/leadline/history"
)

// Order selects what is recorded about the order of events.
type Order uint8

const (
	// Stamps: every event draws a stamp from one atomic counter, so real time
	// is recorded completely.
	Stamps Order = iota
	// ProgramOrder: there is no counter, so the recorder does not synchronise
	// the processes. It records the order of each process and, coarsely, which
	// events are before and after a flush.
	ProgramOrder
)

// Compression selects the compression of the output.
type Compression uint8

const (
	None Compression = iota
	Zstd
	Gzip
)

var suffixes = [...]string{None: "", Zstd: ".zst", Gzip: ".gz"}

// Full selects what a process does when its buffer is full because the writer
// cannot keep up.
type Full uint8

const (
	// Block: the next Call waits for room.
	Block Full = iota
	// Stop: the recording ends. Everything before that is a sound history, and
	// Close reports ErrFull. The object is never delayed.
	Stop
)

var (
	// ErrMisuse is wrapped by errors about calls of a Process that do not form
	// a history, such as two Calls without a response between them.
	ErrMisuse = errors.New("misuse of the recorder")
	// ErrFull ends a recording under Options.Full = Stop.
	ErrFull = errors.New("record: the writer could not keep up")
)

// Options of a Recorder. The zero value is ready to use.
type Options struct {
	ID        string          // name of the history
	Model     string          // its specification, a name that leadline models lists
	ModelArgs []history.Value // of the specification
	Order     Order
	// Durability says what operations that are open at a Crash may do. A history with a crash
	// needs it, here or when it is checked.
	Durability history.Durability
	Compress   Compression
	// FlushEvery is the interval at which everything recorded is written: 100
	// ms by default. If it is negative, events are written only as buffers
	// fill, by Flush and by Close.
	FlushEvery time.Duration
	// Buffer is the number of events of a process that are kept until they are
	// written, 80 bytes each. The default is 1024; it is rounded up to a power
	// of two.
	Buffer int
	Full   Full
	// Classify returns the meaning of an error in Process.Do:
	//   - history.OK with a result (for example an ExceptionValue) if the
	//     operation returned it,
	//   - history.Fail if it certainly did not happen,
	//   - history.Info if the outcome is unknown.
	//
	// If Classify is nil, the outcome of every error is unknown.
	Classify func(error) (history.EventType, history.Value)
}

const (
	standardFlush  = 100 * time.Millisecond
	standardBuffer = 1024
	maxBuffer      = 1 << 24
)

func (o Options) check() error {
	switch {
	case o.Order > ProgramOrder:
		return fmt.Errorf("record: unknown order %d", o.Order)
	case int(o.Compress) >= len(suffixes):
		return fmt.Errorf("record: unknown compression %d", o.Compress)
	case o.Full > Stop:
		return fmt.Errorf("record: unknown value %d of Full", o.Full)
	case o.Buffer < 0 || o.Buffer > maxBuffer:
		return fmt.Errorf("record: buffer of %d events: must be between 2 and %d", o.Buffer, maxBuffer)
	}
	return nil
}

// bufferSize returns the number of events of a buffer.
func (o Options) bufferSize() int {
	n := o.Buffer
	if n == 0 {
		n = standardBuffer
	}
	return 1 << bits.Len(uint(max(n, 4)-1))
}

func (o Options) header() history.Header {
	// Under ProgramOrder the stamps are epoch numbers, where equal ones are
	// concurrent.
	return history.Header{ID: o.ID, Model: o.Model, ModelArgs: o.ModelArgs, Order: history.StampOrder, Tie: history.Closed, Durability: o.Durability}
}

// A counter is an atomic number on its own cache line. It also keeps a line's
// distance from the adjacent one, which processors fetch together with it.
type counter struct {
	_ [128]byte
	n atomic.Int64
	_ [120]byte
}

// A Recorder records the operations of any number of processes. All of its
// methods may be called at any time, from any goroutine.
type Recorder struct {
	stamps counter // Stamps: the next stamp
	epoch  counter // ProgramOrder: the current epoch

	stopped atomic.Bool  // no more operations are recorded
	limit   atomic.Int64 // the first stamp or epoch that is not written
	options Options
	wake    chan struct{} // there are events for the writer
	done    chan struct{} // closed together with stopped; by Close, after the last round
	ended   sync.Once     // closes done
	names   atomic.Int64  // the next process number

	listMu    sync.Mutex
	processes []*Process

	errMu  sync.Mutex
	err    error // the first error other than misuse
	misuse error // the first misuse
	noted  bool  // misuse is in the file

	mu     sync.Mutex // guards the fields below; held by whoever acts as the writer
	closed bool
	broken bool // writing failed
	sink   sink
	next   int64   // Stamps: stamp of the next event to write
	ops    int64   // operations written
	owner  []int32 // Stamps: scratch of collect
	event  history.Event
}

// New returns a Recorder that writes to w, and writes the header. A goroutine
// of the Recorder uses w until Close, which does not close w.
func New(w io.Writer, o Options) (*Recorder, error) {
	if w == nil {
		return nil, errors.New("record: the writer is nil")
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	s, err := newTextSink(w, o)
	if err != nil {
		return nil, err
	}
	return start(s, o), nil
}

func start(s sink, o Options) *Recorder {
	r := newRecorder(s, o)
	go r.run()
	return r
}

// newRecorder returns a Recorder without a writer.
func newRecorder(s sink, o Options) *Recorder {
	r := &Recorder{options: o, sink: s, wake: make(chan struct{}, 1), done: make(chan struct{})}
	r.limit.Store(math.MaxInt64)
	return r
}

// Process returns a handle for one goroutine, or for anything else that issues
// operations one at a time. Its number in the history counts from 0, and
// changes after each Unknown.
func (r *Recorder) Process() *Process {
	p := newProcess(r, r.names.Add(1)-1)
	r.listMu.Lock()
	r.processes = append(r.processes, p)
	r.listMu.Unlock()
	return p
}

// list returns the current processes.
// Crash records that the object crashes: all operations that have not returned end here, in the way that
// Options.Durability says. Their processes may go on afterwards, after Unknown, as other ones.
// Under ProgramOrder it is misuse, as its place among the events is not known.
func (r *Recorder) Crash() {
	p := r.Process()
	defer p.Close()
	if p.epochs {
		r.noteMisuse(p.handle, "a Crash under ProgramOrder, which is not recorded")
		return
	}
	if e := p.begin("crash"); e != nil {
		e.typ, e.at = history.Crash, p.stamp()
		p.publish()
		p.state = idle
	}
}

func (r *Recorder) list() []*Process {
	r.listMu.Lock()
	defer r.listMu.Unlock()
	return r.processes[:len(r.processes):len(r.processes)]
}

// Flush writes all events that were recorded before it was called, and returns
// the result of Err.
func (r *Recorder) Flush() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed && !r.broken {
		r.round(true)
	}
	return r.Err()
}

// Close ends the recording, writes all of it and returns the result of Err.
// Open operations stay pending, and later ones are not recorded.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.errMu.Lock()
		r.stop()
		r.errMu.Unlock()
		if !r.broken {
			r.round(true)
		}
		r.closed = true
		r.ended.Do(func() { close(r.done) })
	}
	return r.Err()
}

// Err returns the first write error, ErrFull, and the first misuse, if there
// were any.
func (r *Recorder) Err() error {
	r.errMu.Lock()
	defer r.errMu.Unlock()
	if r.misuse == nil {
		return r.err
	}
	return errors.Join(r.err, r.misuse)
}

// fail ends the recording.
func (r *Recorder) fail(err error) {
	r.errMu.Lock()
	if r.err == nil {
		r.err = err
	}
	r.stop()
	r.errMu.Unlock()
	r.ended.Do(func() { close(r.done) })
}

// stop ends the recording; errMu is held. It first fixes the last events; only
// then do processes see that they need not record. So what they do unrecorded
// has no influence on the file.
func (r *Recorder) stop() {
	switch {
	case r.stopped.Load():
		return
	case r.options.Order == ProgramOrder:
		r.limit.Store(r.epoch.n.Add(1))
	default:
		r.limit.Store(r.stamps.n.Load())
	}
	r.stopped.Store(true)
}

func (r *Recorder) noteMisuse(process int64, what string) {
	r.errMu.Lock()
	defer r.errMu.Unlock()
	if r.misuse == nil {
		r.misuse = fmt.Errorf("record: process handle %d: %s: %w", process, what, ErrMisuse)
	}
}
