package tables

import (
	"strings"
	"testing"

	"github.com/leadline/leadline/replay"
)

// logs is a collection of two archives with pending operations, sequential
// histories and depths that are not known.
func logs() *Collection {
	c := &Collection{}
	for _, m := range []Measurement{
		{Archive: "b", History: "b/1", Class: "kv", Ops: 100, Processes: 4, C: 3, CP: 9, Answer: replay.Linearizable, Depth: 3},
		{Archive: "b", History: "b/2", Class: "kv", Ops: 200, Processes: 5, C: 5, CP: 9, Pending: 2, Answer: replay.Linearizable, Depth: 9},
		{Archive: "b", History: "b/3", Class: "kv", Ops: 40, Processes: 4, C: 4, CP: 9, Pending: 1, Answer: replay.Linearizable, Refuted: 7},
		{Archive: "b", History: "b/4", Class: "kv", Ops: 10, Processes: 1, C: 1, Answer: replay.Linearizable, Depth: 1},
		{Archive: "b", History: "b/5", Class: "kv", Ops: 10, Processes: 2, C: 2, CP: 3, Answer: replay.NotLinearizable},
		{Archive: "a", History: "a/1", Class: "kv", Ops: 50_000, Processes: 9, CP: -1, Pending: 3, Answer: replay.Undecided},
	} {
		c.Add(m)
	}
	return c
}

func TestArchives(t *testing.T) {
	c := logs()
	all := c.Archives()
	archives, distributions := all[0], all[1]
	for _, want := range []struct {
		table *Table
		row   int
		cells string
	}{
		{archives, 0, "a kv 1 1 50000 9 - - - 0 0 1"},
		{archives, 1, "b kv 5 2 10-200 1-5 5 3.00 1.58 4 1 0"},
		{archives, 2, "all all 6 3 10-50000 1-9 5 3.00 1.58 4 1 1"},
		{distributions, 0, "a kv 0 0 0 0 0 0 0 0 0 - 0"},
		{distributions, 1, "b kv 4 1 0 1 0 0 0 0 2 4.33 0"},
	} {
		if got := cells(t, want.table, want.row); got != want.cells {
			t.Errorf("%s, row %d: %s\nwant %s", want.table.ID, want.row, got, want.cells)
		}
	}
	if len(distributions.Rows) != 3 {
		t.Errorf("%d rows, want 3", len(distributions.Rows))
	}
	notes := strings.Join(distributions.Notes, "\n")
	for _, want := range []string{"1 histories have a witness depth of more than 7"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes\n%s\ndo not have %q", notes, want)
		}
	}
	// The tables of the paper leave out what has no c and what is pending.
	if got, want := cells(t, c.Table1(true), 0), "kv 6 10-50000 3 2.50 0.71 9 6.00 4.24"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestOneArchive: one class in one archive is not summed up.
func TestOneArchive(t *testing.T) {
	c := &Collection{}
	c.Add(Measurement{Archive: "x", Class: "kv", Ops: 2, Answer: replay.Linearizable, Depth: 1})
	for _, table := range c.Archives() {
		if len(table.Rows) != 1 {
			t.Errorf("%s has %d rows, want 1", table.ID, len(table.Rows))
		}
	}
}
