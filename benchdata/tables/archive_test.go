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
		{Archive: "b", History: "b/1", Class: "kv", Ops: 100, Processes: 4, C: 3, CP: 9, Answer: replay.Linearizable, Depth: 3, DepthFree: 3, Chain: 1},
		{Archive: "b", History: "b/2", Class: "kv", Ops: 200, Processes: 5, C: 5, CP: 9, Pending: 2, Answer: replay.Linearizable, Depth: 9, DepthFree: 2, Chain: 4},
		{Archive: "b", History: "b/3", Class: "kv", Ops: 40, Processes: 4, C: 4, CP: 9, Pending: 1, Answer: replay.Linearizable, Refuted: 7, RefutedFree: 4, Explained: 30, Delays: 4000.0 / 30},
		{Archive: "b", History: "b/4", Class: "kv", Ops: 10, Processes: 1, C: 1, Answer: replay.Linearizable, Depth: 1, DepthFree: 1},
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
	each, means := c.Profile(true), c.Profile(false)
	for _, want := range []struct {
		table *Table
		row   int
		cells string
	}{
		{archives, 0, "a kv 1 1 50000 9 - - - 0 0 1"},
		{archives, 1, "b kv 5 2 10-200 1-5 5 3.00 1.58 4 1 0"},
		{archives, 2, "all all 6 3 10-50000 1-9 5 3.00 1.58 4 1 1"},
		{distributions, 0, "a kv 0 depth 0 0 0 0 0 0 0 0 - 0"},
		{distributions, 1, "b kv 4 depth 1 0 1 0 0 0 0 2 4.33 0"},
		{distributions, 2, "b kv 4 depth_free 1 1 1 0 0 0 0 0 2.00 1"},
		{distributions, 4, "all all 4 depth_free 1 1 1 0 0 0 0 0 2.00 1"},
		{each, 1, "b/2 kv linearizable 200 2 5 5 9 9 - 2 - 5.00 4"},
		{each, 2, "b/3 kv linearizable 40 1 4 4 9 - 7 - 30 133.33 -"},
		{each, 3, "b/4 kv linearizable 10 0 1 1 0 1 - 1 - 0.00 0"},
		{each, 5, "a/1 kv unknown 50000 3 9 - - - - - - - -"},
		{means, 0, "a kv 1 0 50000.00 9.00 - 0 - - - -"},
		{means, 1, "b kv 5 4 72.00 3.20 3.00 3 4.33 2.00 39.58 1.67"},
	} {
		if got := cells(t, want.table, want.row); got != want.cells {
			t.Errorf("%s, row %d: %s\nwant %s", want.table.ID, want.row, got, want.cells)
		}
	}
	if len(distributions.Rows) != 5 {
		t.Errorf("%d rows, want 5: archive a has nothing to leave out", len(distributions.Rows))
	}
	notes := strings.Join(distributions.Notes, "\n")
	for _, want := range []string{"1 histories have a witness depth of more than 7", "1 histories have no depth_free"} {
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
	c.Add(Measurement{Archive: "x", Class: "kv", Ops: 2, Answer: replay.Linearizable, Depth: 1, DepthFree: 1})
	for _, table := range append(c.Archives(), c.Profile(false)) {
		if len(table.Rows) != 1 {
			t.Errorf("%s has %d rows, want 1", table.ID, len(table.Rows))
		}
	}
}
