package codec

import (
	"bytes"
	"fmt"
	"io"

	"github.com/leadline/leadline/history"
)

// detectBytes is how far Decode reads for the keys that identify a format,
// and detectText how far into a file that does not begin with a bracket.
const (
	detectBytes = 1 << 20
	detectText  = 64 << 10
)

// A beginning is what the first part of a file shows.
type beginning struct {
	keys     []string // of the JSON object that comes first
	keywords []string // of the operation in EDN that comes first
	polylin  bool     // a header of PolyLin's
	limo     bool     // one of LiMo's
	etcd     bool     // a line about an operation
}

// Detect returns the format of the text that begins with head. Lines that
// begin with '#' or ';' are passed over, unless they are one of the headers
// of PolyLin and LiMo. Then comes a JSON object or an operation in EDN, which
// has a key that only its format has, or a log, in which the first line about
// an operation tells.
func Detect(head []byte) (Format, bool) {
	b, _ := lookAt(head)
	return byBeginning(&b)
}

func byBeginning(b *beginning) (Format, bool) {
	for _, f := range Formats() {
		if f.detect(b) {
			return f, true
		}
	}
	return Format{}, false
}

// detect finds the format, reading as little as that takes.
func (in *input) detect() (Format, error) {
	for {
		b, settled := lookAt(in.head)
		if f, ok := byBeginning(&b); ok && (settled || len(b.keywords) == 0 || in.err != nil || len(in.head) >= detectBytes) {
			in.head = bytes.TrimPrefix(in.head, byteOrderMark)
			return f, nil
		}
		switch {
		case in.err == io.EOF && len(in.head) == 0:
			return Format{}, ErrEmpty
		case in.err != nil && in.err != io.EOF:
			return Format{}, in.err
		case compressionOf(in.head) != nil:
			return Format{}, compressionOf(in.head)
		case settled || in.err == io.EOF || len(in.head) >= detectBytes:
			return Format{}, unknownFormat(b.keys)
		}
		in.look()
	}
}

func unknownFormat(keys []string) error {
	hint := ""
	switch {
	case has(keys, "process") && has(keys, "type"):
		hint = `; in leadline's own, a header line such as {"leadline":1} comes first`
	case len(keys) > 0:
		hint = "; other records in JSON need a mapping: leadline map proposes one for --map"
	}
	return fmt.Errorf("%w (known are %s)%s", ErrUnknownFormat, formatNames(), hint)
}

var byteOrderMark = []byte("\uFEFF")

// lookAt returns what the text that begins a file shows. settled means that more
// of the text would change nothing.
func lookAt(text []byte) (b beginning, settled bool) {
	if len(text) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, text) {
		return b, false
	}
	text = bytes.TrimPrefix(text, byteOrderMark)
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		if len(text) == 0 {
			return b, false
		}
		if text[0] != ';' && (text[0] != '#' || isTag(text)) {
			break
		}
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		b.polylin = polylinHeader(line) != nil
		b.limo = limoHeader(line) != nil
		if b.polylin || b.limo || !whole && len(text) < detectText {
			return b, b.polylin || b.limo
		}
		text = rest
	}
	switch text[0] {
	case '{', '[', '(', '#':
		if b.keys, settled = firstKeys(firstElement(text)); len(b.keys) > 0 || !settled && text[0] == '{' {
			return b, settled
		}
		b.keywords, settled = firstKeywords(text)
		return b, settled
	}
	number := 0
	for line := range bytes.Lines(text) {
		if number++; line[len(line)-1] == '\n' || number == 1 {
			if _, b.etcd = readEtcdLine(bytes.TrimRight(line, "\r\n")); b.etcd {
				return b, true
			}
		}
	}
	return b, len(text) >= detectText
}

// isTag reports whether text is a tag of EDN, #jepsen.history.Op{, and not a
// comment.
func isTag(text []byte) bool {
	if len(text) < 2 || text[1] != '{' && text[1] != '_' && !isLetter(text[1]) {
		return false
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return text[1] == '_' || bytes.ContainsAny(line, "{[(") && polylinHeader(line) == nil
}

// firstElement returns text from the first element on if it begins with a list.
func firstElement(text []byte) []byte {
	if inner := bytes.TrimLeft(text[1:], " \t\r\n"); text[0] == '[' && len(inner) > 0 && inner[0] == '{' {
		return inner
	}
	return text
}

// firstKeys returns the keys of the object that text begins with, as far as
// they are there. settled means that more of the text would change nothing.
func firstKeys(text []byte) (keys []string, settled bool) {
	s := scanner{data: text, pool: new(pool), wide: true}
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

// firstKeywords returns the keywords of the operation in EDN that text begins
// with; of a tuple, those that it stands for. settled means that the
// operation is complete.
func firstKeywords(text []byte) (keywords []string, settled bool) {
	e := newEDNReader(bytes.NewReader(text), int64(len(text)))
	d := jepsen{edn: e}
	first := func(c byte) byte {
		if c == '#' && !e.failed() {
			return d.passTags()
		}
		return c
	}
	c := first(e.space())
	if c == '[' || c == '(' {
		closing := byte(']')
		if c == '(' {
			closing = ')'
		}
		e.next()
		e.depth++
		inner, ok := e.more(closing)
		if !ok {
			return nil, !e.torn
		}
		if c = first(inner); c != '{' && c != '[' && c != '(' {
			return ofTuple(e, c, closing)
		}
	}
	if e.failed() {
		return nil, !e.torn
	}
	v := e.form(c)
	pairs := v.List()
	if v.Kind() == history.List && len(pairs) > 2 && isTypeWord(pairs[1]) {
		return []string{":process", ":type", ":f"}, true
	}
	for i := 0; v.Kind() == history.Map && i < len(pairs); i += 2 {
		keywords = append(keywords, pairs[i].Text())
	}
	return keywords, !e.torn
}

// ofTuple is firstKeywords for a tuple whose first element begins with c.
func ofTuple(e *ednReader, c, closing byte) (keywords []string, settled bool) {
	e.form(c)
	if c, ok := e.more(closing); ok && isTypeWord(e.form(c)) {
		return []string{":process", ":type", ":f"}, true
	}
	return nil, !e.torn
}

func isTypeWord(v history.Value) bool {
	switch v.Text() {
	case ":invoke", ":ok", ":fail", ":info":
		return true
	}
	return false
}
