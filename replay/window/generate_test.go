package window_test

import (
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A duplicating history is drawn from few values.
type duplicating struct {
	*rand.Rand
	n, processes   int
	values         int
	looks, empties int // how often, in a hundred
	sizes          int
	lost           int
	wrong, moved   int // in a hundred
}

func (d *duplicating) history(t testing.TB, s replay.Spec) *history.History {
	object := s.New()
	type running struct {
		event  history.Event
		taken  bool
		result history.Value
	}
	open, name := make([]*running, d.processes), make([]int64, d.processes)
	var events []history.Event
	for p := range name {
		name[p] = int64(p)
	}
	for left, busy := d.n, 0; left > 0 || busy > 0; {
		p := d.IntN(d.processes)
		o := open[p]
		switch {
		case o == nil && left > 0:
			o = &running{event: d.invocation(name[p], d.n-left)}
			events = append(events, o.event)
			open[p] = o
			left--
			busy++
		case o == nil:
		case d.IntN(300) < d.lost:
			events = append(events, history.Event{Type: history.Info, Process: o.event.Process, Op: o.event.Op})
			open[p] = nil
			name[p] += int64(d.processes)
			busy--
		case !o.taken:
			o.result, _ = object.Apply(replay.Invocation{Method: o.event.Method, Args: o.event.Args})
			o.taken = true
		default:
			result := o.result
			switch wrong := d.IntN(100) < d.wrong; {
			case !wrong || o.event.Method == "enqueue":
			case o.event.Method == "isEmpty":
				result = history.BoolValue(d.IntN(2) == 0)
			case o.event.Method == "size":
				result = history.IntValue(int64(d.IntN(4)))
			case d.IntN(3) == 0:
				result = history.NullValue
			default:
				result = history.IntValue(int64(d.IntN(d.values)))
			}
			events = append(events, history.Event{Type: history.OK, Process: o.event.Process, Op: o.event.Op, Result: result})
			open[p] = nil
			busy--
		}
	}
	return moved(t, d.Rand, events, len(events)*d.moved/100)
}

// moved returns the history of the events, of which some have changed places.
func moved(t testing.TB, r *rand.Rand, events []history.Event, times int) *history.History {
	for range times {
		i := r.IntN(len(events) - 1)
		if a, b := &events[i], &events[i+1]; !a.Process.Equal(b.Process) {
			*a, *b = *b, *a
		}
	}
	h, err := history.New(history.Header{}, events)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (d *duplicating) invocation(process int64, i int) history.Event {
	e := history.Event{Type: history.Invoke, Process: history.IntValue(process), Op: history.IntValue(int64(i))}
	switch x := d.IntN(100); {
	case x < d.looks:
		e.Method = "peek"
	case x < d.looks+d.empties:
		e.Method = "isEmpty"
	case x < d.looks+d.empties+d.sizes:
		e.Method = "size"
	case d.IntN(2) == 0:
		e.Method, e.Args = "enqueue", []history.Value{history.IntValue(int64(d.IntN(d.values)))}
	default:
		e.Method = "dequeue"
	}
	return e
}

func randomDuplicating(r *rand.Rand) *duplicating {
	d := &duplicating{Rand: r, n: 4 + r.IntN(8), processes: 2 + r.IntN(3), values: 1 + r.IntN(3)}
	if r.IntN(2) == 0 {
		d.looks = r.IntN(40)
	}
	if r.IntN(3) == 0 {
		d.empties = r.IntN(20)
	}
	if r.IntN(4) == 0 {
		d.sizes = r.IntN(20)
	}
	if r.IntN(3) == 0 {
		d.lost = r.IntN(40)
	}
	switch r.IntN(8) {
	case 0, 1, 2:
		d.wrong = 20 + r.IntN(60)
	case 3, 4:
		d.wrong, d.moved = 10+r.IntN(40), r.IntN(200)
	case 5, 6:
		d.moved = 100 + r.IntN(400)
	}
	return d
}
