package tables

import (
	"fmt"
	"math"
	"strconv"
)

// A Table is a table independent of its output format.
type Table struct {
	ID      string // "table1", for programs
	Title   string
	Columns []string // the first is the class
	Rows    []Row
	Notes   []string
}

// A Row is a line of a table. It has one cell per column; cells are string,
// int, int64, decimal or nil.
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

func (d decimal) String() string { return strconv.FormatFloat(d.value, 'f', d.places, 64) }

// MarshalJSON writes the number with its decimal places.
func (d decimal) MarshalJSON() ([]byte, error) {
	if math.IsNaN(d.value) || math.IsInf(d.value, 0) {
		return []byte("null"), nil
	}
	return []byte(d.String()), nil
}

// percent returns part of whole as a percentage with one decimal place, or nil
// if whole is 0.
func percent(part, whole int) any {
	if whole == 0 {
		return nil
	}
	return decimal{100 * float64(part) / float64(whole), 1}
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
