package records

import (
	"bytes"
	"slices"

	"github.com/leadline/leadline/history/codec/decode"
)

// IsMapped reports whether a history with this Header.Format was read by a mapping.
func IsMapped(format string) bool {
	return slices.Contains([]string{jsonKind, csvKind, logfmtKind, columnsKind}, format)
}

// openRecords returns the records of s and their kind. The mapping may say how they are read.
func openRecords(s *decode.Stream, m *mapping) (records, string) {
	w := s.Window
	for w.Err == nil && kindOf(w.Unread()) == "" && len(w.Unread()) < decode.SniffedText {
		w.Fill(decode.SniffedText)
	}
	comma := separator(firstLine(w.Unread()))
	kind := m.kind
	switch {
	case kind == tsvKind:
		kind, comma = csvKind, '\t'
	case kind != "":
	case m.namesText && len(m.fields) == 0:
		kind = columnsKind // of lines of any form
	default:
		kind = kindOf(append(slices.Clone(w.Unread()), '\n'))
	}
	lines := &lineRecords{stream: s, lines: s.Lines(), cut: words}
	switch {
	case m.list != nil:
		return newNestedRecords(s, m.list), jsonKind
	case kind == jsonKind:
		return newJSONRecords(s), kind
	case kind == logfmtKind:
		lines.cut = logfmtPairs
		return lines, kind
	case kind == columnsKind:
		return lines, kind
	case m.noHeader && comma == '\t':
		lines.cut = tabColumns
		return lines, columnsKind
	}
	return newTableRecords(s, comma, m.noHeader), csvKind
}

// firstLine returns the first line that is neither blank nor a comment, as far as it is there.
func firstLine(text []byte) []byte {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimLeft(line, " \t\r\n"); len(line) > 0 && line[0] != '#' {
			return line
		}
	}
	return nil
}

// kindOf returns the kind of the records that begin with text, or "" if that takes
// more text.
func kindOf(text []byte) string {
	line := firstLine(text)
	switch {
	case len(line) == 0:
		return ""
	case line[0] == '{' || line[0] == '[':
		return jsonKind
	case line[len(line)-1] != '\n':
		return ""
	}
	pairs, fault := logfmtPairs(line, nil)
	switch {
	case fault != "" || len(pairs) > 0:
		return logfmtKind
	case separator(line) == ' ' && len(bytes.Fields(line)) > 1:
		return columnsKind
	}
	return csvKind
}

// separator returns the separator of the columns of a table: the candidate that occurs
// most often in its first line, or a blank if none does.
func separator(line []byte) rune {
	best, most := ' ', 0
	for _, c := range ",;\t|" {
		if n := bytes.Count(line, []byte(string(c))); n > most {
			best, most = c, n
		}
	}
	return best
}
