// A program for porcupine. TestImport runs it, and runs it again with another import.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

type input struct {
	write bool
	value int
}

var register = porcupine.Model{
	Init: func() interface{} { return 0 },
	Step: func(state, in, out interface{}) (bool, interface{}) {
		if in.(input).write {
			return true, in.(input).value
		}
		return out == state, state
	},
}

// lossy is a register that may lose a write.
var lossy = porcupine.NondeterministicModel{
	Init: func() []interface{} { return []interface{}{0} },
	Step: func(state, in, out interface{}) []interface{} {
		if in.(input).write {
			return []interface{}{state, in.(input).value}
		}
		if out != state {
			return nil
		}
		return []interface{}{state}
	},
}

func verbose(model porcupine.Model, ops []porcupine.Operation) (porcupine.CheckResult, porcupine.LinearizationInfo) {
	if len(ops) == 0 {
		return porcupine.Unknown, porcupine.LinearizationInfo{}
	}
	return porcupine.CheckOperationsVerbose(model, ops, time.Minute)
}

func main() {
	good := []porcupine.Operation{
		{ClientId: 0, Input: input{true, 1}, Call: 0, Return: 10},
		{ClientId: 1, Input: input{}, Output: 0, Call: 5, Return: 8},
	}
	bad := append(good, porcupine.Operation{ClientId: 1, Input: input{}, Output: 0, Call: 20, Return: 30})
	fmt.Println(porcupine.CheckOperations(register, good), porcupine.CheckOperations(register, bad))
	fmt.Println(porcupine.CheckOperationsTimeout(register, good, time.Minute) == porcupine.Ok)
	fmt.Println(porcupine.CheckOperations(lossy.ToModel(), bad))

	events := []porcupine.Event{
		{Kind: porcupine.CallEvent, Value: input{true, 1}, Id: 7},
		{Kind: porcupine.ReturnEvent, Id: 7},
		{Kind: porcupine.CallEvent, Value: input{}, Id: 8},
		{Kind: porcupine.ReturnEvent, Value: 0, Id: 8},
	}
	fmt.Println(porcupine.CheckEvents(register, events))
	fmt.Println(porcupine.CheckEventsTimeout(register, events, time.Minute) == porcupine.Illegal)
	result, info := porcupine.CheckEventsVerbose(register, events, 0)
	fmt.Println(result, porcupine.Visualize(register, info, os.Stderr))

	for _, ops := range [][]porcupine.Operation{nil, good, bad} {
		if result, info = verbose(register, ops); result != porcupine.Unknown {
			fmt.Println(result, porcupine.VisualizePath(register, info, os.DevNull))
		}
	}
}
