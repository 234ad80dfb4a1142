package composed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
)

// newTest returns the checker of a method of Test, and sets the defaults of the options.
func newTest[O any](method func(O) any, o *Options) (*checker, error) {
	if method == nil {
		return nil, errors.New("the method is nil")
	}
	if o.Ops < 0 || o.Executions < 0 {
		return nil, fmt.Errorf("a bound in Options is negative: Ops %d, Executions %d", o.Ops, o.Executions)
	}
	o.Ops, o.Executions = cmp.Or(o.Ops, DefaultOps), cmp.Or(o.Executions, DefaultExecutions)
	open, operations, err := standInFor(method, o.Missing)
	if err != nil {
		return nil, err
	}
	var b *body
	b = newBody(&Target{
		Function:   func() any { return b.standIn.call() },
		Collection: func() []any { return b.standIn.operations },
		Operations: operations,
	})
	b.open, b.without = open, o.Without
	if o.Missing != nil && !slices.Contains(b.kinds, "kv") {
		return nil, errors.New("Options.Missing is about the values of a map")
	}
	for _, name := range o.Without {
		if !slices.ContainsFunc(slices.Concat(mapOperations, setOperations, queueOperations), func(op string) bool {
			known, kinds, _ := strings.Cut(op, " ")
			return name == known && kinds != "r"
		}) {
			return nil, fmt.Errorf("Options.Without has the unknown operation %q", name)
		}
	}
	x := newChecker(b, func() {})
	return x, x.prepareTest(o)
}

// mostKeys bounds the keys that are found by running the method alone.
const mostKeys = 4

// prepareTest chooses the keys and values of the environment. The keys are those of the options, and those
// that the method uses when it runs alone, perhaps after an insertion.
func (x *checker) prepareTest(o *Options) error {
	values := o.Values
	if values == nil {
		values = func() []any { return nil }
	}
	x.use(o.Keys, values)
	x.runAlone(-1)
	first := x.logged()
	if x.runAlone(-1); x.logged() != first {
		return errors.New("the method does not do the same in two runs on an empty collection")
	}
	if o.Values == nil {
		values = x.guess(o.Constants)
	}
	if len(values()) == 0 {
		return errors.New("Options.Values returns nothing")
	}
	keys := x.withKeys(o.Keys)
	usesAll := func(c loggedCall) bool { return c.name == "Range" || c.name == "Clear" }
	if len(keys) < 2 && slices.ContainsFunc(x.standIn.log.calls, usesAll) {
		if len(keys) == 0 {
			keys = []any{1}
		}
		if other, ok := different(keys[0]); ok {
			keys = append(keys, other)
		}
	}
	for known := -1; known < len(keys) && len(keys) < mostKeys; {
		known = len(keys)
		x.use(keys, values)
		for i, c := range x.alphabet {
			if x.inserts(c) {
				x.runAlone(i)
				keys = x.withKeys(keys)
			}
		}
	}
	x.use(keys, values)
	return nil
}

// use sets the keys and values of the environment. Those of each execution are new, because the method may
// change what values point to.
func (x *checker) use(keys []any, values func() []any) {
	keys = distinct(keys)
	x.renew = func() []reflect.Value {
		if x.isSet() {
			return holders(distinct(append(slices.Clone(keys), values()...)))
		}
		return append(holders(keys), holders(distinct(values()))...)
	}
	x.samples = x.renew()
	x.isKey, x.ofArg = make([]bool, len(x.samples)), slices.Repeat([]int{-1}, len(x.samples))
	for i := range x.isKey {
		x.isKey[i] = i < len(keys) || x.isSet()
	}
	x.combineAll()
}

// inserts reports whether a call of the environment inserts a key or value.
func (x *checker) inserts(c environmentCall) bool {
	return slices.Contains([]string{"Store", "Add", "Enqueue"}, x.operationName(c.operation))
}

// distinct returns values without duplicates.
func distinct(list []any) (values []any) {
	var n names
	var known []value
	for _, v := range list {
		if name := n.value(v); !slices.ContainsFunc(known, name.Equal) {
			known, values = append(known, name), append(values, v)
		}
	}
	return values
}

// holders returns variables that have the values, which may be nil.
func holders(list []any) (values []reflect.Value) {
	for i := range list {
		values = append(values, reflect.ValueOf(&list[i]).Elem())
	}
	return values
}

// guess returns the default of Options.Values: the values that the method has inserted, constants, and
// different ones. The environment does not insert pointers that the method made.
func (x *checker) guess(constants []any) func() []any {
	kinds := "vo"
	if x.isSet() {
		kinds = "k"
	}
	inserted, n := append(x.arguments(kinds), constants...), x.names
	return func() []any {
		var list []any
		for _, v := range inserted {
			if !isOwn(n.value(v)) {
				list = append(list, v)
			}
			if other, ok := different(v); ok {
				list = append(list, other)
			}
		}
		if list == nil {
			return []any{1, 2}
		}
		return list
	}
}

// withKeys adds the keys that the method has used, but not pointers that it made.
func (x *checker) withKeys(keys []any) []any {
	for _, k := range x.arguments("k") {
		if !isOwn(x.names.value(k)) {
			keys = append(keys, k)
		}
	}
	return distinct(keys)
}

// runAlone runs the method alone, after an operation of the environment if that is not negative.
func (x *checker) runAlone(call int) {
	program := &schedule.Program{Before: x.before, After: x.after, Threads: []func(){func() {
		if call >= 0 {
			x.operate(call)
		}
		x.method()
	}}}
	schedule.Run(program, schedule.NewReplay(nil), schedule.Limits{})
}

// logged returns the operations of the method as a string.
func (x *checker) logged() string {
	var b strings.Builder
	for _, c := range x.standIn.log.calls {
		b.WriteString(c.name)
		for _, v := range slices.Concat(c.args, c.results) {
			b.WriteString(" " + valueText(x.names.value(v)))
		}
	}
	return b.String()
}

// arguments returns the arguments of the given kinds in the operations of the method.
func (x *checker) arguments(kinds string) (list []any) {
	for _, c := range x.standIn.log.calls {
		at := slices.IndexFunc(x.Operations, func(o string) bool { return strings.HasPrefix(o, c.name+" ") })
		for i, a := range c.args {
			if at >= 0 && i < len(x.kinds[at]) && strings.ContainsRune(kinds, rune(strings.TrimPrefix(x.kinds[at], "?")[i])) {
				list = append(list, a)
			}
		}
	}
	return list
}

// exploreTest searches the executions with one operation of the environment, then with two, and so on.
// Each is one step, so there is no more than one preemption for each.
func (x *checker) exploreTest(ctx context.Context, r *Report, o *Options) error {
	complete := true
	for x.limit = 1; x.limit <= o.Ops && r.Executions < o.Executions; x.limit++ {
		ended, err := x.run(ctx, r, explore.Plan{Strategy: "dfs", Preemptions: x.limit, Executions: o.Executions - r.Executions})
		r.Panics = x.panics
		if err != nil || ended {
			return err
		}
		if complete = complete && x.search.Result.Complete >= x.limit; complete {
			r.Ops, r.Preemptions = x.limit, x.limit
		}
	}
	r.Reason = x.reason(r, "")
	return nil
}

// repeat runs the execution that Options.Replay names.
func (x *checker) repeat(ctx context.Context, r *Report, text string) error {
	limit, list, _ := strings.Cut(text, ": ")
	var err error
	if x.limit, err = strconv.Atoi(limit); err != nil || x.limit < 1 {
		return fmt.Errorf("%q in Options.Replay is not a number of operations", limit)
	}
	by, err := schedule.ParseSchedule(list)
	if err != nil {
		return fmt.Errorf("Options.Replay: %w", err)
	}
	x.search = &explore.Search{Ctx: ctx, Oracle: x, Body: x.program(), Result: &explore.Exploration{}}
	ran := schedule.Run(&x.search.Body, schedule.NewReplay(by), schedule.Limits{})
	if ran.Diverged {
		return errors.New("Options.Replay: the method, or the options, differ from those of the earlier execution")
	}
	r.Executions = 1
	seen := x.Record(ran)
	if f := x.search.New(ran, 0); seen.Verdict == explore.Unjudged {
		f.Schedule, f.Detail = by, seen.Detail
		violates, err := x.Judge(seen, f, 0)
		if violates {
			r.Violation = x.violation(f)
		}
		return err
	}
	return nil
}
