package decide_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/simulate"
)

var trafficHistories = flag.Int("traffic", 60, "how many histories TestTraffic makes")

// A storeFact is what an operation says of a key at a revision: the value that a revision wrote, or
// that there is none, with mod 0.
type storeFact struct {
	key, value string
	at, mod    int64
}

// factsOf returns what an operation of TestTraffic says of keys, as a naive reader sees it.
func factsOf(op *history.Operation, keys int) (facts []storeFact) {
	l := op.Result.List()
	switch op.Method {
	case "put":
		n := op.Result.Int()
		facts = append(facts, storeFact{op.Args[0].Text(), op.Args[1].Text(), n, n})
	case "get", "range":
		at, isThere := l[2].Int(), map[string]bool{}
		for _, kv := range l[0].List() {
			k := kv.List()
			isThere[k[0].Text()] = true
			facts = append(facts, storeFact{k[0].Text(), k[1].Text(), at, k[2].Int()})
		}
		for k := range keys {
			if name := fmt.Sprintf("key%d", k); !isThere[name] && (op.Method == "range" || op.Args[0].Text() == name) {
				facts = append(facts, storeFact{name, "", at, 0})
			}
		}
	case "delete":
		facts = append(facts, storeFact{op.Args[0].Text(), "", l[1].Int(), 0})
	case "txn":
		if compare := op.Args[0].List()[0].List(); l[0].Bool() {
			key, n := compare[1].Text(), l[2].Int()
			facts = append(facts, storeFact{key, "?", n - 1, compare[2].Int()})
			facts = append(facts, storeFact{key, op.Args[1].List()[0].List()[2].Text(), n, n})
		}
	}
	return facts
}

// contradict reports whether no store agrees with both facts, whatever else happens.
func contradict(f, g storeFact) bool {
	if f.at > g.at {
		f, g = g, f
	}
	isSame := f.value == g.value || f.value == "?" || g.value == "?"
	switch {
	case f.key != g.key:
		return false
	case f.mod == g.mod && f.mod > 0:
		return !isSame
	case f.at == g.at:
		return f.mod != g.mod
	}
	return g.mod > 0 && g.mod <= f.at
}

// isCore reports whether a naive reader sees that one or two operations contradict all orders.
func isCore(h *history.History, core []int32, keys int) bool {
	var facts []storeFact
	for _, i := range core {
		op := &h.Ops[i]
		for _, f := range factsOf(op, keys) {
			isPut := f.mod == 0 || f.value == "?" // by some operation
			for k := range h.Ops {
				other := &h.Ops[k]
				isPut = isPut || other.Method == "put" && other.Args[0].Text() == f.key && other.Args[1].Text() == f.value
				if other.Method == "txn" && (other.Pending() || other.Result.List()[0].Bool()) {
					put := other.Args[1].List()[0].List()
					isPut = isPut || put[1].Text() == f.key && put[2].Text() == f.value
				}
			}
			if !isPut || slices.ContainsFunc(facts, func(g storeFact) bool { return contradict(f, g) }) {
				return true
			}
			facts = append(facts, f)
		}
	}
	if len(core) < 2 {
		return false
	}
	s := &h.Ops[core[0]]
	t := &h.Ops[core[1]]
	revision := func(op *history.Operation) int64 {
		if l := op.Result.List(); len(l) > 0 {
			return l[len(l)-1].Int()
		}
		return op.Result.Int()
	}
	writes := func(op *history.Operation) bool {
		l := op.Result.List()
		return op.Method == "put" || op.Method == "delete" && l[0].Int() > 0 || op.Method == "txn" && l[0].Bool()
	}
	switch a, b := revision(s), revision(t); {
	case a == b:
		return writes(s) && writes(t) || s.Return < t.Call && writes(t)
	default:
		return s.Return < t.Call && a > b
	}
}

// TestTraffic: histories of etcd by many clients with lost responses are decided as they were
// made, and most faults have a core of one or two operations, which a naive reader confirms.
func TestTraffic(t *testing.T) {
	n := *trafficHistories
	r := newRand(t)
	s := model(t, "etcd")
	var slowest time.Duration
	count := map[string]int{}
	const keys = 10
	hidden, searched, contradicted := 0, map[string]int{}, 0
	for i := range n {
		fault := ""
		if i%2 == 1 {
			fault = simulate.TrafficFaults[i/2%len(simulate.TrafficFaults)]
		}
		clients := 8 + r.IntN(43)
		h, isPlanted, err := simulate.Traffic{Clients: clients, Operations: 20*clients + r.IntN(400), Keys: keys, Lost: .02 + .03*r.Float64(), Fault: fault, Seed: r.Uint64()}.History()
		if err != nil {
			t.Fatal(err)
		}
		v, err := decide.Check(context.Background(), h, s, replay.Options{Budget: replay.Budget{Time: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		slowest = max(slowest, v.Elapsed)
		count[fault]++
		switch {
		case !v.Decided() || !isPlanted && v.Answer != replay.Linearizable:
			t.Errorf("%d clients, fault %q: %v (%v)", clients, fault, v.Answer, v.Cause)
		case isPlanted && v.Answer == replay.Linearizable: // a lost write may explain it, as the witness shows
			hidden++
		case isPlanted && v.Conflict == nil:
			searched[fault]++
		case isPlanted:
			contradicted++
			core := explain.Why(context.Background(), h, s, v, replay.Options{}).Core
			if len(core) > 2 || !isCore(h, core, keys) {
				t.Errorf("%d clients, fault %q: a core of %d operations, %v", clients, fault, len(core), v.Versions)
			}
		}
	}
	if hidden > n/50 {
		t.Errorf("%d faults are hidden by lost writes", hidden)
	}
	if contradicted*10 < 9*(n/2-hidden) {
		t.Errorf("only %d faults have a core of one or two operations", contradicted)
	}
	t.Logf("%v, %d hidden; slowest %v; refuted by one or two operations %d, by the search %v", count, hidden, slowest, contradicted, searched)
}
