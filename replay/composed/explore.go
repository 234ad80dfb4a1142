package composed

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/replay"
)

// An explorer runs one method in many ways.
type explorer struct {
	ctx    context.Context
	c      *collection
	fresh  func() state
	method func(*run) any
	o      Options
	offer  func(r *run, beside replay.Invocation, before state) []replay.Invocation // adjacent, but in tests

	keys, values []value      // that the environment uses
	pool         func() []any // the Go values of values

	offers   map[string][]replay.Invocation // what the environment may run; see adjacent
	verdicts map[string]bool                // whether a history is linearizable
	endless  map[string]bool                // states in which the method does not end alone
	states   map[string]struct{}
	opaque   map[reflect.Type]bool // pointer types whose targets are not compared; see judge
	repaired bool                  // the method is a repair itself
	key      []byte                // scratch
	report   Report
}

var errRuns = errors.New("composed: Options.Runs is reached")

func (x *explorer) explore() (*Report, error) {
	err := x.prepare()
	switch {
	case err != nil:
	case x.o.Replay != "":
		err = x.repeat()
	default:
		err = x.all()
	}
	if err != nil && err != errRuns {
		return nil, err
	}
	x.report.Histories, x.report.States = len(x.verdicts), len(x.states)
	if v := x.report.Violation; v != nil && !v.WrongPoint && !x.repaired && x.o.Missing == nil {
		if v.Repair, err = x.repair(); err != nil {
			return nil, err
		}
	}
	return &x.report, nil
}

// prepare determines the keys and values of the environment. It runs the method twice to
// check that it is deterministic.
func (x *explorer) prepare() error {
	x.offers, x.verdicts = map[string][]replay.Invocation{}, map[string]bool{}
	x.states, x.endless, x.opaque = map[string]struct{}{}, map[string]bool{}, map[reflect.Type]bool{}
	x.fresh, x.report.Ops = x.c.fresh(), -1
	x.pool = func() []any { return nil }
	first, second := x.run(0, follow(nil)), x.run(0, follow(nil))
	if first.wrong != nil && len(x.o.Keys) == 0 {
		return first.wrong
	}
	if !slices.EqualFunc(first.events, second.events, func(a, b event) bool { return same(a.Invocation, b.Invocation) }) ||
		!first.result.Equal(second.result) {
		return errors.New("composed: the method does not do the same in two runs on an empty collection")
	}
	if x.pool = x.o.Values; x.pool == nil {
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
		x.keys = add(x.keys, x.c.args(e.Invocation, "k")...)
	}
	if x.c == setCollection {
		x.keys = add(x.keys, x.values...)
	}
	if first.whole && len(x.keys) < 2 {
		x.moreKeys()
	}
	if len(x.values) == 0 {
		return errors.New("composed: Options.Values returns nothing")
	}
	return nil
}

// moreKeys adds keys to the environment of a method that uses all of the map.
func (x *explorer) moreKeys() {
	if len(x.keys) == 0 {
		x.keys = []value{history.IntValue(1)}
	}
	if k := x.keys[0]; k.Kind() != history.List {
		var n names
		other, _ := different(n.goValue(k))
		x.keys = append(x.keys, n.value(other))
	}
}

// guess returns the default of Options.Values: the values that the method inserts, constants, and
// different ones. The environment does not insert pointers that the method made.
func (x *explorer) guess(alone *run) func() []any {
	kinds := "vo"
	if x.c == setCollection {
		kinds = "k"
	}
	var inserted []value
	for _, e := range alone.events {
		inserted = add(inserted, x.c.args(e.Invocation, kinds)...)
	}
	for _, v := range x.o.Constants {
		inserted = add(inserted, alone.names.value(v))
	}
	return func() []any {
		var list []any
		for _, v := range inserted {
			goValue := alone.names.goValue(v)
			if !isOwn(v) {
				list = append(list, goValue)
			}
			if d, ok := different(goValue); ok {
				list = append(list, d)
			}
		}
		if list == nil {
			list = []any{1, 2}
		}
		return list
	}
}

// all explores all runs with 0, 1, 2, ... operations of the environment (iterative
// deepening).
func (x *explorer) all() error {
	for bound := 0; bound <= x.o.Ops; bound++ {
		shorter := x.report.Runs
		var err error
		explore.Enumerate(func(choose func(int) int) bool {
			r := x.run(bound, eager(choose))
			if err = r.wrong; err != nil {
				return false
			}
			if r.used == bound { // the runs with fewer operations are judged already
				err = x.countAndJudge(r)
			}
			return err == nil && x.report.Violation == nil
		})
		if err != nil || x.report.Violation != nil {
			return err
		}
		if x.report.Ops = bound; x.report.Runs == shorter { // no run is longer
			x.report.Ops = x.o.Ops
			return nil
		}
	}
	return nil
}

// eager returns the environment that chooses every operation before nothing.
func eager(choose func(int) int) func([]replay.Invocation) int {
	return func(list []replay.Invocation) int {
		c := choose(len(list) + 1)
		if c < 0 {
			return len(list) + 1 // of another run
		}
		return (c + 1) % (len(list) + 1)
	}
}

// follow returns the environment of the given choices. After them, it does nothing.
func follow(choices []int) func([]replay.Invocation) int {
	at := -1
	return func([]replay.Invocation) int {
		if at++; at < len(choices) {
			return choices[at]
		}
		return 0
	}
}

// again returns the run with the given choices.
func (x *explorer) again(choices []int) *run {
	last, limit := 0, 0
	for i, c := range choices {
		if c > 0 {
			last, limit = i+1, limit+1
		}
	}
	r := x.run(limit, follow(choices))
	if r.wrong == nil && len(r.chosen) < last {
		r.wrong = fmt.Errorf("composed: the run has %d choices, Options.Replay has %d", len(r.chosen), len(choices))
	}
	return r
}

// repeat runs the method with the choices of Options.Replay.
func (x *explorer) repeat() error {
	var choices []int
	for word := range strings.SplitSeq(x.o.Replay, ".") {
		i, err := strconv.Atoi(word)
		if err != nil || i < 0 {
			return fmt.Errorf("composed: %q in Options.Replay is not a number", word)
		}
		choices = append(choices, i)
	}
	r := x.again(choices)
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
	if (r.steps > 1 || r.point >= 0) && r.result.Kind() != history.Exception {
		x.report.Exercised = true
	}
	if !r.serializable() {
		x.report.NotSerializable++
	}
	var err error
	x.report.Violation, err = x.judge(r)
	return err
}

func (x *explorer) recordState(s state) {
	x.key = s.AppendKey(x.key[:0])
	if _, ok := x.states[string(x.key)]; !ok {
		x.states[string(x.key)] = struct{}{}
	}
}

// before returns the operations that the environment may run before next.
func (x *explorer) before(r *run, next replay.Invocation) []replay.Invocation {
	list := x.offer(r, next, r.state)
	if len(r.refused) == 0 || x.o.Missing != nil { // with Missing, what the method did meanwhile can matter
		return list
	}
	// Running a refused operation here is the same as running it earlier.
	return slices.DeleteFunc(slices.Clone(list), func(e replay.Invocation) bool {
		return slices.ContainsFunc(r.refused, func(f replay.Invocation) bool { return same(e, f) })
	})
}

// adjacent returns the operations that the environment may run beside an operation of the
// method, in the state before that one: operations on its keys that do not commute with
// it.
func (x *explorer) adjacent(r *run, beside replay.Invocation, before state) []replay.Invocation {
	x.key = appendInvocation(before.AppendKey(append(r.state.AppendKey(x.key[:0]), 0xff)), beside)
	memo := string(x.key)
	if list, ok := x.offers[memo]; ok && x.o.Missing == nil {
		return list
	}
	// The environment knows the method's pointers only where they are in the map.
	keys, olds := x.c.args(beside, "k"), slices.DeleteFunc(add(nil, x.c.args(beside, "vo")...), isOwn)
	if len(keys) == 0 {
		keys = x.keys
	}
	list := slices.DeleteFunc(x.c.alphabet(r.state, keys, x.values, olds, x.o.Without), func(e replay.Invocation) bool {
		return x.c.commute(before, beside, e) || x.o.Missing != nil && !r.describable(e)
	})
	x.offers[memo] = list
	return list
}

func appendInvocation(dst []byte, inv replay.Invocation) []byte {
	dst = append(append(dst, inv.Method...), 0)
	return history.ListValue(inv.Args...).AppendKey(dst)
}
