package tables

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

func TestRanks(t *testing.T) {
	if got, want := ranks([]float64{5, 1, 5, 0, 5}), []float64{3, 1, 3, 0, 3}; !slices.Equal(got, want) {
		t.Errorf("ranks %v, want %v", got, want)
	}
	up, down := []float64{1, 2, 3, 9}, []float64{4, 3, 2, 1}
	if a, b, none := correlation(ranks(up), ranks(up)), correlation(ranks(up), ranks(down)), correlation([]float64{1, 1}, []float64{1, 2}); text(a) != "1.00" || text(b) != "-1.00" || none != nil {
		t.Errorf("correlations %v, %v and %v", a, b, none)
	}
	// Means are 1.5 and 5 in the groups, with variance 2.5/2 within and 14.75/3 in
	// all.
	if got := explained([]float64{0, 0, 7, 7}, []float64{1, 2, 4, 6}); text(got) != "74.6" {
		t.Errorf("explained %v, want 74.6", got)
	}
}

// sample is a collection of two archives.
func sample() *Collection {
	c := &Collection{}
	for i := range 10 {
		c.Add(Measurement{Archive: "a", Class: []string{"queue", "stack"}[i%2], Ops: 10, Processes: 2, C: 2, CP: int64(i + 1), Mutators: 2,
			Answer: replay.Linearizable, Depth: 1 + i/5, Exact: 1 + i})
	}
	c.Add(Measurement{Archive: "b", Class: "kv", Ops: 20, Processes: 20, C: 3, CP: 4, Answer: replay.Linearizable, Refuted: 7})
	c.Add(Measurement{Archive: "b", Class: "kv", Ops: 20, Processes: 20, C: 3, CP: 4, Answer: replay.Linearizable, Depth: 2})
	c.Add(Measurement{Archive: "b", Class: "kv", Ops: 9, Processes: 1, C: 1, Answer: replay.Linearizable, Depth: 1})
	c.Add(Measurement{Archive: "b", Class: "kv", Ops: 9, Processes: 3, C: 3, CP: 3, Answer: replay.NotLinearizable})
	return c
}

func TestStudy(t *testing.T) {
	all := sample().Study()
	quantiles, predictors, values := all[0], all[1], all[2]
	for _, want := range []struct {
		table *Table
		row   int
		cells string
	}{
		{quantiles, 0, "a all 10 1.50 5.50 1 2 2 2 2 2 20 20 20 20"},
		{quantiles, 1, "a queue 5 1.40 5.00 1 2 2 2 2 2 20 20 20 20"},
		{quantiles, 3, "b all 2 2.00 - 2 - - - - 60 - - - -"}, // 3 chains, 20 operations
		{predictors, 0, "a ops 10 - 0.0 10 - 0.0"},
		{predictors, 3, "a cp 10 0.87 - 10 1.00 -"},
		{values, 0, "a c 2 10 1.50 50.0 2 0 5.50"},
		{values, 2, "b c 3 2 2.00 0.0 2 1 -"},
	} {
		if got := cells(t, want.table, want.row); got != want.cells {
			t.Errorf("%s, row %d: %s\nwant %s", want.table.ID, want.row, got, want.cells)
		}
	}
}

// TestOverlappingMutators: a read counts for nothing, and a pending write overlaps
// all that follows.
func TestOverlappingMutators(t *testing.T) {
	for _, c := range []struct {
		file string
		want int
	}{
		{lost, 2},
		{overlapping(2), 6},
		{head + `{"process":0,"type":"invoke","method":"write","args":[1]}
{"process":1,"type":"invoke","method":"read"}
{"process":1,"type":"ok","result":1}
{"process":0,"type":"ok"}
{"process":1,"type":"invoke","method":"write","args":[2]}
{"process":1,"type":"ok"}
`, 0},
	} {
		var h *history.History
		for one, err := range codec.Decode(strings.NewReader(c.file), "test", codec.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			h = one
		}
		model, err := spec.Lookup(h.Model, h.ModelArgs)
		if err != nil {
			t.Fatal(err)
		}
		if got := overlappingMutators(h, model); got != c.want {
			t.Errorf("%d overlapping mutators, want %d, in\n%s", got, c.want, c.file)
		}
		if m := measureHistory(t, Measurer{}, context.Background(), h); m.Mutators != c.want {
			t.Errorf("measured %d overlapping mutators, want %d", m.Mutators, c.want)
		}
	}
}

// TestNegativeZero: a number that rounds to 0 has no sign.
func TestNegativeZero(t *testing.T) {
	for d, want := range map[decimal]string{
		{-0.004, 2}: "0.00", {-0.3, 0}: "0", {-0.005001, 2}: "-0.01", {-10, 1}: "-10.0", {0.04, 1}: "0.0",
	} {
		if got := d.String(); got != want {
			t.Errorf("%v with %d places is %s, want %s", d.value, d.places, got, want)
		}
	}
}
