package stress_test

import (
	"fmt"
	"sync"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

func ExampleReflect() {
	r, err := stress.Reflect(func() *sync.Map { return &sync.Map{} }, stress.ReflectOptions{Core: []string{"Load", "Store"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range r.Class.Methods {
		fmt.Println(m.Name, m.Params, m.Core, m.ReadOnly)
	}
	fmt.Println("left out:", r.LeftOut)

	object := r.Class.New()
	store := r.Class.Method("Store").Prepare([]history.Value{history.IntValue(0), history.IntValue(1)})
	load := r.Class.Method("Load").Prepare([]history.Value{history.IntValue(0)})
	fmt.Println(load(object), store(object), load(object))
	// Output:
	// Clear [] false false
	// CompareAndDelete [any any] false false
	// CompareAndSwap [any any any] false false
	// Delete [any] false false
	// Load [any] true true
	// LoadAndDelete [any] false false
	// LoadOrStore [any any] false false
	// Range [=true|=false|once] false true
	// Store [any any] true false
	// Swap [any any] false false
	// left out: []
	// [null, false]  [1, true]
}
