package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/leadline/leadline/benchdata/subjects/internal/tables"
)

// A violation is one that stress has found in an object of subjects.txt, with what
// schedules show of it.
type violation struct {
	Kind    string     `json:"kind"` // "violation"
	Object  string     `json:"object"`
	Method  string     `json:"method"` // "" if the core methods alone violate atomicity
	Stress  frequency  `json:"stress"` // of the reduced program, as in benchdata/corpora/go
	Hunt    *hunted    `json:"hunt"`   // nil if it is not found
	Threads *onThreads `json:"threads"`
	First   []*tried   `json:"first"`
	Nearest *relative  `json:"nearest"`

	history string // of Hunt, in leadline's format
}

type frequency struct {
	Times      int64 `json:"times"`
	Executions int64 `json:"executions"`
}

// Hunted is a violation as it was found among generated programs, and reduced.
type hunted struct {
	Program     string `json:"program"`
	Outcome     string `json:"outcome"`
	RealTime    bool   `json:"real_time"`
	Preemptions int    `json:"preemptions"`
	Delays      int    `json:"delays"`
	Schedule    string `json:"schedule"`
	Mark        string `json:"mark"`
	// Programs are those of the method until then, and Executions those of all
	// programs of the object. Execution is the number of that of the reduced program.
	Programs   int           `json:"programs"`
	Executions int64         `json:"executions"`
	Execution  int64         `json:"execution"`
	Spent      time.Duration `json:"spent_ns"` // processor time
	// Replayed is how many of 1000 replays in the process are the same, and Elsewhere how
	// many of Processes other processes replay it the same.
	Replayed  int `json:"replayed"`
	Elsewhere int `json:"elsewhere"`
	Processes int `json:"processes"`
}

type onThreads struct {
	Times      int64         `json:"times"`
	Executions int64         `json:"executions"`
	Spent      time.Duration `json:"spent_ns"`
}

// Explored is what was run of an object, or of a control.
type explored struct {
	Kind       string        `json:"kind"` // "object", "control" or "twin"
	Object     string        `json:"object"`
	Programs   int           `json:"programs"`
	Executions int64         `json:"executions"`
	Steps      int64         `json:"steps"`
	Complete   []int         `json:"complete"` // programs to 0, 1, ... preemptions
	Cut        int64         `json:"cut"`
	Undecided  int64         `json:"undecided"`
	Diverging  []string      `json:"diverging"`
	Blocked    []string      `json:"blocked"`
	Crashes    int           `json:"crashes"`
	Violations []string      `json:"violations"`
	Spent      time.Duration `json:"spent_ns"`
}

// Other is a violation that stress has not found.
type other struct {
	Kind    string        `json:"kind"` // "other"
	Object  string        `json:"object"`
	Method  string        `json:"method"`
	Program string        `json:"program"`
	Outcome string        `json:"outcome"`
	Spent   time.Duration `json:"spent_ns"`
}

// Results are the lines of results.jsonl.
type results struct {
	file       string
	violations []*violation
	explored   []*explored
	others     []*other
	figures    []*figure
}

// readResults reads the results, if there are any yet, and adds the known violations.
func readResults(file, corpus string) (*results, error) {
	r := &results{file: file}
	if err := r.known(corpus); err != nil {
		return nil, err
	}
	lines, err := tables.Lines(file)
	if err != nil {
		return nil, err
	}
	for i, line := range lines {
		if err := r.add(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
	}
	return r, nil
}

func (r *results) add(line []byte) error {
	var any struct{ Kind string }
	if err := json.Unmarshal(line, &any); err != nil {
		return err
	}
	switch any.Kind {
	case "violation":
		v := &violation{}
		if err := json.Unmarshal(line, v); err != nil {
			return err
		}
		for i, k := range r.violations {
			if k.Object == v.Object && k.Method == v.Method {
				v.Stress = k.Stress
				r.violations[i] = v
				return nil
			}
		}
		return fmt.Errorf("%s.%s is not a known violation", v.Object, v.Method)
	case "other":
		v := &other{}
		r.others = append(r.others, v)
		return json.Unmarshal(line, v)
	case "figure":
		v := &figure{}
		r.figures = append(r.figures, v)
		return json.Unmarshal(line, v)
	}
	v := &explored{}
	r.explored = append(r.explored, v)
	return json.Unmarshal(line, v)
}

// known reads the violations that stress has found in the objects of subjects.txt.
func (r *results) known(corpus string) error {
	type found struct {
		Kind, Subject, Method, Program, From string
		Times, Executions                    int64
	}
	var all, reduced []found
	for name, list := range map[string]*[]found{"results.jsonl": &all, "reduced.jsonl": &reduced} {
		text, err := os.ReadFile(corpus + "/" + name)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(text) {
			var f found
			if err := json.Unmarshal(line, &f); err != nil {
				return fmt.Errorf("%s/%s: %w", corpus, name, err)
			}
			*list = append(*list, f)
		}
	}
	for _, f := range all {
		if f.Kind != "violation" {
			continue
		}
		v := &violation{Kind: "violation", Object: f.Subject, Method: f.Method, Stress: frequency{f.Times, f.Executions}}
		for _, less := range reduced {
			if less.Subject == f.Subject && less.From == f.Program {
				v.Stress = frequency{less.Times, less.Executions}
				break
			}
		}
		r.violations = append(r.violations, v)
	}
	return nil
}

// set replaces what was explored of an object.
func (r *results) set(e *explored) {
	e.Kind = cmp.Or(e.Kind, "object")
	r.explored = slices.DeleteFunc(r.explored, func(o *explored) bool { return o.Kind == e.Kind && o.Object == e.Object })
	r.explored = append(r.explored, e)
}

func (r *results) addOther(o *other) {
	o.Kind = "other"
	r.others = slices.DeleteFunc(r.others, func(p *other) bool { return p.Object == o.Object && p.Method == o.Method })
	r.others = append(r.others, o)
}

func (r *results) setFigure(f *figure) {
	f.Kind = "figure"
	r.figures = slices.DeleteFunc(r.figures, func(g *figure) bool { return g.Name == f.Name })
	r.figures = append(r.figures, f)
}

func (r *results) write() error {
	var all []any
	for _, v := range r.violations {
		all = append(all, v)
	}
	for _, v := range r.explored {
		all = append(all, v)
	}
	for _, v := range r.others {
		all = append(all, v)
	}
	for _, v := range r.figures {
		all = append(all, v)
	}
	return tables.Write(r.file, all)
}
