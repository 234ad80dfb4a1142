package main

import (
	"time"

	"github.com/leadline/leadline/history/stress"
)

// A stressRecord is a line of stress --output json: a violation.
type stressRecord struct {
	Kind string `json:"kind"` // "violation"
	stress.Found
	File *string `json:"file"`
}

func newStressRecord(f *stress.Found, file string) *stressRecord {
	return &stressRecord{"violation", *f, present(file)}
}

// A stressSummary is the last line of an object.
type stressSummary struct {
	Kind       string          `json:"kind"` // "object"
	Subject    string          `json:"subject"`
	Core       []string        `json:"core"`
	Atomic     []string        `json:"atomic"`
	NonAtomic  []string        `json:"non_atomic"`
	Weak       []string        `json:"weak"`
	LeftOut    []stressLeftOut `json:"left_out"`
	Unsteady   []string        `json:"unsteady"`
	Crashes    []stressCrash   `json:"crashes"`
	Programs   int             `json:"programs"`
	Executions int64           `json:"executions"`
	Recorded   int64           `json:"recorded"`
	Overlap    float64         `json:"overlap"`
	Elapsed    time.Duration   `json:"elapsed_ns"`
}

type stressLeftOut struct {
	Method string `json:"method"`
	Reason string `json:"reason"`
}

type stressCrash struct {
	Method  string `json:"method"`
	Program string `json:"program"`
	What    string `json:"what"`
}

func newStressSummary(r *stressResult) *stressSummary {
	s := &stressSummary{"object", r.name, r.Core, r.Atomic, r.NonAtomic, r.Weak, nil, r.Unsteady, nil,
		r.Programs, r.Executions, r.Recorded, r.Overlap, r.Elapsed}
	for _, l := range r.LeftOut {
		s.LeftOut = append(s.LeftOut, stressLeftOut(l))
	}
	for _, c := range r.Crashes {
		s.Crashes = append(s.Crashes, stressCrash(c))
	}
	return s
}
