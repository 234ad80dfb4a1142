package instrument

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const explorer = `package main

import (
	"fmt"

	"github.com/leadline/leadline/history/explore/schedule"
	"m/lost"
)

type counter interface {
	Add()
	Value() int64
}

func explore(name string, fresh func() counter) {
	var c counter
	seen := map[int64]int{}
	p := &schedule.Program{Before: func() { c = fresh() }, Threads: []func(){func() { c.Add() }, func() { c.Add() }}, After: func() { seen[c.Value()]++ }}
	d := schedule.NewDFS(schedule.DFSOptions{Bound: 1})
	var lost schedule.Schedule
	for {
		r := schedule.Run(p, d, schedule.Limits{})
		if r.Deadlock || r.Diverged || r.Panic != nil {
			panic(fmt.Sprint(r))
		}
		if seen[1] > 0 && lost == nil {
			lost = append(lost, r.Schedule...)
		}
		if !d.Next(r) {
			break
		}
	}
	fmt.Println(name, "lost:", seen[1] > 0, "kept:", seen[2] > 0)
	if lost == nil {
		return
	}
	r := schedule.Trace(p, lost, schedule.Limits{})
	for i := range r.Details {
		fmt.Println(name, r.Details[i].Where())
	}
}

func main() {
	explore("atomic", func() counter { return new(lost.Counter) })
	explore("plain", func() counter { return new(lost.Plain) })
	c := new(lost.Counter) // outside of a scheduled execution
	c.Add()
	fmt.Println("outside", c.Value())
}
`

// A lost update of a package that was not changed is found by one preemption,
// and the steps have the places of the original.
func TestLostUpdate(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/lost/lost.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := newModule(t, "lost/lost.go", string(text), "main.go", explorer)
	place := filepath.Join(dir, "lost", "lost.go")
	if slices.Contains(strings.Fields(os.Getenv("GOFLAGS")), "-trimpath") {
		place = "m/lost/lost.go"
	}
	for _, plain := range []bool{false, true} {
		r, err := Build(t.Context(), Target{Dir: dir, Packages: []string{"m/lost"}, Plain: plain, Cache: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		out, err := goBuild(t, dir, r, "run", ".")
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for _, want := range []string{
			"atomic lost: true kept: true\n",
			fmt.Sprintf("plain lost: %v kept: true\n", plain),
			"outside 1\n",
			"atomic " + place + ":11\n",
			"atomic " + place + ":12\n",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("plain %v: %q is missing in\n%s", plain, want, out)
			}
		}
	}
}
