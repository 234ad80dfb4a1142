package subject

import "sync/atomic"

// A tornPair shows half of what is being written.
type tornPair struct{ x, y atomic.Int64 }

func (p *tornPair) write(x, y int) {
	p.x.Store(int64(x))
	linger()
	p.y.Store(int64(y))
}

func (p *tornPair) read() (x, y int) {
	x = int(p.x.Load())
	return x, int(p.y.Load())
}
