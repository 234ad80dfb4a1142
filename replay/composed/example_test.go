package composed_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/leadline/leadline/replay/composed"
)

// getOrCompute memoises the square of key. It is Figure 12 v.
func getOrCompute(m composed.Map, key int) int {
	if v, ok := m.Load(key); ok {
		return v.(int)
	}
	v := key * key
	m.LoadOrStore(key, v)
	return v
}

// In a test of yours, this is TestGetOrCompute.
func ExampleTest() {
	_ = func(t *testing.T) {
		composed.Test(t, func(m composed.Map) any { return getOrCompute(m, 7) }, composed.Options{})
	}
}

// Outside of tests, Explore returns a report.
func ExampleExplore() {
	report, err := composed.Explore(context.Background(), func(m composed.Map) any { return getOrCompute(m, 7) }, composed.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Violation)
	// Output:
	// the method is not atomic
	//
	//     the method                     the environment
	//     Load(7): nil, false
	//                                    LoadOrStore(7, 50): 50, false
	//     LoadOrStore(7, 49): 50, true
	//     returns 49
	//                                    then the collection holds {7: 50}
	//
	// If the method were atomic and ran
	//   - before the environment's operations: LoadOrStore(7, 50) would return 49, true
	//   - after LoadOrStore(7, 50): the method would return 50
	// To reproduce: composed.Test(t, method, composed.Options{Replay: "1: 0 1 4"}), with the other options as they were
}
