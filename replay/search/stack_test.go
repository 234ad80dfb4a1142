package search_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	workload "github.com/leadline/leadline/history/stress/simulate"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/search"
)

var stackRounds = flag.Int("stackrounds", 1000, "random histories of TestStacks; more with -full")

// randomStacks returns a source of random histories and how many to draw.
func randomStacks(t *testing.T, salt uint64) (r *rand.Rand, rounds int) {
	t.Logf("-seed %d", *seedFlag)
	rounds = *stackRounds
	if *full {
		rounds = max(rounds, 10000)
	}
	return rand.New(rand.NewPCG(*seedFlag, salt)), rounds
}

// TestStacks compares QueueOrStack, also in small passes and in a hurry, with the
// general search on histories of stacks in which more operations are open at once.
func TestStacks(t *testing.T) {
	r, rounds := randomStacks(t, 78)
	s := lookup(t, "stack")
	count := map[string]int{}
	for range rounds {
		d := randomDuplicating(r, "stack")
		d.uncounted = true
		d.n, d.processes, d.values = 4+r.IntN(13), 2+r.IntN(6), 1+r.IntN(4)
		h := d.history(t, s)
		want := run(t, h, s, search.Pruning{}).Answer
		var v, narrow replay.Verdict
		v.Finding = search.QueueOrStack(h, s, 1<<30, nil)
		narrow.Finding = search.StackOfWidth(h, s, 1+r.IntN(3))
		count[v.Answer.String()]++
		hurried := search.StackInHurry(h, s, int64(1+r.IntN(400)))
		if hurried.Answer == replay.Undecided && hurried.Cause == replay.Time {
			count["gave up, "+want.String()]++
		} else if checkFinding(t, "in a hurry", h, s, hurried, want); t.Failed() {
			t.Fatal(show(h))
		}
		if v.Answer != want || narrow.Answer != want {
			t.Fatalf("%v (%v), in small passes %v, want %v:\n%s", v.Answer, v.Cause, narrow.Answer, want, show(h))
		}
		if want != replay.Linearizable {
			continue
		}
		for _, w := range [][]int32{v.Witness, narrow.Witness} {
			if err := replay.Verify(h, s, w, nil); err != nil {
				t.Fatalf("%v: %v:\n%s", w, err, show(h))
			}
		}
	}
	t.Log(count)
	if count["linearizable"] < rounds/4 || count["not-linearizable"] < rounds/4 || count["gave up, linearizable"] == 0 || count["gave up, not-linearizable"] == 0 {
		t.Error(count)
	}
}

// TestLargeStacks decides long histories of stacks, some with two values in
// the wrong order, and verifies witnesses.
func TestLargeStacks(t *testing.T) {
	s := lookup(t, "stack")
	for _, n := range []int{300, 1000, 10000} {
		for _, threads := range []int{3, 4, 8, 16} {
			for _, fill := range []int{4, 32} {
				if threads*n > 16000 && !*full || threads*n > 40000 {
					continue
				}
				w := workload.Workload{Model: "stack", Ops: n, Threads: threads, Seed: uint64(n + threads), Values: 8, Fill: fill}
				right, err := w.History()
				if err != nil {
					t.Fatal(err)
				}
				w.Faults = []workload.Fault{{Kind: workload.Swap, Percent: 50}}
				wrong, err := w.History()
				if err != nil {
					t.Fatal(err)
				}
				var v, bad replay.Verdict
				v.Finding = search.QueueOrStack(right, s, 1<<30, nil)
				if v.Answer != replay.Linearizable {
					t.Fatalf("n=%d T=%d fill=%d: %v (%v)", n, threads, fill, v.Answer, v.Cause)
				}
				if err := replay.Verify(right, s, v.Witness, nil); err != nil {
					t.Fatalf("n=%d T=%d fill=%d: %v", n, threads, fill, err)
				}
				bad.Finding = search.QueueOrStack(wrong, s, 1<<30, nil)
				if bad.Answer != replay.NotLinearizable {
					t.Errorf("n=%d T=%d fill=%d, swapped: %v (%v)", n, threads, fill, bad.Answer, bad.Cause)
				}
			}
		}
	}
}

// TestStacksForget searches stacks with so little memory that it forgets all the
// time: then it finds a witness that Verify accepts, or does not know. If it may
// search again with enough memory, it knows.
func TestStacksForget(t *testing.T) {
	t.Parallel()
	r, rounds := randomStacks(t, 79)
	s := lookup(t, "stack")
	count := map[string]int{}
	for range rounds {
		d := randomDuplicating(r, "stack")
		d.uncounted = true
		d.n, d.processes, d.values = 8+r.IntN(20), 2+r.IntN(6), 1+r.IntN(4)
		h := d.history(t, s)
		want := search.QueueOrStack(h, s, 1<<30, nil).Answer
		bytes := int64(r.IntN(2000))
		if f := search.StackTwice(h, s, bytes, meter.New(nil)); f.Answer != want {
			t.Fatalf("%v (%v) in two searches, want %v:\n%s", f.Answer, f.Cause, want, show(h))
		} else if want == replay.Linearizable {
			if err := replay.Verify(h, s, f.Witness, nil); err != nil {
				t.Fatalf("%v: %v:\n%s", f.Witness, err, show(h))
			}
		}
		f, horizon, _ := search.StackWithin(h, s, bytes)
		switch {
		case f.Answer == replay.Linearizable:
			if err := replay.Verify(h, s, f.Witness, nil); err != nil {
				t.Fatalf("%v: %v:\n%s", f.Witness, err, show(h))
			}
		case f.Answer == replay.Undecided && (f.Cause != replay.Memory || horizon == 0):
			t.Fatalf("%v (%v), forgot %d:\n%s", f.Answer, f.Cause, horizon, show(h))
		case f.Answer == replay.NotLinearizable && (want != f.Answer || horizon > 0):
			t.Fatalf("%v, want %v, forgot %d:\n%s", f.Answer, want, horizon, show(h))
		}
		if horizon > 0 {
			count["forgot, "+f.Answer.String()]++
		}
	}
	t.Log(count)
	if count["forgot, linearizable"] < rounds/10 || count["forgot, unknown"] < rounds/20 {
		t.Error(count)
	}
}

// TestStacksForgetWork: half of the work is left for a second search, so that what
// one search decides is decided with twice its work, however long the first one
// goes on.
func TestStacksForgetWork(t *testing.T) {
	t.Parallel()
	s := lookup(t, "stack")
	for _, threads := range []int{8, 12, 16} {
		if threads > 12 && !*full {
			continue
		}
		h, _ := large(t, "stack", 300, threads, 8, 0)
		one := meter.New(nil)
		want := search.StackTwice(h, s, 1<<30, one).Answer
		for room := int64(1 << 14); room <= 1<<20; room *= 4 {
			m := meter.New(nil)
			f := search.StackTwice(h, s, room, m.Share(2*one.Spent()+2*meter.AskEvery))
			if f.Answer != want {
				t.Errorf("T=%d, room %d: %v (%v) with %d units of work, but %v with %d", threads, room, f.Answer, f.Cause, m.Spent(), want, one.Spent())
			}
		}
	}
}

// TestLargeStacksForget finds witnesses with less memory than the search takes
// where it keeps everything. Of what it forgets, it keeps little more than one
// witness takes.
func TestLargeStacksForget(t *testing.T) {
	t.Parallel()
	s := lookup(t, "stack")
	for _, c := range []struct {
		n, threads int
		bytes      int64
	}{{10000, 4, 2 << 20}, {10000, 8, 4 << 20}, {10000, 16, 20 << 20}} {
		if c.threads > 8 && !*full {
			continue
		}
		h, _ := large(t, "stack", c.n, c.threads, 8, 1)
		f, horizon, kept := search.StackWithin(h, s, c.bytes)
		if f.Answer != replay.Linearizable || horizon < c.n/4 {
			t.Errorf("n=%d T=%d: %v (%v), forgot %d", c.n, c.threads, f.Answer, f.Cause, horizon)
			continue
		}
		if kept > horizon*5/4 {
			t.Errorf("n=%d T=%d: %d items kept of %d responses", c.n, c.threads, kept, horizon)
		}
		if err := replay.Verify(h, s, f.Witness, nil); err != nil {
			t.Error(err)
		}
	}
}

// TestLargeStackRetries bounds the work on a history in which what is pushed
// shows only hundreds of responses later, so that passes alone take three times
// as much.
func TestLargeStackRetries(t *testing.T) {
	if !*full {
		t.Skip("takes seconds: with -full")
	}
	const most = 7_000_000
	h, _ := large(t, "stack", 16000, 16, 8, 1)
	m := meter.New(nil)
	f := search.QueueOrStack(h, lookup(t, "stack"), 1<<30, m.Share(2*most))
	t.Logf("%v after %d units of work", f.Answer, m.Spent())
	if f.Answer != replay.Linearizable || m.Spent() > most {
		t.Errorf("%v (%v) after %d units of work", f.Answer, f.Cause, m.Spent())
	}
}
