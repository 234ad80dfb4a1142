package stresstest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/record"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/replay/stresstest"
)

// Outside of tests, Search returns a report.
func ExampleChecker() {
	report, err := stress.Search(context.Background(), subject.Lookup("queue").Class, stress.Options{
		Programs: []string{"{ enqueue(1); dequeue() } || { dequeue() }"},
		Effort:   stress.QuickEffort,
		Checker:  stresstest.Checker(nil),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Programs, "program,", len(report.Findings), "violations, core methods", report.Core)
	// Output:
	// 1 program, 0 violations, core methods [enqueue dequeue isEmpty]
}

// This is the whole test of a type. It takes ten seconds, with -short one.
func ExampleTest() {
	_ = func(t *testing.T) { // TestMap, in a file of tests
		stresstest.Test(t, func() *sync.Map { return &sync.Map{} }, stresstest.Options{
			ReflectOptions: stress.ReflectOptions{Core: []string{"Load", "Store"}, Exclude: []string{"Range"}},
			Strict:         true,
		})
	}
}

// A test that records what its own goroutines do.
func ExampleCheck() {
	var t printer // a *testing.T, in tests
	m := record.NewMemory(record.Options{Model: "queue"})
	a, b := m.Process(), m.Process() // one for each goroutine
	a.CallInts("enqueue", 1)
	b.Call("dequeue")
	a.Return(history.NoValue)
	b.ReturnInt(1)
	h, err := m.History()
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	stresstest.Check(t, h, nil, stresstest.CheckOptions{})
	// Output:
	// stress: the history is linearizable; 2 of 2 operations overlapped another one
}

type printer struct{}

func (printer) Helper()                           {}
func (printer) Name() string                      { return "TestQueue" }
func (printer) Logf(format string, args ...any)   { fmt.Printf(format+"\n", args...) }
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
