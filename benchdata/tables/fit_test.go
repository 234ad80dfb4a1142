package tables

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFit(t *testing.T) {
	table := [][]string{
		{"model", "histories", "not linearizable", "unknown"},
		{"ArrayBlockingQueue", "12", "4", "0"},
		{"dir/file/name-of-27-chars.j", "{ put(0,0); get(1) } || { clear() }", "żółć", ""},
	}
	squeeze := strings.NewReplacer(" ", "", "\n", "")
	several := 0
	for width := 10; width < 120; width++ {
		bands := Fit(table, width)
		if len(bands) > 1 {
			several++
		}
		var columns []int
		for _, b := range bands {
			columns = append(columns, b.Columns[min(len(columns), 1):]...)
			widths := make([]int, len(b.Columns))
			for i, row := range b.Rows {
				for k, cell := range row {
					for line := range strings.SplitSeq(cell, "\n") {
						widths[k] = max(widths[k], utf8.RuneCountInString(line))
					}
					if want := table[i][b.Columns[k]]; squeeze.Replace(cell) != squeeze.Replace(want) {
						t.Errorf("width %d: %q became %q", width, want, cell)
					}
				}
			}
			if got := total(widths); got > width && width >= 47 { // two columns fit from there
				t.Errorf("width %d: %d wide: %q", width, got, b.Rows)
			}
			if slices.Contains(strings.Fields(strings.Join(b.Rows[0], " ")), "ies") {
				t.Errorf("width %d: a word is cut: %q", width, b.Rows)
			}
		}
		if !slices.Equal(columns, []int{0, 1, 2, 3}) {
			t.Errorf("width %d: the bands have the columns %d", width, columns)
		}
	}
	if several == 0 {
		t.Error("no table has several bands")
	}
	if got := Fit(table, 119); len(got) != 1 || &got[0].Rows[0] != &table[0] {
		t.Errorf("a table that fits changed: %v", got)
	}
	for s, want := range map[string]string{"not linearizable": "not|linearizable", "dir/file.jsonl-of": "dir/file.|jsonl-of",
		"": "", "abcdefghijklmn": "abcdefghijkl|mn"} {
		if got := strings.Join(wrap(s, 12), "|"); got != want {
			t.Errorf("%q is wrapped as %q, want %q", s, got, want)
		}
	}
}
