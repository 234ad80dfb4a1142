package spec

import (
	"strconv"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A counter is a 64-bit integer that wraps around. Besides updates without a
// result, it has the updates of java.util.concurrent.atomic.AtomicLong, which
// return the value before or after.
type counter struct{ n int64 }

func (c *counter) clone() *counter { d := *c; return &d }

func (c *counter) appendKey(dst []byte) []byte { return history.IntValue(c.n).AppendKey(dst) }

func (c *counter) appendText(dst []byte) []byte { return strconv.AppendInt(dst, c.n, 10) }

// was adds by and returns the number before; is returns the number after; add returns
// nothing.
func (c *counter) was(by int64) value { c.n += by; return history.IntValue(c.n - by) }
func (c *counter) is(by int64) value  { c.n += by; return history.IntValue(c.n) }
func (c *counter) add(by int64) value { c.n += by; return history.NoValue }

var counterTable = newTable([]method[*counter]{
	{"read|get|value() -> int", func(c *counter, _ []value) value { return c.is(0) }, reads},
	{"increment|inc()", func(c *counter, _ []value) value { return c.add(1) }, updates},
	{"decrement|dec()", func(c *counter, _ []value) value { return c.add(-1) }, updates},
	{"add(delta: int)", func(c *counter, args []value) value { return c.add(args[0].Int()) }, updates},
	{"set|reset(value: int)", func(c *counter, args []value) value { return c.add(args[0].Int() - c.n) }, updates},
	{"getAndIncrement() -> int", func(c *counter, _ []value) value { return c.was(1) }, updates},
	{"getAndDecrement() -> int", func(c *counter, _ []value) value { return c.was(-1) }, updates},
	{"getAndAdd|fetch_add(delta: int) -> int", func(c *counter, args []value) value { return c.was(args[0].Int()) }, updates},
	{"incrementAndGet() -> int", func(c *counter, _ []value) value { return c.is(1) }, updates},
	{"decrementAndGet() -> int", func(c *counter, _ []value) value { return c.is(-1) }, updates},
	{"addAndGet(delta: int) -> int", func(c *counter, args []value) value { return c.is(args[0].Int()) }, updates},
})

var counterEntry = entry{"counter", "[:initial]",
	"a 64-bit integer, initially 0",
	&counterTable.signatures, newCounter, nil}

func newCounter(args []value) (replay.Spec, error) {
	const ints = kinds(1) << history.Int
	initial, err := optional("counter", args, "initial value", ints, history.IntValue(0))
	if err != nil {
		return nil, err
	}
	return &specification[*counter]{name: "counter", args: args, table: counterTable, fresh: func() *counter { return &counter{initial.Int()} }}, nil
}
