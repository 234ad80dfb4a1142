package tables

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Table is a table independent of its output format.
type Table struct {
	ID      string // "table1", for programs
	Title   string
	Columns []string // the first is the class
	Rows    []Row
	Notes   []string
	// Width bounds the width of the text form, by breaking cells into lines and tables
	// into bands of columns; 0 means no bound.
	Width int
}

// A Row is a line of a table. It has one cell per column; cells are string,
// int, int64, decimal, pair or nil.
type Row struct {
	Cells []any
	// Paper marks numbers that the paper printed.
	Paper bool
}

// A decimal is a number with its decimal places.
type decimal struct {
	value  float64
	places int
}

// String returns the number with its decimal places. A number that rounds to 0 has no
// sign.
func (d decimal) String() string {
	text := strconv.FormatFloat(d.value, 'f', d.places, 64)
	if digits, negative := strings.CutPrefix(text, "-"); negative && strings.Trim(digits, "0.") == "" {
		return digits
	}
	return text
}

// MarshalJSON writes the number with its decimal places.
func (d decimal) MarshalJSON() ([]byte, error) {
	if math.IsNaN(d.value) || math.IsInf(d.value, 0) {
		return []byte("null"), nil
	}
	return []byte(d.String()), nil
}

// percent returns part of whole as a percentage with one decimal place, or nil if whole
// is 0. It has more places if one place would round a part that is not all to 100, or
// one that is not zero to 0.
func percent(part, whole int) any {
	if whole == 0 {
		return nil
	}
	d := decimal{share(part, whole), 1}
	for part != 0 && part != whole && (d.rounded() == 0 || d.rounded() == 100) {
		d.places++
	}
	return d
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// rounded returns the value that String prints.
func (d decimal) rounded() float64 {
	v, _ := strconv.ParseFloat(d.String(), 64)
	return v
}

// A pair is a cell with two numbers. In JSON it is an array of both.
type pair struct {
	a, b int
	text string
}

func (p pair) String() string { return p.text }

// MarshalJSON writes the two numbers.
func (p pair) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "[%d,%d]", p.a, p.b), nil }

// interval returns a pair of the least and the most, which is written as one number if
// they are equal.
func interval(least, most int) pair {
	if least == most {
		return pair{least, most, strconv.Itoa(most)}
	}
	return pair{least, most, fmt.Sprintf("%d-%d", least, most)}
}

// text returns a cell as a string for people.
func text(cell any) string {
	if cell == nil {
		return "-"
	}
	return fmt.Sprint(cell)
}

// add appends a row of leadline's own numbers.
func (t *Table) add(cells ...any) { t.Rows = append(t.Rows, Row{Cells: cells}) }

// addPaper appends a row of the paper's numbers.
func (t *Table) addPaper(cells ...any) { t.Rows = append(t.Rows, Row{Cells: cells, Paper: true}) }

func (t *Table) notef(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}
