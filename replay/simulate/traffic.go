package simulate

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// A Traffic is what clients of etcd do: they put, get, delete and list keys, compare the revision
// of a key before they put it, and grant and revoke a lease. Each request takes effect at a moment of its
// own, and clients lose some responses.
type Traffic struct {
	Clients, Operations, Keys int
	Lost                      float64 // which part of the responses to writes
	Fault                     string  // one of TrafficFaults, which is planted in the middle; "": none
	Seed                      uint64
}

// TrafficFaults are the faults of a Traffic.
var TrafficFaults = []string{"stale read", "lost write", "revision reused", "revision skipped", "wrong branch", "range misses a key", "write after it failed", "lease resurrected"}

// A moment is when a client does what it does next.
type moment struct {
	at     int
	number int // of equal moments, the first one that was planned comes first
	client int
	next   func(client, at int)
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

// A request is a request of a client.
type request struct {
	replay.Invocation
	op      history.Value
	isRead  bool
	isLost  bool // the response is
	effect  bool
	refused bool // because its lease is gone
	failed  bool // the client is told that it failed
	result  history.Value
}

// A trafficRun makes the history of a Traffic.
type trafficRun struct {
	Traffic
	r       *rand.Rand
	state   replay.State
	old     replay.State // some time ago
	revoked replay.State // before the last lease was revoked that had keys; or nil
	b       *history.Builder
	next    moments
	made    int
	process []int // of each client; another one after a lost response
	heir    int

	lease     int64
	isLeased  bool
	isPlanted bool
}

// History makes the history, and reports whether the fault was planted in it.
func (t Traffic) History() (h *history.History, isPlanted bool, err error) {
	s, err := spec.Parse("etcd")
	if err != nil {
		return nil, false, err
	}
	run := &trafficRun{Traffic: t, r: rand.New(rand.NewPCG(t.Seed, 24)), state: s.New().(replay.State), heir: t.Clients,
		b: history.NewBuilder(history.Header{Model: "etcd"})}
	run.old = run.state.Clone()
	for c := range t.Clients {
		run.process = append(run.process, c)
		run.plan(run.r.IntN(1000), c, run.begin)
	}
	for run.next.Len() > 0 {
		m := heap.Pop(&run.next).(moment)
		m.next(m.client, m.at)
	}
	h, err = run.b.Build()
	return h, run.isPlanted, err
}

func (run *trafficRun) plan(at, client int, next func(client, at int)) {
	heap.Push(&run.next, moment{at, len(run.next) + run.Operations*at, client, next})
}

// begin makes a client invoke its next request.
func (run *trafficRun) begin(client, at int) {
	if run.made == run.Operations {
		return
	}
	q := &request{op: history.IntValue(int64(run.made)), effect: true}
	run.made++
	run.draw(q)
	if q.isLost = !q.isRead && run.r.Float64() < run.Lost; q.isLost {
		q.effect = run.r.IntN(2) == 0
	}
	run.b.Add(&history.Event{Process: history.IntValue(int64(run.process[client])), Op: q.op, Method: q.Method, Args: q.Args, Line: run.made})
	run.plan(at+1+run.r.IntN(5000), client, func(client, at int) { run.takeEffect(q, client, at) })
}

// draw draws a request.
func (run *trafficRun) draw(q *request) {
	text, list, number := history.StringValue, history.ListValue, history.IntValue
	key, value := text(fmt.Sprintf("key%d", run.r.IntN(run.Keys))), text(fmt.Sprint(run.made-1))
	call := func(method string, args ...history.Value) {
		q.Invocation = replay.Invocation{Method: method, Args: args}
	}
	q.isRead = true
	switch d := run.r.IntN(100); {
	case d < 40:
		q.isRead = false
		call("put", key, value)
		if run.isLeased && run.r.IntN(4) == 0 {
			q.Args = append(q.Args, number(run.lease))
		}
	case d < 60:
		call("get", key)
	case d < 75:
		call("range", text("key"), text("\x00"), number(0))
	case d < 80:
		q.isRead = false
		call("delete", key)
	case d < 83 && !run.isLeased:
		run.lease, run.isLeased = run.lease+1, true
		call("leaseGrant", number(run.lease))
	case d < 83 && run.r.IntN(3) == 0:
		run.isLeased = false
		call("leaseRevoke", number(run.lease))
	default:
		q.isRead = false
		found, _ := run.state.Clone().Apply(replay.Invocation{Method: "get", Args: []history.Value{key}})
		mod := number(0)
		if kvs := found.List()[0].List(); len(kvs) > 0 {
			mod = kvs[0].List()[2]
		}
		call("txn", list(list(text("mod"), key, mod)), list(list(text("put"), key, value)), list())
	}
}

// takeEffect makes a request take effect.
func (run *trafficRun) takeEffect(q *request, client, at int) {
	before := run.state.Clone()
	if q.effect {
		result, ok := run.state.Apply(q.Invocation)
		q.result, q.refused = result, !ok
	}
	if q.Method == "leaseRevoke" && replay.NumberOf(before) != replay.NumberOf(run.state) {
		run.revoked = before
	}
	if run.made < run.Operations/3 {
		run.old = before
	}
	if !run.isPlanted && run.made > run.Operations/2 && !q.isLost && !q.refused {
		result := q.result
		run.plant(q, before)
		run.isPlanted = q.failed || !q.result.Equal(result) || q.Method == "put" && replay.NumberOf(run.state) == replay.NumberOf(before)
	}
	run.plan(at+1+run.r.IntN(5000), client, func(client, at int) { run.end(q, client, at) })
}

// plant makes the fault of a request that has just taken effect, if the request allows it.
func (run *trafficRun) plant(q *request, before replay.State) {
	result := slices.Clone(q.result.List())
	last := len(result) - 1
	isPut, isRange := q.Method == "put", q.Method == "range"
	switch fault := run.Fault; {
	case fault == "stale read" && isRange:
		q.result, _ = run.old.Clone().Apply(q.Invocation)
	case fault == "lease resurrected" && isRange && run.revoked != nil:
		kvs, _ := run.revoked.Clone().Apply(q.Invocation)
		q.result = history.ListValue(append(slices.Clone(kvs.List()[:last]), result[last])...)
	case fault == "lost write" && isPut:
		run.state = before
	case fault == "revision reused" && isPut:
		q.result = history.IntValue(q.result.Int() - 1)
	case fault == "revision skipped" && isPut:
		q.result = history.IntValue(q.result.Int() + 1)
	case fault == "wrong branch" && q.Method == "txn":
		result[0] = history.BoolValue(!result[0].Bool())
		result[1] = history.ListValue(slices.Repeat([]history.Value{history.NullValue}, map[bool]int{true: 1}[result[0].Bool()])...)
		q.result = history.ListValue(result...)
	case fault == "range misses a key" && isRange && len(result[0].List()) > 0:
		result[0] = history.ListValue(result[0].List()[1:]...)
		q.result = history.ListValue(result...)
	case fault == "write after it failed" && isPut:
		q.failed = true
	}
}

// end makes the response of a request, if it is not lost, and the client go on.
func (run *trafficRun) end(q *request, client, at int) {
	end := history.Event{Type: history.OK, Op: q.op, Result: q.result}
	switch {
	case q.failed, q.refused && !q.isLost:
		end = history.Event{Type: history.Fail, Op: q.op}
	case q.isLost:
		end = history.Event{Type: history.Info, Op: q.op}
		run.process[client], run.heir = run.heir, run.heir+1
	}
	run.b.Add(&end)
	run.plan(at+1+run.r.IntN(200), client, run.begin)
}
