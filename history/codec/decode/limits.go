package decode

import (
	"fmt"

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

// Fill replaces zeros by defaults and negative numbers by numbers that nothing reaches.
func (l Limits) Fill() Limits {
	l.Limits = l.Limits.Fill()
	l.Line = files.Limit(l.Line, DefaultLimits.Line)
	l.History = files.Limit(l.History, DefaultLimits.History)
	l.Memory = files.Limit(l.Memory, DefaultLimits.Memory)
	l.Line = min(l.Line, l.Memory)
	l.Window = min(l.Window, max(l.Memory/2, files.UsualWindow))
	return l
}

// TooLong is the error for a line that is longer than the limit.
func TooLong(limit int64) error {
	return files.LimitError(fmt.Sprintf("line longer than %s", Size(limit)))
}

func tooLarge(limit int64) error {
	return files.LimitError(fmt.Sprintf("history larger than %s", Size(limit)))
}

func tooMuchMemory(limit int64) error {
	return files.LimitError(fmt.Sprintf("the history takes more than %s of memory", Size(limit)))
}

// Size formats a number of bytes.
func Size(n int64) string {
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

const (
	// EventBytes is about the memory of an event that is kept, and of half an operation.
	EventBytes = 256
	// openBytes is the memory of a history that is being read, without its Builder and its values.
	openBytes = 256
)

// budget counts what the open history takes.
type budget struct {
	from    int64 // byte of the stream at which it begins
	pieces  int   // of input
	builder int64 // bytes, when they were last measured
	made    int64 // Pool.Made when it began
}

// Exceeded returns an error if the open history takes more input or memory than the limits
// allow. The loop asks after each piece; a format asks while it reads a piece that may be as
// large as a history. From time to time it tells the Builder how many operations to expect.
func (s *Stream) Exceeded() error {
	if s.last == nil {
		return nil
	}
	u, h := &s.budget, s.last
	input := s.Window.passed() - u.from
	if u.pieces++; u.pieces < 16 || u.pieces%64 == 0 {
		u.builder = h.Size() + openBytes
	}
	if n := h.Events(); n%sampled == 0 && n > 0 && s.begun == 1 { // long files usually have one history
		h.Expect(s.Expected(n) / 2)
	}
	kept := int64(0)
	if h.Kept != nil {
		kept = h.Kept()
	}
	switch {
	case input > s.Limits.History:
		return tooLarge(s.Limits.History)
	case u.builder+s.Pool.Made-u.made+kept > s.Limits.Memory:
		return tooMuchMemory(s.Limits.Memory)
	}
	return nil
}

const (
	// sampled is the number of events or operations after which the length of a history
	// is estimated again and again.
	sampled = 1000
	// maxExpected bounds the estimate.
	maxExpected = 1 << 27
)

// Expected estimates how many pieces the whole stream has, if what was read of the open
// history has n; 0 if its length is unknown.
func (s *Stream) Expected(n int) int {
	bytes := max(s.Window.passed()-s.budget.from, 1)
	return int(min(s.size*int64(n)/bytes*101/100, 4096*int64(n), maxExpected))
}
