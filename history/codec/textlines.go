package codec

import (
	"errors"
	"io"
	"iter"
	"strconv"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// A textFormat decodes a format with one event or operation per line.
type textFormat interface {
	// line decodes a line that is not blank. The fault that it returns is one of
	// the current history, or of the file if there is none.
	line(text []byte, number int) (fault string)
}

// textLines drives a textFormat, which embeds it.
type textLines struct {
	out    output
	format string
	limit  int64 // on the bytes of a history
	held   int64
	size   int64 // of the input; 0 if unknown
	memory int64 // limit on the memory that a history takes
	taken  int64 // about, by the current history; counted by the format
}

// decodeText reads all lines of r into the format that open returns.
func decodeText(r io.Reader, file, format string, lim Limits, open func(t *textLines) textFormat) iter.Seq2[*history.History, error] {
	return func(yield func(*history.History, error) bool) {
		lim := lim.fill()
		t := &textLines{out: output{file: file, yield: yield}, format: format, limit: lim.History, memory: lim.Memory, size: sizeOf(r)}
		t.run(newLineReader(r, lim.Line), open(t))
	}
}

func (t *textLines) run(lines *lineReader, f textFormat) {
	unterminated := false // the last line that is not blank
	for !t.out.stopped {
		text, whole, err := lines.next()
		if err != nil {
			t.finish(lines.line, err, unterminated)
			return
		}
		if t.held += int64(len(text)) + 1; t.held > t.limit {
			t.out.broken(lines.line, tooLarge(t.limit))
			return
		}
		if t.taken > t.memory {
			t.out.broken(lines.line, tooMuchMemory(t.memory))
			return
		}
		if isBlank(text) {
			continue
		}
		unterminated = !whole
		fault := "invalid UTF-8"
		if t.format == etcdName || utf8.Valid(text) { // logs may have any noise
			fault = f.line(text, lines.line)
		}
		switch {
		case fault == "":
		case t.out.last != nil:
			t.out.last.b.Errorf(lines.line, "%s", fault)
		default:
			t.out.fault(lines.line, "%s", fault)
		}
	}
}

// expectMore estimates how many pieces follow n of them in the input.
func (t *textLines) expectMore(n int) int {
	if t.out.count > 1 {
		return 0 // long files have one history
	}
	return max(0, expected(t.size, t.held, n)-n)
}

// finish delivers the last history at the end of the stream. If that was cut short, as
// compressed files are, the history is not whole.
func (t *textLines) finish(line int, err error, unterminated bool) {
	if last := t.out.last; last != nil && isEnd(err) {
		switch {
		case err != io.EOF:
			last.b.Errorf(line, "%s", cutShort)
		case unterminated:
			last.b.SetUnterminated()
		}
		t.out.deliver()
	}
	if err != io.EOF {
		t.out.broken(line, err)
	}
}

// cutShort is the fault of a history whose file ends before it is complete.
const cutShort = "the file is cut here, so that the history is not whole"

// isEnd reports whether what came before err is to be delivered: at the end of the
// stream, or where it was cut.
func isEnd(err error) bool { return err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) }

func isBlank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// begin begins a history at line, and delivers the one before it.
func (t *textLines) begin(h history.Header, line int) *history.Builder {
	t.out.begin()
	t.held, t.taken = 0, 0
	h.File, h.Line, h.Format = t.out.file, line, t.format
	return t.out.hold(&pending{b: history.NewBuilder(h), line: line}).b
}

// parseInt returns the 64-bit integer that word is, with or without a sign.
func parseInt(word []byte) (n int64, ok bool) {
	digits := word
	if len(word) > 0 && (word[0] == '-' || word[0] == '+') {
		digits = word[1:]
	}
	for _, c := range digits {
		if c-'0' > 9 {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	switch {
	case len(digits) == 0:
		return 0, false
	case len(digits) > 18: // n may have overflowed
		n, err := strconv.ParseInt(string(word), 10, 64)
		return n, err == nil
	case word[0] == '-':
		n = -n
	}
	return n, true
}

// plainInt is parseInt for an integer in its usual notation: without a plus sign
// and leading zeros.
func plainInt(word []byte) (n int64, ok bool) {
	if n, ok = parseInt(word); !ok || word[0] == '+' {
		return 0, false
	}
	first := word[0]
	if first == '-' {
		first = word[1]
	}
	if first == '0' && len(word) > 1 {
		return 0, false
	}
	return n, true
}

// cutWord returns the first word of text and the rest, both without surrounding
// blanks.
func cutWord(text []byte) (word, rest []byte) {
	blank := func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }
	for len(text) > 0 && blank(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && blank(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	n := 0
	for n < len(text) && !blank(text[n]) {
		n++
	}
	word, rest = text[:n], text[n:]
	for len(rest) > 0 && blank(rest[0]) {
		rest = rest[1:]
	}
	return word, rest
}
