package record

import (
	"slices"
	"sync/atomic"

	"github.com/leadline/leadline/history"
)

// inline is the number of arguments that an event has room for.
const inline = 3

// An event is an entry in the buffer of a process.
type event struct {
	at     int64
	method string
	args   [inline]history.Value // of a response, the result is first
	n      uint8                 // number of arguments; many: args[0] is a list of them
	typ    history.EventType
}

const many = inline + 1

func (e *event) set(args []history.Value) {
	if len(args) > inline {
		e.n, e.args[0] = many, history.ListValue(slices.Clone(args)...)
		return
	}
	e.n = uint8(copy(e.args[:], args))
}

func (e *event) arguments() []history.Value {
	if e.n == many {
		return e.args[0].List()
	}
	return e.args[:e.n]
}

// States of a Process.
const (
	idle    = iota
	open    // between Call and response
	skipped // like open, but the Call was not recorded
	gone    // closed
)

// A Process records operations, one at a time: each begins with Call (or
// CallInts) and ends with exactly one of Return (or ReturnInt, ReturnBool),
// Fail and Unknown. A Process must not be used by two goroutines at once.
//
// It has a ring of events, filled by its goroutine and emptied by the writer.
// Neither takes a lock.
type Process struct {
	_      [128]byte
	r      *Recorder
	ring   []event
	mask   uint64
	count  uint64 // events in the ring so far
	seen   uint64 // tail when last read
	handle int64
	state  uint8
	epochs bool
	// head is the fill position of the ring: twice count, plus one while an
	// event of an epoch is being stored.
	head atomic.Uint64
	_    [128]byte

	tail    atomic.Uint64 // events taken from the ring
	waiting atomic.Bool   // for room
	closed  atomic.Bool
	room    chan struct{}

	// Used by the writer only:
	taken   uint64
	number  int64 // of the process, in the history
	op      int64 // its operation
	retired bool  // the next operation gets a new process number
	_       [128]byte
}

func newProcess(r *Recorder, number int64) *Process {
	size := r.options.bufferSize()
	return &Process{
		r: r, ring: make([]event, size), mask: uint64(size - 1), epochs: r.options.Order == ProgramOrder,
		handle: number, number: number, room: make(chan struct{}, 1),
	}
}

// Call records an invocation. Its stamp is drawn last, so that nothing is
// between it and what the caller does next. Up to three arguments need no
// allocation.
func (p *Process) Call(method string, args ...history.Value) {
	if e := p.begin(method); e != nil {
		e.set(args)
		e.at = p.stamp()
		p.publish()
	}
}

// CallInts is Call for integers, three of them without allocation.
func (p *Process) CallInts(method string, args ...int) {
	e := p.begin(method)
	switch {
	case e == nil:
		return
	case len(args) <= inline:
		for i, n := range args {
			e.args[i] = history.IntValue(int64(n))
		}
		e.n = uint8(len(args))
	default:
		list := make([]history.Value, len(args))
		for i, n := range args {
			list[i] = history.IntValue(int64(n))
		}
		e.n, e.args[0] = many, history.ListValue(list...)
	}
	e.at = p.stamp()
	p.publish()
}

// Return records that the operation returned with the result. The result of a
// void method is NoValue; an error is an ExceptionValue with its name. The
// stamp is drawn first.
func (p *Process) Return(result history.Value) { p.end(history.OK, result) }

// ReturnVersion is Return for an object that numbers its changes: version is the number of the
// one that the operation made or saw, from 0 on.
func (p *Process) ReturnVersion(result history.Value, version int64) {
	if p.state == open { // the slot that end uses
		p.ring[p.count&p.mask].args[1] = history.IntValue(version)
	}
	p.endOf(versioned, history.OK, result)
}

// ReturnInt is Return of an integer.
func (p *Process) ReturnInt(n int) { p.end(history.OK, history.IntValue(int64(n))) }

// ReturnBool is Return of a boolean.
func (p *Process) ReturnBool(b bool) { p.end(history.OK, history.BoolValue(b)) }

// Fail records that the operation certainly did not happen.
func (p *Process) Fail() { p.end(history.Fail, history.NoValue) }

// Unknown records that the outcome of the operation is not known, so that it
// stays pending. Since a process issues one operation at a time, the next one
// is recorded as that of a new process.
func (p *Process) Unknown() { p.end(history.Info, history.NoValue) }

// Do records what f does as one operation, and returns what f returns. If that
// is an error, Options.Classify determines its meaning. By default, and after a
// panic, the outcome is recorded as Unknown. A recorder that treats every error
// as "did not happen" records false facts.
func (p *Process) Do(method string, args []history.Value, f func() (history.Value, error)) (history.Value, error) {
	p.Call(method, args...)
	ended := false
	defer func() {
		if !ended { // f panicked, or ended the goroutine
			p.Unknown()
		}
	}()
	v, err := f()
	if err == nil {
		p.Return(v)
		ended = true
		return v, nil
	}
	typ, result := history.Info, history.NoValue
	if classify := p.r.options.Classify; classify != nil {
		typ, result = classify(err)
	}
	if typ != history.OK && typ != history.Fail {
		typ = history.Info
	}
	p.end(typ, result)
	ended = true
	return v, err
}

// Close ends the process, so that its buffer can be freed. An open operation
// stays pending. Only the goroutine that uses p may call it.
func (p *Process) Close() {
	p.state = gone
	p.closed.Store(true)
}

// begin returns the slot for an invocation, or nil if it is not recorded.
func (p *Process) begin(method string) *event {
	// Two slots have to be free, so that a response never waits.
	if p.state != idle || p.count-p.seen >= p.mask || method == "" || p.r.stopped.Load() {
		if !p.prepare(method) {
			return nil
		}
	}
	p.state = open
	e := &p.ring[p.count&p.mask]
	e.method, e.typ = method, history.Invoke
	return e
}

// prepare handles all misuse before an invocation, and reports whether to
// record it.
func (p *Process) prepare(method string) bool {
	switch p.state {
	case open:
		p.r.noteMisuse(p.handle, "a Call while an operation is open, which is recorded as Unknown")
		p.end(history.Info, history.NoValue)
	case skipped:
		p.r.noteMisuse(p.handle, "a Call while an operation is open")
	case gone:
		p.r.noteMisuse(p.handle, "a Call after the Close of the Process, which is not recorded")
		return false
	}
	p.state = skipped
	if method == "" {
		p.r.noteMisuse(p.handle, "a Call without a method, which is not recorded")
		return false
	}
	return p.waitForRoom()
}

// waitForRoom waits for slots for two events, and reports false if the
// recording has ended.
func (p *Process) waitForRoom() bool {
	for !p.r.stopped.Load() {
		if p.seen = p.tail.Load(); p.count-p.seen < p.mask {
			return true
		}
		if p.r.options.Full == Stop {
			p.r.fail(ErrFull)
			return false
		}
		p.waiting.Store(true)
		if p.tail.Load() != p.seen { // the writer may have missed p.waiting
			continue
		}
		p.r.wakeWriter()
		select {
		case <-p.room:
		case <-p.r.done:
		}
	}
	return false
}

// end records a response, in the slot that begin reserved.
func (p *Process) end(typ history.EventType, result history.Value) { p.endOf(0, typ, result) }

// versioned is the number of arguments of a response whose second one is a version.
const versioned = 2

func (p *Process) endOf(n uint8, typ history.EventType, result history.Value) {
	if p.state != open {
		p.endNothing()
		return
	}
	at := p.stamp()
	e := &p.ring[p.count&p.mask]
	e.at, e.typ, e.n, e.args[0] = at, typ, n, result
	p.state = idle
	p.publish()
}

// endNothing is end if no operation is open, or one that is not recorded.
func (p *Process) endNothing() {
	switch p.state {
	case idle:
		p.r.noteMisuse(p.handle, "a response without a Call, which is not recorded")
	case gone:
		p.r.noteMisuse(p.handle, "a response after the Close of the Process, which is not recorded")
	case skipped:
		p.state = idle
	}
}

// stamp draws the stamp of an event. Until publish, the writer knows that
// another event follows: it finds the stamp missing, or sees that head is odd.
func (p *Process) stamp() int64 {
	if p.epochs {
		p.head.Store(p.count<<1 | 1)
		return p.r.epoch.n.Load()
	}
	return p.r.stamps.n.Add(1) - 1
}

// publish passes the event to the writer.
func (p *Process) publish() {
	p.count++
	p.head.Store(p.count << 1)
	if p.count&(p.mask>>1) == 0 {
		p.r.wakeWriter()
	}
}
