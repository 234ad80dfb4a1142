package spec_test

import (
	"fmt"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// A complete example: get a specification, check operations against it, and run
// them on a fresh object.
func Example() {
	queue, err := spec.Parse("queue:1")
	if err != nil {
		fmt.Println(err)
		return
	}
	operations := []history.Operation{
		{Method: "enqueue", Args: []history.Value{history.IntValue(1)}, Result: history.BoolValue(true)},
		{Method: "enqueue", Args: []history.Value{history.IntValue(2)}, Result: history.BoolValue(false)},
		{Method: "dequeue", Result: history.IntValue(1)},
		{Method: "pop", Result: history.IntValue(1)},
	}
	object := queue.New()
	for i := range operations {
		op := &operations[i]
		if err := queue.Check(op); err != nil {
			fmt.Println(err)
			continue
		}
		result, ok := object.Apply(replay.Invocation{Method: op.Method, Args: op.Args})
		fmt.Println(op, ok && replay.Accepts(op.Result, result))
	}
	// Output:
	// enqueue(1): true true
	// enqueue(2): false true
	// dequeue(): 1 true
	// queue has no method pop (it has enqueue, dequeue, peek, offer, put, take, size, isEmpty, clear)
}
