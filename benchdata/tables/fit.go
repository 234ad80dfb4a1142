package tables

import (
	"strings"
	"unicode/utf8"
)

// A Band is a part of a table that is too wide: all rows, of some columns.
type Band struct {
	Columns []int // their numbers in the table
	Rows    [][]string
}

// longWord is the length above which a word may break into lines.
const longWord = 24

// Fit makes a table of these rows, the header among them, fit into width
// characters. A column takes three characters more than its widest line, and the
// table one. If it is too wide, cells break into lines: between words, and words of
// more than longWord letters after punctuation or anywhere. If that is not enough,
// Fit returns several bands, each with the first column, which follow one another.
func Fit(rows [][]string, width int) []Band {
	all := Band{Rows: rows}
	for i := range rows[0] {
		all.Columns = append(all.Columns, i)
	}
	return all.fit(width)
}

func (b Band) fit(width int) []Band {
	columns, least := b.widths()
	excess := total(columns) - width
	if excess <= 0 {
		return []Band{b}
	}
	if total(least) > width && len(columns) > 2 {
		return b.split(least, width)
	}
	for ; excess > 0; excess-- { // the widest column shrinks first
		widest := -1
		for i, w := range columns {
			if w > least[i] && (widest < 0 || w > columns[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		columns[widest]--
	}
	fitted := Band{Columns: b.Columns}
	for _, row := range b.Rows {
		var cells []string
		for i, cell := range row {
			cells = append(cells, strings.Join(wrap(cell, columns[i]), "\n"))
		}
		fitted.Rows = append(fitted.Rows, cells)
	}
	return []Band{fitted}
}

// widths returns the widths of the columns, and the least ones, which longer words
// do not make wider.
func (b Band) widths() (columns, least []int) {
	columns, least = make([]int, len(b.Columns)), make([]int, len(b.Columns))
	for _, row := range b.Rows {
		for i, cell := range row {
			columns[i] = max(columns[i], utf8.RuneCountInString(cell))
			for word := range strings.FieldsSeq(cell) {
				least[i] = max(least[i], min(utf8.RuneCountInString(word), longWord))
			}
		}
	}
	return columns, least
}

// total returns the width of a table with columns of these widths.
func total(columns []int) int {
	width := 1
	for _, w := range columns {
		width += w + 3
	}
	return width
}

// split returns bands of as many columns as fit at their least widths.
func (b Band) split(least []int, width int) []Band {
	var bands []Band
	for first := 1; first < len(least); {
		next, taken := first, total(least[:1])
		for next < len(least) && (next == first || taken+least[next]+3 <= width) {
			taken += least[next] + 3
			next++
		}
		part := Band{Columns: append([]int{b.Columns[0]}, b.Columns[first:next]...)}
		for _, row := range b.Rows {
			part.Rows = append(part.Rows, append([]string{row[0]}, row[first:next]...))
		}
		bands = append(bands, part.fit(width)...)
		first = next
	}
	return bands
}

// wrap breaks a string into lines of at most width characters.
func wrap(s string, width int) []string {
	var lines []string
	rest := []rune(s)
	for len(rest) > width {
		end := width
		for end > 0 && rest[end] != ' ' {
			end--
		}
		if end == 0 {
			end = width
			for end > 1 && !strings.ContainsRune("/.,;-#", rest[end-1]) {
				end--
			}
			if end == 1 {
				end = width
			}
		}
		lines = append(lines, string(rest[:end]))
		rest = []rune(strings.TrimLeft(string(rest[end:]), " "))
	}
	return append(lines, string(rest))
}
