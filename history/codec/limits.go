package codec

import (
	"fmt"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/files"
)

// Limits protect against inputs that would take too much memory. In each field, 0
// means the default and a negative number means no limit.
type Limits struct {
	// Line is the longest line, in bytes: 16 MiB by default.
	Line int64
	// History is how many bytes of input a history may have: 2 GiB by default. A decoded history takes about as much memory as its text, and at
	// worst (lists of short lists) twenty-five times as much.
	History int64
	// Memory is about how many bytes of memory a history may take: 8 GiB by default. It also bounds Line and Window, and the
	// length of an object in JSON.
	Memory       int64
	files.Limits // of compression
}

// DefaultLimits are the limits of a zero Limits.
var DefaultLimits = Limits{Line: 16 << 20, History: 2 << 30, Memory: 8 << 30, Limits: files.DefaultLimits}

// fill replaces zeros by defaults and negative numbers by numbers that nothing reaches.
func (l Limits) fill() Limits {
	l.Limits = l.Limits.Fill()
	l.Line = files.Limit(l.Line, DefaultLimits.Line)
	l.History = files.Limit(l.History, DefaultLimits.History)
	l.Memory = files.Limit(l.Memory, DefaultLimits.Memory)
	l.Line = min(l.Line, l.Memory)
	l.Window = min(l.Window, max(l.Memory/2, files.UsualWindow))
	return l
}

func tooLong(limit int64) error {
	return files.LimitError(fmt.Sprintf("line longer than %s", size(limit)))
}

func tooLarge(limit int64) error {
	return files.LimitError(fmt.Sprintf("history larger than %s", size(limit)))
}

func tooMuchMemory(limit int64) error {
	return files.LimitError(fmt.Sprintf("the history takes more than %s of memory", size(limit)))
}

// exceeded returns an error if a history takes more input or memory than l, which is filled, allows.
func (l *Limits) exceeded(input, memory int64) error {
	switch {
	case input > l.History:
		return tooLarge(l.History)
	case memory > l.Memory:
		return tooMuchMemory(l.Memory)
	}
	return nil
}

// A budget compares what the current history of a file takes with the limits.
type budget struct {
	lim       *Limits
	pool      *pool
	size      int64 // of the file; 0 if unknown
	histories int   // that have begun
	input     int64 // bytes
	pieces    int   // of input
	builder   int64 // bytes, when they were last measured
	made      int64 // pool.made when the history began
}

// begin begins to count for the next history.
func (u *budget) begin() {
	u.histories++
	u.input, u.pieces, u.builder, u.made = 0, 0, 0, u.pool.made
}

// charge counts a piece of input, and returns an error if the history takes too much: b, which
// may be nil, and kept bytes besides, apart from values. From time to time it tells b how many
// operations to expect.
func (u *budget) charge(size int, b *history.Builder, kept int64) error {
	u.input += int64(size)
	if b != nil {
		if u.pieces++; u.pieces < 16 || u.pieces%64 == 0 {
			u.builder = b.Size() + openBytes
		}
		if n := b.Events(); n%sampled == 0 && n > 0 && u.histories == 1 { // long files usually have one history
			b.Expect(u.expected(n) / 2)
		}
	}
	return u.lim.exceeded(u.input, u.builder+u.pool.made-u.made+kept)
}

// expected estimates how many pieces the whole file has if what was read so far has n.
func (u *budget) expected(n int) int { return expected(u.size, u.input, n) }

// openBytes is the memory of a history that is being read, without its Builder and its values.
const openBytes = 256

// size formats a number of bytes.
func size(n int64) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
