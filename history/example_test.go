package history_test

import (
	"fmt"

	"github.com/leadline/leadline/history"
)

// The history in the package documentation.
func Example() {
	a, b, c := history.StringValue("A"), history.StringValue("B"), history.StringValue("C")
	h, err := history.New(history.Header{ID: "example"}, []history.Event{
		{Type: history.Invoke, Process: a, Method: "offer", Args: []history.Value{history.IntValue(1)}},
		{Type: history.Invoke, Process: b, Method: "poll"},
		{Type: history.OK, Process: a, Result: history.BoolValue(true)},
		{Type: history.Invoke, Process: c, Method: "size"},
		{Type: history.OK, Process: b, Result: history.IntValue(1)},
		{Type: history.Invoke, Process: b, Method: "poll"},
		{Type: history.OK, Process: c, Result: history.IntValue(0)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range h.Ops {
		op := &h.Ops[i]
		fmt.Printf("%v: %v\n", h.Processes[op.Process].Text(), op)
		for k := range h.Ops {
			if h.Ops[k].Return < op.Call {
				fmt.Printf("   after %v\n", &h.Ops[k])
			}
		}
	}

	// Ill-formed input is an error that names its line.
	_, err = history.New(history.Header{File: "queue.jsonl"}, []history.Event{
		{Type: history.OK, Process: a, Line: 2},
	})
	fmt.Println(err)
	// Output:
	// A: offer(1): true
	// B: poll(): 1
	// C: size(): 0
	//    after offer(1): true
	// B: poll(): pending
	//    after offer(1): true
	//    after poll(): 1
	// queue.jsonl:2: response of process "A", which has no open operation
}
