package subjects_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

var (
	preemptions         = flag.String("preemptions", "", "write the depths by preemptions to this `file`")
	preemptedExecutions = flag.Int64("executions", 2_000, "executions that TestPreemptions explores, at least")
)

const (
	mostPreempted     = 3      // preemptions
	programExecutions = 10_000 // of one program
)

// unblocked are objects whose code neither blocks nor yields: they have no locks, and their
// loops are retries.
var unblocked = []string{"lockfree-queue", "lockfree-stack"}

// A preempted is a line of preemptions.jsonl: what the executions of a program showed that have
// this number of preemptions. A history counts with the fewest preemptions that lead to it.
type preempted struct {
	Kind        string `json:"kind"`
	Object      string `json:"object"`
	Program     string `json:"program"`
	Preemptions int    `json:"preemptions"`
	Executions  int64  `json:"executions"`
	Histories   int    `json:"histories"` // different ones
	// Depths are how many of the linearizable ones have exact depth 1, 2, ...
	Depths []int `json:"depths"`
	// Waiting are linearizable histories in which more operations than that are needed to have a part in all
	// overlaps: an operation waited. WaitingDepth is the largest exact depth of these.
	Waiting      int `json:"waiting"`
	WaitingDepth int `json:"waiting_depth,omitempty"`
	// Depth is the largest exact depth of histories in which none waited. Deepest is one with
	// as few operations as any such history, and Bound the depth at which families have all of
	// its schedules. The file has it once for each number of preemptions.
	Depth   int    `json:"depth"`
	Bound   int    `json:"bound"`
	Ops     int    `json:"ops"`
	Deepest string `json:"deepest,omitempty"`
}

// tighter reports whether f has a deeper history than other, or one as deep with
// fewer operations.
func (f *preempted) tighter(other *preempted) bool {
	return f.Depth > other.Depth || f.Depth == other.Depth && f.Ops < other.Ops
}

// A preemptedJob asks for the exploration of the program of an object with this number.
type preemptedJob struct {
	Object string
	Number int
}

// TestPreemptions explores programs of the subjects with up to three preemptions. Where code
// neither blocks nor yields, an execution with p preemptions has at most p operations that
// overlap others and began first, and an exact depth of at most max(1, 2p).
func TestPreemptions(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented copies of the libraries")
	}
	names := unblocked
	if *preemptions != "" {
		names = nil
		for _, o := range subjects(t) {
			names = append(names, o.Name)
		}
	}
	p := startInstrumented(t, "preemptions")
	defer p.Close()
	var lines []*preempted
	var deepest [mostPreempted + 1]preempted
	executions := int64(0)
	for number := 0; executions < *preemptedExecutions; number++ {
		for _, name := range names {
			_ = p.Send(preemptedJob{name, number}) // if it is dead, Receive says why
			var found []preempted
			if err := p.Receive(&found); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for i := range found {
				f := &found[i]
				executions += f.Executions
				checkPreempted(t, f)
				if best := &deepest[f.Preemptions]; f.tighter(best) {
					*best = *f
				}
				f.Deepest = ""
				lines = append(lines, f)
			}
		}
	}
	if *preemptions != "" {
		writePreempted(t, lines, deepest[:])
	}
}

func writePreempted(t *testing.T, lines []*preempted, deepest []preempted) {
	t.Helper()
	var out bytes.Buffer
	fmt.Fprintf(&out, `{"kind": "command", "command": "go test ./subjects -run 'TestPreemptions$' -preemptions FILE -executions %d -timeout 0", "executions_of_a_program_at_most": %d}`+"\n",
		*preemptedExecutions, programExecutions)
	for i := range deepest {
		deepest[i].Kind = "deepest"
		lines = append(lines, &deepest[i])
	}
	for _, f := range lines {
		text, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(text, '\n'))
	}
	if err := os.WriteFile(*preemptions, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkPreempted fails the test if a line contradicts the corollary.
func checkPreempted(t *testing.T, f *preempted) {
	t.Helper()
	if most := max(1, 2*f.Preemptions); f.Depth > most || f.Depth > f.Bound {
		t.Errorf("%s %s: exact depth %d with %d preemptions, bound %d", f.Object, f.Program, f.Depth, f.Preemptions, f.Bound)
	}
	if f.Waiting > 0 && slices.Contains(unblocked, f.Object) {
		t.Errorf("%s %s: in %d histories, no %d operations have a part in all overlaps", f.Object, f.Program, f.Waiting, f.Preemptions)
	}
}

// TestPreemptionsRecorded checks the corollary on the lines that were recorded.
func TestPreemptionsRecorded(t *testing.T) {
	text, err := os.ReadFile("preemptions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	executions := int64(0)
	for line := range bytes.Lines(text) {
		var f preempted
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatal(err)
		}
		if f.Kind == "preempted" {
			executions += f.Executions
			checkPreempted(t, &f)
		}
	}
	if executions < 1_000_000 {
		t.Errorf("%d executions are recorded", executions)
	}
}

// answerPreempted answers a job with its lines. There are none if the object has no such program.
func answerPreempted(ctx context.Context, all []object, job preemptedJob) ([]preempted, error) {
	found, err := explorePreempted(ctx, all, job)
	if err != nil {
		return nil, fmt.Errorf("%s, program %d: %w", job.Object, job.Number, err)
	}
	return found, nil
}

func explorePreempted(ctx context.Context, all []object, job preemptedJob) ([]preempted, error) {
	i := slices.IndexFunc(all, func(o object) bool { return o.Name == job.Object })
	r, err := derivers[job.Object](all[i].Reflect)
	if err != nil {
		return nil, err
	}
	programs, err := stress.Generate(r.Class, stress.GeneratorOptions{CoreOnly: true, Seed: 1,
		Bounds: stress.Bounds{Sequences: 2 + job.Number%2, MinInvocations: 4, MaxInvocations: 7}})
	if err != nil {
		return nil, nil // no program within the bounds
	}
	number := 0
	for p := range programs {
		if number++; number > job.Number {
			return explorePreemptedProgram(ctx, r.Class, job.Object, p)
		}
	}
	return nil, nil
}

// explorePreemptedProgram explores with up to 0, 1, 2 and 3 preemptions.
func explorePreemptedProgram(ctx context.Context, c *stress.Class, object string, p *stress.Program) ([]preempted, error) {
	expected, err := stress.NewExpected(c, p)
	if err != nil {
		return nil, nil // it has no sequential runs of its own
	}
	var lines []preempted
	seen := map[string]bool{}
	before := int64(0)
	for n := range mostPreempted + 1 {
		e, err := explore.Schedules(ctx, c, p, nil, explore.Plan{Preemptions: n, Executions: programExecutions, Strategy: "dfs", All: true})
		if err != nil {
			return nil, err
		}
		line := preempted{Kind: "preempted", Object: object, Program: p.String(), Preemptions: n, Executions: e.Executions - before}
		before = e.Executions
		for i := range e.Executed {
			x := &e.Executed[i]
			key := fmt.Sprint(x.Outcome, x.Events)
			if seen[key] || x.Outcome.Waits() {
				continue
			}
			seen[key] = true
			if err := line.add(ctx, x, expected); err != nil {
				return nil, err
			}
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// add counts the history of an execution.
func (f *preempted) add(ctx context.Context, x *stress.Execution, expected *stress.Expected) error {
	h, err := x.History(expected)
	if err != nil {
		return err
	}
	f.Histories++
	s, err := spec.Lookup(h.Model, h.ModelArgs)
	if err != nil {
		return err
	}
	v, err := decide.Check(ctx, h, s, replay.Options{ExactDepth: true, MaxDepth: 1})
	if err != nil || v.ExactDepth == 0 {
		return err
	}
	in, err := replay.NewInstance(h, true, replay.AutoChains, nil)
	if err != nil {
		return err
	}
	if in.Poset.Len()-in.Poset.LongestChain() > f.Preemptions {
		f.Waiting++
		f.WaitingDepth = max(f.WaitingDepth, v.ExactDepth)
		return nil
	}
	for len(f.Depths) < v.ExactDepth {
		f.Depths = append(f.Depths, 0)
	}
	f.Depths[v.ExactDepth-1]++
	one := preempted{Depth: v.ExactDepth, Bound: hitting.Bound(in.Poset), Ops: len(h.Ops)}
	if !one.tighter(f) {
		return nil
	}
	var text strings.Builder
	err = codec.Encode(&text, h)
	f.Depth, f.Bound, f.Ops, f.Deepest = one.Depth, one.Bound, one.Ops, text.String()
	return err
}
