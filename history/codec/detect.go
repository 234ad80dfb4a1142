package codec

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/files"
)

// detectBytes is how far Decode reads for the keys that identify a format,
// and detectText how far into a file that does not begin with a bracket.
const (
	detectBytes = 1 << 20
	detectText  = 64 << 10
)

// A beginning describes the first part of a file.
type beginning struct {
	keys     []string // of the JSON object that comes first
	keywords []string // of the first operation in EDN, if possible a client's
	polylin  bool     // there is a header of PolyLin's
	limo     bool     // there is a header of LiMo's
	etcd     bool     // there is a line about an operation of etcd's
}

// Detect returns the format of the text that begins with head. It skips lines that
// begin with '#' or ';', unless they are headers of PolyLin or LiMo or begin with a
// tagged operation. What follows is a JSON object or an operation in EDN, with a key
// that only one format has, or a log, whose first line about an operation decides.
// Operations of Jepsen's nemesis decide only if there are no others.
func Detect(head []byte) (Format, bool) {
	b, _ := lookAt(head, true)
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

// detect finds the format of in, reading as little as that takes.
func detect(in *files.Input) (Format, error) {
	for {
		last := in.Err() != nil || len(in.Head()) >= detectBytes
		b, settled := lookAt(in.Head(), last)
		if f, ok := byBeginning(&b); ok && (settled || len(b.keywords) == 0 || last) {
			return f, nil
		}
		switch {
		case in.Err() == io.EOF && len(bytes.TrimSpace(in.Head())) == 0:
			return Format{}, files.ErrEmpty
		case in.Err() != nil && in.Err() != io.EOF:
			return Format{}, in.Err()
		case in.Unsupported() != nil:
			return Format{}, in.Unsupported()
		case settled || last:
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

// lookAt describes the beginning of a file. settled means that more text would
// change nothing; last, that there will be no more.
func lookAt(text []byte, last bool) (b beginning, settled bool) {
	if beginsMark(text) {
		return b, false
	}
	text = bytes.TrimPrefix(text, byteOrderMark)
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		if len(text) == 0 {
			return b, false
		}
		if text[0] != ';' && text[0] != '#' {
			break
		}
		if isTag(text) {
			if keywords, settled := firstKeywords(text); has(keywords, ":type") || !settled && !last {
				b.keywords = keywords
				return b, settled
			}
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
	case '{', '[', '(':
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

// isTag reports whether text may begin with a tag of EDN, as in #jepsen.history.Op{.
// If no operation follows, it is a comment.
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

// firstKeys returns those keys of the object at the beginning of text that text
// has. settled means that more text would change nothing.
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

// firstKeywords returns the keywords of the first operation of a client in text, or
// else those of the first operation. For a tuple, it returns the keywords of the
// equivalent map. settled means that more text would change nothing.
func firstKeywords(text []byte) (keywords []string, settled bool) {
	e := newEDNReader(bytes.NewReader(text), int64(len(text)))
	d := jepsen{edn: e}
	inside := false // a vector or list of operations
	c := d.untagged()
	for opens(c) {
		var found []string
		var client bool
		if c == '{' {
			found, client = ofMap(e.form(c))
		} else {
			closing := closingOf(c)
			e.next()
			e.depth++
			if c = d.untagged(); opens(c) && !inside && keywords == nil {
				inside = true
				continue
			}
			found, client = ofTuple(e, c, closing)
		}
		if client {
			return found, true
		}
		if found == nil {
			break
		}
		if keywords == nil {
			keywords = found
		}
		c = d.untagged()
	}
	return keywords, !e.torn && (e.failed() || !e.ended())
}

// untagged skips white space and tags, and returns the next byte.
func (d *jepsen) untagged() byte {
	c := d.edn.space()
	if c == '#' && !d.edn.failed() {
		return d.passTags()
	}
	return c
}

// ofMap returns the keywords of an operation that is a map, and whether a client
// issued it.
func ofMap(v history.Value) (keywords []string, client bool) {
	pairs := v.List()
	client = v.Kind() == history.Map
	for i := 0; v.Kind() == history.Map && i < len(pairs); i += 2 {
		keywords = append(keywords, pairs[i].Text())
		if pairs[i].Text() == ":process" && pairs[i+1].Text() == ":nemesis" {
			client = false
		}
	}
	return keywords, client
}

// ofTuple is ofMap for a tuple whose first element begins with c. If a client issued
// it, ofTuple does not read it to the end.
func ofTuple(e *ednReader, c, closing byte) (keywords []string, client bool) {
	process := e.form(c)
	c, ok := e.more(closing)
	if !ok || !isTypeWord(e.form(c)) {
		return nil, false
	}
	if client = process.Text() != ":nemesis"; !client {
		for c, ok = e.more(closing); ok; c, ok = e.more(closing) {
			e.form(c)
		}
	}
	return []string{":process", ":type", ":f"}, client
}

// opens reports whether c begins an operation in EDN, or a vector or list.
func opens(c byte) bool { return c == '{' || c == '[' || c == '(' }

// closingOf returns the end of the vector or list that c begins.
func closingOf(c byte) byte {
	if c == '(' {
		return ')'
	}
	return ']'
}

func isTypeWord(v history.Value) bool {
	switch v.Text() {
	case ":invoke", ":ok", ":fail", ":info":
		return true
	}
	return false
}
