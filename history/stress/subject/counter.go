package subject

import (
	"sync/atomic"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A counter counts.
type counter interface {
	read() int
	add(delta int) (old int)
}

func counters() []*Subject {
	return subjects(model{name: "counter"}, []*stress.Method{
		nullary("read", readOnly, func(c counter) history.Value { return intValue(c.read()) }),
		nullary("increment", 0, func(c counter) history.Value { c.add(1); return history.NoValue }),
		nullary("decrement", 0, func(c counter) history.Value { c.add(-1); return history.NoValue }),
		unary("add", 0, func(c counter, delta int) history.Value { c.add(delta); return history.NoValue }),
		nullary("getAndIncrement", 0, func(c counter) history.Value { return intValue(c.add(1)) }),
	}, variant{
		name: "counter", doc: "an atomic counter",
		new: func() any { return &atomicCounter{} },
	}, variant{
		name: "counter-lost-update", doc: "a counter that loads, adds and stores",
		new: func() any { return &lossyCounter{} }, twin: "counter",
	})
}

type atomicCounter struct{ n atomic.Int64 }

func (c *atomicCounter) read() int         { return int(c.n.Load()) }
func (c *atomicCounter) add(delta int) int { return int(c.n.Add(int64(delta))) - delta }
