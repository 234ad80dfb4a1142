package spec

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

var dequeTable = newTable([]method[*valueRing]{
	{"pushFront|push_front|addFirst(value)", func(r *valueRing, args []value) value {
		r.pushFront(args[0])
		return history.NoValue
	}, inserts | front},
	{"pushBack|push_back|addLast(value)", pushBack, inserts},
	{"popFront|pop_front|pollFirst() -> any", popFront, removes | front},
	{"popBack|pop_back|pollLast() -> any", popBack, removes},
	{"peekFront|peek_front|peekFirst() -> any", peekFront, peeks | front},
	{"peekBack|peek_back|peekLast() -> any", peekBack, peeks},
}, sizeMethods[*valueRing]())

var dequeEntry = entry{"deque", "",
	"a queue with two ends; removing from an empty deque returns null",
	&dequeTable.signatures, newDeque, nil}

func newDeque(args []value) (replay.Spec, error) {
	if err := atMost("deque", args, 0); err != nil {
		return nil, err
	}
	return &specification[*valueRing]{name: "deque", args: args, table: dequeTable, discipline: replay.BothEnds,
		fresh: func() *valueRing { return &valueRing{} }}, nil
}
