package stress_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/leadline/leadline/history/record"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

// TestLoad: recorded loads of correct subjects are linearizable.
func TestLoad(t *testing.T) {
	for _, s := range subject.All() {
		if s.Class.Model == "" {
			continue
		}
		m := record.NewMemory(record.Options{Model: s.Class.Model, ModelArgs: s.Class.ModelArgs})
		load := stress.Load{Threads: 3, Ops: 301, Values: 2, Seed: 5, Weak: true}
		if err := load.Record(context.Background(), s.Class, m.Recorder); err != nil {
			t.Fatalf("%s: %v", s.Class.Name, err)
		}
		h, err := m.History()
		if err != nil {
			t.Fatalf("%s: %v", s.Class.Name, err)
		}
		if len(h.Ops) != 301 {
			t.Errorf("%s: %d operations", s.Class.Name, len(h.Ops))
		}
		if s.Broken {
			continue // it may have shown or not
		}
		model, err := spec.Lookup(s.Class.Model, s.Class.ModelArgs)
		if err != nil {
			t.Fatal(err)
		}
		v, err := decide.Check(context.Background(), h, model, replay.Options{})
		if err != nil || v.Answer != replay.Linearizable {
			t.Errorf("%s: %v, %v", s.Class.Name, v.Answer, err)
		}
	}
}

// TestLoadWaits: a recording ends when all threads wait for ever.
func TestLoadWaits(t *testing.T) {
	c := *subject.Lookup("blocking-channel").Class
	c.Methods = c.Methods[:1] // nothing is received
	m := record.NewMemory(record.Options{})
	if err := (stress.Load{Threads: 3, Ops: 300}).Record(context.Background(), &c, m.Recorder); err != nil {
		t.Fatal(err)
	}
	h, err := m.History()
	if err != nil {
		t.Fatal(err)
	}
	pending := 0
	for i := range h.Ops {
		if h.Ops[i].Pending() {
			pending++
		}
	}
	if len(h.Ops) != 4 || pending != 3 {
		t.Errorf("%d operations, %d of them pending", len(h.Ops), pending)
	}
}

func ExampleParse_run() {
	c := subject.Lookup("queue").Class
	p, err := stress.Parse("{ enqueue(1); dequeue() } || { dequeue() }", c)
	if err != nil {
		fmt.Println(err)
		return
	}
	expected, err := stress.NewExpected(c, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, count := range expected.Outcomes() {
		fmt.Println(count.Outcome)
	}
	run := stress.RunProgram(context.Background(), c, p, stress.RunOptions{Executions: 10000})
	for _, count := range run.Outcomes {
		if !expected.Contains(count.Outcome) {
			fmt.Println("a violation:", count.Outcome)
		}
	}
	// Output:
	// (),N,1
	// (),1,N
}
