package decode

import (
	"bytes"
	"slices"

	"github.com/leadline/leadline/history/codec/scan"
)

// SniffedText is how much of a file Sniff examines that does not begin with a bracket, in bytes.
const SniffedText = 64 << 10

// A Guess says whether a file has a format, after its beginning.
type Guess uint8

const (
	No     Guess = iota
	Maybe        // more of the file decides
	Likely       // unless more of the file shows that it has not
	Yes
)

// ByteOrderMark may begin a file.
var ByteOrderMark = []byte("\uFEFF")

// beginsMark reports whether text may become a byte order mark.
func beginsMark(text []byte) bool {
	return len(text) < len(ByteOrderMark) && bytes.HasPrefix(ByteOrderMark, text)
}

// FirstData splits the beginning of a file into blank lines and lines that begin with '#' or
// ';', and what follows them. data is empty if head ends before that.
func FirstData(head []byte) (comments, data []byte) {
	if beginsMark(head) {
		return nil, nil
	}
	head = bytes.TrimPrefix(head, ByteOrderMark)
	data = head
	for {
		data = bytes.TrimLeft(data, " \t\r\n")
		if len(data) == 0 || data[0] != ';' && data[0] != '#' {
			return head[:len(head)-len(data)], data
		}
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
}

// SniffHeader guesses whether a file has a format whose histories begin with a comment that
// isHeader recognises. What follows the comments is not JSON.
func SniffHeader(head []byte, isHeader func(line []byte) bool) Guess {
	comments, data := FirstData(head)
	for line := range bytes.Lines(comments) {
		switch {
		case !isHeader(bytes.TrimSpace(line)):
		case IsBracket(data) && bytes.HasPrefix(FirstElement(data), []byte("{")):
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

// IsBracket reports whether data begins with a bracket, as JSON and EDN do.
func IsBracket(data []byte) bool {
	return len(data) > 0 && bytes.IndexByte([]byte("{[("), data[0]) >= 0
}

// SniffKeys returns the Sniff of a format whose first JSON object has all of the keys.
func SniffKeys(keys ...string) func(head []byte) Guess {
	return func(head []byte) Guess {
		_, data := FirstData(head)
		if len(data) == 0 {
			return Maybe
		}
		if !IsBracket(data) {
			return No
		}
		found, settled := firstKeys(FirstElement(data))
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

// FirstElement returns text from the first element on if it begins with a list.
func FirstElement(text []byte) []byte {
	if inner := bytes.TrimLeft(text[1:], " \t\r\n"); text[0] == '[' && len(inner) > 0 && inner[0] == '{' {
		return inner
	}
	return text
}

// firstKeys returns those keys of the object at the beginning of text that text
// has. settled means that more text would change nothing.
func firstKeys(text []byte) (keys []string, settled bool) {
	s := scan.Scanner{Data: text, Wide: true}
	for more := s.Begin('{', '}'); more; more = s.More('}') {
		key := string(s.Key())
		if s.Failed() {
			break
		}
		if keys = append(keys, key); len(keys) == 100 {
			return keys, true
		}
		s.Skip()
	}
	return keys, !s.Torn
}
