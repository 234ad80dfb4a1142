package records

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// lineRecords reads lines of NAME=VALUE pairs, or of columns without names.
type lineRecords struct {
	stream *decode.Stream
	lines  *decode.LineReader
	cut    func(text []byte, pairs []textPair) ([]textPair, string)
	bytes  int
	pairs  []textPair // of the last line
}

func (l *lineRecords) size() int { return l.bytes }

func (l *lineRecords) next(e *environment) (line int, err error) {
	for {
		text, err := l.stream.TextLine(l.lines)
		if err != nil {
			return l.lines.Line, err
		}
		if scan.TrimBlanks(text)[0] == '#' {
			continue
		}
		text = bytes.TrimSuffix(text, []byte{'\r'})
		l.bytes = len(text)
		var fault string
		l.pairs, fault = l.cut(text, l.pairs[:0])
		switch {
		case !utf8.Valid(text):
			fault = "invalid UTF-8"
		case fault == "" && len(l.pairs) == 0:
			fault = "no NAME=VALUE in the line; read=columns reads words"
		}
		if e.namesText {
			e.text = string(text)
		}
		for _, p := range l.pairs {
			f := e.field([]byte(p.name))
			switch {
			case fault != "" || f == nil:
			case e.has(f):
				fault = fmt.Sprintf("the line has %s twice", scan.Clip([]byte(p.name)))
			default:
				e.setText(f, p.value, p.quoted)
			}
		}
		if fault != "" {
			return l.lines.Line, decode.Fault(fault)
		}
		return l.lines.Line, nil
	}
}

// A textPair is a name with a value.
type textPair struct {
	name, value string
	quoted      bool
	start       int // of the value, in the line
}

// columnName returns the name of the column with an index, from 0.
func columnName(i int) string { return "c" + strconv.Itoa(i+1) }

// words appends the words of a line to pairs.
func words(text []byte, pairs []textPair) ([]textPair, string) {
	for i, word := range strings.Fields(string(text)) {
		pairs = append(pairs, textPair{name: columnName(i), value: word})
	}
	return pairs, ""
}

// tabColumns appends the columns of a line that tabs separate to pairs. Quotes have no meaning:
// logs have them in any place.
func tabColumns(text []byte, pairs []textPair) ([]textPair, string) {
	for cell := range strings.SplitSeq(string(text), "\t") {
		pairs = append(pairs, textPair{name: columnName(len(pairs)), value: strings.TrimSpace(cell)})
	}
	return pairs, ""
}

// logfmtPairs appends the pairs of a line to pairs, or returns a fault. Words without a '='
// belong to the value before them, unless that is quoted. Those before the first pair are left
// out.
func logfmtPairs(line []byte, pairs []textPair) ([]textPair, string) {
	text := string(line)
	isBlank := func(i int) bool { return text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n' }
	for at := 0; ; {
		for at < len(text) && isBlank(at) {
			at++
		}
		if at == len(text) {
			return pairs, ""
		}
		end := at
		for end < len(text) && !isBlank(end) {
			end++
		}
		word := text[at:end]
		name, value, _ := strings.Cut(word, "=")
		switch n := len(pairs); {
		case name == "" || name == word:
			if n > 0 && !pairs[n-1].quoted {
				p := &pairs[n-1]
				p.value = text[p.start : at+len(word)]
			}
			at += len(word)
		case !strings.HasPrefix(value, `"`):
			pairs = append(pairs, textPair{name: name, value: value, start: at + len(name) + 1})
			at += len(word)
		default:
			at += len(name) + 1
			quoted, err := strconv.QuotedPrefix(text[at:])
			if err != nil {
				return nil, fmt.Sprintf("the value of %s has no closing quote", scan.Clip([]byte(name)))
			}
			value, _ = strconv.Unquote(quoted) // QuotedPrefix has accepted it
			pairs = append(pairs, textPair{name: name, value: value, quoted: true})
			at += len(quoted)
		}
	}
}
