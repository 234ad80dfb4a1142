package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/leadline/leadline/history/stress/simulate"
)

// A section is one table, or several rows with something in common.
type section struct {
	title string
	note  string
	rows  []*row
}

func (s *section) faulty() bool {
	return slices.ContainsFunc(s.rows, func(r *row) bool { return len(r.workload.Faults) > 0 })
}

// A row is what both checkers check, and its cost.
type row struct {
	workload simulate.Workload
	source   string // for histories that were not simulated: java.util.concurrent or etcd
	format   string // of another program, in which leadline checks the history, too
	full     bool   // measured with -full only
	sound    *row   // the row without the fault, if any; comes before this one

	histories, ops int
	leadline       cost
	porcupine      cost
	ratios         []float64
	skipped        string // why it was not measured
	// of a row with a format
	native             cost
	bytes, nativeBytes int64 // of the two files
}

func (r *row) name() string {
	if r.source != "" {
		return r.source
	}
	w := &r.workload
	name := fmt.Sprintf("%s/n=%d/T=%d", w.Model, w.Ops, w.Threads)
	if w.Values > 0 {
		name += fmt.Sprintf("/values=%d", w.Values)
	}
	if w.Fill > 0 {
		name += fmt.Sprintf("/fill=%d", w.Fill)
	}
	if w.Model == "kv" {
		name += fmt.Sprintf("/keys=%d", cmp.Or(w.Keys, 10))
	}
	if w.Lost > 0 {
		name += fmt.Sprintf("/lost=%d", w.Lost)
	}
	if w.Mix != (simulate.Mix{}) {
		name += "/" + w.Mix.String()
	}
	for _, f := range w.Faults {
		name += "/" + f.String()
	}
	if r.format != "" {
		name = r.format + "/" + name
	}
	return name
}

// shortOps is the size of the largest rows without -full.
const shortOps = 100_000

var (
	collections = []string{"queue", "stack", "priority-queue", "set"}
	sizes       = []int{1000, 10_000, 100_000, 1_000_000}
)

func allSections() []section {
	return []section{
		{
			title: "Collections",
			note: "Objects that hold about 32 values and are sometimes empty; each value is inserted once, some are never removed. " +
				"porcupine checks sets element by element.",
			rows: collectionRows(),
		},
		{
			title: "Collections of few values",
			note:  "As above, but about 4 values: with so few, porcupine finishes.",
			rows:  fewRows(),
		},
		{
			title: "Key-value stores, and sets of few elements",
			note:  "Operations are put and get, or also remove and cas; puts write distinct values, or one of the given number. porcupine checks key by key.",
			rows:  keyRows(),
		},
		{
			title: "Histories that are not linearizable",
			note: "wrong@P has one wrong result after P % of the operations; swap@P has two values in the wrong order. " +
				"If porcupine was stopped at the history without the fault, it does not check those with one.",
			rows: faultRows(),
		},
		{
			title: "Values that are inserted many times",
			note:  "Each insertion draws one of 8 values, so that no monitor applies; about 4 or 32 are held.",
			rows:  repeatedRows(),
		},
		{
			title: "Collections without a monitor",
			note: "Deques, bounded queues, stacks into which few values are inserted again, and objects of which some operations in 1000 never respond: " +
				"leadline decides them by constraints on pairs of operations.",
			rows: pairRows(),
		},
		{
			title: formatTitle,
			note: "leadline checks the same history in its own format and in that of another program: PolyLin, LiMo, porcupine's key-value logs, Jepsen, " +
				"starts and finishes in JSON Lines, and Violat. The ratio is the CPU time by that of leadline's own format, in all and by byte of the file.",
			rows: formatRows(),
		},
		{
			title: "Small histories",
			note:  "Recorded histories of java.util.concurrent of 8 to 18 operations, bulk operations included, and Jepsen's logs of etcd.",
			rows:  []*row{{source: "java.util.concurrent"}, {source: "etcd"}},
		},
	}
}

func collectionRows() (rows []*row) {
	for _, model := range collections {
		for _, n := range sizes {
			for _, threads := range []int{4, 16, 64} {
				rows = append(rows, &row{
					workload: simulate.Workload{Model: model, Ops: n, Threads: threads, Seed: 1},
					full:     n != 100_000 || threads != 16,
				})
			}
		}
	}
	return rows
}

func pairRows() (rows []*row) {
	for _, w := range []simulate.Workload{
		{Model: "deque"}, {Model: "queue:8"}, {Model: "stack", Values: 200}, {Model: "priority-queue", Lost: 10},
	} {
		for _, n := range []int{1000, 10_000} {
			for _, threads := range []int{4, 16} {
				w.Ops, w.Threads, w.Seed = n, threads, 1
				rows = append(rows, &row{workload: w, full: true})
			}
		}
	}
	return rows
}

const formatTitle = "As the peers' own files"

func formatRows() (rows []*row) {
	plain := simulate.Mix{Insert: 4, Remove: 4} // LiMo and Jepsen have no peek
	for _, n := range []int{100_000, 1_000_000} {
		add := func(format string, w simulate.Workload) {
			w.Ops, w.Threads, w.Seed = n, 16, 1
			rows = append(rows, &row{format: format, workload: w, full: n > shortOps})
		}
		for _, model := range []string{"queue", "stack", "set"} {
			add("polylin", simulate.Workload{Model: model})
		}
		for _, model := range []string{"queue", "stack"} {
			add("limo", simulate.Workload{Model: model, Mix: plain})
		}
		add("kv", simulate.Workload{Model: "kv"})
		add("jepsen", simulate.Workload{Model: "kv"})
		add("jepsen", simulate.Workload{Model: "queue", Mix: plain})
		for _, model := range []string{"queue", "set", "kv"} {
			add("jsonl", simulate.Workload{Model: model})
		}
		add("violat", simulate.Workload{Model: "queue"})
	}
	return rows
}

func fewRows() (rows []*row) {
	for _, r := range []struct {
		model   string
		n       []int
		threads []int
	}{
		{"queue", []int{1000, 10_000}, []int{4}},
		{"stack", []int{1000, 10_000}, []int{4}},
		{"priority-queue", []int{1000, 10_000, 100_000}, []int{4, 16}},
	} {
		for _, n := range r.n {
			for _, threads := range r.threads {
				rows = append(rows, &row{
					workload: simulate.Workload{Model: r.model, Ops: n, Threads: threads, Seed: 1, Fill: 4},
					full:     n > 1000 || threads > 4,
				})
			}
		}
	}
	return rows
}

func keyRows() (rows []*row) {
	all := simulate.Mix{Insert: 3, Remove: 1, Look: 3, Update: 1}
	for _, n := range []int{100_000, 1_000_000} {
		for _, w := range []simulate.Workload{
			{Model: "kv", Threads: 50, Keys: 10},
			{Model: "kv", Threads: 50, Keys: 10, Values: 5},
			{Model: "kv", Threads: 50, Keys: 1000},
			{Model: "kv", Threads: 50, Keys: 1000, Values: 5, Mix: all},
			{Model: "set", Threads: 16, Values: 1000},
		} {
			w.Ops, w.Seed = n, 1
			rows = append(rows, &row{workload: w, full: n > shortOps})
		}
	}
	return rows
}

func faultRows() (rows []*row) {
	for _, model := range append(collections, "kv") {
		for _, n := range []int{100_000, 1_000_000} {
			w := simulate.Workload{Model: model, Ops: n, Threads: 16, Seed: 1}
			sound := &row{workload: w, full: n > shortOps || model != "set"}
			rows = append(rows, sound)
			for _, f := range []simulate.Fault{{Kind: simulate.Wrong, Percent: 10}, {Kind: simulate.Wrong, Percent: 50},
				{Kind: simulate.Wrong, Percent: 90}, {Kind: simulate.Swap, Percent: 50}} {
				w.Faults = []simulate.Fault{f}
				if _, err := w.Events(); err != nil {
					continue // sets have no order
				}
				rows = append(rows, &row{workload: w, full: sound.full, sound: sound})
			}
		}
	}
	return rows
}

func repeatedRows() (rows []*row) {
	for _, model := range []string{"queue", "stack"} {
		for _, fill := range []int{4, 0} {
			for _, n := range []int{1000, 10_000} {
				for _, threads := range []int{4, 16} {
					rows = append(rows, &row{
						workload: simulate.Workload{Model: model, Ops: n, Threads: threads, Seed: 1, Values: 8, Fill: fill},
						full:     n > 1000 || threads > 4 || fill != 4,
					})
				}
			}
		}
	}
	return rows
}

// selectRows returns the sections with the rows to measure.
func selectRows(full bool, only *regexp.Regexp) []section {
	var chosen []section
	for _, s := range allSections() {
		var rows []*row
		for _, r := range s.rows {
			if (full || !r.full) && only.MatchString(r.name()) {
				rows = append(rows, r)
			}
		}
		if len(rows) > 0 {
			s.rows = rows
			chosen = append(chosen, s)
		}
	}
	return chosen
}
