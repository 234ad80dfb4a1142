package simulate_test

import (
	"context"
	"fmt"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/simulate"
)

func Example() {
	w := simulate.Workload{Model: "stack", Ops: 1000, Threads: 8, Seed: 1}
	for _, faults := range [][]simulate.Fault{nil, {{Kind: simulate.Swap, Percent: 50}}} {
		w.Faults = faults
		h, err := w.History()
		if err != nil {
			fmt.Println(err)
			return
		}
		s, err := w.Spec()
		if err != nil {
			fmt.Println(err)
			return
		}
		v, err := decide.Check(context.Background(), h, s, replay.Options{})
		fmt.Println(len(h.Ops), v.Answer, err)
	}
	// Output:
	// 1000 linearizable <nil>
	// 1000 not-linearizable <nil>
}
