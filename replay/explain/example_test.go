package explain_test

import (
	"context"
	"fmt"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/spec"
)

// The history of the package comment.
func Example() {
	queue, err := spec.Parse("queue")
	if err != nil {
		fmt.Println(err)
		return
	}
	b := history.NewBuilder(history.Header{ID: "example"})
	call := func(process string, method string, args ...history.Value) {
		b.Add(&history.Event{Type: history.Invoke, Process: history.StringValue(process), Method: method, Args: args})
	}
	response := func(process string, result history.Value) {
		b.Add(&history.Event{Type: history.OK, Process: history.StringValue(process), Result: result})
	}
	call("A", "enqueue", history.IntValue(1))
	call("B", "enqueue", history.IntValue(3))
	response("A", history.NoValue)
	call("A", "enqueue", history.IntValue(2))
	response("B", history.NoValue)
	response("A", history.NoValue)
	for _, v := range []int64{2, 1} {
		call("B", "dequeue")
		response("B", history.IntValue(v))
	}
	h, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	v, err := decide.Check(ctx, h, queue, replay.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := explain.Why(ctx, h, queue, v, replay.Options{})
	fmt.Println("prefix:", e.Prefix, "events, up to the response of", &h.Ops[e.Unexplained])
	fmt.Println("states:", e.States)
	for _, i := range e.Core {
		fmt.Println("core:", &h.Ops[i])
	}
	for _, f := range e.Free[0] {
		fmt.Println("instead of", &h.Ops[f.Op], "allowed:", f.Allowed)
	}
	// Output:
	// prefix: 8 events, up to the response of dequeue(): 2
	// states: [[1, 2, 3] [1, 2] [1, 3, 2] [2, 3] [3, 1, 2] [3, 2]]
	// core: enqueue(1)
	// core: enqueue(2)
	// core: dequeue(): 2
	// instead of dequeue(): 2 allowed: [3]
}
