package decide_test

import (
	"container/heap"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

// faultsOfStores are faults that TestTraffic plants in etcd, one in a history.
var faultsOfStores = []string{"stale read", "lost write", "revision reused", "revision skipped", "wrong branch", "range misses a key", "write after it failed", "lease resurrected"}

// A moment is when a client of a simulation does what it does next.
type moment struct {
	at     int
	number int // of equal moments, the first one that was planned comes first
	client int
	kind   int // begin, take effect, end
	call   *trafficCall
}

type trafficCall struct {
	inv     replay.Invocation
	op      history.Value
	lost    bool // the response is
	effect  bool
	refused bool // because its lease is gone
	result  history.Value
}

type moments []moment

func (m moments) Len() int { return len(m) }
func (m moments) Less(i, k int) bool {
	return m[i].at < m[k].at || m[i].at == m[k].at && m[i].number < m[k].number
}
func (m moments) Swap(i, k int) { m[i], m[k] = m[k], m[i] }
func (m *moments) Push(x any)   { *m = append(*m, x.(moment)) }
func (m *moments) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

// traffic returns a history of etcd with the operations of clients, each of which takes effect at a
// moment of its own; fault is planted in the middle of it, or none if that is "". It reports
// whether it was.
func traffic(t *testing.T, r *rand.Rand, s replay.Spec, clients, operations, keys int, lost float64, fault string) (h *history.History, isPlanted bool) {
	text := history.StringValue
	list := history.ListValue
	state := s.New().(replay.State)
	old := state.Clone()     // some time ago
	var revoked replay.State // before the last lease was revoked that had keys
	lease, leased := int64(0), false
	b := history.NewBuilder(history.Header{Model: "etcd"})
	var next moments
	plan := func(at, client, kind int, c *trafficCall) {
		heap.Push(&next, moment{at, len(next) + operations*at, client, kind, c})
	}
	for c := range clients {
		plan(r.IntN(1000), c, 0, nil)
	}
	made, heir := 0, clients
	process := make([]int, clients)
	for c := range process {
		process[c] = c
	}
	number := func(s replay.State) int64 { return s.(replay.Numbered).Number() }
	for next.Len() > 0 {
		m := heap.Pop(&next).(moment)
		c := m.call
		isMiddle := !isPlanted && made > operations/2
		switch m.kind {
		case 0:
			if made == operations {
				continue
			}
			key, value := text(fmt.Sprintf("key%d", r.IntN(keys))), text(fmt.Sprint(made))
			c = &trafficCall{op: history.IntValue(int64(made)), effect: true}
			made++
			isRead := false
			switch d := r.IntN(100); {
			case d < 40:
				c.inv = replay.Invocation{Method: "put", Args: []history.Value{key, value}}
				if leased && r.IntN(4) == 0 {
					c.inv.Args = append(c.inv.Args, history.IntValue(lease))
				}
			case d < 60:
				c.inv, isRead = replay.Invocation{Method: "get", Args: []history.Value{key}}, true
			case d < 75:
				c.inv, isRead = replay.Invocation{Method: "range", Args: []history.Value{text("key"), text("\x00"), history.IntValue(0)}}, true
			case d < 80:
				c.inv = replay.Invocation{Method: "delete", Args: []history.Value{key}}
			case d < 83 && !leased:
				lease, leased = lease+1, true
				c.inv, isRead = replay.Invocation{Method: "leaseGrant", Args: []history.Value{history.IntValue(lease)}}, true
			case d < 83 && r.IntN(3) == 0:
				c.inv, isRead, leased = replay.Invocation{Method: "leaseRevoke", Args: []history.Value{history.IntValue(lease)}}, true, false
			default:
				found, _ := state.Clone().Apply(replay.Invocation{Method: "get", Args: []history.Value{key}})
				mod := history.IntValue(0)
				if kvs := found.List()[0].List(); len(kvs) > 0 {
					mod = kvs[0].List()[2]
				}
				c.inv = replay.Invocation{Method: "txn", Args: []history.Value{list(list(text("mod"), key, mod)), list(list(text("put"), key, value)), list()}}
			}
			if c.lost = !isRead && r.Float64() < lost; c.lost {
				c.effect = r.IntN(2) == 0
			}
			b.Add(&history.Event{Process: history.IntValue(int64(process[m.client])), Op: c.op, Method: c.inv.Method, Args: c.inv.Args, Line: made})
			plan(m.at+1+r.IntN(5000), m.client, 1, c)
		case 1:
			before := state.Clone()
			if c.effect {
				result, ok := state.Apply(c.inv)
				c.result, c.refused = result, !ok
			}
			if c.inv.Method == "leaseRevoke" && number(before) != number(state) {
				revoked = before
			}
			if made < operations/3 {
				old = before
			}
			if isMiddle && !c.lost && !c.refused {
				result := c.result
				plant(before, old, revoked, c, fault, &state)
				isPlanted = c.lost || !c.result.Equal(result) || c.inv.Method == "put" && number(state) == number(before)
			}
			plan(m.at+1+r.IntN(5000), m.client, 2, c)
		case 2:
			end := history.Event{Type: history.OK, Op: c.op, Result: c.result}
			switch {
			case c.refused && !c.lost, c.lost && c.result.Kind() == history.Bool: // the latter is a fault
				end = history.Event{Type: history.Fail, Op: c.op}
			case c.lost:
				end = history.Event{Type: history.Info, Op: c.op}
				process[m.client], heir = heir, heir+1
			}
			b.Add(&end)
			plan(m.at+1+r.IntN(200), m.client, 0, nil)
		}
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h, isPlanted
}

// plant makes a fault of the call that has just taken effect in state, if the call allows it. before is
// the state before it, old an older one, and revoked that before a lease was revoked, or nil.
func plant(before, old, revoked replay.State, c *trafficCall, fault string, state *replay.State) {
	result := slices.Clone(c.result.List())
	last := len(result) - 1
	add := func(n int64) {
		if last < 0 {
			c.result = history.IntValue(c.result.Int() + n)
			return
		}
		result[last] = history.IntValue(result[last].Int() + n)
		c.result = history.ListValue(result...)
	}
	isWrite := c.inv.Method == "put"
	switch {
	case fault == "stale read" && c.inv.Method == "range":
		c.result, _ = old.Clone().Apply(c.inv)
	case fault == "lease resurrected" && c.inv.Method == "range" && revoked != nil:
		kvs, _ := revoked.Clone().Apply(c.inv)
		c.result = history.ListValue(append(slices.Clone(kvs.List()[:last]), result[last])...)
	case fault == "lost write" && isWrite:
		*state = before
	case fault == "revision reused" && isWrite:
		add(-1)
	case fault == "revision skipped" && isWrite:
		add(1)
	case fault == "wrong branch" && c.inv.Method == "txn":
		result[0] = history.BoolValue(!result[0].Bool())
		result[1] = history.ListValue(slices.Repeat([]history.Value{history.NullValue}, map[bool]int{true: 1}[result[0].Bool()])...)
		c.result = history.ListValue(result...)
	case fault == "range misses a key" && c.inv.Method == "range" && len(result[0].List()) > 0:
		result[0] = history.ListValue(result[0].List()[1:]...)
		c.result = history.ListValue(result...)
	case fault == "write after it failed" && isWrite:
		c.lost, c.result = true, history.BoolValue(false)
	}
}

// TestTraffic: histories of etcd by many clients with lost responses are decided as they were
// made.
func TestTraffic(t *testing.T) {
	n := 60
	if *full {
		n = 1000
	}
	r := newRand(t)
	s := model(t, "etcd")
	var slowest time.Duration
	count := map[string]int{}
	hidden, searched, contradicted := 0, 0, 0
	for i := range n {
		fault := ""
		if i%2 == 1 {
			fault = faultsOfStores[i/2%len(faultsOfStores)]
		}
		clients := 8 + r.IntN(43)
		h, isPlanted := traffic(t, r, s, clients, 20*clients+r.IntN(400), 10, .02+.03*r.Float64(), fault)
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
			searched++
		case isPlanted:
			contradicted++
		}
	}
	if hidden > n/50 {
		t.Errorf("%d faults are hidden by lost writes", hidden)
	}
	t.Logf("%v, %d hidden; slowest %v; refuted by two versions %d, by the search %d", count, hidden, slowest, contradicted, searched)
}
