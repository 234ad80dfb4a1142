package history

import (
	"fmt"
	"slices"
	"sort"
)

// Tie says what equal time stamps mean.
type Tie uint8

const (
	// Closed: intervals include their end points, so that a response and an
	// invocation with the same stamp belong to concurrent operations, unless
	// one process issued both.
	Closed Tie = iota
	// HalfOpen: a response at t precedes an invocation at t.
	HalfOpen
)

func (t Tie) String() string {
	if t == HalfOpen {
		return "half-open"
	}
	return "closed"
}

// Order says where the order of events comes from.
type Order uint8

const (
	// FileOrder: events happened in the order in which they were given.
	FileOrder Order = iota
	// StampOrder: events carry time stamps and may be given in any order.
	StampOrder
)

func (o Order) String() string {
	if o == StampOrder {
		return "stamp"
	}
	return "file"
}

// A Header describes a history apart from its events.
type Header struct {
	ID        string  // name of the history within its file
	File      string  // where it was read, for messages
	Line      int     // where it begins
	Format    string  // name of the format it was read from
	Model     string  // specification named by the file, "" if none
	ModelArgs []Value // its arguments, a capacity for instance
	Tie       Tie
	Order     Order
	// Durability says what operations that are open at a crash may do.
	Durability Durability
	// Unterminated is set if the last line of a text file has no newline, and was read
	// as a whole line.
	Unterminated bool
	// SortedBy is "index" or "time" if the events have these, and they contradict the
	// order of the lines: then the events are in their order.
	SortedBy string
	// NoProcesses is set if the file has none: each operation has a process of its own then, with
	// its identifier as the name.
	NoProcesses bool
	// Warning is what a reader should know about how the file was read; "" if nothing.
	Warning string
}

// An Operation is an invocation with its response (Definition 3.3 of the
// paper), or without one when it is pending.
type Operation struct {
	Method  string
	Args    []Value // not to be changed: operations of decoded histories may share them
	Result  Value   // None, Unknown and Exception included; Unknown when pending
	Version Version // of the object, as it was recorded with the response
	Process int32   // index into History.Processes; negative for a ghost's process that is not among them
	Call    int32   // position of the invocation among all events
	Return  int32   // position of the response; NoReturn when pending
	Line    int32   // source line of the invocation
	// Happened marks a pending operation that is known to have taken effect.
	Happened bool
	// Waits is set if the call never returned, since it waits for ever: Result is WaitsForever,
	// and Return is where the record ends.
	Waits bool
	// Crashed is set if the operation ended at a crash, where Return is: it took effect before,
	// or never. Its result is Unknown.
	Crashed bool

	ended   EventType // Invoke while nothing has ended it
	dropped bool      // did not happen

	// The identifier, split in two: a Value would make the Operation larger, and
	// histories have millions of them.
	idNum int32
	idRef *rest // if the number does not fit idNum, a List whose only element is the identifier
}

// ID returns the identifier that the file gives the operation, an Int or a
// String, or else the operation's number.
func (op *Operation) ID() Value {
	if op.idRef != nil && op.idRef.kind == List {
		return op.idRef.list[0]
	}
	return Value{int64(op.idNum), op.idRef}
}

// SetID sets the identifier, an Int or a String.
func (op *Operation) SetID(id Value) {
	op.idNum, op.idRef = int32(id.num), id.ref
	if int64(op.idNum) != id.num || id.Kind() == List { // a List is not an identifier, but ID must not take it for a wrapped one
		op.idRef = &rest{kind: List, list: []Value{id}}
	}
}

// NoReturn is the Return of a pending operation: later than every event.
const NoReturn = 1<<31 - 1

// Pending reports whether the operation has no response.
func (op *Operation) Pending() bool { return op.Return == NoReturn }

// MayNotHappen reports whether the operation may have no effect although its interval ends: it was
// open at a crash.
func (op *Operation) MayNotHappen() bool { return op.Crashed && !op.Happened && !op.Pending() }

// String returns the operation as method(arguments): result.
func (op *Operation) String() string {
	b := append([]byte(op.Method), '(')
	for i, a := range op.Args {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = a.appendText(b)
	}
	b = append(b, ')')
	switch {
	case op.Waits:
		b = append(b, ": never returned"...)
	case op.Pending():
		b = append(b, ": pending"...)
	case op.Crashed:
		b = append(b, ": open at a crash"...)
	case op.Result.Kind() != None:
		b = append(b, ": "...)
		b = op.Result.appendText(b)
	}
	return string(b)
}

// An Edge orders operation From before operation To, whatever their intervals
// are. Both are indices into Ops, or, from len(Ops) on, into Ghosts.
type Edge struct{ From, To int32 }

// A History is a well-formed record of operations on one object. Build it with
// New or a Builder; its fields are read-only.
type History struct {
	Header
	// Ops are numbered in the order of their invocations.
	Ops []Operation
	// Processes holds the names of the processes, in the order of their first
	// invocations.
	Processes []Value
	// Edges order operations beyond real time. They are sorted, without
	// duplicates.
	Edges []Edge
	// Ghosts are operations that did not happen but have edges: what precedes a
	// ghost still precedes what follows it.
	Ghosts []Operation
	// Waits are the operations that wait for ever, by their numbers.
	Waits []Wait
	// Dropped counts operations that did not happen, ghosts included.
	Dropped int
	// Stamps are the time stamps of the events, by position; nil unless the
	// order is StampOrder. They are for display; positions determine the order.
	Stamps []int64

	relaxed   bool       // see IsRelaxed
	intervals []interval // of a relaxed history, before; ghosts come last
}

// IsRelaxed reports whether the history was made by ProgramOrder, so that
// positions say nothing about time.
func (h *History) IsRelaxed() bool { return h.relaxed }

// Pending counts the operations without a response. O(n).
func (h *History) Pending() int {
	n := 0
	for i := range h.Ops {
		if h.Ops[i].Pending() {
			n++
		}
	}
	return n
}

// UpTo returns the history as it was right after the event at a position. Later
// responses are removed, and pending operations need not have happened yet. If h is
// linearizable, so is the result. Edges are left out. Operations keep their
// numbers and positions.
func (h *History) UpTo(position int32) *History {
	cut := &History{Header: h.Header, Processes: h.Processes, Ops: slices.Clone(h.Ops), Dropped: h.Dropped}
	cut.Truncate(position)
	return cut
}

// Truncate is UpTo in place, for a history without edges. It returns the operations that become
// pending. O(n).
func (h *History) Truncate(position int32) (pending []int32) {
	h.Ops = h.Ops[:sort.Search(len(h.Ops), func(i int) bool { return h.Ops[i].Call > position })]
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Return > position {
			op.Return, op.Result, op.Happened, op.Waits = NoReturn, UnknownValue, false, false
			pending = append(pending, int32(i))
		}
	}
	return pending
}

// Operation returns the operation that an index of an Edge refers to.
func (h *History) Operation(i int32) *Operation {
	if int(i) < len(h.Ops) {
		return &h.Ops[i]
	}
	return &h.Ghosts[int(i)-len(h.Ops)]
}

// HasEdges reports whether order beyond real time was given, so that the
// operations need not form an interval order.
func (h *History) HasEdges() bool { return len(h.Edges) > 0 }

// Errorf returns an Error about operation op of h, at the line of op.
func (h *History) Errorf(op *Operation, format string, args ...any) *Error {
	return &Error{File: h.File, Line: int(op.Line), Msg: fmt.Sprintf(format, args...)}
}
