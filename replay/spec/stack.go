package spec

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

var stackTable = table.New([]table.Method[*valueRing]{
	table.Row("push(value)", pushBack, table.Inserts),
	table.TakeRow("pop() -> any", back, history.NullValue, table.Removes),
	table.TakeRow("peek|top() -> any", back, history.NullValue, table.Peeks),
}, sizeMethods[*valueRing]())

var stackEntry = table.Entry{Name: "stack",
	Doc:     "last in, first out; pop of an empty stack returns null",
	Methods: &stackTable.Signatures,
	Make:    table.Plain(table.Specification[*valueRing]{Table: stackTable, Discipline: replay.LastIn, Fresh: func() *valueRing { return &valueRing{isStack: true} }}),
}
