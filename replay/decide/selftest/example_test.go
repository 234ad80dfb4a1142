package selftest_test

import (
	"context"
	"fmt"

	"github.com/leadline/leadline/replay/decide/selftest"
)

func Example() {
	report, err := selftest.Run(context.Background(), selftest.Options{Ops: 2, Seed: 1, Random: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("every history of up to %d operations and %d random ones of a %s: %d disagreements\n",
		report.Complete, report.Kinds[0].Random, report.Kinds[0].Name, report.Wrong)
	for _, d := range report.Disagreements {
		fmt.Println(d.History.ID, d.Linearizable, d.Verdicts)
	}
	// Output: every history of up to 2 operations and 64 random ones of a register: 0 disagreements
}
