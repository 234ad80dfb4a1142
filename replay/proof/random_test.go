package proof_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/codec/scan"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/proof"
	"github.com/leadline/leadline/replay/spec"
)

var (
	histories    = flag.Int("histories", 300, "how many histories of each model TestRandom makes")
	certificates = flag.Int("certificates", 6000, "how many certificates TestMutated makes")
	seed         = flag.Uint64("seed", 1, "of random histories")
)

// calls are the calls of random histories: v is a random value, i and s one of a kind.
var calls = map[string]string{
	"register": "read; write b; load; store b", "register:1": "read; write v", "cas-register": "read; write b; cas b b", "cas-register:1": "read; write v; cas v v",
	"kv": "get v; put v b; remove v; delete v; contains v; cas v b b; size; isEmpty; clear; append s s; get s", "kv:0": "get v; put v b; remove v; contains v; cas v b b",
	"set": "add v; remove v; contains v; elements; size; isEmpty; clear", "multiset": "add v; remove v; contains v; count v; size; clear",
	"queue": "enqueue v; dequeue; peek; offer v; put v; take; size; isEmpty; clear", "queue:1": "enqueue v; dequeue; peek; put v; take; size; offer v",
	"stack": "push v; pop; peek; size; isEmpty; clear", "deque": "pushFront v; pushBack v; popFront; popBack; peekFront; peekBack; size; clear",
	"priority-queue": "insert v; poll; peek; size; clear; insert s", "priority-queue:max": "insert v; poll; peek; isEmpty",
	"counter":   "read; increment; dec; add v; getAndAdd v; incrementAndGet; set v; getAndDecrement; addAndGet v",
	"counter:2": "read; increment; dec", "mutex": "lock; unlock; tryLock; isLocked", "multi-register": "txn t",
}

func models() (all []string) {
	for model := range calls {
		all = append(all, model)
	}
	return all
}

// randomValue returns an argument of a call.
func randomValue(r *rand.Rand, word string) history.Value {
	switch word {
	case "b":
		return []history.Value{history.NullValue, history.BoolValue(false), history.IntValue(0), history.IntValue(1)}[r.IntN(4)]
	case "s":
		return history.StringValue([]string{"", "a", "é<\n"}[r.IntN(3)])
	case "t":
		var steps []history.Value
		for range 1 + r.IntN(2) {
			step := []history.Value{history.StringValue("read"), history.IntValue(r.Int64N(2)), history.NullValue}
			if r.IntN(2) == 0 {
				step[0], step[2] = history.StringValue("append"), history.IntValue(r.Int64N(50))
			}
			steps = append(steps, history.ListValue(step...))
		}
		return history.ListValue(steps...)
	}
	return history.IntValue(r.Int64N(3))
}

// randomHistory returns a history of a model: most results are those of an order of its
// operations, some are pending, and one may be wrong.
func randomHistory(t *testing.T, r *rand.Rand, model string, n int) (*history.History, replay.Spec) {
	s, err := spec.Parse(model)
	if err != nil {
		t.Fatal(err)
	}
	name, args, _ := spec.ParseName(model)
	rows := strings.Split(calls[model], "; ")
	state := s.New().(replay.State)
	type running struct {
		inv     replay.Invocation
		process int
		done    bool
		result  history.Value
	}
	b := history.NewBuilder(history.Header{ID: "h", Model: name, ModelArgs: args})
	var open []*running
	var results []history.Value
	wrong, id := r.IntN(2*n), 0
	var effects []int // in their order
	for step := 0; id < n || len(open) > 0; step++ {
		if step > 40*n { // the rest waits
			break
		}
		if id < n && (len(open) == 0 || len(open) < 4 && r.IntN(3) == 0) {
			words := strings.Fields(rows[r.IntN(len(rows))])
			o := &running{inv: replay.Invocation{Method: words[0]}, process: id}
			for _, w := range words[1:] {
				o.inv.Args = append(o.inv.Args, randomValue(r, w))
			}
			b.Add(&history.Event{Process: history.IntValue(int64(id)), Op: history.IntValue(int64(id)), Method: o.inv.Method, Args: o.inv.Args, Line: id + 1})
			id++
			open = append(open, o)
			continue
		}
		k := r.IntN(len(open))
		o := open[k]
		if !o.done && r.IntN(25) == 0 { // it fails, without effect
			open = append(open[:k], open[k+1:]...)
			b.Add(&history.Event{Type: history.Fail, Op: history.IntValue(int64(o.process))})
			continue
		}
		if !o.done {
			before := state.Clone()
			if o.result, o.done = state.Apply(o.inv); !o.done {
				state = before
			}
			results = append(results, o.result)
			if o.done {
				effects = append(effects, o.process)
			}
			continue
		}
		open = append(open[:k], open[k+1:]...)
		end := history.Event{Type: history.OK, Op: history.IntValue(int64(o.process)), Result: o.result}
		switch {
		case r.IntN(12) == 0:
			continue
		case r.IntN(20) == 0:
			end.Result = history.UnknownValue
		case o.process == wrong || r.IntN(20) == 0 && wrong < n:
			other := results[r.IntN(len(results))]
			if o.result.Kind() == history.Bool {
				other = history.BoolValue(!o.result.Bool())
			} else if o.result.Kind() == history.Int && r.IntN(2) == 0 {
				other = history.IntValue(o.result.Int() + 1)
			}
			if s.Check(&history.Operation{Method: o.inv.Method, Args: o.inv.Args, Result: other}) == nil && o.result.Kind() != history.None {
				end.Result = other
			}
		}
		b.Add(&end)
	}
	for r.IntN(2) == 0 && len(effects) > 1 { // an edge or a mark
		i := r.IntN(len(effects) - 1)
		from, to := history.IntValue(int64(effects[i])), history.IntValue(int64(effects[i+1+r.IntN(len(effects)-1-i)]))
		if r.IntN(2) == 0 {
			b.AddEdge(from, to, 0)
		} else if slices.ContainsFunc(open, func(o *running) bool { return o.process == effects[i] }) {
			b.Mark(from, true, 0)
		}
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h, s
}

func native(t *testing.T, h *history.History) []byte {
	var text bytes.Buffer
	if err := codec.Encode(&text, h); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// TestRandom: each violation of random histories has a certificate, and no history that is
// linearizable has one.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 25))
	sizes, causes, violations := []int{}, map[string]int{}, 0
	for _, model := range models() {
		for range *histories {
			h, s := randomHistory(t, r, model, 1+r.IntN(14))
			v, err := explain.Check(context.Background(), h, s, replay.Options{})
			if err != nil {
				t.Fatal(err)
			}
			text := native(t, h)
			hint := proof.Hint{}
			if e := v.Explanation; e != nil {
				hint = hintOf(e)
			} else {
				for i := range h.Ops {
					if r.IntN(2) == 0 {
						hint.Core = append(hint.Core, i)
					}
				}
			}
			c, err := proof.Make(text, hint)
			switch {
			case v.Answer == replay.Linearizable && err == nil:
				t.Fatalf("%s is linearizable, but has a certificate:\n%s\n%s", model, text, c)
			case v.Answer == replay.Linearizable:
				if len(h.Ghosts) == 0 && len(h.Ops) > 0 {
					verifyWitness(t, r, h, s, text, v.Witness)
				}
				continue
			}
			violations++
			if err != nil {
				causes[model+": "+err.Error()]++
				continue
			}
			sizes = append(sizes, len(c))
			if _, err := proof.Verify(c, text); err != nil {
				t.Fatalf("%s: %v\n%s\n%s", model, err, text, c)
			}
		}
	}
	t.Logf("%d violations, %d certificates; none: %v", violations, len(sizes), causes)
}

// verifyWitness holds what Verify says of a witness, and of one with two operations exchanged, against
// replay.Verify.
func verifyWitness(t *testing.T, r *rand.Rand, h *history.History, s replay.Spec, text []byte, witness []int32) {
	i, k := r.IntN(len(witness)), r.IntN(len(witness))
	for range 2 {
		claim, _ := json.Marshal(map[string]any{"certificate": 1, "sha256": fmt.Sprintf("%x", sha256.Sum256(text)), "model": h.Model,
			"args": json.RawMessage(codec.AppendValue(nil, history.ListValue(h.ModelArgs...))), "witness": witness})
		want := replay.Verify(h, s, witness, nil)
		if _, err := proof.Verify(claim, text); (err == nil) != (want == nil) {
			t.Fatalf("%s\n%s\n%v, want %v", text, claim, err, want)
		}
		witness = slices.Clone(witness)
		witness[i], witness[k] = witness[k], witness[i]
	}
}

func hintOf(e *replay.Explanation) proof.Hint {
	hint := proof.Hint{Until: e.Prefix}
	for _, i := range e.Core {
		hint.Core = append(hint.Core, int(i))
	}
	for _, v := range e.Parts {
		hint.Only = append(hint.Only, jsonOf(v))
	}
	return hint
}

func jsonOf(v history.Value) string { return string(scan.AppendValue(nil, v)) }

// isLinearizable tries all orders, with the objects of package spec.
func isLinearizable(h *history.History, s replay.Spec) bool {
	done := make([]bool, len(h.Ops))
	var extend func(state replay.State) bool
	extend = func(state replay.State) bool {
		first, left := int32(history.NoReturn), false
		for i := range h.Ops {
			if op := &h.Ops[i]; !done[i] {
				first = min(first, op.Return)
				left = left || !op.Pending() || op.Happened
			}
		}
		if !left {
			return true
		}
		for i := range h.Ops {
			op := &h.Ops[i]
			isBlocked := done[i] || op.Call > first || slices.ContainsFunc(h.Edges, func(e history.Edge) bool { return int(e.To) == i && !done[e.From] })
			if isBlocked {
				continue
			}
			for _, o := range replay.OutcomesOf(state, op) {
				if replay.Accepts(op.Result, o.Result) {
					done[i] = true
					found := extend(o.Next)
					if done[i] = false; found {
						return true
					}
				}
			}
		}
		return false
	}
	return extend(s.New().(replay.State))
}

// operationsOf returns the operations of a certificate as a history, or nil if they are none.
func operationsOf(certificate []byte) (*history.History, replay.Spec) {
	var claim struct {
		Model string
		Args  []json.RawMessage
	}
	type operation struct {
		Operation      *int
		Call, Return   int
		Method         string
		Args           []json.RawMessage
		Result         json.RawMessage
		Unknown, Threw bool
		Happened       bool
		Edge           []int
		isReturn       bool
	}
	var events []operation
	edges, n := [][]int{}, 0
	for i, row := range bytes.Split(bytes.TrimSpace(certificate), []byte("\n")) {
		var o operation
		if i == 0 && json.Unmarshal(row, &claim) != nil || i > 0 && json.Unmarshal(row, &o) != nil {
			return nil, nil
		}
		if o.Edge != nil {
			edges = append(edges, o.Edge)
		}
		if o.Operation == nil {
			continue
		}
		*o.Operation = n // the numbers may be those of no history
		n++
		events = append(events, o)
		if o.Return > 0 {
			o.isReturn, o.Call = true, o.Return
			events = append(events, o)
		}
	}
	slices.SortStableFunc(events, func(a, b operation) int { return a.Call - b.Call })
	var text strings.Builder
	header, _ := json.Marshal(map[string]any{"leadline": 1, "model": claim.Model, "args": append([]json.RawMessage{}, claim.Args...)})
	fmt.Fprintf(&text, "%s\n", header)
	for _, o := range events {
		event := map[string]any{"process": *o.Operation, "op": *o.Operation, "type": "invoke"}
		switch {
		case !o.isReturn:
			event["method"], event["args"] = o.Method, append([]json.RawMessage{}, o.Args...)
		case o.Unknown:
			event["type"], event["unknown"] = "ok", true
		case o.Threw:
			event["type"], event["exception"] = "ok", "E"
		case o.Result != nil:
			event["type"], event["result"] = "ok", o.Result
		default:
			event["type"] = "ok"
		}
		line, _ := json.Marshal(event)
		fmt.Fprintf(&text, "%s\n", line)
		if o.Happened && !o.isReturn && o.Return == 0 {
			fmt.Fprintf(&text, `{"mark":"happened","op":%d}`+"\n", *o.Operation)
		}
	}
	for _, e := range edges {
		fmt.Fprintf(&text, `{"edge":[%d,%d]}`+"\n", e[0], e[1])
	}
	for h, err := range codec.Decode(strings.NewReader(text.String()), "certificate", codec.Options{}) {
		if err != nil {
			return nil, nil
		}
		s, err := batch.ModelOf(h, "")
		if err != nil || replay.Check(h, s) != nil {
			return nil, nil
		}
		return h, s
	}
	return nil, nil
}

// TestMutated: of certificates with random changes, and of those that are made as well as anybody
// can for histories that are linearizable, none with a wrong claim is accepted.
func TestMutated(t *testing.T) {
	n := *certificates
	r := rand.New(rand.NewPCG(*seed, 26))
	all := models()
	slices.Sort(all)
	accepted, forged, alone := 0, 0, 0
	for tried := 0; tried < n; {
		model := all[r.IntN(len(all))]
		h, s := randomHistory(t, r, model, 1+r.IntN(8))
		text := native(t, h)
		claims := isLinearizable(h, s)
		made := proof.Forge(text)
		r.Shuffle(len(made), func(i, k int) { made[i], made[k] = made[k], made[i] })
		if v, err := explain.Check(context.Background(), h, s, replay.Options{}); err == nil && v.Explanation != nil {
			if c, err := proof.Make(text, hintOf(v.Explanation)); err == nil {
				made = append(made, c)
			}
		}
		for k := range made {
			for m := range 6 {
				if k >= 4 && m > 0 {
					break
				}
				c := made[k]
				if m > 0 {
					c = proof.Mutate(r, c)
				}
				tried++
				if _, err := proof.Verify(c, text); err == nil {
					accepted++
					if claims {
						t.Fatalf("accepted, but the history is linearizable:\n%s\n%s", text, c)
					}
				} else if claims {
					forged++
				}
				if _, err := proof.Verify(c, nil); err == nil && m > 0 {
					if own, s := operationsOf(c); own != nil {
						alone++
						if isLinearizable(own, s) {
							t.Fatalf("accepted, but its operations have a linearization:\n%s", c)
						}
					}
				}
			}
		}
	}
	t.Logf("%d certificates of histories accepted, %d of linearizable ones rejected; %d accepted without the history", accepted, forged, alone)
	if accepted < n/50 || forged < n/50 || alone < n/50 {
		t.Error("too few to say much")
	}
}
