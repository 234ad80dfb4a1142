package spec

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

var dequeTable = table.New([]table.Method[*valueRing]{
	table.Row("pushFront|push_front|addFirst(value)", func(r *valueRing, args []value) value {
		r.PushFront(args[0])
		return history.NoValue
	}, table.Inserts|table.Front),
	table.Row("pushBack|push_back|addLast(value)", pushBack, table.Inserts),
	table.TakeRow("popFront|pop_front|pollFirst() -> any", front, history.NullValue, table.Removes|table.Front),
	table.TakeRow("popBack|pop_back|pollLast() -> any", back, history.NullValue, table.Removes),
	table.TakeRow("peekFront|peek_front|peekFirst() -> any", front, history.NullValue, table.Peeks|table.Front),
	table.TakeRow("peekBack|peek_back|peekLast() -> any", back, history.NullValue, table.Peeks),
}, sizeMethods[*valueRing]())

var dequeEntry = table.Entry{Name: "deque",
	Doc:     "a queue with two ends; removing from an empty deque returns null",
	Methods: &dequeTable.Signatures,
	Make:    table.Plain(table.Specification[*valueRing]{Table: dequeTable, Discipline: replay.BothEnds, Fresh: func() *valueRing { return &valueRing{} }}),
}
