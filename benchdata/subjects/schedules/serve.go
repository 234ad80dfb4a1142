package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	cmap "github.com/orcaman/concurrent-map/v2"

	"github.com/leadline/leadline/benchdata/subjects/internal/list"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/replay/stresstest"
)

// This file is for the processes that test objects. Build makes their program, which
// has the constructors.

// shards is how many shards maps of orcaman have in schedules, in place of 32. Some
// methods start two goroutines for each.
const shards = 2

// derivers are those of subjects.txt, in the programs that build makes.
var derivers map[string]list.Deriver

// own begins the names of bundled objects.
const own = "subject:"

// serve tests an object as its input says, and returns the exit status.
func serve(name string, scheduled bool, in io.Reader, out, errs io.Writer) int {
	if scheduled {
		cmap.SHARD_COUNT = shards
	}
	if s := subject.Lookup(strings.TrimPrefix(name, own)); s != nil && strings.HasPrefix(name, own) {
		return stress.Serve(s.Class, stresstest.Checker(nil), in, out)
	}
	derive := derivers[name]
	if derive == nil {
		fmt.Fprintf(errs, "no object is called %q\n", name)
		return 2
	}
	return stress.ServeDerived(derive, stresstest.Checker(nil), in, out)
}

// classOf returns the class of an object.
func classOf(name string, o stress.ReflectOptions) (*stress.Class, error) {
	if s := subject.Lookup(strings.TrimPrefix(name, own)); s != nil && strings.HasPrefix(name, own) {
		return s.Class, nil
	}
	derive := derivers[name]
	if derive == nil {
		return nil, fmt.Errorf("no object is called %q", name)
	}
	r, err := derive(o)
	if err != nil {
		return nil, err
	}
	return r.Class, nil
}

// A trial is a program whose schedules are explored by a strategy until the first
// violation, with each of so many seeds.
type trial struct {
	Reflect     stress.ReflectOptions
	Program     string
	Generated   int  // explore so many generated programs of 4 to 6 invocations instead
	Parts       bool // which include initial and final parts
	Values      int
	Strategy    string
	Preemptions int // at most; the depth of a random strategy or a family is one more
	Delays      int
	Seeds       int
	Executions  int64 // at most, for each seed; 0 is without bound
	All         bool  // go on after a violation
}

// A tried trial found the first violation with so many of the seeds.
type tried struct {
	Strategy    string `json:"strategy"`
	Preemptions int    `json:"preemptions"`
	Delays      int    `json:"delays,omitempty"`
	Seeds       int    `json:"seeds"`
	Found       int    `json:"found"`
	ToFirst     int64  `json:"to_first"` // executions of the seeds that found it
	Executions  int64  `json:"executions"`
	Steps       int64  `json:"steps"`
	Complete    int    `json:"complete"` // programs, or seeds, of which all schedules were explored
}

// try does the trials that its input has, and writes a line for each.
func try(name string, in io.Reader, out, errs io.Writer) int {
	cmap.SHARD_COUNT = shards
	var list []trial
	err := json.NewDecoder(in).Decode(&list)
	for i := 0; err == nil && i < len(list); i++ {
		var t *tried
		if t, err = list[i].run(name); err == nil {
			err = json.NewEncoder(out).Encode(t)
		}
	}
	if err != nil {
		fmt.Fprintln(errs, err)
		return 2
	}
	return 0
}

func (t *trial) run(name string) (*tried, error) {
	c, err := classOf(name, t.Reflect)
	if err != nil {
		return nil, err
	}
	result := &tried{Strategy: t.Strategy, Preemptions: t.Preemptions, Delays: t.Delays, Seeds: t.Seeds}
	if t.Generated > 0 {
		bounds := stress.Bounds{MinInvocations: 4, MaxInvocations: 6, Initial: -1, Final: -1, Values: t.Values}
		if t.Parts {
			bounds.MinInvocations, bounds.Initial, bounds.Final = 2, 0, 0
		}
		programs, err := stress.Generate(c, stress.GeneratorOptions{Bounds: bounds, Seed: 1})
		if err != nil {
			return nil, err
		}
		for p := range programs {
			if p.Len() < 4 || p.Len() > 6 {
				continue
			}
			if err := t.explore(c, p, 0, result); err != nil {
				return nil, err
			}
			if result.Seeds++; result.Seeds == t.Generated {
				break
			}
		}
		return result, nil
	}
	for seed := range t.Seeds {
		p, err := stress.Parse(t.Program, c)
		if err == nil {
			err = t.explore(c, p, uint64(seed), result)
		}
		if err != nil {
			return nil, err
		}
	}
	return result, nil
}

// explore explores a program and adds what comes out.
func (t *trial) explore(c *stress.Class, p *stress.Program, seed uint64, result *tried) error {
	e, err := stress.Explore(context.Background(), c, p, stress.ExploreOptions{Strategy: t.Strategy, Preemptions: t.Preemptions,
		Delays: t.Delays, Executions: t.Executions, Seed: seed, Checker: stresstest.Checker(nil), All: t.All})
	if err != nil {
		return fmt.Errorf("%v: %w", p, err)
	}
	result.Executions += e.Executions
	result.Steps += e.Steps
	if len(e.Violations) > 0 {
		result.Found++
		result.ToFirst += e.Violations[0].Execution
	}
	if bound := t.Preemptions; bound >= 0 && e.Complete >= bound || e.Complete == stress.Unbounded {
		result.Complete++
	}
	return nil
}
