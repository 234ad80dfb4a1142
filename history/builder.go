package history

import (
	"fmt"
	"slices"
)

// EventType says whether an event is an invocation or how an operation ended.
type EventType uint8

const (
	Invoke EventType = iota // the operation begins
	OK                      // it returned; Result says what
	Fail                    // it certainly did not happen
	Info                    // its outcome is unknown: it stays pending. If its process goes on, that is a new process
	Waits                   // it never returns, because it waits for ever; For says for what
	Crash                   // no operation ends by itself: those of Args, or of all processes if there are none, end without a response
)

var eventNames = [...]string{"invoke", "ok", "fail", "info", "waits", "crash"}

func (t EventType) String() string {
	if int(t) < len(eventNames) {
		return eventNames[t]
	}
	return fmt.Sprintf("event type %d", uint8(t))
}

// ParseEventType returns the EventType called name.
func ParseEventType(name string) (t EventType, ok bool) {
	i := slices.Index(eventNames[:], name)
	return EventType(max(i, 0)), i >= 0
}

// An Event is an invocation or a response.
type Event struct {
	Type    EventType
	Process Value   // None on a response: Op alone identifies the operation
	Op      Value   // identifier of the operation; None if the file has none
	Method  string  // of an invocation
	Args    []Value // of an invocation, kept by the history; of a Crash, the processes that end
	Result  Value   // of an OK
	Version Version // of an OK, if the object has versions
	For     string  // of a Waits: where the call waits, for what, and who holds it; may be ""
	At      int64   // time stamp, in whatever unit; counts under StampOrder only
	Line    int     // source line
}

// A Builder turns events into a History and checks them. Call Add (and AddEdge
// and Mark) for each of them, then Build once.
//
// Under FileOrder it forms operations as the events come; under StampOrder
// it sorts first, by stamp, then by the tie rule, then by place in the file.
type Builder struct {
	h         Header
	ops       []Operation
	expected  int // operations; 0 if unknown
	index     idIndex
	processes processTable
	open      []int32 // FileOrder: per process, its open operation, or -1
	events    int32
	withIDs   bool
	built     bool
	edges     []rawEdge
	marks     []rawMark
	cut       int  // see SetCut
	waiting   bool // some operation waits for ever
	crashes   []rawCrash
	crashed   int     // FileOrder: operations that were invoked before the last crash
	uncrashed []int32 // FileOrder: those of them that it has not ended
	timing    timing  // StampOrder
	errs      Errors
}

type rawEdge struct {
	from, to Value
	line     int
}

type rawMark struct {
	op       Value
	happened bool
	line     int
}

// New returns the history of the given events, or an *Errors that names the
// line of each fault: unmatched and duplicate responses, two open operations
// of one process, a response before its invocation, a reused identifier.
// It takes O(n) for n events under FileOrder and O(n log n) under StampOrder.
func New(h Header, events []Event) (*History, error) {
	b := NewBuilder(h)
	for i := range events {
		b.Add(&events[i])
	}
	return b.Build()
}

// NewBuilder returns a Builder for one history.
func NewBuilder(h Header) *Builder {
	return &Builder{h: h, errs: Errors{ID: h.ID}}
}

// Header returns what NewBuilder was given.
func (b *Builder) Header() Header { return b.h }

// Events returns how many events have been added.
func (b *Builder) Events() int { return int(b.events) }

// Errorf records a fault at line, which Build reports.
func (b *Builder) Errorf(line int, format string, args ...any) {
	if b.errs.Full() {
		b.errs.More = true
		return
	}
	b.errs.Add(&Error{File: b.h.File, Line: line, Msg: fmt.Sprintf(format, args...)})
}

// ErrorfFirst is Errorf for a fault that comes before those found so far.
func (b *Builder) ErrorfFirst(line int, format string, args ...any) {
	if b.errs.Full() {
		b.errs.List, b.errs.More = b.errs.List[:MaxErrors-1], true
	}
	b.errs.List = slices.Insert(b.errs.List, 0, &Error{File: b.h.File, Line: line, Msg: fmt.Sprintf(format, args...)})
}

// Faults returns the number of recorded faults, MaxErrors at most. It does not
// include those that only Build can find.
func (b *Builder) Faults() int { return len(b.errs.List) }

// SetID sets the name of the history, if it was not known to NewBuilder.
func (b *Builder) SetID(id string) { b.h.ID, b.errs.ID = id, id }

// SetModel sets the specification, if it was not known to NewBuilder.
func (b *Builder) SetModel(name string, args []Value) { b.h.Model, b.h.ModelArgs = name, args }

// SetUnterminated sets Header.Unterminated.
func (b *Builder) SetUnterminated() { b.h.Unterminated = true }

// SetSorted says by what the events were ordered that follow (see Header.SortedBy), with
// a warning about that. It must come before the first event.
func (b *Builder) SetSorted(by string, order Order, warning string) {
	b.h.SortedBy, b.h.Order, b.h.Warning = by, order, warning
}

// Warn sets Header.Warning.
func (b *Builder) Warn(text string) { b.h.Warning = text }

// SetCut notes that the input was cut at line, after all that was added. What was added
// is a prefix of the history, except in two cases, which are faults: under StampOrder any
// event may be missing, and a pending operation that happened, by a mark or an edge, may
// have done so after the cut, or its "fail" may be missing.
func (b *Builder) SetCut(line int) { b.cut = line }

// Failed reports whether there are so many faults that reading the rest of the
// history is pointless.
func (b *Builder) Failed() bool { return b.errs.More }

// Add adds one event. It keeps ev.Args and nothing else of ev.
func (b *Builder) Add(ev *Event) {
	switch {
	case ev == nil:
		b.Errorf(b.h.Line, "an event is nil")
		return
	case b.built:
		b.Errorf(ev.Line, "an event was added after Build")
		return
	case b.events == NoReturn-1:
		b.Errorf(ev.Line, "more than %d events in one history", NoReturn-1)
		return
	case ev.Type > Crash:
		b.Errorf(ev.Line, "%v is unknown", ev.Type)
		return
	}
	switch {
	case slices.ContainsFunc(ev.Result.List(), Value.HoldsUnknown):
		b.Errorf(ev.Line, "a result with an unknown value inside: only a whole result can be unknown")
		return
	case ev.Version < 0:
		b.Errorf(ev.Line, "a negative version: versions are numbers from 0 on")
		return
	case ev.Version != 0 && ev.Type != OK:
		b.Errorf(ev.Line, "an event of type %q with a version, which only operations that returned have", ev.Type)
		return
	}
	switch ev.Type {
	case Invoke:
		b.invoke(ev)
	case Crash:
		b.crash(ev)
		return
	default:
		b.respond(ev)
	}
	b.events++
}

func (b *Builder) invoke(ev *Event) {
	hasID := ev.Op.Kind() != None
	if len(b.ops) == 0 {
		b.withIDs = hasID
	}
	if fault := b.checkInvoke(ev, hasID); fault != "" {
		b.Errorf(ev.Line, "%s", fault)
		return
	}
	if hasID && !b.index.put(ev.Op, int32(len(b.ops))) {
		first, _ := b.index.get(ev.Op)
		b.Errorf(ev.Line, "operation %v is invoked again%s", ev.Op, atLine("first at ", b.ops[first].Line))
		return
	}
	p := b.processes.index(ev.Process)
	if b.h.Order != StampOrder {
		if int(p) == len(b.open) {
			b.open = append(b.open, -1)
		}
		if o := b.open[p]; o >= 0 && b.ops[o].ended == Info {
			p = b.processes.succeed(p)
			b.open = append(b.open, -1)
		}
		// After a fault the new operation is the open one, so that a single
		// lost response is a single fault.
		if o := b.open[p]; o >= 0 {
			b.overlap(ev.Line, ev.Process, ev.Op, &b.ops[o])
		}
		b.open[p] = int32(len(b.ops))
	}
	if len(b.ops) == cap(b.ops) {
		b.grow()
	}
	if b.h.Order == StampOrder {
		b.timing.add(ev.At)
	}
	b.ops = append(b.ops, Operation{
		Method: ev.Method, Args: ev.Args, Result: UnknownValue,
		Process: p, Call: b.events, Return: NoReturn, Line: clampLine(ev.Line),
	})
	b.ops[len(b.ops)-1].SetID(ev.Op)
}

// Expect sets the expected number of operations. A good estimate saves most of
// the moving of operations to larger memory; a wrong one does no harm.
func (b *Builder) Expect(operations int) { b.expected = operations }

// manyOperations is a number of operations that fills several huge pages.
const manyOperations = 1 << 17

// mostExpected returns the largest number of operations that grow reserves memory
// for when there are n. The expectation may come from a file size that says nothing
// about the history. Memory that is reserved and not used costs little.
func mostExpected(n int) int {
	if n < 256 {
		return 64 * n
	}
	return 4096 * n
}

// room returns how many operations grow makes room for.
func (b *Builder) room() int {
	room := max(2, 2*cap(b.ops), min(b.expected, mostExpected(len(b.ops)))) // many histories have few operations
	if 2 < room && room < 16 {
		room = 16
	}
	return room
}

// grow makes room for more operations. It moves them a few at a time, since
// a running garbage collector waits for the end of each move.
func (b *Builder) grow() {
	room := b.room()
	ops := make([]Operation, 0, room)
	if cap(ops) >= manyOperations {
		preferHugePages(ops)
	}
	for few := range slices.Chunk(b.ops, 1024) {
		ops = append(ops, few...)
	}
	b.ops = ops
	if b.h.Order == StampOrder {
		b.timing.grow(room)
	}
	if n := len(b.processes.names); n > 1 && 2*n > len(b.ops) { // most operations are processes of their own
		b.processes.names = slices.Grow(b.processes.names, room-n)
		b.processes.byID.grow(room)
		if b.h.Order == FileOrder {
			b.open = slices.Grow(b.open, room-len(b.open))
		}
	}
	b.index.grow(room)
}

// checkInvoke returns the fault of an invocation by itself, or "".
func (b *Builder) checkInvoke(ev *Event, hasID bool) string {
	switch {
	case ev.Method == "":
		return "invocation without a method"
	case ev.Process.Kind() == None:
		return fmt.Sprintf("invocation of %s without a process", ev.Method)
	case !isIdentifier(ev.Process):
		return fmt.Sprintf("process %v is neither an integer nor a string", ev.Process)
	case hasID && !isIdentifier(ev.Op):
		return fmt.Sprintf("operation identifier %v is neither an integer nor a string", ev.Op)
	case !hasID && b.h.Order == StampOrder:
		return fmt.Sprintf("invocation of %s without an operation identifier; a history ordered by stamps needs them", ev.Method)
	case slices.ContainsFunc(ev.Args, Value.HoldsUnknown):
		return fmt.Sprintf("invocation of %s with an unknown value in its arguments", ev.Method)
	case hasID != b.withIDs:
		return fmt.Sprintf("invocation of %s: either every operation of a history has an identifier or none", ev.Method)
	}
	return ""
}

func isIdentifier(v Value) bool { return v.Kind() == Int || v.Kind() == String }

// clampLine limits a line number to 32 bits, which only files of 2^31 lines exceed.
func clampLine(line int) int32 { return int32(min(line, 1<<31-1)) }

func (b *Builder) overlap(line int, process, op Value, open *Operation) {
	what := "invokes an operation"
	if op.Kind() != None {
		what = fmt.Sprintf("invokes operation %v", op)
	}
	b.Errorf(line, "process %v %s while its %s%s is still open", process, what, open.Method, atLine("", open.Line))
}

func (b *Builder) respond(ev *Event) {
	if b.h.Order == StampOrder {
		if ev.Op.Kind() == None {
			b.Errorf(ev.Line, "response without an operation identifier; a history ordered by stamps needs them")
			return
		}
		b.pair(&response{
			op: ev.Op, process: ev.Process, result: ev.Result, version: ev.Version, at: ev.At,
			place: b.events, line: clampLine(ev.Line), typ: ev.Type, waitsFor: ev.For,
		})
		return
	}
	i := b.openOperation(ev)
	if i < 0 {
		return
	}
	op := &b.ops[i]
	op.ended = ev.Type
	switch ev.Type {
	case OK:
		op.Return, op.Result, op.Version = b.events, ev.Result, ev.Version
	case Fail:
		op.Return, op.dropped = b.events, true
	case Waits: // its process stays in the call
		op.Return = b.events
		b.wait(op, ev.For)
		return
	default: // Info: stays open
		return
	}
	if b.open[op.Process] == i {
		b.open[op.Process] = -1
	}
}

// openOperation returns the operation that a response of a file-ordered
// history ends, or -1 after recording a fault.
func (b *Builder) openOperation(ev *Event) int32 {
	byID := int32(-1)
	if ev.Op.Kind() != None {
		i, ok := b.index.get(ev.Op)
		switch {
		case !ok:
			b.Errorf(ev.Line, "response of operation %v, which was not invoked before", ev.Op)
			return -1
		case b.ops[i].ended != Invoke:
			b.Errorf(ev.Line, "duplicate response of operation %v%s", ev.Op, atLine("invoked at ", b.ops[i].Line))
			return -1
		}
		byID = i
	}
	if ev.Process.Kind() == None {
		if byID < 0 {
			b.Errorf(ev.Line, "response names neither process nor operation")
		}
		return byID
	}
	p, ok := b.processes.find(ev.Process)
	if !ok || b.open[p] < 0 || b.ops[b.open[p]].ended != Invoke {
		b.Errorf(ev.Line, "response of process %v, which has no open operation", ev.Process)
		return -1
	}
	if o := b.open[p]; byID >= 0 && byID != o {
		b.Errorf(ev.Line, "response of process %v names operation %v, but its open operation is %v%s",
			ev.Process, ev.Op, b.ops[o].ID(), atLine("", b.ops[o].Line))
		return -1
	}
	return b.open[p]
}

// Invoked returns the operation with an identifier, and its number in the order of
// invocations in the file, from 0; or nil if there is none. The operation is
// read-only and valid until the next call of Add.
func (b *Builder) Invoked(id Value) (op *Operation, number int) {
	i, ok := b.index.get(id)
	if !ok {
		return nil, -1
	}
	return &b.ops[i], int(i)
}

// AddEdge orders operation from before operation to, beyond real time.
func (b *Builder) AddEdge(from, to Value, line int) {
	b.edges = append(b.edges, rawEdge{from, to, line})
}

// Mark records that a pending operation certainly happened, or certainly did
// not.
func (b *Builder) Mark(op Value, happened bool, line int) {
	b.marks = append(b.marks, rawMark{op, happened, line})
}

// atLine returns an addition to a message about another line, or "" if the events
// were not read from a file.
func atLine(what string, line int32) string {
	if line == 0 {
		return ""
	}
	return fmt.Sprintf(" (%sline %d)", what, line)
}
