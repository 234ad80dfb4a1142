package spec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// RunsName is the name of the specification that is contained in a history.
const RunsName = "runs"

// A runStep is an invocation with its result.
type runStep struct {
	Invocation replay.Invocation
	Result     history.Value
}

// runs is the specification "runs". It consists of the results that objects of
// a class returned in the sequential runs of a small program. A history of that
// program includes them if no other specification describes the object; see
// package history/stress, which writes them.
//
// The arguments are the name of the class and a tree. A tree is a list of
// edges. Each edge is a list of the method, the list of arguments, a list of
// the result (empty if there is none) and the tree of subsequent calls. The
// states are the nodes of the tree.
type runs struct {
	class   string
	nodes   [][]runEdge
	methods map[string][]int // the numbers of arguments in the calls of each method
}

type runEdge struct {
	runStep
	to int
}

// newRuns returns the specification with these arguments.
func newRuns(args []value) (replay.Spec, error) {
	if len(args) != 2 || args[0].Kind() != history.String || args[1].Kind() != history.List {
		return nil, errors.New("runs takes the name of a class and a tree of its runs")
	}
	r := &runs{class: args[0].Text(), methods: map[string][]int{}}
	type work struct {
		tree value
		node int
	}
	r.nodes = [][]runEdge{nil}
	for open := []work{{args[1], 0}}; len(open) > 0; {
		w := open[len(open)-1]
		open = open[:len(open)-1]
		for _, edge := range w.tree.List() {
			step, next, err := parseEdge(edge)
			if err != nil {
				return nil, fmt.Errorf("the model runs of %s: %w", r.class, err)
			}
			method, n := step.Invocation.Method, len(step.Invocation.Args)
			if !slices.Contains(r.methods[method], n) {
				r.methods[method] = append(r.methods[method], n)
			}
			r.nodes[w.node] = append(r.nodes[w.node], runEdge{step, len(r.nodes)})
			open = append(open, work{next, len(r.nodes)})
			r.nodes = append(r.nodes, nil)
		}
	}
	return r, nil
}

func parseEdge(edge value) (step runStep, next value, err error) {
	parts := edge.List()
	if edge.Kind() != history.List || len(parts) != 4 || parts[0].Kind() != history.String || parts[1].Kind() != history.List ||
		parts[2].Kind() != history.List || len(parts[2].List()) > 1 || parts[3].Kind() != history.List {
		return step, next, fmt.Errorf("%v is not an edge of a tree: want a method, arguments, a result or none, and a tree", edge)
	}
	step.Invocation = replay.Invocation{Method: parts[0].Text(), Args: parts[1].List()}
	if result := parts[2].List(); len(result) == 1 {
		step.Result = result[0]
	}
	return step, parts[3], nil
}

func (r *runs) Name() string { return RunsName }

// Class is the name of the class whose runs these are.
func (r *runs) Class() string { return r.class }

// Trusted exempts the specification from spectest.Probe.
func (r *runs) Trusted() {}

// Check accepts the methods that occur in runs.
func (r *runs) Check(op *history.Operation) error {
	counts, ok := r.methods[op.Method]
	if !ok {
		return fmt.Errorf("no run of %s has a method %s", r.class, op.Method)
	}
	if !slices.Contains(counts, len(op.Args)) {
		return fmt.Errorf("%s: no run of %s calls it with %d arguments", op.Method, r.class, len(op.Args))
	}
	return nil
}

func (r *runs) New() replay.Object { return &runState{runs: r} }

// A runState is a node of the tree. A nondeterministic object may have several
// results for an invocation.
type runState struct {
	*runs
	at int
}

// Apply takes the first result.
func (s *runState) Apply(inv replay.Invocation) (history.Value, bool) {
	for _, e := range s.nodes[s.at] {
		if e.answers(inv) {
			s.at = e.to
			return e.Result, true
		}
	}
	return history.Value{}, false
}

func (e *runEdge) answers(inv replay.Invocation) bool {
	return e.Invocation.Method == inv.Method && slices.EqualFunc(e.Invocation.Args, inv.Args, history.Value.Equal)
}

func (s *runState) Outcomes(inv replay.Invocation) []replay.Outcome {
	var outcomes []replay.Outcome
	for _, e := range s.nodes[s.at] {
		if e.answers(inv) {
			outcomes = append(outcomes, replay.Outcome{Result: e.Result, Next: &runState{s.runs, e.to}})
		}
	}
	return outcomes
}

func (s *runState) Clone() replay.State { return &runState{s.runs, s.at} }

// String returns the calls that lead to the state, in order, with their results.
func (s *runState) String() string {
	var calls []string
	for node, at := s.at, s.at; node > 0; { // parents have smaller numbers
		node--
		for _, e := range s.nodes[node] {
			if e.to == at {
				op := history.Operation{Method: e.Invocation.Method, Args: e.Invocation.Args, Result: e.Result}
				calls = append(calls, op.String())
				at = node
				break
			}
		}
	}
	if calls == nil {
		return "new"
	}
	slices.Reverse(calls)
	return "after " + strings.Join(calls, ", ")
}

func (s *runState) AppendKey(dst []byte) []byte { return binary.AppendUvarint(dst, uint64(s.at)) }
