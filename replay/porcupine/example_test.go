package porcupine_test

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	leadline "github.com/leadline/leadline/replay/porcupine"
)

type kvInput struct {
	op, key, value string
}

// kvModel is a model as users of porcupine write it: a map, checked key by key.
var kvModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		var keys []string
		byKey := map[string][]porcupine.Operation{}
		for _, op := range history {
			key := op.Input.(kvInput).key
			if byKey[key] == nil {
				keys = append(keys, key)
			}
			byKey[key] = append(byKey[key], op)
		}
		var parts [][]porcupine.Operation
		for _, key := range keys {
			parts = append(parts, byKey[key])
		}
		return parts
	},
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		if in := input.(kvInput); in.op == "put" {
			return true, in.value
		}
		return output == state, state
	},
	DescribeOperation: func(input, output any) string {
		if in := input.(kvInput); in.op == "put" {
			return fmt.Sprintf("put('%s', '%s')", in.key, in.value)
		}
		return fmt.Sprintf("get('%s') -> '%s'", input.(kvInput).key, output)
	},
}

// A program for porcupine needs another import and no other change. This one imports both,
// and the verbose functions also have the reason.
func Example() {
	history := []porcupine.Operation{
		{ClientId: 0, Input: kvInput{"put", "x", "1"}, Call: 0, Return: 10},
		{ClientId: 1, Input: kvInput{"put", "x", "2"}, Call: 5, Return: 30},
		{ClientId: 2, Input: kvInput{"get", "x", ""}, Output: "2", Call: 12, Return: 20},
		{ClientId: 0, Input: kvInput{"get", "y", ""}, Output: "", Call: 15, Return: 25},
		{ClientId: 2, Input: kvInput{"get", "x", ""}, Output: "1", Call: 22, Return: 28},
	}
	fmt.Println(leadline.CheckOperations(kvModel, history))

	result, info := leadline.CheckOperationsVerbose(kvModel, history, 0)
	fmt.Println(result)
	op := &info.History.Ops[info.Verdict.Explanation.Unexplained]
	fmt.Printf("no order explains history[%v], %v\n", op.ID(), op)
	// info.Explain(os.Stdout) and leadline.VisualizePath(kvModel, info, "page.html")
	// say more.

	// Output:
	// false
	// Illegal
	// no order explains history[4], get("x"): "1"
}
