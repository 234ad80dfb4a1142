package monitor_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/leadline/leadline/history"
)

// A loose operation has an interval of its own, at random.
type loose struct {
	method      string
	arg, result history.Value
	from, to    float64
}

// A drawing draws histories that no object need have made: of each value an
// insertion, some looks and most often a removal, and sometimes an operation
// that finds nothing. How long intervals are differs from history to history,
// so that many are just about linearizable, or just not.
type drawing struct {
	*rand.Rand
	insert, remove string
	ops            []loose
	width          float64
}

func (d *drawing) add(method string, arg, result history.Value, center float64) {
	before, after := d.ExpFloat64()*d.width, d.ExpFloat64()*d.width
	d.ops = append(d.ops, loose{method, arg, result, center - before, center + after})
}

func (d *drawing) history(t testing.TB, values int) *history.History {
	d.ops, d.width = nil, 0.02+d.Float64()*d.Float64()*0.6
	looks := d.IntN(2) * d.IntN(4)
	kind := d.IntN(6)
	for _, v := range d.Perm(values) {
		value := valueOf(v, kind)
		in, out := d.Float64(), d.Float64()
		if in > out {
			in, out = out, in
		}
		d.add(d.insert, value, history.NoValue, in)
		for range d.IntN(looks + 1) {
			d.add("peek", history.NoValue, value, in+d.Float64()*(out-in))
		}
		if d.IntN(6) > 0 {
			d.add(d.remove, history.NoValue, value, out)
		}
	}
	for range d.IntN(3) * d.IntN(2) {
		d.add(d.remove, history.NoValue, history.NullValue, d.Float64())
	}
	return fromIntervals(t, d.ops, d.IntN(10) == 0)
}

// valueOf is a number, seldom a large or negative one, or a text.
func valueOf(v, kind int) history.Value {
	switch {
	case kind == 0:
		return history.IntValue((int64(v) - 2) * (1<<60 + 12345))
	case kind == 1 && v%2 == 0:
		return history.StringValue(strconv.Itoa(v))
	}
	return history.IntValue(int64(v))
}

// fromIntervals is the history of the operations; without some responses to
// insertions, if they are to be pending.
func fromIntervals(t testing.TB, ops []loose, pending bool) *history.History {
	order := make([]int, 0, 2*len(ops))
	for i, op := range ops {
		order = append(order, 2*i)
		if !pending || op.arg.Kind() == history.None || i%2 == 0 {
			order = append(order, 2*i+1)
		}
	}
	at := func(event int) float64 {
		if event%2 == 0 {
			return ops[event/2].from
		}
		return ops[event/2].to
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at(a), at(b)) })
	events := make([]history.Event, len(order))
	for k, event := range order {
		op, id := &ops[event/2], history.IntValue(int64(event/2))
		events[k] = history.Event{Type: history.OK, Process: id, Op: id, Result: op.result}
		if event%2 == 0 {
			events[k] = history.Event{Type: history.Invoke, Process: id, Op: id, Method: op.method}
			if op.arg.Kind() != history.None {
				events[k].Args = []history.Value{op.arg}
			}
		}
	}
	h, err := history.New(history.Header{ID: "loose"}, events)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestLooseIntervals is like TestSmallHistories.
func TestLooseIntervals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ model, insert, remove string }{
		{"stack", "push", "pop"}, {"priority-queue", "insert", "poll"}, {"priority-queue:max", "insert", "poll"},
	} {
		t.Run(c.model, func(t *testing.T) {
			d := &drawing{Rand: newRand(t), insert: c.insert, remove: c.remove}
			model := collection(t, c.model)
			counts := map[string]int{}
			for range histories() {
				h := d.history(t, 1+d.IntN(6))
				counts[checkSmall(t, h, model)]++
				if t.Failed() {
					t.Fatalf("the history is\n%s", picture(h))
				}
			}
			t.Log(counts)
		})
	}
}
