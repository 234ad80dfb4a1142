package tables

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// A Form is an output format of tables.
type Form string

// The forms: for people, for documents, for spreadsheets, for programs, for papers.
const (
	Text     Form = "text"
	Markdown Form = "markdown"
	CSV      Form = "csv"
	JSON     Form = "json"
	HTML     Form = "html"
	LaTeX    Form = "latex"
)

// Write writes the table. In JSON, it is one object on one line.
func (t *Table) Write(w io.Writer, form Form) error {
	switch form {
	case CSV:
		return t.writeCSV(w)
	case JSON:
		return t.writeJSON(w)
	case LaTeX:
		return t.writeLaTeX(w)
	case Markdown:
		return t.render(w, "### "+t.Title+"\n\n", renderer.NewMarkdown(), escapeMarkdown, "\n", 0)
	case HTML:
		return t.render(w, "<h2>"+escapeHTML(t.Title)+"</h2>\n", renderer.NewHTML(), func(s string) string { return s }, "<p>", 0)
	default:
		ascii := renderer.NewBlueprint(tw.Rendition{Symbols: tw.NewSymbols(tw.StyleASCII)})
		return t.render(w, t.Title+"\n", ascii, func(s string) string { return s }, "", t.Width)
	}
}

func escapeMarkdown(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func escapeHTML(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// render writes the table through a renderer of tablewriter.
func (t *Table) render(w io.Writer, title string, r tw.Renderer, escape func(string) string, beforeNote string, width int) error {
	if _, err := io.WriteString(w, title); err != nil {
		return err
	}
	lines := [][]string{make([]string, len(t.Columns))}
	for i, c := range t.Columns {
		lines[0][i] = escape(c)
	}
	for _, row := range t.Rows {
		cells := make([]string, len(row.Cells))
		for i, c := range row.Cells {
			cells[i] = escape(text(c))
		}
		lines = append(lines, cells)
	}
	if width == 0 {
		width = math.MaxInt
	}
	for _, band := range Fit(lines, width) {
		align := make([]tw.Align, len(band.Columns))
		for i, column := range band.Columns {
			align[i] = tw.AlignRight
			if t.isLeft(column) {
				align[i] = tw.AlignLeft
			}
		}
		plain := tw.CellConfig{
			Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
			Alignment:  tw.CellAlignment{PerColumn: align},
		}
		table := tablewriter.NewTable(w, tablewriter.WithRenderer(r),
			tablewriter.WithConfig(tablewriter.Config{Header: plain, Row: plain, Behavior: tw.Behavior{TrimSpace: tw.Off}}))
		table.Header(band.Rows[0])
		if err := table.Bulk(band.Rows[1:]); err != nil {
			return fmt.Errorf("%s: %w", t.ID, err)
		}
		if err := table.Render(); err != nil {
			return fmt.Errorf("%s: %w", t.ID, err)
		}
	}
	for _, note := range t.Notes {
		if beforeNote == "<p>" {
			note = escapeHTML(note)
		}
		if _, err := fmt.Fprintf(w, "%s%s\n", beforeNote, note); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// isLeft reports whether a column is aligned to the left: the first one, and those
// that have strings rather than numbers.
func (t *Table) isLeft(column int) bool {
	return column == 0 || slices.ContainsFunc(t.Rows, func(r Row) bool {
		s, ok := r.Cells[column].(string)
		return ok && strings.ContainsFunc(s, unicode.IsLetter)
	})
}

// writeCSV writes a line per row, starting with the name of the table and the
// source of the numbers.
func (t *Table) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	records := [][]string{append([]string{"table", "source"}, t.Columns...)}
	class := ""
	for _, row := range t.Rows {
		record := []string{t.ID, row.source()}
		for i, c := range row.Cells {
			if c == nil {
				record = append(record, "")
				continue
			}
			if i == 0 {
				c, class = row.class(class), row.class(class)
			}
			record = append(record, text(c))
		}
		records = append(records, record)
	}
	if err := out.WriteAll(records); err != nil {
		return fmt.Errorf("%s: %w", t.ID, err)
	}
	return nil
}

func (r *Row) source() string {
	if r.Paper {
		return "paper"
	}
	return "leadline"
}

// class returns the first cell, or that of the row above if this row belongs to it.
func (r *Row) class(above string) string {
	if name := text(r.Cells[0]); name != "" && !r.Paper {
		return name
	}
	return above
}

type jsonTable struct {
	Table   string           `json:"table"`
	Title   string           `json:"title"`
	Columns []string         `json:"columns"`
	Rows    []map[string]any `json:"rows"`
	Notes   []string         `json:"notes"`
}

// writeJSON writes rows as objects from columns to cells, with a key "source".
func (t *Table) writeJSON(w io.Writer) error {
	j := jsonTable{Table: t.ID, Title: t.Title, Columns: append([]string{"source"}, t.Columns...), Rows: []map[string]any{}, Notes: t.Notes}
	class := ""
	for _, row := range t.Rows {
		class = row.class(class)
		object := map[string]any{"source": row.source()}
		for i, c := range row.Cells {
			object[t.Columns[i]] = c
		}
		object[t.Columns[0]] = class
		j.Rows = append(j.Rows, object) // encoding/json sorts the keys
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(j)
}

// WriteAll writes the tables. HTML becomes a complete page, with the picture of
// Figure 4 if there is one.
func WriteAll(w io.Writer, all []*Table, form Form, picture string) error {
	head := map[Form]string{HTML: pageHead, LaTeX: latexHead}[form]
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	for _, t := range all {
		if err := t.Write(w, form); err != nil {
			return err
		}
		if form == HTML && t.ID == "figure4" {
			if _, err := io.WriteString(w, picture); err != nil {
				return err
			}
		}
	}
	if form == HTML {
		if _, err := io.WriteString(w, "</body>\n</html>\n"); err != nil {
			return err
		}
	}
	return nil
}

const pageHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Checking linearizability by hitting families</title>
<style>
body { font: 14px sans-serif; margin: 2em; }
table { border-collapse: collapse; margin-bottom: 1em; }
td, th { padding: 2px 8px; border-bottom: 1px solid #ccc; white-space: pre; }
</style>
</head>
<body>
`
