package main

import (
	"context"
	"fmt"
	"time"

	"github.com/leadline/leadline/benchdata/subjects/internal/list"
)

// A figure is a measured number, or several.
type figure struct {
	Kind       string        `json:"kind"` // "figure"
	Name       string        `json:"name"`
	Text       string        `json:"text"`
	Programs   int           `json:"programs,omitempty"`
	Complete   int           `json:"complete,omitempty"`
	Executions int64         `json:"executions"`
	Steps      int64         `json:"steps"`
	Spent      time.Duration `json:"spent_ns"`
}

// figures measures the speed, and how much of the schedules can be explored.
func (t *tester) figures(ctx context.Context, all []list.Object) error {
	const program = "{ put(0,0); get(0) } || { put(0,1); get(0) }"
	for _, f := range []struct {
		name, object string
		trial
	}{
		{"mutex map, 2 + 2, up to 2 preemptions", own + "map", trial{Program: program, Preemptions: 2, Seeds: 4000}},
		{"mutex map, 2 + 2, random walk", own + "map", trial{Program: program, Strategy: "walk", Seeds: 1, Executions: 400000}},
		{"mutex map, 2 + 2, POS", own + "map", trial{Program: program, Strategy: "pos", Seeds: 1, Executions: 400000}},
		{"mutex map, 2 + 2, PCT 3", own + "map", trial{Program: program, Strategy: "pct", Preemptions: 2, Seeds: 1, Executions: 400000}},
		{"Treiber 2 + 2, exhaustive", own + "stack", trial{Program: "{ push(0); pop() } || { push(1); pop() }", Preemptions: -1, Seeds: 1}},
		{"Treiber 2 + 1 + 1, exhaustive", own + "stack", trial{Program: "{ push(0); pop() } || { push(1) } || { pop() }", Preemptions: -1, Seeds: 1}},
	} {
		r, spent, err := t.try(ctx, f.object, []trial{f.trial})
		if err != nil {
			return err
		}
		text := fmt.Sprintf("%.0f executions and %.1f million steps per second", float64(r[0].Executions)/spent.Seconds(), float64(r[0].Steps)/1e6/spent.Seconds())
		if f.Preemptions < 0 {
			text = fmt.Sprintf("%d executions, all: %v", r[0].Executions, r[0].Complete == 1)
		}
		t.add(&figure{Name: f.name, Text: text, Executions: r[0].Executions, Steps: r[0].Steps, Spent: spent, Complete: r[0].Complete})
	}
	for _, parts := range []bool{true, false} {
		if err := t.share(ctx, all, parts); err != nil {
			return err
		}
	}
	return nil
}

// share measures the share of generated programs of 4 to 6 invocations, initial and
// final parts included or without such parts, of which 5000 executions are all to 2
// preemptions.
func (t *tester) share(ctx context.Context, all []list.Object, parts bool) error {
	total := &figure{Name: "programs of 4 to 6 invocations without initial and final parts, to 2 preemptions in 5000 executions"}
	if parts {
		total.Name = "programs of 4 to 6 invocations, to 2 preemptions in 5000 executions"
	}
	least := ""
	for _, o := range all {
		r, spent, err := t.try(ctx, o.Name, []trial{{Reflect: o.Reflect, Values: o.Values, Generated: t.generated, Parts: parts, Preemptions: 2, Strategy: "dfs", Executions: 5000, All: true}})
		if err != nil {
			return err
		}
		total.Programs += r[0].Seeds
		total.Complete += r[0].Complete
		total.Executions += r[0].Executions
		total.Steps += r[0].Steps
		total.Spent += spent
		if share := 100 * r[0].Complete / max(r[0].Seeds, 1); share < 90 {
			if least != "" {
				least += ", "
			}
			least += fmt.Sprintf("%s %d %%", o.Name, share)
		}
	}
	total.Text = fmt.Sprintf("%d of %d, %.1f %%", total.Complete, total.Programs, 100*float64(total.Complete)/float64(max(total.Programs, 1)))
	if least != "" {
		total.Text += "; fewer than 90 % of " + least
	}
	t.add(total)
	return nil
}

func (t *tester) add(f *figure) {
	t.say("%s: %s, %.2f s", f.Name, f.Text, f.Spent.Seconds())
	t.results.setFigure(f)
}
