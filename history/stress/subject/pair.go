package subject

import (
	"sync"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A pair holds two numbers that are written and read together.
type pair interface {
	write(x, y int)
	read() (x, y int)
}

func pairs() []*Subject {
	return subjects(model{}, []*stress.Method{
		binary("write", 0, func(p pair, x, y int) history.Value { p.write(x, y); return history.NoValue }),
		nullary("read", readOnly, func(p pair) history.Value {
			x, y := p.read()
			return history.ListValue(intValue(x), intValue(y))
		}),
	}, variant{
		name: "pair", doc: "two numbers, written and read under a lock",
		new: func() any { return &lockedPair{} },
	}, variant{
		name: "pair-torn", doc: "two numbers, each atomic, but not both",
		new: func() any { return &tornPair{} }, twin: "pair",
	})
}

type lockedPair struct {
	mu   sync.Mutex
	x, y int
}

func (p *lockedPair) write(x, y int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.x, p.y = x, y
}

func (p *lockedPair) read() (x, y int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.x, p.y
}
