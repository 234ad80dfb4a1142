package spec

import (
	"encoding/binary"
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A valueRing is the state of stack, queue and deque: their values from front
// to back. The top of a stack is at the back.
type valueRing struct {
	ring[value]
	capacity int  // of a queue
	isStack  bool // for appendText
}

func (r *valueRing) clone() *valueRing { return &valueRing{r.ring.clone(), r.capacity, r.isStack} }

func (r *valueRing) appendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(r.n))
	for i := range r.n {
		dst = r.at(i).AppendKey(dst)
	}
	return dst
}

// appendText appends the values; the values of a stack begin at the top.
func (r *valueRing) appendText(dst []byte) []byte {
	values := r.all()
	if r.isStack {
		values = r.backward()
	}
	return appendEach(dst, "[]", values, appendValue)
}

func pushBack(r *valueRing, args []value) value {
	r.pushBack(args[0])
	return history.NoValue
}

// The methods that remove or read return null if there is nothing.

func popFront(r *valueRing, _ []value) value {
	if r.n == 0 {
		return history.NullValue
	}
	return r.popFront()
}

func popBack(r *valueRing, _ []value) value {
	if r.n == 0 {
		return history.NullValue
	}
	return r.popBack()
}

func peekFront(r *valueRing, _ []value) value {
	if r.n == 0 {
		return history.NullValue
	}
	return r.at(0)
}

func peekBack(r *valueRing, _ []value) value {
	if r.n == 0 {
		return history.NullValue
	}
	return r.at(r.n - 1)
}

// offer puts a value into a queue unless it is full.
func offer(r *valueRing, args []value) value {
	if r.n >= r.capacity {
		return history.BoolValue(false)
	}
	r.pushBack(args[0])
	return history.BoolValue(true)
}

// enqueue of an unbounded queue returns nothing; enqueue of a bounded queue
// returns whether there was room. In both, offer returns whether there was room, put
// waits for room, and take waits for an element.
var (
	queueTable = newTable([]method[*valueRing]{
		{"enqueue|enq(value)", pushBack, inserts},
	}, queueMethods, sizeMethods[*valueRing]())

	boundedQueueTable = newTable([]method[*valueRing]{
		{"enqueue|enq(value) -> bool", offer, inserts | failsFalse},
	}, queueMethods, sizeMethods[*valueRing]())
)

var queueMethods = []method[*valueRing]{
	{"dequeue|deq|poll() -> any", popFront, removes},
	{"peek|front() -> any", peekFront, peeks},
	{"offer(value) -> bool", offer, inserts | failsFalse},
	{"put(value)", func(r *valueRing, args []value) value {
		if r.n >= r.capacity {
			return noTransition
		}
		return pushBack(r, args)
	}, inserts},
	{"take() -> any", func(r *valueRing, args []value) value {
		if r.n == 0 {
			return noTransition
		}
		return r.popFront()
	}, removes | waits},
}

var queueEntry = entry{"queue", "[:capacity]",
	"first in, first out; dequeue of an empty queue returns null; with a capacity, enqueue returns true or false",
	&queueTable.signatures, newQueue, nil}

func newQueue(args []value) (replay.Spec, error) {
	const ints = kinds(1) << history.Int
	capacity, err := optional("queue", args, "capacity", ints, history.IntValue(math.MaxInt))
	if err != nil {
		return nil, err
	}
	if err := positive("queue", "capacity", capacity); err != nil {
		return nil, err
	}
	t, discipline := queueTable, replay.FirstIn
	if len(args) > 0 {
		t, discipline = boundedQueueTable, replay.FirstInBounded
	}
	most := int(min(capacity.Int(), math.MaxInt))
	return &specification[*valueRing]{name: "queue", args: args, table: t, discipline: discipline, capacity: most, fresh: func() *valueRing {
		return &valueRing{capacity: most}
	}}, nil
}
