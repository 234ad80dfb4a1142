package spec

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

var dequeTable = newTable([]method[*valueRing]{
	{"pushFront|push_front|addFirst(value)", func(r *valueRing, args []value) value {
		r.pushFront(args[0])
		return history.NoValue
	}},
	{"pushBack|push_back|addLast(value)", pushBack},
	{"popFront|pop_front|pollFirst() -> any", popFront},
	{"popBack|pop_back|pollLast() -> any", popBack},
	{"peekFront|peek_front|peekFirst() -> any", peekFront},
	{"peekBack|peek_back|peekLast() -> any", peekBack},
}, sizeMethods[*valueRing]())

func newDeque(args []value) (replay.Spec, error) {
	if err := atMost("deque", args, 0); err != nil {
		return nil, err
	}
	return &specification[*valueRing]{"deque", args, dequeTable, newValueRing}, nil
}
