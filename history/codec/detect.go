package codec

import (
	"bytes"
	"fmt"
	"io"

	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/native"
	"github.com/leadline/leadline/history/files"
)

// detectBytes is how far Decode reads for the keys that identify a format.
const detectBytes = 1 << 20

// Detect returns the format of the text that begins with head: the first one whose Sniff
// is surest, if that is at least Likely.
func Detect(head []byte) (Format, bool) {
	f, guess := sniff(head)
	return f, guess >= decode.Likely
}

func sniff(head []byte) (format Format, best Guess) {
	for _, f := range formats {
		if g := f.Sniff(head); g > best {
			if format, best = f, g; g == decode.Yes {
				break
			}
		}
	}
	if best < decode.Likely {
		return Format{}, best
	}
	return format, best
}

// detect finds the format of in, reading as little as that takes.
func detect(in *files.Input) (Format, error) {
	for {
		last := in.Err() != nil || len(in.Head()) >= detectBytes
		format, guess := sniff(in.Head())
		switch {
		case guess == decode.Yes, guess == decode.Likely && last:
			return format, nil
		case in.Err() == io.EOF && len(bytes.TrimSpace(in.Head())) == 0:
			return Format{}, files.ErrEmpty
		case in.Err() != nil && in.Err() != io.EOF:
			return Format{}, in.Err()
		case in.Unsupported() != nil:
			return Format{}, in.Unsupported()
		case guess == decode.No || last:
			if line := native.LineIn(in.Head()[:min(len(in.Head()), decode.SniffedText)]); line > 0 {
				return Format{}, &SyntaxError{Line: line, Msg: ErrNoHeader.Error(), Err: ErrNoHeader}
			}
			return Format{}, unknownFormat()
		}
		in.Look()
	}
}

func unknownFormat() error {
	return fmt.Errorf("%w (known are %s); other records need a mapping: leadline map FILE prints one to fill in for --map", ErrUnknownFormat, formatNames())
}
