package record_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/record"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

// A test of a counter, in memory.
func Example() {
	var n atomic.Int64 // the object under test
	m := record.NewMemory(record.Options{Model: "counter"})
	var wg sync.WaitGroup
	for range 3 {
		p := m.Process()
		wg.Go(func() {
			for range 100 {
				p.Call("getAndIncrement")
				old := n.Add(1) - 1
				p.ReturnInt(int(old))
			}
		})
	}
	wg.Wait()
	h, err := m.History()
	if err != nil {
		fmt.Println(err)
		return
	}
	counter, err := spec.Lookup(h.Model, h.ModelArgs)
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := decide.Check(context.Background(), h, counter, replay.Options{})
	fmt.Println(len(h.Ops), "operations:", v.Answer, err)
	// Output: 300 operations: linearizable <nil>
}

// A recording to a file, here a buffer in memory, with every kind of response.
func ExampleNew() {
	var file bytes.Buffer
	r, err := record.New(&file, record.Options{ID: "shop", Model: "kv", Compress: record.Zstd})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := r.Process(), r.Process() // one for each goroutine
	a.Call("put", history.StringValue("apples"), history.IntValue(3))
	b.Call("get", history.StringValue("apples"))
	b.ReturnInt(3)
	a.Unknown() // the connection broke
	a.Call("put", history.StringValue("pears"), history.IntValue(5))
	a.Fail() // it was refused
	if err := r.Close(); err != nil {
		fmt.Println(err)
	}
	for h, err := range codec.Decode(&file, "shop", codec.Options{}) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		for i := range h.Ops {
			fmt.Println("process", h.Processes[h.Ops[i].Process], &h.Ops[i])
		}
		fmt.Println(h.Dropped, "did not happen")
	}
	// Output:
	// process 0 put("apples", 3): pending
	// process 1 get("apples"): 3
	// 1 did not happen
}
