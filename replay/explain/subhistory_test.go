package explain_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/spec"
)

// failing are histories whose reason is beyond real time: an order through an
// operation that did not happen, an operation that is known to have happened, and
// the order of processes alone.
const failing = `{"leadline":1,"history":"ghost","model":"register","args":[0]}
{"process":0,"op":"w","type":"invoke","method":"write","args":[1]}
{"process":1,"op":"g","type":"invoke","method":"write","args":[2]}
{"process":2,"op":"r","type":"invoke","method":"read"}
{"process":2,"op":"r","type":"ok","result":0}
{"process":0,"op":"w","type":"ok"}
{"process":1,"op":"g","type":"fail"}
{"edge":["w","g"]}
{"edge":["g","r"]}
{"leadline":1,"history":"mark","model":"queue"}
{"process":0,"op":0,"type":"invoke","method":"enqueue","args":[1]}
{"process":1,"op":1,"type":"invoke","method":"size"}
{"process":1,"op":1,"type":"ok","result":0}
{"process":2,"op":2,"type":"invoke","method":"dequeue"}
{"process":2,"op":2,"type":"ok","result":null}
{"mark":"happened","op":0}
{"edge":[0,2]}
{"leadline":1,"history":"program","model":"register","args":[0]}
{"process":0,"op":0,"type":"invoke","method":"write","args":[1]}
{"process":0,"op":0,"type":"ok"}
{"process":0,"op":1,"type":"invoke","method":"write","args":[2]}
{"process":0,"op":1,"type":"ok"}
{"process":1,"op":2,"type":"invoke","method":"read"}
{"process":1,"op":2,"type":"ok","result":2}
{"process":1,"op":3,"type":"invoke","method":"read"}
{"process":1,"op":3,"type":"ok","result":1}
`

// checkCore checks that the minimal sub-history of h, written to a file and read again, is
// not linearizable. It returns nil if there is none.
func checkCore(t *testing.T, h *history.History) *replay.Explanation {
	t.Helper()
	v := verdictOf(t, h)
	if v.Answer != replay.NotLinearizable || v.Explanation == nil || len(v.Explanation.Core) == 0 {
		return nil
	}
	sub, err := v.Explanation.SubHistory(h)
	if err != nil {
		t.Errorf("%s#%s: %v", h.File, h.ID, err)
		return v.Explanation
	}
	var file bytes.Buffer
	if err := codec.Encode(&file, sub); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	for again, err := range codec.Decode(&file, "core", codec.Options{}) {
		if err != nil {
			t.Fatalf("%s#%s: %v", h.File, h.ID, err)
		}
		if h.IsRelaxed() {
			again = again.ProgramOrder()
		}
		if v := verdictOf(t, again); v.Answer != replay.NotLinearizable || len(again.Ops) != len(sub.Ops) {
			t.Errorf("%s#%s: the sub-history of %d operations is %v:\n%s", h.File, h.ID, len(again.Ops), v, text)
		}
	}
	return v.Explanation
}

// TestCores: the minimal sub-history of a history, written to a file, is not
// linearizable either.
func TestCores(t *testing.T) {
	cores := 0
	core := func(h *history.History) {
		if checkCore(t, h) != nil {
			cores++
		}
	}
	for file, err := range codec.Files([]string{"../../benchdata/corpora/juc-labelled/ArrayBlockingQueue", "../../benchdata/corpora/go/violations.jsonl"}, codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		for h, err := range file.Histories() {
			if err != nil {
				t.Fatal(err)
			}
			core(h)
		}
	}
	for h, err := range codec.Decode(strings.NewReader(failing), "failing", codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		before := cores
		if h.ID == "program" {
			h = h.ProgramOrder()
		}
		if core(h); cores == before {
			t.Errorf("%s has no minimal sub-history", h.ID)
		}
	}
	if cores < 20 {
		t.Errorf("only %d minimal sub-histories", cores)
	}
}

// randomConstrained returns a random history of a register or a queue with edges and
// marks, or nil if the edges of the attempt close a cycle.
func randomConstrained(r *rand.Rand) *history.History {
	model, get, put := "register", "read", "write"
	if r.IntN(2) == 0 {
		model, get, put = "queue", "take", "enqueue"
	}
	b := history.NewBuilder(history.Header{ID: "random", Model: model})
	gets := map[int64]bool{}
	open := [3]int64{-1, -1, -1} // operations of the processes
	n := int64(0)
	for range 4 + r.IntN(10) {
		process := r.IntN(len(open))
		if op := open[process]; op >= 0 {
			e := history.Event{Type: history.OK, Op: history.IntValue(op)}
			switch {
			case r.IntN(8) == 0:
				e.Type = history.Fail
			case gets[op]:
				e.Result = history.IntValue(int64(1 + r.IntN(2)))
			}
			b.Add(&e)
			open[process] = -1
			continue
		}
		e := history.Event{Process: history.IntValue(int64(process)), Op: history.IntValue(n), Method: get}
		if gets[n] = r.IntN(2) == 0; !gets[n] {
			e.Method, e.Args = put, []history.Value{history.IntValue(int64(1 + r.IntN(2)))}
		}
		b.Add(&e)
		open[process] = n
		n++
	}
	for _, op := range open {
		if op >= 0 && r.IntN(2) == 0 {
			b.Mark(history.IntValue(op), true, 0)
		}
	}
	return withEdges(r, b, n, r.IntN(4))
}

// withEdges builds the history of n operations with random edges. It returns nil if these
// close a cycle.
func withEdges(r *rand.Rand, b *history.Builder, n int64, edges int) *history.History {
	for range edges {
		b.AddEdge(history.IntValue(r.Int64N(n)), history.IntValue(r.Int64N(n)), 0)
	}
	h, err := b.Build()
	if err != nil {
		return nil
	}
	return h
}

// TestCoresUnderConstraints: a minimal sub-history keeps the orders through operations
// that were left out, and marks, with and without real time.
func TestCoresUnderConstraints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	edges, marks, through := 0, 0, 0
	rounds := 1500
	if *full {
		rounds = 20000
	}
	for range rounds {
		h := randomConstrained(r)
		if h == nil {
			continue
		}
		for _, h := range []*history.History{h, h.ProgramOrder()} {
			e := checkCore(t, h)
			if e == nil {
				continue
			}
			edges, marks = edges+len(e.CoreEdges), marks+len(e.CoreMarks)
			for _, edge := range e.CoreEdges {
				if !slices.Contains(h.Edges, edge) {
					through++
				}
			}
		}
	}
	t.Logf("%d edges, %d marks, %d edges through others", edges, marks, through)
	if edges < 20 || marks < 20 || through < 4 {
		t.Errorf("%d edges, %d marks, %d edges through others: too few to say much", edges, marks, through)
	}
}

// touching is a history in which the calls of both processes touch at one stamp, so that
// the positions of those of process 1 overlap.
const touching = `{"leadline":1,"model":"queue","order":"stamp"}
{"process":1,"op":0,"at":0,"type":"invoke","method":"size"}
{"process":0,"op":1,"at":1,"type":"invoke","method":"enqueue","args":[1]}
{"process":1,"op":3,"at":2,"type":"invoke","method":"dequeue"}
{"process":0,"op":1,"at":2,"type":"ok"}
{"process":0,"op":2,"at":2,"type":"invoke","method":"dequeue"}
{"process":1,"op":0,"at":2,"type":"ok","result":7}
`

// randomStamped is randomConstrained with few stamps, so that many are equal. The
// tie rule is random.
func randomStamped(r *rand.Rand) *history.History {
	tie := history.Tie(r.IntN(2))
	b := history.NewBuilder(history.Header{ID: "stamped", Model: "queue", Order: history.StampOrder, Tie: tie})
	methods := []string{"enqueue", "dequeue", "size"}
	n := int64(0)
	for process := range int64(2 + r.IntN(3)) {
		at, open := int64(0), false
		for range 1 + r.IntN(3) {
			if open {
				break
			}
			at += r.Int64N(2)
			e := history.Event{Process: history.IntValue(process), Op: history.IntValue(n), At: at, Method: methods[r.IntN(3)]}
			if e.Method == "enqueue" {
				e.Args = []history.Value{history.IntValue(r.Int64N(2))}
			}
			b.Add(&e)
			if at += r.Int64N(2) + int64(tie); r.IntN(8) == 0 {
				if open = true; r.IntN(3) == 0 {
					b.Mark(history.IntValue(n), r.IntN(2) == 0, 0)
				}
			} else {
				end := history.Event{Type: history.OK, Op: history.IntValue(n), At: at}
				if e.Method != "enqueue" {
					end.Result = history.IntValue(r.Int64N(3))
				}
				if r.IntN(8) == 0 {
					end.Type, end.Result = history.Fail, history.NoValue
				}
				b.Add(&end)
			}
			n++
		}
	}
	return withEdges(r, b, n, r.IntN(3))
}

// TestCoresOfSharedStamps: the order of a process whose calls share a stamp is not that of
// their positions.
func TestCoresOfSharedStamps(t *testing.T) {
	for _, text := range []string{touching, touching + `{"edge":[0,3]}`} {
		for h, err := range codec.Decode(strings.NewReader(text), "touching", codec.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			if checkCore(t, h) == nil {
				t.Error("no minimal sub-history")
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	rounds, cores, overlaps := 3000, 0, 0
	if *full {
		rounds = 15000
	}
	for range rounds {
		h := randomStamped(r)
		if h == nil {
			continue
		}
		for _, h := range []*history.History{h, h.ProgramOrder()} {
			e := checkCore(t, h)
			if e == nil {
				continue
			}
			cores++
			if sub, err := e.SubHistory(h); err == nil && slices.ContainsFunc(sub.Processes, func(p history.Value) bool { return p.Kind() == history.String }) {
				overlaps++
			}
		}
	}
	t.Logf("%d minimal sub-histories, %d with overlapping positions", cores, overlaps)
	if cores < 500 || overlaps < 5 {
		t.Errorf("%d minimal sub-histories, %d with overlapping positions: too few to say much", cores, overlaps)
	}
}

func verdictOf(t *testing.T, h *history.History) replay.Verdict {
	t.Helper()
	s, err := spec.Lookup(h.Model, h.ModelArgs)
	if err != nil {
		t.Fatal(err)
	}
	v, err := decide.Check(context.Background(), h, s, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v.Explanation = explain.Why(context.Background(), h, s, v, replay.Options{})
	return v
}
