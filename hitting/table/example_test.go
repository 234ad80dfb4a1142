package table_test

import (
	"fmt"

	"github.com/leadline/leadline/hitting/table"
)

// An edge is a key of two numbers.
type edge struct{ from, to int32 }

func Example() {
	var edges table.Table[edge]
	number := func(e edge) int32 {
		hash := table.Hash(uint64(e.from), uint64(e.to))
		if i := edges.Find(hash, func(k *edge) bool { return *k == e }); i >= 0 {
			return i
		}
		return edges.Add(hash, e)
	}
	fmt.Println(number(edge{3, 1}), number(edge{1, 3}), number(edge{3, 1}), edges.Len(), *edges.At(1))
	// Output:
	// 0 1 0 2 {1 3}
}
