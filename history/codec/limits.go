package codec

import (
	"errors"
	"fmt"
	"math"
)

// Limits protect against inputs that would take too much memory. In each field, 0
// means the default and a negative number means no limit.
type Limits struct {
	// Line is the longest line, in bytes: 16 MiB by default.
	Line int64
	// History is how many bytes of input a history may have: 1 GiB by default. A decoded history takes about as much memory as its text, and at
	// worst (lists of short lists) twenty-five times as much.
	History int64
	// Memory is about how many bytes of memory a history may take: 8 GiB by default. It also bounds Line and Window, and the
	// length of an object in JSON.
	Memory int64
	// Ratio is how many bytes one byte of compressed input may expand to. It
	// applies to the whole input once RatioAfter bytes are decompressed. The
	// defaults are 1000 and 100 MB.
	Ratio, RatioAfter int64
	// Window is the largest window of a zstd frame, in bytes: 128 MiB by default,
	// as in zstd.
	Window int64
}

// DefaultLimits are the limits of a zero Limits.
var DefaultLimits = Limits{Line: 16 << 20, History: 1 << 30, Memory: 8 << 30, Ratio: 1000, RatioAfter: 100e6, Window: 128 << 20}

// noLimit is so small that adding other sizes does not overflow.
const noLimit = math.MaxInt64 / 4

// fill replaces zeros by defaults and negative numbers by noLimit.
func (l Limits) fill() Limits {
	one := func(field *int64, standard int64) {
		switch {
		case *field == 0:
			*field = standard
		case *field < 0 || *field > noLimit:
			*field = noLimit
		}
	}
	one(&l.Line, DefaultLimits.Line)
	one(&l.History, DefaultLimits.History)
	one(&l.Ratio, DefaultLimits.Ratio)
	one(&l.RatioAfter, DefaultLimits.RatioAfter)
	one(&l.Window, DefaultLimits.Window)
	one(&l.Memory, DefaultLimits.Memory)
	l.Line = min(l.Line, l.Memory)
	l.Window = min(l.Window, max(l.Memory/2, usualWindow))
	return l
}

// usualWindow is the window that encoders of zstd use by default.
const usualWindow = 8 << 20

// ErrLimit is wrapped by the error for an input that exceeds one of the
// Limits.
var ErrLimit = errors.New("limit exceeded")

// A limitError describes which limit an input exceeds.
type limitError string

func (e limitError) Error() string { return string(e) }

func (e limitError) Is(target error) bool { return target == ErrLimit }

func tooLong(limit int64) error {
	return limitError(fmt.Sprintf("line longer than %s", size(limit)))
}

func tooLarge(limit int64) error {
	return limitError(fmt.Sprintf("history larger than %s", size(limit)))
}

func tooMuchMemory(limit int64) error {
	return limitError(fmt.Sprintf("the history takes more than %s of memory", size(limit)))
}

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
