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

// Order says what is recorded of the order of events.
type Order uint8

const (
	// Stamps: every event draws a stamp from one atomic counter, so that
	// real time is recorded completely.
	Stamps Order = iota
	// ProgramOrder: no counter, so that the recorder does not synchronise the
	// processes. It records the order of each process and, coarsely, which
	// events come before and after a flush.
	ProgramOrder
)

// Compression of what is written.
type Compression uint8

const (
	None Compression = iota
	Zstd
	Gzip
)

var suffixes = [...]string{None: "", Zstd: ".zst", Gzip: ".gz"}

// Full says what a process does when its buffer is full because the writer
// cannot keep up.
type Full uint8

const (
	// Block: the next Call waits for room.
	Block Full = iota
	// Stop: the recording ends; what came before stays a sound history, and
	// Close reports ErrFull. The object is never delayed.
	Stop
)

var (
	// ErrMisuse is wrapped by the error about calls of a Process that make
	// no history: two Calls without a response between them, and the like.
	ErrMisuse = errors.New("misuse of the recorder")
	// ErrFull ends a recording under Options.Full = Stop.
	ErrFull = errors.New("record: the writer could not keep up")
)

// Options of a Recorder. The zero value is ready for use.
type Options struct {
	ID        string          // name of the history
	Model     string          // its specification, a name that leadline models lists
	ModelArgs []history.Value // of the specification
	Order     Order
	Compress  Compression
	// FlushEvery is how often everything recorded is written: every 100 ms by
	// default. If it is negative, only as buffers fill, by Flush and by Close.
	FlushEvery time.Duration
	// Buffer is how many events of a process are kept until they are
	// written, 80 bytes each: 1024 by default, rounded up to a power of two.
	Buffer int
	Full   Full
	// Classify says what an error in Process.Do means: history.OK with a result
	// (an ExceptionValue, say) if the operation returned it, history.Fail if it
	// certainly did not happen, history.Info if the outcome is unknown. Without
	// Classify, the outcome of every error is unknown.
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
		return fmt.Errorf("record: no order %d", o.Order)
	case int(o.Compress) >= len(suffixes):
		return fmt.Errorf("record: no compression %d", o.Compress)
	case o.Full > Stop:
		return fmt.Errorf("record: Full cannot be %d", o.Full)
	case o.Buffer < 0 || o.Buffer > maxBuffer:
		return fmt.Errorf("record: a buffer of %d events; between 2 and %d are possible", o.Buffer, maxBuffer)
	}
	return nil
}

// bufferSize returns how many events a buffer has.
func (o Options) bufferSize() int {
	n := o.Buffer
	if n == 0 {
		n = standardBuffer
	}
	return 1 << bits.Len(uint(max(n, 4)-1))
}

func (o Options) header() history.Header {
	// Under ProgramOrder the stamps are numbers of epochs, equal ones
	// concurrent.
	return history.Header{ID: o.ID, Model: o.Model, ModelArgs: o.ModelArgs, Order: history.StampOrder, Tie: history.Closed}
}

// A counter is an atomic number on a cache line of its own, and away from
// the one beside it, which processors fetch along with it.
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
	done    chan struct{} // closed with stopped, but for Close after the last round
	ended   sync.Once     // closes done
	names   atomic.Int64  // the next process number

	listMu    sync.Mutex
	processes []*Process

	errMu  sync.Mutex
	err    error // the first of any but misuse
	misuse error // the first
	noted  bool  // in the file

	mu     sync.Mutex // guards what follows, and taking turns as the writer
	closed bool
	broken bool // writing failed
	sink   sink
	next   int64   // Stamps: of the event to be written next
	ops    int64   // operations written
	owner  []int32 // Stamps: scratch of collect
	event  history.Event
}

// New returns a Recorder that writes to w, and begins with writing the
// header. A goroutine of the Recorder uses w until Close, which does not
// close w.
func New(w io.Writer, o Options) (*Recorder, error) {
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

// Process returns a handle for one goroutine, or whatever else issues
// operations one at a time. Its number in the history counts from 0, and
// changes after each Unknown.
func (r *Recorder) Process() *Process {
	p := newProcess(r, r.names.Add(1)-1)
	r.listMu.Lock()
	r.processes = append(r.processes, p)
	r.listMu.Unlock()
	return p
}

// list returns the processes there are.
func (r *Recorder) list() []*Process {
	r.listMu.Lock()
	defer r.listMu.Unlock()
	return r.processes[:len(r.processes):len(r.processes)]
}

// Flush writes all events that were recorded before it was called, and
// returns what Err does.
func (r *Recorder) Flush() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed && !r.broken {
		r.round(true)
	}
	return r.Err()
}

// Close ends the recording, writes all of it and returns what Err does.
// Operations that are open stay pending, and later ones are not recorded.
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

// Err returns the first error in writing, ErrFull, and the first misuse, as
// far as there were any.
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

// stop ends the recording; errMu is held. First it fixes which events are the
// last ones, and only then processes see that they need not record. So what they
// do unrecorded has no influence on what is in the file.
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
