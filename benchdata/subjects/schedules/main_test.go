package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/benchdata/subjects/internal/list"
	"github.com/leadline/leadline/benchdata/subjects/internal/tables"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay/spec"
)

// The tables of the README are those of the results, and the results are of every known
// violation.
func TestTables(t *testing.T) {
	r, err := readResults("results.jsonl", "../../corpora/go")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.violations) < 50 {
		t.Errorf("%d violations are known", len(r.violations))
	}
	found := 0
	for _, v := range r.violations {
		if v.Stress.Times == 0 || v.Stress.Executions == 0 {
			t.Errorf("%s.%s was never seen", v.Object, v.Method)
		}
		h := v.Hunt
		if h == nil {
			continue
		}
		found++
		if h.Preemptions+h.Delays > 2 || h.Replayed != 1000 || h.Elsewhere < 10 || h.Elsewhere != h.Processes || v.Threads == nil || v.Nearest == nil || len(v.First) != len(strategies) {
			t.Errorf("%s.%s: %+v, threads %v, nearest %v, %d strategies", v.Object, v.Method, h, v.Threads, v.Nearest, len(v.First))
		}
	}
	if found < 50 {
		t.Errorf("%d violations are found", found)
	}
	for _, e := range r.explored {
		if e.Kind == "control" && (len(e.Violations) > 0 || len(e.Diverging) > 0 || e.Crashes > 0) || e.Kind == "twin" && len(e.Violations) == 0 {
			t.Errorf("%s: %v, diverging %v", e.Object, e.Violations, e.Diverging)
		}
	}
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := tables.WithTables(string(text), command, r.tables()); err != nil || changed != string(text) {
		t.Errorf("the README has other tables, %v: go run ./schedules -parts table", err)
	}
}

func TestNearest(t *testing.T) {
	const header = `{"leadline":1,"model":"counter"}` + "\n"
	for _, c := range []struct {
		events string
		want   relative
	}{
		{`{"process":0,"type":"invoke","method":"add","args":[1]}
{"process":1,"type":"invoke","method":"read"}
{"process":0,"type":"ok"}
{"process":1,"type":"ok","result":1}
`, relative{0, [2]int{1, 1}, [2]int{1, 1}}},
		{`{"process":0,"type":"invoke","method":"add","args":[1]}
{"process":0,"type":"ok"}
{"process":1,"type":"invoke","method":"read"}
{"process":1,"type":"ok","result":0}
`, relative{1, [2]int{1, 1}, [2]int{1, 1}}},
		{`{"process":0,"type":"invoke","method":"add","args":[1]}
{"process":0,"type":"ok"}
{"process":1,"type":"invoke","method":"read"}
{"process":1,"type":"ok","result":0}
{"process":1,"type":"invoke","method":"read"}
{"process":1,"type":"ok","result":7}
`, relative{2, [2]int{1, 1}, [2]int{1, 1}}},
	} {
		for h, err := range codec.Decode(strings.NewReader(header+c.events), "test", codec.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			s, err := spec.Lookup(h.Model, h.ModelArgs)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := nearest(context.Background(), h, s); err != nil || *got != c.want {
				t.Errorf("%s: %v, %v, expected %v", c.events, got, err, c.want)
			}
		}
	}
}

// An object with violations, a control and a broken twin, from end to end.
func TestParts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	t.Chdir("..")
	all, err := list.Read("subjects.txt")
	if err != nil {
		t.Fatal(err)
	}
	test := &tester{errs: &strings.Builder{}, dir: t.TempDir(), preemptions: 2, seeds: 2, executions: 1000, most: time.Hour, processes: 1}
	if test.results, err = readResults(t.TempDir()+"/none", "../corpora/go"); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for _, o := range all {
		if o.Name != "haxmap-filled" {
			continue
		}
		if test.schedules, err = build(ctx, test.dir, append([]list.Object{o}, locks...), true); err != nil {
			if strings.Contains(err.Error(), "dial tcp") {
				t.Skip(err) // modules are missing
			}
			t.Fatal(err)
		}
		for _, part := range []string{"hunt", "replay", "first"} {
			if err := test.part(ctx, part, []list.Object{o}, nil); err != nil {
				t.Fatal(part, err)
			}
		}
	}
	for _, v := range test.results.violations {
		if v.Object != "haxmap-filled" {
			continue
		}
		if h := v.Hunt; h == nil || h.Preemptions != 1 || h.Replayed != 1000 || h.Elsewhere != 1 || h.Spent == 0 || h.Executions < h.Execution {
			t.Errorf("hunt: %+v", h)
		}
		if v.Nearest == nil || v.Nearest.Forgotten != 1 || len(v.First) != len(strategies) || v.First[0].Found != 1 || v.First[4].Seeds != 2 {
			t.Errorf("nearest %v, first %v", v.Nearest, v.First)
		}
	}
	for most := 100 * time.Millisecond; ; most *= 2 { // a busy machine may not run anything in the first
		if err := test.control(ctx, "copy", copied, most); err != nil {
			t.Fatal(err)
		}
		if list := test.results.explored; list[len(list)-1].Executions > 0 || most > time.Minute {
			break
		}
	}
	if err := test.twin(ctx, &locks[1], locks[1].Name); err != nil {
		t.Error(err)
	}
	for _, e := range test.results.explored {
		if e.Executions == 0 || e.Kind == "control" && len(e.Violations) > 0 || e.Kind == "twin" && (len(e.Violations) != 1 || !strings.Contains(e.Violations[0], "W,W,W")) {
			t.Errorf("%+v", e)
		}
	}
	if len(test.results.explored) != 3 {
		t.Errorf("%d objects are explored", len(test.results.explored))
	}
}
