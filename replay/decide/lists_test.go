package decide_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
)

// atomicHistory returns a history of n calls, each of which takes effect at a random moment
// between its invocation and its response. Some operations are left pending, with or
// without an effect, or marked as happened. spoil returns the result to record.
func atomicHistory(t *testing.T, r *rand.Rand, s replay.Spec, n int, next func(i int) replay.Invocation, spoil func(inv replay.Invocation, result history.Value) history.Value) *history.History {
	t.Helper()
	type running struct {
		op      history.Value
		inv     replay.Invocation
		applied bool
		result  history.Value
	}
	b := history.NewBuilder(history.Header{ID: "random"})
	object := s.New()
	open := make([]*running, 2+r.IntN(4))
	process := make([]int, len(open))
	for p := range process {
		process[p] = p
	}
	happened := map[int64]bool{}
	isOpen := func(o *running) bool { return o != nil }
	for i := 0; i < n || slices.ContainsFunc(open, isOpen); {
		p := r.IntN(len(open))
		add := func(kind history.EventType, e history.Event) {
			e.Type, e.Process, e.Op, e.Line = kind, history.IntValue(int64(process[p])), open[p].op, b.Events()+1
			b.Add(&e)
		}
		stop := func() { // for ever
			happened[open[p].op.Int()] = open[p].applied && r.IntN(3) == 0
			open[p] = nil
			process[p] += len(open)
		}
		switch o := open[p]; {
		case o == nil && i < n:
			open[p] = &running{op: history.IntValue(int64(i)), inv: next(i)}
			add(history.Invoke, history.Event{Method: open[p].inv.Method, Args: open[p].inv.Args})
			i++
		case o == nil:
		case r.IntN(25) == 0:
			stop()
		case !o.applied:
			result, ok := object.Apply(o.inv)
			if o.applied, o.result = ok, result; !ok {
				stop()
			}
		default:
			add(history.OK, history.Event{Result: spoil(o.inv, o.result)})
			open[p] = nil
		}
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for i := range h.Ops {
		h.Ops[i].Happened = happened[h.Ops[i].ID().Int()]
	}
	return h
}

// spoilList returns a list that is not quite the one given.
func spoilList(r *rand.Rand, v history.Value) history.Value {
	list := slices.Clone(v.List())
	switch n := len(list); {
	case n == 0:
		return []history.Value{history.NullValue, history.ListValue(), history.ListValue(history.IntValue(1))}[r.IntN(3)]
	case r.IntN(3) == 0:
		list = list[:r.IntN(n)]
	case r.IntN(2) == 0:
		at := r.IntN(n)
		list = slices.Delete(list, at, at+1)
	default:
		i, j := r.IntN(n), r.IntN(n)
		list[i], list[j] = list[j], list[i]
	}
	return history.ListValue(list...)
}

// listCalls are calls on lists, and what makes their results wrong.
type listCalls struct {
	model string
	next  func(r *rand.Rand, i int) replay.Invocation
	spoil func(r *rand.Rand, inv replay.Invocation, result history.Value) history.Value
}

func transactions(model string, fs ...string) listCalls {
	text := history.StringValue
	return listCalls{model, func(r *rand.Rand, i int) replay.Invocation {
		var steps []history.Value
		for k := range 1 + r.IntN(3) {
			f, key, v := fs[r.IntN(len(fs))], text("xy"[r.IntN(2):][:1]), history.NullValue
			if f == "append" || f == "write" {
				if v = history.IntValue(int64(10*i + k)); r.IntN(80) == 0 {
					v = history.IntValue(10)
				}
			}
			if f == "write" {
				v = history.ListValue(v)
			}
			steps = append(steps, history.ListValue(text(f), key, v))
		}
		return replay.Invocation{Method: "txn", Args: []history.Value{history.ListValue(steps...)}}
	}, func(r *rand.Rand, inv replay.Invocation, result history.Value) history.Value {
		steps := slices.Clone(result.List())
		k := r.IntN(len(steps))
		step := slices.Clone(steps[k].List())
		if step[0].Text() == "read" {
			step[2] = spoilList(r, step[2])
		}
		steps[k] = history.ListValue(step...)
		return history.ListValue(steps...)
	}}
}

func texts(model string, word func(r *rand.Rand, i int) string, others ...replay.Invocation) listCalls {
	return listCalls{model, func(r *rand.Rand, i int) replay.Invocation {
		key := history.IntValue(int64(r.IntN(2)))
		if len(others) > 0 && r.IntN(8) == 0 {
			inv := others[r.IntN(len(others))]
			inv.Args = slices.Clone(inv.Args)
			if len(inv.Args) > 0 {
				inv.Args[0] = key
			}
			return inv
		}
		if r.IntN(2) == 0 {
			return replay.Invocation{Method: "get", Args: []history.Value{key}}
		}
		return replay.Invocation{Method: "append", Args: []history.Value{key, history.StringValue(word(r, i))}}
	}, func(r *rand.Rand, inv replay.Invocation, result history.Value) history.Value {
		text := result.Text()
		if inv.Method != "get" || len(text) < 2 {
			return result
		}
		at := 2 * r.IntN(len(text)/2)
		if r.IntN(2) == 0 {
			return history.StringValue(text[:at])
		}
		return history.StringValue(text[:at] + text[at+2:])
	}}
}

// rewritten are calls on strings that are also written as a whole, with another string each time.
func rewritten(model string, word func(r *rand.Rand, i int) string, others ...replay.Invocation) listCalls {
	c := texts(model, word, others...)
	next := c.next
	c.next = func(r *rand.Rand, i int) replay.Invocation {
		inv := next(r, i)
		if inv.Method == "append" && r.IntN(3) == 0 {
			inv.Method = "put"
		}
		return inv
	}
	return c
}

func elements(methods ...string) listCalls {
	return listCalls{"set", func(r *rand.Rand, i int) replay.Invocation {
		inv := replay.Invocation{Method: methods[r.IntN(len(methods))]}
		switch inv.Method {
		case "add", "remove", "contains":
			inv.Args = []history.Value{history.IntValue(int64(r.IntN(3)))}
		}
		return inv
	}, func(r *rand.Rand, inv replay.Invocation, result history.Value) history.Value {
		switch inv.Method {
		case "elements":
			return spoilList(r, result)
		case "add", "remove", "contains":
			return history.BoolValue(!result.Bool())
		}
		return result
	}}
}

// addOnce adds each value once, except a few.
func addOnce() listCalls {
	c := elements("elements", "contains")
	few := c.next
	c.next = func(r *rand.Rand, i int) replay.Invocation {
		switch r.IntN(4) {
		case 0, 1:
			return replay.Invocation{Method: "add", Args: []history.Value{history.IntValue(int64(i - r.IntN(20)/19))}}
		}
		inv := few(r, i)
		if len(inv.Args) > 0 {
			inv.Args[0] = history.IntValue(int64(r.IntN(i + 1)))
		}
		return inv
	}
	return c
}

// cells are calls on registers. Most values are written once.
func cells(model string, methods ...string) listCalls {
	var written []history.Value
	some := func(r *rand.Rand) history.Value {
		if len(written) == 0 || r.IntN(12) == 0 {
			return history.NullValue
		}
		return written[len(written)-1-r.IntN(min(len(written), 5))]
	}
	next := func(r *rand.Rand, i int) history.Value {
		v := history.IntValue(int64(10*i + r.IntN(3)))
		if r.IntN(15) == 0 {
			v = some(r)
		}
		written = append(written, v)
		return v
	}
	return listCalls{model, func(r *rand.Rand, i int) replay.Invocation {
		if i == 0 {
			written = nil
		}
		key := history.StringValue("xy"[r.IntN(2):][:1])
		inv := replay.Invocation{Method: methods[r.IntN(len(methods))]}
		switch inv.Method {
		case "read", "size":
		case "write":
			inv.Args = []history.Value{next(r, i)}
		case "cas":
			inv.Args = []history.Value{some(r), next(r, i)}
			if model[:2] == "kv" {
				inv.Args = append([]history.Value{key}, inv.Args...)
			}
		case "put":
			inv.Args = []history.Value{key, next(r, i)}
		case "append":
			inv.Args = []history.Value{key, history.StringValue("a")}
		case "get", "delete", "remove", "contains":
			inv.Args = []history.Value{key}
		case "txn":
			var steps []history.Value
			for range 1 + r.IntN(4) {
				step := []history.Value{history.StringValue("read"), history.StringValue("xy"[r.IntN(2):][:1]), history.NullValue}
				if r.IntN(2) == 0 {
					step[0], step[2] = history.StringValue("write"), next(r, i)
				}
				steps = append(steps, history.ListValue(step...))
			}
			inv.Args = []history.Value{history.ListValue(steps...)}
		}
		return inv
	}, func(r *rand.Rand, inv replay.Invocation, result history.Value) history.Value {
		switch inv.Method {
		case "read", "get":
			return some(r)
		case "cas":
			return history.BoolValue(r.IntN(2) == 0)
		case "txn":
			steps := slices.Clone(result.List())
			k := r.IntN(len(steps))
			if step := slices.Clone(steps[k].List()); step[0].Text() == "read" {
				step[2] = some(r)
				steps[k] = history.ListValue(step...)
			}
			return history.ListValue(steps...)
		}
		return result
	}}
}

// TestListsAgree compares the engines of lists and values that are overwritten with the
// search, on random histories that are mostly almost right. A conflict has to be one by
// itself.
func TestListsAgree(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	rounds := 400
	if *full {
		rounds = 2500
	}
	numbered := func(_ *rand.Rand, i int) string { return string(rune('a'+i%26)) + "," }
	ambiguous := func(r *rand.Rand, i int) string { return []string{"a", "ab", "b", "ba", "c", "cc", ""}[r.IntN(7)] }
	key, word := history.NullValue, history.StringValue("z,")
	for _, c := range []listCalls{
		transactions("multi-register", "append", "read"),
		transactions("multi-register", "append", "append", "read", "read", "write"),
		transactions(`multi-register:{"x": [7, 8], "y": []}`, "append", "read"),
		transactions("multi-register:[10]", "append", "read", "read"),
		texts("kv", numbered),
		texts(`kv:""`, numbered, replay.Invocation{Method: "contains", Args: []history.Value{key}}, replay.Invocation{Method: "size"}),
		texts(`kv:"b,"`, numbered, replay.Invocation{Method: "put", Args: []history.Value{key, word}}),
		texts("kv", ambiguous, replay.Invocation{Method: "delete", Args: []history.Value{key}}),
		texts("kv", numbered, replay.Invocation{Method: "clear"}, replay.Invocation{Method: "cas", Args: []history.Value{key, word, history.StringValue("y,")}}),
		rewritten("kv", numbered),
		rewritten(`kv:""`, numbered),
		rewritten(`kv:"b,"`, numbered),
		rewritten("kv", ambiguous, replay.Invocation{Method: "delete", Args: []history.Value{key}}),
		elements("add", "add", "elements"),
		addOnce(),
		elements("add", "add", "remove", "contains", "elements"),
		elements("add", "remove", "elements", "size", "isEmpty"),
		elements("add", "add", "remove", "elements", "elements", "clear"),
		cells("multi-register", "txn"),
		cells("multi-register:10", "txn"),
		cells("register", "read", "write"),
		cells("cas-register", "read", "read", "write", "cas", "cas"),
		cells("cas-register:0", "read", "cas", "cas"),
		cells("kv", "get", "get", "put", "cas"),
		cells(`kv:""`, "get", "get", "get", "put", "put", "put", "cas", "delete", "contains", "remove", "size"),
		cells("kv", "get", "get", "get", "put", "put", "put", "append"),
	} {
		s := model(t, c.model)
		decided := map[string]int{}
		for k := range rounds {
			wrong := k % 3
			h := atomicHistory(t, r, s, 4+r.IntN(8),
				func(i int) replay.Invocation { return c.next(r, i) },
				func(inv replay.Invocation, result history.Value) history.Value {
					if r.IntN(30) == 0 {
						return history.UnknownValue
					}
					if r.IntN(8) < wrong {
						result = c.spoil(r, inv, result)
					}
					return result
				})
			want := search.Run(ops.New(h, s, 1<<30), nil).Answer
			if k%50 == 0 && bruteForce(h, s) != (want == replay.Linearizable) {
				t.Fatalf("%s: search says %v\n%s", c.model, want, show(h))
			}
			for _, row := range []string{"monitor", "order"} {
				v := startRow(t, row, h, s)
				if !v.Decided() {
					continue
				}
				decided[fmt.Sprint(row, " ", v.Answer)]++
				if v.Answer != want {
					t.Fatalf("%s: %s says %v, not %v\n%s", c.model, row, v.Answer, want, show(h))
				}
				if v.Answer == replay.Linearizable {
					if err := replay.Verify(h, s, v.Witness, nil); err != nil {
						t.Fatalf("%s: %s: %v\n%s", c.model, row, err, show(h))
					}
				} else if alone := ops.Restrict(h, v.Conflict); v.Conflict != nil && search.Run(ops.New(alone, s, 1<<30), nil).Answer != replay.NotLinearizable {
					t.Fatalf("%s: %s: %v is no conflict\n%s", c.model, row, v.Conflict, show(h))
				}
			}
			decided[want.String()]++
			m := meter.New(nil).Share(int64(r.IntN(100))) // it may stop anywhere
			if f := monitor.Lists(ops.New(h, s, 0), m); f.Decided() && f.Answer != want {
				t.Fatalf("%s: stopped, it says %v, not %v\n%s", c.model, f.Answer, want, show(h))
			}
		}
		t.Logf("%s: %v", c.model, decided)
		if decided["monitor not-linearizable"]+decided["order not-linearizable"] == 0 || decided["linearizable"] < rounds/2 {
			t.Errorf("%s: decided %v", c.model, decided)
		}
	}
}

// TestLostUpdate has 24 concurrent insertions and a read of the whole object, which lacks
// one of them. The search would try the orders of the others.
func TestLostUpdate(t *testing.T) {
	t.Parallel()
	const n = 24
	number, text := func(i int) history.Value { return history.IntValue(int64(i)) }, history.StringValue
	txn := func(f string, v history.Value) replay.Invocation {
		return replay.Invocation{Method: "txn", Args: []history.Value{history.ListValue(history.ListValue(text(f), text("x"), v))}}
	}
	for _, c := range []struct {
		model  string
		insert func(i int) replay.Invocation
		read   replay.Invocation
	}{
		{"multi-register", func(i int) replay.Invocation { return txn("append", number(i)) }, txn("read", history.NullValue)},
		{"kv", func(i int) replay.Invocation {
			return replay.Invocation{Method: "append", Args: []history.Value{text("x"), text(fmt.Sprint(i, ","))}}
		}, replay.Invocation{Method: "get", Args: []history.Value{text("x")}}},
		{"set", func(i int) replay.Invocation {
			return replay.Invocation{Method: "add", Args: []history.Value{number(i)}}
		}, replay.Invocation{Method: "elements"}},
	} {
		s := model(t, c.model)
		for _, lost := range []int{-1, 17} {
			b := history.NewBuilder(history.Header{})
			object := s.New()
			add := func(p int, e history.Event) {
				e.Process, e.Line = number(p), b.Events()+1
				b.Add(&e)
			}
			invoke := func(p int, inv replay.Invocation) {
				add(p, history.Event{Type: history.Invoke, Method: inv.Method, Args: inv.Args})
			}
			for i := range n {
				invoke(i, c.insert(i))
			}
			for i := range n {
				target := object
				if i == lost {
					target = object.(replay.State).Clone()
				}
				result, _ := target.Apply(c.insert(i))
				add(i, history.Event{Type: history.OK, Result: result})
			}
			invoke(n, c.read)
			result, _ := object.Apply(c.read)
			add(n, history.Event{Type: history.OK, Result: result})
			h, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			v := withReason(t, h, s, replay.Options{})
			switch {
			case lost < 0 && v.Answer != replay.Linearizable:
				t.Errorf("%s: %v (%v)", c.model, v.Answer, v.Cause)
			case lost >= 0 && (v.Answer != replay.NotLinearizable || !slices.Equal(v.Conflict, []int32{int32(lost), n}) || v.Explanation.Unexplained != n):
				t.Errorf("%s, one lost: %v (%v), conflict %v, %+v", c.model, v.Answer, v.Cause, v.Conflict, v.Explanation)
			}
		}
	}
}
