package subjects_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	cmap "github.com/orcaman/concurrent-map/v2"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay/stresstest"
)

var strategies = flag.String("strategies", "", "compare strategies, and write the results to this file")

// A strategyResult is a line of strategies.jsonl: what one strategy did with one program.
type strategyResult struct {
	Kind       string  `json:"kind"` // first: a known violation; complete: a program of a generator
	Object     string  `json:"object"`
	Method     string  `json:"method,omitempty"`
	Program    string  `json:"program"`
	Strategy   string  `json:"strategy"`
	Seeds      int     `json:"seeds,omitempty"`
	Found      int     `json:"found,omitempty"`    // with how many seeds
	ToFirst    float64 `json:"to_first,omitempty"` // mean number of executions up to the first violation, of seeds that found one
	Executions int64   `json:"executions"`
	Complete   bool    `json:"complete,omitempty"` // no schedules are left
	CPU        int64   `json:"ns"`
}

// A comparison has a row of the table of strategies.
type comparison struct {
	name    string
	seeds   int
	options stress.ExploreOptions
}

var compared = []comparison{
	{"dfs, preemptions 0-2", 1, stress.ExploreOptions{Strategy: "dfs", Preemptions: 2}},
	{"dfs, delays 0-2", 1, stress.ExploreOptions{Strategy: "dfs", Delays: 2}},
	{"pct, d = 2", 10, stress.ExploreOptions{Strategy: "pct", Preemptions: 1}},
	{"pct, d = 3", 10, stress.ExploreOptions{Strategy: "pct", Preemptions: 2}},
	{"pos", 10, stress.ExploreOptions{Strategy: "pos"}},
	{"walk", 10, stress.ExploreOptions{Strategy: "walk"}},
	{"family, d = 2", 1, stress.ExploreOptions{Strategy: "family", Preemptions: 1}},
	{"family, d = 3", 1, stress.ExploreOptions{Strategy: "family", Preemptions: 2}},
	{"dpor", 1, stress.ExploreOptions{Preemptions: -1}},
}

// exhausting are strategies that may leave no schedule.
var exhausting = []comparison{
	{"dfs, unbounded", 1, stress.ExploreOptions{Strategy: "dfs", Preemptions: -1, Delays: -1, All: true}},
	{"dfs, preemptions 0-3", 1, stress.ExploreOptions{Strategy: "dfs", Preemptions: 3, All: true}},
	{"dpor", 1, stress.ExploreOptions{Preemptions: -1, All: true}},
}

// TestStrategies compares the strategies, if a file for the results is given.
func TestStrategies(t *testing.T) {
	switch {
	case os.Getenv(instrumented) != "":
		compareStrategies(t)
		return
	case *strategies == "":
		t.Skip("-strategies is not set")
	}
	to, err := filepath.Abs(*strategies)
	if err != nil {
		t.Fatal(err)
	}
	runInstrumented(t, "^TestStrategies$", "-strategies", to)
}

func compareStrategies(t *testing.T) {
	cmap.SHARD_COUNT = 2
	file, err := os.Create(*strategies)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all := subjects(t)
	for _, v := range knownViolations(t) {
		o := all[slices.IndexFunc(all, func(o object) bool { return o.Name == v.Object })]
		r, err := derivers[o.Name](o.Reflect)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range compared {
			first(t, file, r.Class, strategyResult{Kind: "first", Object: v.Object, Method: v.Method, Program: v.Hunt.Program}, c)
		}
	}
	for _, o := range all {
		r, err := derivers[o.Name](o.Reflect)
		if err != nil {
			t.Fatal(err)
		}
		programs, err := stress.Generate(r.Class, stress.GeneratorOptions{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for p := range programs {
			if n++; n > 12 {
				break
			}
			for _, c := range exhausting {
				first(t, file, r.Class, strategyResult{Kind: "complete", Object: o.Name, Program: p.String()}, c)
			}
		}
	}
}

// first explores a program with each seed and writes the result.
func first(t *testing.T, file *os.File, c *stress.Class, line strategyResult, with comparison) {
	line.Strategy, line.Seeds = with.name, with.seeds
	begin := time.Now()
	for seed := range with.seeds {
		p, err := stress.Parse(line.Program, c)
		if err != nil {
			t.Fatal(err)
		}
		o := with.options
		o.Seed, o.Executions, o.Checker = uint64(seed+1), 20_000, stresstest.Checker(nil)
		e, err := stress.Explore(t.Context(), c, p, o)
		if err != nil {
			t.Logf("%s: %s: %v", line.Object, line.Program, err)
			return
		}
		line.Executions += e.Executions
		if len(e.Violations) > 0 {
			line.Found++
			line.ToFirst += float64(e.Violations[0].Execution)
		}
		line.Complete = e.Complete == stress.Unbounded
	}
	line.CPU = int64(time.Since(begin))
	if line.Found > 0 {
		line.ToFirst /= float64(line.Found)
	}
	text, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(append(text, '\n')); err != nil {
		t.Fatal(err)
	}
}
