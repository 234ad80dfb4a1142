package spec

import (
	"strconv"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A counter is a 64-bit integer that wraps around. Besides updates without a
// result, it has the updates of java.util.concurrent.atomic.AtomicLong, which
// return the value before or after.
type counter struct{ n int64 }

func (c *counter) Clone() *counter { d := *c; return &d }

func (c *counter) AppendKey(dst []byte) []byte { return history.IntValue(c.n).AppendKey(dst) }

func (c *counter) AppendText(dst []byte) []byte { return strconv.AppendInt(dst, c.n, 10) }

// was adds by and returns the number before; is returns the number after; add returns
// nothing.
func (c *counter) was(by int64) value { c.n += by; return history.IntValue(c.n - by) }
func (c *counter) is(by int64) value  { c.n += by; return history.IntValue(c.n) }
func (c *counter) add(by int64) value { c.n += by; return history.NoValue }

var counterTable = table.New([]table.Method[*counter]{
	table.Row("read|get|value() -> int", func(c *counter, _ []value) value { return c.is(0) }, table.Reads),
	table.Row("increment|inc()", func(c *counter, _ []value) value { return c.add(1) }, table.Updates),
	table.Row("decrement|dec()", func(c *counter, _ []value) value { return c.add(-1) }, table.Updates),
	table.Row("add(delta: int)", func(c *counter, args []value) value { return c.add(args[0].Int()) }, table.Updates),
	table.Row("set|reset(value: int)", func(c *counter, args []value) value { return c.add(args[0].Int() - c.n) }, table.Updates),
	table.Row("getAndIncrement() -> int", func(c *counter, _ []value) value { return c.was(1) }, table.Updates),
	table.Row("getAndDecrement() -> int", func(c *counter, _ []value) value { return c.was(-1) }, table.Updates),
	table.Row("getAndAdd|fetch_add(delta: int) -> int", func(c *counter, args []value) value { return c.was(args[0].Int()) }, table.Updates),
	table.Row("incrementAndGet() -> int", func(c *counter, _ []value) value { return c.is(1) }, table.Updates),
	table.Row("decrementAndGet() -> int", func(c *counter, _ []value) value { return c.is(-1) }, table.Updates),
	table.Row("addAndGet(delta: int) -> int", func(c *counter, args []value) value { return c.is(args[0].Int()) }, table.Updates),
})

var counterEntry = table.Entry{Name: "counter", Args: "[:initial]",
	Doc:     "a 64-bit integer, initially 0",
	Methods: &counterTable.Signatures,
	Make:    newCounter,
}

func newCounter(args []value) (table.Made, error) {
	initial, err := table.Optional(args, "initial value", table.KindOf(history.Int), history.IntValue(0))
	if err != nil {
		return nil, err
	}
	return &table.Specification[*counter]{Table: counterTable, Fresh: func() *counter { return &counter{initial.Int()} }}, nil
}
