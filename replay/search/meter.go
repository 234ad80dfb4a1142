package search

import (
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// Besides the steps of the object, the search counts work for each configuration that it
// visits, and for new states of the object by their size.
const (
	configurationWork = 2
	bytesPerUnit      = 64
)

// giveUp returns the cause to give up, or NoCause. fits reports whether memory
// is within its bound.
func giveUp(m *meter.Meter, fits func() bool) replay.Cause {
	switch {
	case m.Stopped():
		return replay.Time
	case !fits():
		return replay.Memory
	}
	return replay.NoCause
}

// growth is the size of a machine's tables when it was last read.
type growth int64

// work returns the work for the new states of the machine.
func (g *growth) work(bytes int64) int {
	work := max(0, bytes-int64(*g)) / bytesPerUnit
	*g = growth(bytes)
	return int(work)
}
