package spec

import (
	"encoding/binary"
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/container"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A valueRing is the state of stack, queue and deque: their values from front
// to back. The top of a stack is at the back.
type valueRing struct {
	container.Ring[value]
	capacity int  // of a queue
	isStack  bool // for AppendText
}

func (r *valueRing) Clone() *valueRing { return &valueRing{r.Ring.Clone(), r.capacity, r.isStack} }

func (r *valueRing) Element(i int) value { return r.At(i) }

// front and back are the ends where rows remove or read a value.
var front, back = table.First[*valueRing], table.Last[*valueRing]

func (r *valueRing) AppendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(r.Len()))
	for i := range r.Len() {
		dst = r.At(i).AppendKey(dst)
	}
	return dst
}

// AppendText appends the values; the values of a stack begin at the top.
func (r *valueRing) AppendText(dst []byte) []byte {
	values := r.All()
	if r.isStack {
		values = r.Backward()
	}
	return table.AppendEach(dst, "[]", ", ", values, table.AppendValue)
}

func pushBack(r *valueRing, args []value) value {
	r.PushBack(args[0])
	return history.NoValue
}

// offer puts a value into a queue unless it is full.
func offer(r *valueRing, args []value) value {
	if r.Len() >= r.capacity {
		return history.BoolValue(false)
	}
	r.PushBack(args[0])
	return history.BoolValue(true)
}

// enqueue of an unbounded queue returns nothing; enqueue of a bounded queue
// returns whether there was room. In both, offer returns whether there was room, put
// waits for room, and take waits for an element.
var (
	queueTable = table.New([]table.Method[*valueRing]{
		table.Row("enqueue|enq(value)", pushBack, table.Inserts),
	}, queueMethods, sizeMethods[*valueRing]())

	boundedQueueTable = table.New([]table.Method[*valueRing]{
		table.Row("enqueue|enq(value) -> bool", offer, table.Inserts|table.FailsFalse),
	}, queueMethods, sizeMethods[*valueRing]())
)

var queueMethods = []table.Method[*valueRing]{
	table.TakeRow("dequeue|deq|poll() -> any", front, history.NullValue, table.Removes),
	table.TakeRow("peek|front() -> any", front, history.NullValue, table.Peeks),
	table.Row("offer(value) -> bool", offer, table.Inserts|table.FailsFalse),
	table.Row("put(value)", func(r *valueRing, args []value) value {
		if r.Len() >= r.capacity {
			return table.NoTransition
		}
		return pushBack(r, args)
	}, table.Inserts|table.Waits),
	table.TakeRow("take() -> any", front, table.NoTransition, table.Removes|table.Waits),
}

var queueEntry = table.Entry{Name: "queue", Args: "[:capacity]",
	Doc:     "first in, first out; dequeue of an empty queue returns null; with a capacity, enqueue returns true or false",
	Methods: &queueTable.Signatures,
	Make:    newQueue,
}

func newQueue(args []value) (table.Made, error) {
	capacity, err := table.Optional(args, "capacity", table.KindOf(history.Int), history.IntValue(math.MaxInt))
	if err != nil {
		return nil, err
	}
	if err := table.Positive("capacity", capacity); err != nil {
		return nil, err
	}
	t, discipline := queueTable, replay.FirstIn
	if len(args) > 0 {
		t, discipline = boundedQueueTable, replay.FirstInBounded
	}
	most := int(min(capacity.Int(), math.MaxInt))
	return &table.Specification[*valueRing]{Table: t, Discipline: discipline, Capacity: most, Fresh: func() *valueRing {
		return &valueRing{capacity: most}
	}}, nil
}
