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
	*replay.Model[int]
	class   string
	nodes   [][]runEdge
	methods map[string][]int // the numbers of arguments in the calls of each method
}

// A runEdge is an invocation with its result, and the node that it leads to.
type runEdge struct {
	replay.Invocation
	result history.Value
	to     int
}

// newRuns returns the specification with these arguments.
func newRuns(args []value) (replay.Spec, error) {
	if len(args) != 2 || args[0].Kind() != history.String || args[1].Kind() != history.List {
		return nil, errors.New("runs takes the name of a class and a tree of its runs")
	}
	r := &runs{class: args[0].Text(), methods: map[string][]int{}}
	r.Model = &replay.Model[int]{Label: RunsName, Next: r.next, Key: appendNode, Describe: r.describe, Valid: r.check}
	type work struct {
		tree value
		node int
	}
	r.nodes = [][]runEdge{nil}
	for open := []work{{args[1], 0}}; len(open) > 0; {
		w := open[len(open)-1]
		open = open[:len(open)-1]
		for _, edge := range w.tree.List() {
			e, next, err := parseEdge(edge)
			if err != nil {
				return nil, fmt.Errorf("the model runs of %s: %w", r.class, err)
			}
			if n := len(e.Args); !slices.Contains(r.methods[e.Method], n) {
				r.methods[e.Method] = append(r.methods[e.Method], n)
			}
			e.to = len(r.nodes)
			r.nodes[w.node] = append(r.nodes[w.node], e)
			open = append(open, work{next, len(r.nodes)})
			r.nodes = append(r.nodes, nil)
		}
	}
	return r, nil
}

func parseEdge(edge value) (e runEdge, next value, err error) {
	parts := edge.List()
	if edge.Kind() != history.List || len(parts) != 4 || parts[0].Kind() != history.String || parts[1].Kind() != history.List ||
		parts[2].Kind() != history.List || len(parts[2].List()) > 1 || parts[3].Kind() != history.List {
		return e, next, fmt.Errorf("%v is not an edge of a tree: want a method, arguments, a result or none, and a tree", edge)
	}
	e.Invocation = replay.Invocation{Method: parts[0].Text(), Args: parts[1].List()}
	if result := parts[2].List(); len(result) == 1 {
		e.result = result[0]
	}
	return e, parts[3], nil
}

// Class is the name of the class whose runs these are.
func (r *runs) Class() string { return r.class }

// Trusted exempts the specification from trials; see replay.Trusted.
func (r *runs) Trusted() {}

// check accepts the methods that occur in runs.
func (r *runs) check(op *history.Operation) error {
	counts, ok := r.methods[op.Method]
	if !ok {
		return fmt.Errorf("no run of %s has a method %s", r.class, op.Method)
	}
	if !slices.Contains(counts, len(op.Args)) {
		return fmt.Errorf("%s: no run of %s calls it with %d arguments", op.Method, r.class, len(op.Args))
	}
	return nil
}

// next returns the results of the invocation: several if the object is nondeterministic.
func (r *runs) next(node int, inv replay.Invocation) (steps []replay.Step[int]) {
	for _, e := range r.nodes[node] {
		if e.Method == inv.Method && slices.EqualFunc(e.Args, inv.Args, history.Value.Equal) {
			steps = append(steps, replay.Step[int]{Result: e.result, Next: e.to})
		}
	}
	return steps
}

func appendNode(dst []byte, node int) []byte { return binary.AppendUvarint(dst, uint64(node)) }

// describe returns the calls that lead to the node, in order, with their results.
func (r *runs) describe(at int) string {
	var calls []string
	for node := at; node > 0; { // parents have smaller numbers
		node--
		for _, e := range r.nodes[node] {
			if e.to == at {
				op := history.Operation{Method: e.Method, Args: e.Args, Result: e.result, Waits: e.result.Equal(history.WaitsForever)}
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
