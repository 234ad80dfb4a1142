package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/search"
)

// TestListed has a dozen concurrent insertions and a read of what half of them inserted, in
// another order than they returned, while they run and afterwards.
func TestListed(t *testing.T) {
	r := rand.New(rand.NewPCG(*seedFlag, 17))
	const n = 12
	numbers := func(list []int) history.Value {
		values := make([]history.Value, len(list))
		for i, k := range list {
			values[i] = history.IntValue(int64(k))
		}
		return history.ListValue(values...)
	}
	text := func(list []int) history.Value {
		var words []string
		for _, k := range list {
			words = append(words, fmt.Sprint(k))
		}
		return history.StringValue("[" + strings.Join(words, ", ") + "]")
	}
	key := history.StringValue("x")
	for _, test := range []struct {
		model  string
		insert func(k int) (method string, args []history.Value, result history.Value)
		read   string
		args   []history.Value
		result func(list []int) history.Value
	}{
		{"set", func(k int) (string, []history.Value, history.Value) {
			return "add", []history.Value{history.IntValue(int64(k))}, history.BoolValue(true)
		}, "elements", nil, func(list []int) history.Value { return numbers(slices.Sorted(slices.Values(list))) }},
		{"ConcurrentLinkedQueue", func(k int) (string, []history.Value, history.Value) {
			return "offer", []history.Value{history.IntValue(int64(k))}, history.BoolValue(true)
		}, "toString", nil, text},
		{"kv", func(k int) (string, []history.Value, history.Value) {
			return "append", []history.Value{key, history.StringValue(fmt.Sprintf("<%d>", k))}, history.NoValue
		}, "get", []history.Value{key}, func(list []int) history.Value {
			all := ""
			for _, k := range list {
				all += fmt.Sprintf("<%d>", k)
			}
			return history.StringValue(all)
		}},
	} {
		s := lookup(t, test.model)
		for range 5 {
			order := r.Perm(n)
			b := history.NewBuilder(history.Header{})
			add := func(process int, e history.Event) {
				e.Process, e.Line = history.IntValue(int64(process)), b.Events()+1
				b.Add(&e)
			}
			reads := func(list []int) {
				add(n, history.Event{Method: test.read, Args: test.args})
				add(n, history.Event{Type: history.OK, Result: test.result(list)})
			}
			for k := range n {
				method, args, _ := test.insert(k)
				add(k, history.Event{Method: method, Args: args})
			}
			reads(order[:n/2])
			for k := range n {
				_, _, result := test.insert(k)
				add(k, history.Event{Type: history.OK, Result: result})
			}
			reads(order)
			h, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			m := meter.New(nil)
			checkFinding(t, test.model, h, s, search.Listed(h, s, 1<<30, m), replay.Linearizable)
			if m.Spent() > 1<<16 {
				t.Errorf("%s takes work of %d", test.model, m.Spent())
			}
		}
	}
}

// TestListedAgrees compares Listed with Run on histories of texts that grow, half of them
// with two answers exchanged.
func TestListedAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(*seedFlag, 18))
	rounds, found, refuted := 1000, 0, 0
	if *full {
		rounds = 30_000
	}
	s := lookup(t, "kv")
	for k := range rounds {
		h := simulate(t, r, s, 4, 14, 5, func(r *rand.Rand, i int) replay.Invocation {
			key := history.IntValue(int64(r.IntN(2)))
			switch r.IntN(7) {
			case 0:
				return replay.Invocation{Method: "remove", Args: []history.Value{key}}
			case 1, 2, 3:
				return replay.Invocation{Method: "append", Args: []history.Value{key, history.StringValue(fmt.Sprintf("%d,", 10+i))}}
			}
			return replay.Invocation{Method: "get", Args: []history.Value{key}}
		})
		if a, b := r.IntN(14), r.IntN(14); k%2 == 0 && h.Ops[a].Method == "get" && h.Ops[b].Method == "get" && !h.Ops[a].Pending() && !h.Ops[b].Pending() {
			h.Ops[a].Result, h.Ops[b].Result = h.Ops[b].Result, h.Ops[a].Result
		}

		want := search.Run(h, s, 1<<30, nil).Answer
		if want == replay.NotLinearizable {
			refuted++
		}
		m := meter.New(nil)
		if k%5 == 0 { // it may stop anywhere
			m = m.Share(int64(r.IntN(3000)))
		}
		f := search.Listed(h, s, 1<<30, m)
		if f.Answer == replay.Undecided {
			continue
		}
		found++
		if checkFinding(t, "listed values", h, s, f, want); t.Failed() {
			return
		}
	}
	if found < rounds/10 || refuted < rounds/50 {
		t.Errorf("%d witnesses, and %d refuted, of %d", found, refuted, rounds)
	}
}
