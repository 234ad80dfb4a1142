package decide_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

var (
	seedFlag = flag.Uint64("seed", 1, "seed of the random tests")
	full     = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
)

// newRand logs the seed first, so that a failure can be repeated by -seed.
func newRand(t testing.TB) *rand.Rand {
	t.Logf("-seed %d", *seedFlag)
	return rand.New(rand.NewPCG(*seedFlag, 0))
}

// A subject is a specification with the calls that random histories make.
type subject struct {
	spec  replay.Spec
	calls []randomCall
}

type randomCall struct {
	method string
	args   int      // each 0, 1 or 2
	wrong  []string // results to put in the place of right ones
}

func model(t testing.TB, text string) replay.Spec {
	s, err := spec.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// subjects are bundled specifications of all kinds and two made here: one
// whose objects are nondeterministic, one whose objects are not States.
func subjects(t testing.TB) []subject {
	return []subject{
		{model(t, "register:0"), []randomCall{{"read", 0, []string{"0", "1", "2"}}, {"write", 1, nil}}},
		{model(t, "cas-register:0"), []randomCall{{"read", 0, []string{"0", "1"}}, {"write", 1, nil}, {"cas", 2, []string{"true", "false"}}}},
		{model(t, "queue"), []randomCall{{"enqueue", 1, nil}, {"dequeue", 0, []string{"0", "1", "null"}}}},
		{model(t, "stack"), []randomCall{{"push", 1, nil}, {"pop", 0, []string{"0", "1", "null"}}}},
		{model(t, "set"), []randomCall{{"add", 1, []string{"true", "false"}}, {"remove", 1, []string{"true", "false"}}, {"contains", 1, []string{"true", "false"}}}},
		{model(t, "kv"), []randomCall{{"get", 1, []string{"0", "1", "null"}}, {"put", 2, nil}, {"remove", 1, []string{"0", "null"}}}},
		{model(t, "ConcurrentHashMap"), []randomCall{{"put", 2, []string{"0", "null"}}, {"replace", 2, []string{"0", "null"}}, {"get", 1, []string{"1", "null"}}, {"size", 0, []string{"0", "1"}}}},
		{model(t, "mutex"), []randomCall{{"lock", 0, nil}, {"unlock", 0, nil}}},
		{model(t, "ArrayBlockingQueue:2"), []randomCall{{"offer", 1, []string{"true", "false"}}, {"poll", 0, []string{"0", "1", "null"}}, {"size", 0, []string{"0", "1", "2"}}, {"clear", 0, nil}}},
		{flakyQueue(), []randomCall{{"put", 1, []string{"true", "false"}}, {"take", 0, []string{"0", "1", "null"}}}},
		{objectOnly{model(t, "counter")}, []randomCall{{"get", 0, []string{"0", "1", "2"}}, {"increment", 0, nil}}},
	}
}

// objectOnly hides that the objects of a specification are States.
type objectOnly struct{ replay.Spec }

func (o objectOnly) New() replay.Object { return struct{ replay.Object }{o.Spec.New()} }

// randomHistory returns n operations of up to four processes. Results are
// those of the order of responses, some of them then made wrong or unknown;
// some operations are left pending, if pending says so.
func randomHistory(t testing.TB, r *rand.Rand, s subject, n int, pending bool) *history.History {
	t.Helper()
	processes := 1 + r.IntN(4)
	elements := s.elements(r)
	object := s.spec.New()
	var events []history.Event
	open := make([]*history.Event, processes)
	retired := make([]bool, processes)
	calls := make(map[*history.Event]randomCall)
	for begun := 0; begun < n || slices.ContainsFunc(open, func(e *history.Event) bool { return e != nil }); {
		if !slices.Contains(retired, false) {
			break
		}
		p := r.IntN(processes)
		switch {
		case retired[p]:
		case open[p] != nil && pending && r.IntN(6) == 0:
			retired[p], open[p] = true, nil
		case open[p] != nil:
			e := open[p]
			if result, ok := s.randomResult(r, object, e, calls[e]); ok {
				events = append(events, history.Event{Type: history.OK, Process: e.Process, Op: e.Op, Result: result})
				open[p] = nil
			} else {
				retired[p], open[p] = true, nil // it waits for ever
			}
		case begun < n:
			c := s.calls[r.IntN(len(s.calls))]
			e := &history.Event{Type: history.Invoke, Process: history.IntValue(int64(p)), Op: history.IntValue(int64(begun)), Method: c.method}
			for range c.args {
				e.Args = append(e.Args, elements[r.IntN(3)])
			}
			calls[e] = c
			open[p] = e
			events = append(events, *e)
			begun++
		}
	}
	for i := range events {
		events[i].Line = i + 1
	}
	h, err := history.New(history.Header{ID: "random"}, events)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// awkward are elements and results that look like a signal: like "empty",
// like "failed", or like one another. Histories take neighbours.
var awkward = []history.Value{
	history.NullValue, history.BoolValue(false), history.BoolValue(true), history.IntValue(0), history.BoolValue(false), history.IntValue(-1),
	history.StringValue(""), history.BoolValue(false), history.ListValue(), history.StringValue("a"), history.NullValue, history.ListValue(history.IntValue(1)),
}

// takes reports whether the specification is a bundled one that accepts the
// operation.
func (s subject) takes(method string, args []history.Value, result history.Value) bool {
	_, bundled := s.spec.(fmt.Stringer)
	return bundled && s.spec.Check(&history.Operation{Method: method, Args: args, Result: result}) == nil
}

// elements returns what the arguments of one history are drawn from: three
// awkward values that every method takes, or 0, 1 and 2.
func (s subject) elements(r *rand.Rand) []history.Value {
	at := r.IntN(len(awkward) + 3)
	if at+3 > len(awkward) {
		return []history.Value{history.IntValue(0), history.IntValue(1), history.IntValue(2)}
	}
	some := awkward[at : at+3]
	for _, c := range s.calls {
		for i := range some {
			if !s.takes(c.method, slices.Repeat(some[i:i+1], c.args), history.UnknownValue) {
				return []history.Value{history.IntValue(0), history.IntValue(1), history.IntValue(2)}
			}
		}
	}
	return some
}

func (s subject) randomResult(r *rand.Rand, object replay.Object, e *history.Event, c randomCall) (history.Value, bool) {
	result, ok := object.Apply(replay.Invocation{Method: e.Method, Args: e.Args})
	switch x := r.IntN(20); {
	case x < 2:
		return history.UnknownValue, true
	case x == 2:
		v := history.ExceptionValue("E")
		if r.IntN(4) > 0 {
			v = awkward[r.IntN(len(awkward))]
		}
		if s.takes(e.Method, e.Args, v) {
			return v, true
		}
	case x < 6 && len(c.wrong) > 0:
		return parseResult(c.wrong[r.IntN(len(c.wrong))]), true
	}
	return result, ok
}

func parseResult(text string) history.Value {
	switch text {
	case "true", "false":
		return history.BoolValue(text == "true")
	case "null":
		return history.NullValue
	}
	return history.IntValue(int64(text[0] - '0'))
}

// bruteForce decides by the definition: it tries every choice of pending
// operations that took effect and every order that real time allows, each on
// objects of its own.
func bruteForce(h *history.History, s replay.Spec) bool {
	placed := make([]bool, len(h.Ops))
	var extend func(order []int32) bool
	extend = func(order []int32) bool {
		complete := true
		for i := range h.Ops {
			if placed[i] {
				continue
			}
			complete = complete && h.Ops[i].Pending()
			first := true
			for j := range h.Ops {
				if !placed[j] && h.Ops[j].Return < h.Ops[i].Call {
					first = false
				}
			}
			if !first {
				continue
			}
			placed[i] = true
			found := extend(append(order, int32(i)))
			placed[i] = false
			if found {
				return true
			}
		}
		return complete && answersAsRecorded(h, s.New(), order)
	}
	return extend(nil)
}

// answersAsRecorded replays the order; every operation in it takes effect.
func answersAsRecorded(h *history.History, object replay.Object, order []int32) bool {
	for k, i := range order {
		op := &h.Ops[i]
		inv := replay.Invocation{Method: op.Method, Args: op.Args}
		if n, ok := object.(replay.Nondeterministic); ok {
			for _, o := range n.Outcomes(inv) {
				if replay.Accepts(op.Result, o.Result) && answersAsRecorded(h, o.Next, order[k+1:]) {
					return true
				}
			}
			return false
		}
		result, ok := object.Apply(inv)
		if !ok || !replay.Accepts(op.Result, result) {
			return false
		}
	}
	return true
}
