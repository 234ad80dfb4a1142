package report

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// columns returns how many columns of a terminal text takes: two for most characters of Chinese,
// Japanese and Korean, none for a combining one.
func columns(text string) int { return displaywidth.String(text) }

// pad fills text up with spaces, and padLeft puts them before it. Package fmt counts characters,
// not columns.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-columns(text)))
}

func padLeft(text string, width int) string {
	return strings.Repeat(" ", max(0, width-columns(text))) + text
}

// elide cuts text in the middle so that it takes at most width columns.
func elide(text string, width int) string {
	const gap = "..."
	if len(text) <= width || columns(text) <= width {
		return text
	}
	width = max(width, len(gap)+2)
	front, _ := cut(text, (width-len(gap)+1)/2)
	return front + gap + lastColumns(text, width-len(gap)-columns(front))
}

// cut returns the longest beginning of text that takes at most width columns, and the rest. A
// character with the combining ones after it stays whole.
func cut(text string, width int) (begin, rest string) {
	at := 0
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		if width -= g.Width(); width < 0 {
			break
		}
		at += len(g.Value())
	}
	return text[:at], text[at:]
}

// lastColumns returns the longest end of text that takes at most width columns.
func lastColumns(text string, width int) string {
	skip := columns(text) - width
	at := 0
	for g := displaywidth.StringGraphemes(text); skip > 0 && g.Next(); {
		skip -= g.Width()
		at += len(g.Value())
	}
	return text[at:]
}

// widen makes columns as wide as the cells of a row.
func widen(widths *[4]int, row [4]string) {
	for c, cell := range row {
		widths[c] = max(widths[c], columns(cell))
	}
}

// wrap breaks text at spaces into lines of at most width columns. Longer words are broken
// over lines of their own.
func wrap(text string, width int) []string {
	width = max(width, 8)
	var lines []string
	line, isEmpty := "", true
	for word := range strings.SplitSeq(text, " ") {
		if !isEmpty && columns(line)+1+columns(word) <= width {
			line += " " + word
			continue
		}
		if !isEmpty {
			lines = append(lines, line)
		}
		for columns(word) > width {
			var begin string
			begin, word = cut(word, width)
			lines = append(lines, begin)
		}
		line, isEmpty = word, false
	}
	return append(lines, line)
}
