package stresstest_test

import (
	"context"
	"fmt"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/replay/stresstest"
)

// Outside of tests, Search returns a report.
func ExampleChecker() {
	effort, _ := stress.EffortCalled("quick")
	report, err := stress.Search(context.Background(), subject.Lookup("queue").Class, stress.Options{
		Programs: []string{"{ enqueue(1); dequeue() } || { dequeue() }"},
		Effort:   effort,
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
