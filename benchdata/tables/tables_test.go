package tables

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/leadline/leadline/replay"
)

// small is a collection whose numbers can be computed by hand.
func small() *Collection {
	c := &Collection{}
	for _, m := range []Measurement{
		{Class: "queue", Ops: 3, C: 2, CP: 1, Schedules: [5]int64{2, 2, 2, 2, 2}, Answer: replay.Linearizable, Depth: 1, Exact: 1, Bound: 1},
		{Class: "queue", Ops: 5, C: 3, CP: 4, Schedules: [5]int64{3, 6, 7, 8, 8}, Answer: replay.Linearizable, Depth: 2, Exact: 3, Bound: 4},
		{Class: "queue", Ops: 5, C: 2, CP: 1, Schedules: [5]int64{1, 1, 1, 1, 1}, Answer: replay.NotLinearizable},
		{Class: "queue", Ops: 5, C: 1, Answer: replay.Undecided}, // sequential
		{Class: "queue", Ops: 5, C: 4, CP: 6, Pending: 1},
		{Class: "a|b", Ops: 2, C: 2, CP: 1, Schedules: [5]int64{2, 2, 2, 2, 2}, Answer: replay.Linearizable},
	} {
		c.Add(m)
	}
	return c
}

func cells(t *testing.T, table *Table, row int) string {
	t.Helper()
	var all []string
	for _, c := range table.Rows[row].Cells {
		all = append(all, text(c))
	}
	if len(all) != len(table.Columns) {
		t.Errorf("%s: %d cells in row %d, %d columns", table.ID, len(all), row, len(table.Columns))
	}
	return strings.Join(all, " ")
}

func TestBuild(t *testing.T) {
	c := small()
	for _, want := range []struct {
		table *Table
		row   int
		cells string
	}{
		{c.Table1(true), 1, "queue 5 3-5 3 2.33 0.58 4 2.00 1.73"},
		{c.Table2(true), 1, "queue 3 2.0 1.0 6 3.0 2.6 7 3.3 3.2 8 3.7 3.8 8 3.7 3.8"},
		{c.Totals(), 1, "queue 3 6 9 10 11 11"},
		{c.Totals(), 2, "all 4 8 11 12 13 13"},
		{c.Table3(true), 0, "a|b 1 1 0 0.0 0 0.0 0 0.0 0 0.0 0 0.0"},
		{c.Table3(true), 1, "queue 3 2 1 50.0 2 100.0 2 100.0 2 100.0 2 100.0"},
		{c.Table3(true), 2, "all 4 3 1 33.3 2 66.7 2 66.7 2 66.7 2 66.7"},
		{c.Figure4(true), 2, "all 3 33.3 66.7 66.7 66.7 66.7 66.7 66.7"},
		{c.Depths(), 3, "queue 2 exact 1 0 1 0 0 0 0 0 2.00 0 1 50.0 1 50.0"},
		{c.Depths(), 4, " - bound 1 0 0 1 0 0 0 0 2.50 - - - - -"},
		{c.Depths(), 5, " - witness 1 1 0 0 0 0 0 0 1.50 - - - - -"},
		{c.Depths(), 0, "a|b 1 exact 0 0 0 0 0 0 0 0 - 1 0 - 0 -"},
	} {
		if got := cells(t, want.table, want.row); got != want.cells {
			t.Errorf("%s, row %d: %s\nwant %s", want.table.ID, want.row, got, want.cells)
		}
	}
	if notes := strings.Join(c.Table1(true).Notes, ""); !strings.Contains(notes, "1 histories with pending") {
		t.Errorf("notes %q do not count the pending one", notes)
	}
}

// TestDeeper: what is deeper than the last column is counted, whether its depth
// is known or not, and what is not even known to be deeper is in no column.
func TestDeeper(t *testing.T) {
	c := small()
	for _, m := range []Measurement{{Depth: 9}, {Depth: 8}, {Refuted: 7}, {Refuted: 6}} {
		m.Class, m.Ops, m.C, m.CP, m.Answer = "queue", 20, 3, 9, replay.Linearizable
		c.Add(m)
	}
	deeper := c.Depths()
	if got, want := cells(t, deeper, 5), " - witness 1 1 0 0 0 0 0 3 5.00 - - - - -"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	notes := strings.Join(deeper.Notes, "\n")
	for _, want := range []string{
		"1 histories have a witness depth of more than 7 that is not known;",
		"2 histories have no witness depth:", // and the one of class a|b
		"5 histories have no bound:",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes\n%s\ndo not have %q", notes, want)
		}
	}
	if got, want := cells(t, c.Table2(true), 1), "queue 3 2.0 1.0 6 3.0 2.6 7 3.3 3.2 8 3.7 3.8 8 3.7 3.8"; got != want {
		t.Errorf("%s\nwant %s: histories without counts are left out", got, want)
	}
	if notes := strings.Join(c.Table2(true).Notes, ""); !strings.Contains(notes, "4 histories are left out") {
		t.Errorf("notes %q do not count those without counts", notes)
	}
}

// TestMaxDepth: the columns follow MaxDepth, the paper's numbers too.
func TestMaxDepth(t *testing.T) {
	for _, test := range []struct{ depth, table3, figure4, depths int }{{0, 13, 9, 17}, {1, 5, 3, 11}, {7, 17, 9, 17}, {12, 27, 14, 22}} {
		c := small()
		c.MaxDepth = test.depth
		m := Measurement{Class: "LinkedBlockingQueue", Ops: 9, C: 2, CP: 1, Schedules: [5]int64{2, 2, 2, 2, 2}, Answer: replay.Linearizable, Depth: 8}
		c.Add(m)
		for _, one := range []struct {
			table *Table
			want  int
		}{{c.Table3(true), test.table3}, {c.Figure4(true), test.figure4}, {c.Depths(), test.depths}, {c.Table2(true), 16}} {
			if len(one.table.Columns) != one.want {
				t.Errorf("--max-depth %d: %s has %d columns, want %d", test.depth, one.table.ID, len(one.table.Columns), one.want)
			}
			for row := range one.table.Rows {
				cells(t, one.table, row)
			}
		}
	}
}

// TestPercent: only everything is 100 percent, and only nothing is 0.
func TestPercent(t *testing.T) {
	for _, test := range []struct {
		part, whole int
		want        string
	}{
		{9179, 9179, "100.0"}, {9177, 9179, "99.98"}, {999_999, 1_000_000, "99.9999"}, {9170, 9179, "99.9"},
		{0, 9179, "0.0"}, {1, 9179, "0.01"}, {1, 3, "33.3"}, {0, 0, "-"}, {1<<40 - 1, 1 << 40, "99.9999999999"},
	} {
		if got := text(percent(test.part, test.whole)); got != test.want {
			t.Errorf("%d of %d are %s percent, want %s", test.part, test.whole, got, test.want)
		}
	}
}

// TestPaper: the numbers copied from the tables add up to those in the text.
func TestPaper(t *testing.T) {
	histories := 0
	var sum paperClass
	for _, p := range paperClasses {
		histories += p.histories
		sum.addTable3(p)
	}
	if histories != 10464 || sum.linearizable != paperLinearizable {
		t.Errorf("%d histories, %d linearizable; want 10,464 and 8,673", histories, sum.linearizable)
	}
	for d, want := range []float64{78.6, 93.3, 98.1, 99.5, 99.9} {
		if got := share(sum.shown[d], sum.linearizable); math.Abs(got-want) > 0.05 || sum.shown[d] != paperShown[d] {
			t.Errorf("d = %d: %.2f percent, the text has %.1f", d+1, got, want)
		}
	}
}

func TestForms(t *testing.T) {
	c := small()
	write := func(form Form) string {
		var b bytes.Buffer
		if err := WriteAll(&b, c.Tables(true), form, c.Picture(true)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if text := write(Text); !strings.Contains(text, "| queue |         5 | 3-5 |") {
		t.Errorf("text:\n%s", text)
	}
	if markdown := write(Markdown); !strings.Contains(markdown, `a\|b`) {
		t.Errorf("markdown does not escape bars:\n%s", markdown)
	}
	r := csv.NewReader(strings.NewReader(write(CSV)))
	r.FieldsPerRecord = -1
	if records, err := r.ReadAll(); err != nil || len(records) < 15 {
		t.Errorf("csv: %d records, %v", len(records), err)
	}
	d := json.NewDecoder(strings.NewReader(write(JSON)))
	for n := 0; ; n++ {
		var j jsonTable
		if err := d.Decode(&j); err == io.EOF {
			if n != 6 {
				t.Errorf("json: %d tables", n)
			}
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if j.Table == "table1" && fmt.Sprint(j.Rows[len(j.Rows)-1]["ops"]) != "[3 5]" {
			t.Errorf("json: ops are not two numbers: %v", j.Rows)
		}
		for _, row := range j.Rows {
			if len(row) != len(j.Columns) {
				t.Errorf("json: %s has a row of %d keys, %d columns", j.Table, len(row), len(j.Columns))
			}
		}
	}
	if html := write(HTML); !strings.Contains(html, "<svg") || strings.Contains(html, "http://") && strings.Count(html, "http://") > 1 {
		t.Error("html has no picture, or has external references")
	}
}

// TestLaTeX: every row has all columns, environments are closed, headers of
// several columns add up, and no character is left that LaTeX reads as its own.
func TestLaTeX(t *testing.T) {
	c := small()
	c.Add(Measurement{Archive: `a_b\~^#$%&{}`, Class: "x|y", Ops: 2, C: 2, CP: 1, Answer: replay.Linearizable, Depth: 1})
	var out bytes.Buffer
	if err := WriteAll(&out, append(c.Tables(true), c.Archives()...), LaTeX, c.Picture(true)); err != nil {
		t.Fatal(err)
	}
	latex := out.String()
	for _, want := range []string{
		"\\begin{tabular}{lrrrrrrrrrrrrrrr}\n\\toprule\n & \\multicolumn{3}{c}{d=1} & ",
		"\\cmidrule(lr){2-4} \\cmidrule(lr){5-7} ",
		"\nclass & max & mean & sd & ",
		"\nqueue & 3 & 2 & 1 & 50.0 & ",
		"\\midrule\nall & 5 & ",
		`\multicolumn{2}{c}{d$\le$5} \\`,
		`a\_b\textbackslash{}\textasciitilde{}\textasciicircum{}\#\$\%\&\{\} & x\textbar{}y & 1 & `,
		"\\caption{Histories; c and cp over the non-sequential ones; as in Table 1 of ``Checking Linearizability Using Hitting Families'' (PPoPP 2019)}\n\\label{table1}",
	} {
		if !strings.Contains(latex, want) {
			t.Errorf("no %s in\n%s", want, latex)
		}
	}
	if n := strings.Count(latex, "\\begin{"); n != 16 || n != strings.Count(latex, "\\end{") {
		t.Errorf("%d environments begin, want 16, which end", n)
	}
	columns := 0
	for _, line := range strings.Split(latex, "\n") {
		if spec, ok := strings.CutPrefix(line, "\\begin{tabular}{"); ok {
			columns = len(spec) - 1
		}
		row, ok := strings.CutSuffix(line, `\\`)
		if !ok {
			continue
		}
		row = strings.ReplaceAll(row, `\&`, "")
		n := 1 + strings.Count(row, "&")
		for _, wide := range strings.Split(row, `\multicolumn{`)[1:] {
			n += int(wide[0]-'0') - 1
		}
		if n != columns {
			t.Errorf("%d cells in %d columns: %s", n, columns, line)
		}
	}
}

func TestPictureIsXML(t *testing.T) {
	for _, paper := range []bool{true, false} {
		d := xml.NewDecoder(strings.NewReader(small().Picture(paper)))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestEmpty(t *testing.T) {
	c := &Collection{}
	var b bytes.Buffer
	if err := WriteAll(&b, c.Tables(true), Text, c.Picture(true)); err != nil {
		t.Error(err)
	}
}
