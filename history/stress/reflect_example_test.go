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
	// CompareAndDelete [int int] false false
	// CompareAndSwap [int int int] false false
	// Delete [int] false false
	// Load [int] true true
	// LoadAndDelete [int] false false
	// LoadOrStore [int int] false false
	// Store [int int] true false
	// Swap [int int] false false
	// left out: [{Range parameter of type func(interface {}, interface {}) bool}]
	// [null, false]  [1, true]
}
