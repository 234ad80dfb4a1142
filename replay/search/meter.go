package search

import "github.com/leadline/leadline/replay"

// askEvery is how much work may be done between two questions whether to
// stop. A unit is about a look at one operation, be it an application of it
// to the object; going to a configuration counts as configurationWork, and new
// states of the object by their size.
const (
	askEvery          = 1 << 11
	configurationWork = 2
	bytesPerUnit      = 64
)

// A meter counts work and asks now and then whether to stop. All that works on
// one history shares it, so that many small searches ask as often as a large
// one.
type meter struct {
	stop    func() bool
	left    int // work until it asks
	stopped bool
	bytes   int64 // of the machine's tables when grown was called last
}

func newMeter(stop func() bool) *meter { return &meter{stop: stop, left: askEvery} }

// spend counts work and reports whether enough was done to look at bounds.
func (m *meter) spend(work int) bool {
	m.left -= work
	return m.left <= 0 && m.ask()
}

func (m *meter) ask() bool {
	m.left = askEvery
	m.stopped = m.stopped || m.stop()
	return true
}

// mustStop counts work and reports whether to stop.
func (m *meter) mustStop(work int) bool {
	m.spend(work)
	return m.stopped
}

// cause says why to give up, if there is reason to; fits is asked whether
// memory is.
func (m *meter) cause(fits func() bool) replay.Cause {
	switch {
	case m.stopped:
		return replay.Time
	case !fits():
		return replay.Memory
	}
	return replay.NoCause
}

// grown returns the work that new states of the machine were.
func (m *meter) grown(bytes int64) int {
	work := max(0, bytes-m.bytes) / bytesPerUnit
	m.bytes = bytes
	return int(work)
}
