package composed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// An explorer runs one method in many ways.
type explorer struct {
	ctx    context.Context
	c      *collection
	method func(*run) any
	o      Options

	keys, values  []value      // that the environment uses
	pool          func() []any // the Go values of values
	missing       []value      // the values that count as missing before the method runs
	needsGoValues bool         // some value has a name, so each run needs its Go value

	offers   map[string][]replay.Invocation // what the environment may run; see operations
	alone    map[string][]*effect           // effects of the method running alone, by state
	verdicts map[string]bool                // whether a history is linearizable
	states   map[string]struct{}
	wrong    error                 // a fault of the method, found in the reference
	opaque   map[reflect.Type]bool // pointer types whose targets are not compared; see judge
	key      []byte                // scratch
	report   Report

	inside atomic.Int64 // odd while the method runs, outside of the collection
}

var errRuns = errors.New("composed: Options.Runs is reached")

func (x *explorer) explore() (*Report, error) {
	x.offers, x.alone = map[string][]replay.Invocation{}, map[string][]*effect{}
	x.verdicts, x.states, x.opaque = map[string]bool{}, map[string]struct{}{}, map[reflect.Type]bool{}
	x.report.Ops = -1
	if err := x.prepare(); err != nil {
		return nil, err
	}
	var err error
	switch {
	case x.o.Replay != "":
		err = x.repeat()
	case x.o.Random > 0:
		err = x.random()
	default:
		err = x.all()
	}
	if err != nil && err != errRuns {
		return nil, err
	}
	x.report.Histories, x.report.States = len(x.verdicts), len(x.states)
	return &x.report, nil
}

// prepare determines the keys and values of the environment. It runs the method twice to
// check that it is deterministic.
func (x *explorer) prepare() error {
	x.pool = func() []any { return nil }
	first, second := x.run(nil, 0, nil), x.run(nil, 0, nil)
	if first.wrong != nil && len(x.o.Keys) == 0 {
		return first.wrong
	}
	if !slices.EqualFunc(first.events, second.events, func(a, b event) bool { return same(a.Invocation, b.Invocation) }) ||
		!first.result.Equal(second.result) {
		return errors.New("composed: the method does not do the same in two runs on an empty collection")
	}
	x.pool = x.o.Values
	if x.pool == nil {
		x.pool = x.guess(first)
	}
	var n names
	for _, k := range x.o.Keys {
		x.keys = add(x.keys, n.value(k))
	}
	for _, v := range x.pool() {
		x.values = add(x.values, n.value(v))
	}
	for _, e := range first.events {
		x.keys = add(x.keys, x.c.keys(e.Invocation)...)
	}
	if x.c == setCollection {
		x.keys = add(x.keys, x.values...)
	}
	x.needsGoValues = len(n.byName) > 0
	if x.o.Missing != nil {
		x.missing = (&run{x: x, names: n}).allMissing()
	}
	if len(x.values) == 0 {
		return errors.New("composed: Options.Values returns nothing")
	}
	return nil
}

// guess returns the default of Options.Values: the values that the method inserts, and
// different ones. The environment does not insert pointers that the method made.
func (x *explorer) guess(alone *run) func() []any {
	var own []any
	var seen []value
	for _, e := range alone.events {
		inserted := x.c.values(e.Invocation)
		if x.c == setCollection {
			inserted = x.c.keys(e.Invocation)
		}
		for _, v := range inserted {
			if !slices.ContainsFunc(seen, v.Equal) {
				seen, own = append(seen, v), append(own, alone.names.goValue(v))
			}
		}
	}
	return func() []any {
		var list []any
		for i, v := range own {
			if !isOwn(seen[i]) {
				list = append(list, v)
			}
			if d, ok := different(v); ok {
				list = append(list, d)
			}
		}
		if list == nil {
			list = []any{1, 2}
		}
		return list
	}
}

// run runs the method once, on an empty collection.
func (x *explorer) run(prefix []int, limit int, pick func([]replay.Invocation) int) *run {
	r := &run{x: x, prefix: prefix, limit: limit, pick: pick}
	r.start(x.c.fresh())
	return r
}

// all explores all runs with 0, 1, 2, ... operations of the environment (iterative
// deepening).
func (x *explorer) all() error {
	for bound := 0; bound <= x.o.Ops; bound++ {
		shorter := x.report.Runs
		if err := x.deepen(nil, 0, bound); err != nil || x.report.Violation != nil {
			return err
		}
		if x.report.Ops = bound; x.report.Runs == shorter { // no run is longer
			x.report.Ops = x.o.Ops
			return nil
		}
	}
	return nil
}

// deepen judges the runs with exactly bound operations of the environment that begin with
// the choices of prefix. The prefix has used of these operations.
func (x *explorer) deepen(prefix []int, used, bound int) error {
	r := x.run(prefix, bound, nil)
	if r.wrong != nil {
		return r.wrong
	}
	if used == bound {
		return x.countAndJudge(r)
	}
	for at := len(prefix); at < len(r.offered); at++ {
		for i := range r.offered[at] {
			next := append(slices.Clone(r.chosen[:at]), i+1)
			if err := x.deepen(next, used+1, bound); err != nil || x.report.Violation != nil {
				return err
			}
		}
	}
	return nil
}

// random runs the method with random choices: at each place the environment does
// nothing with probability one half, and otherwise first chooses an operation and
// then its arguments.
func (x *explorer) random() error {
	random := rand.New(rand.NewPCG(x.o.Seed, 0))
	pick := func(list []replay.Invocation) int {
		if random.IntN(2) == 0 {
			return 0
		}
		var first []int // index of the first invocation of each operation; these are adjacent
		for i := range list {
			if i == 0 || list[i].Method != list[i-1].Method {
				first = append(first, i)
			}
		}
		i := random.IntN(len(first))
		return 1 + first[i] + random.IntN(append(first, len(list))[i+1]-first[i])
	}
	for range x.o.Random {
		if err := x.countAndJudge(x.run(nil, x.o.Ops, pick)); err != nil || x.report.Violation != nil {
			return err
		}
	}
	return nil
}

// repeat runs the method with the choices of Options.Replay.
func (x *explorer) repeat() error {
	var prefix []int
	limit := 0
	for word := range strings.SplitSeq(x.o.Replay, ".") {
		i, err := strconv.Atoi(word)
		if err != nil || i < 0 {
			return fmt.Errorf("composed: %q in Options.Replay is not a number", word)
		}
		prefix = append(prefix, i)
		if i > 0 {
			limit++
		}
	}
	r := x.run(prefix, limit, nil)
	if r.wrong == nil && len(r.chosen) < len(prefix) && slices.ContainsFunc(prefix[len(r.chosen):], func(i int) bool { return i > 0 }) {
		r.wrong = fmt.Errorf("composed: the run has %d choices, Options.Replay has %d", len(r.chosen), len(prefix))
	}
	if r.wrong != nil {
		return r.wrong
	}
	return x.countAndJudge(r)
}

// replayText is the inverse of repeat.
func (r *run) replayText() string {
	var words []string
	last := 0
	for i, c := range r.chosen {
		words = append(words, strconv.Itoa(c))
		if c > 0 {
			last = i
		}
	}
	return strings.Join(words[:min(last+1, len(words))], ".")
}

// countAndJudge counts the run, and sets the violation of the report if it is one.
func (x *explorer) countAndJudge(r *run) error {
	if err := x.ctx.Err(); err != nil {
		return fmt.Errorf("composed: %w", err)
	}
	if x.report.Runs == x.o.Runs {
		return errRuns
	}
	x.report.Runs++
	x.recordState(r.state)
	if r.pending {
		x.report.Pending++
		return nil
	}
	if r.wrong != nil {
		return r.wrong
	}
	var err error
	x.report.Violation, err = x.judge(r)
	return err
}

func (x *explorer) recordState(s replay.State) {
	x.key = s.AppendKey(x.key[:0])
	if _, ok := x.states[string(x.key)]; !ok {
		x.states[string(x.key)] = struct{}{}
	}
}

func appendInvocation(dst []byte, inv replay.Invocation) []byte {
	dst = append(append(dst, inv.Method...), 0)
	return history.ListValue(inv.Args...).AppendKey(dst)
}
