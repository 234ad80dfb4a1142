package files

import (
	"errors"
	"math"
)

// Limits protect against compressed inputs that expand to very much. In each field, 0
// means the default and a negative number means no limit.
type Limits struct {
	// Ratio is how many bytes one byte of compressed input may expand to. It
	// applies to the whole input once RatioAfter bytes are decompressed. The
	// defaults are 1000 and 100 MB.
	Ratio, RatioAfter int64
	// Window is the largest window of a zstd frame, in bytes: 128 MiB by default,
	// as in zstd.
	Window int64
}

// DefaultLimits are the limits of a zero Limits.
var DefaultLimits = Limits{Ratio: 1000, RatioAfter: 100e6, Window: 128 << 20}

// UsualWindow is the window that encoders of zstd use by default.
const UsualWindow = 8 << 20

// noLimit is so small that adding other sizes does not overflow.
const noLimit = math.MaxInt64 / 4

// Limit returns the limit that the field of a Limits means: its default if it is 0, and
// a number that nothing reaches if it is negative.
func Limit(field, standard int64) int64 {
	switch {
	case field == 0:
		return standard
	case field < 0:
		return noLimit
	}
	return min(field, noLimit)
}

// Fill replaces zeros and negative numbers; see Limit.
func (l Limits) Fill() Limits {
	return Limits{
		Ratio:      Limit(l.Ratio, DefaultLimits.Ratio),
		RatioAfter: Limit(l.RatioAfter, DefaultLimits.RatioAfter),
		Window:     Limit(l.Window, DefaultLimits.Window),
	}
}

// ErrLimit is wrapped by the error for an input that exceeds a limit.
var ErrLimit = errors.New("limit exceeded")

// A LimitError describes which limit an input exceeds. It wraps ErrLimit.
type LimitError string

func (e LimitError) Error() string { return string(e) }

func (e LimitError) Is(target error) bool { return target == ErrLimit }

var (
	// ErrEmpty is wrapped by the error for an input or an archive without content.
	ErrEmpty = errors.New("the file is empty")
	// ErrCompression is wrapped by the error for an input whose compression is not
	// supported.
	ErrCompression = errors.New("gzip and zstd are read")
	// ErrEncoding is wrapped by the error for text in another encoding than UTF-8.
	ErrEncoding = errors.New("UTF-8 is read")
)
