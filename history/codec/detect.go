package codec

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/files"
)

// detectBytes is how far Decode reads for the keys that identify a format,
// and detectText how far into a file that does not begin with a bracket.
const (
	detectBytes = 1 << 20
	detectText  = 64 << 10
)

// A Guess says whether a file has a format, after its beginning.
type Guess uint8

const (
	No     Guess = iota
	Maybe        // more of the file decides
	Likely       // unless more of the file shows that it has not
	Yes
)

// Detect returns the format of the text that begins with head: the first one whose Sniff
// is surest, if that is at least Likely.
func Detect(head []byte) (Format, bool) {
	f, guess := sniff(head)
	return f, guess >= Likely
}

func sniff(head []byte) (format Format, best Guess) {
	for _, f := range sharedFormats() {
		if g := f.Sniff(head); g > best {
			if format, best = f, g; g == Yes {
				break
			}
		}
	}
	if best < Likely {
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
		case guess == Yes, guess == Likely && last:
			return format, nil
		case in.Err() == io.EOF && len(bytes.TrimSpace(in.Head())) == 0:
			return Format{}, files.ErrEmpty
		case in.Err() != nil && in.Err() != io.EOF:
			return Format{}, in.Err()
		case in.Unsupported() != nil:
			return Format{}, in.Unsupported()
		case guess == No || last:
			if line := nativeLineIn(in.Head()); line > 0 {
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

// nativeLineIn returns the number of the first line that is a header or an event of the
// native format, or 0: a file with one, but of no known format, has lost its beginning.
func nativeLineIn(text []byte) int {
	var l nativeLine
	s, number := scanner{pool: new(pool)}, 0
	for line := range bytes.Lines(text[:min(len(text), detectText)]) {
		number++
		if line = bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark)); len(line) == 0 || line[0] != '{' {
			continue
		}
		l.read(&s, line)
		isEvent := l.seen&fieldType != 0 && l.seen&(fieldProcess|fieldOp) != 0
		if !s.failed() && l.problem == "" && (isEvent || l.seen&fieldLeadline != 0) {
			return number
		}
	}
	return 0
}

var byteOrderMark = []byte("\uFEFF")

// beginsMark reports whether text may become a byte order mark.
func beginsMark(text []byte) bool {
	return len(text) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, text)
}

// unmarked returns decode for inputs that may begin with a byte order mark.
func unmarked(decode decoder) decoder {
	return func(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
		return func(yield func(*history.History, error) bool) {
			in, ok := r.(*files.Input)
			if !ok {
				in = files.NewInput(r)
			}
			for in.Err() == nil && beginsMark(in.Head()) {
				in.Look()
			}
			if bytes.HasPrefix(in.Head(), byteOrderMark) {
				in.Discard(len(byteOrderMark))
			}
			decode(in, file, lim)(yield)
		}
	}
}

// firstData splits the beginning of a file into blank lines and lines that begin with '#' or
// ';', and what follows them. data is empty if head ends before that.
func firstData(head []byte) (comments, data []byte) {
	if beginsMark(head) {
		return nil, nil
	}
	head = bytes.TrimPrefix(head, byteOrderMark)
	data = head
	for {
		data = bytes.TrimLeft(data, " \t\r\n")
		if len(data) == 0 || data[0] != ';' && data[0] != '#' {
			return head[:len(head)-len(data)], data
		}
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
}

// sniffHeader guesses whether a file has a format whose histories begin with a comment that
// isHeader recognises. What follows the comments is not JSON.
func sniffHeader(head []byte, isHeader func(line []byte) bool) Guess {
	comments, data := firstData(head)
	for line := range bytes.Lines(comments) {
		switch {
		case !isHeader(bytes.TrimSpace(line)):
		case isBracket(data) && bytes.HasPrefix(firstElement(data), []byte("{")):
			return No
		case len(data) < 2: // too little to see that
			return Likely
		default:
			return Yes
		}
	}
	if len(data) > 0 {
		return No
	}
	return Maybe
}

// isBracket reports whether data begins with a bracket, as JSON and EDN do.
func isBracket(data []byte) bool {
	return len(data) > 0 && bytes.IndexByte([]byte("{[("), data[0]) >= 0
}

// sniffKeys returns the Sniff of a format whose first JSON object has all of the keys.
func sniffKeys(keys ...string) func(head []byte) Guess {
	return func(head []byte) Guess {
		_, data := firstData(head)
		if len(data) == 0 {
			return Maybe
		}
		if !isBracket(data) {
			return No
		}
		found, settled := firstKeys(firstElement(data))
		missing := slices.ContainsFunc(keys, func(key string) bool { return !slices.Contains(found, key) })
		switch {
		case !missing:
			return Yes
		case !settled:
			return Maybe
		}
		return No
	}
}

// firstElement returns text from the first element on if it begins with a list.
func firstElement(text []byte) []byte {
	if inner := bytes.TrimLeft(text[1:], " \t\r\n"); text[0] == '[' && len(inner) > 0 && inner[0] == '{' {
		return inner
	}
	return text
}

// firstKeys returns those keys of the object at the beginning of text that text
// has. settled means that more text would change nothing.
func firstKeys(text []byte) (keys []string, settled bool) {
	s := scanner{data: text, wide: true}
	for more := s.begin('{', '}'); more; more = s.more('}') {
		key := string(s.key())
		if s.failed() {
			break
		}
		if keys = append(keys, key); len(keys) == 100 {
			return keys, true
		}
		s.skip()
	}
	return keys, !s.torn
}
