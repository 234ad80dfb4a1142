package codec

import (
	"bytes"
	"fmt"
	"io"
)

// detectBytes is how far Decode looks for the keys that give a format away.
const detectBytes = 1 << 20

// Detect returns the format of the text that begins with head: whatever
// comes first in it but white space, lines that begin with '#' and a byte
// order mark has to be an object with a key that only that format has.
func Detect(head []byte) (Format, bool) {
	keys, _ := firstKeys(head)
	return byKeys(keys)
}

func byKeys(keys []string) (Format, bool) {
	for _, f := range Formats() {
		if f.detect(keys) {
			return f, true
		}
	}
	return Format{}, false
}

// detect finds the format, reading as little as that takes.
func (in *input) detect() (Format, error) {
	for {
		keys, settled := firstKeys(in.head)
		if f, ok := byKeys(keys); ok {
			in.head = bytes.TrimPrefix(in.head, byteOrderMark)
			return f, nil
		}
		switch {
		case in.err == io.EOF && len(in.head) == 0:
			return Format{}, ErrEmpty
		case in.err != nil && in.err != io.EOF:
			return Format{}, in.err
		case settled || in.err == io.EOF || len(in.head) >= detectBytes:
			return Format{}, unknownFormat(keys)
		}
		in.look()
	}
}

func unknownFormat(keys []string) error {
	hint := ""
	if has(keys, "process") && has(keys, "type") {
		hint = `; in leadline's own, a header line such as {"leadline":1} comes first`
	}
	return fmt.Errorf("%w (known are %s)%s", ErrUnknownFormat, formatNames(), hint)
}

var byteOrderMark = []byte("\uFEFF")

// firstKeys returns the keys of the object that text begins with, as far as
// they are there. settled means that more of the text would change nothing.
func firstKeys(text []byte) (keys []string, settled bool) {
	if len(text) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, text) {
		return nil, false
	}
	text = bytes.TrimPrefix(text, byteOrderMark)
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		if len(text) == 0 || text[0] != '#' {
			break
		}
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	s := scanner{data: text}
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
