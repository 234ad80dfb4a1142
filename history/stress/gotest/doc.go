// Package gotest has the parts of Go tests that reproduce a violation and need nothing but the
// standard library and the package under test.
//
// Package stress and the command write such tests. Parallel has the function that runs sequences
// of calls in parallel, Shown the functions that write results as package stress compares them,
// and Imports the names of packages.
package gotest

import (
	_ "embed"
	"strings"
)

//go:embed show.go
var show string

// Shown has the declarations result, shown, sequence and others, which write results of calls
// as values.Show and stress.Outcome have them. They need the imports of ShownImports.
var Shown = show[strings.Index(show, "\n// result "):]

// ShownImports are the imports of Shown.
var ShownImports = []string{"math", "reflect", "regexp", "slices", "strconv", "strings", "time", "unicode/utf8"}

// NotReturning is what a test reports of calls that do not return.
const NotReturning = "calls do not return"

// Must declares the function must, for constructors that return an error, too.
const Must = `
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
`

// ParallelImports are the imports of Parallel.
var ParallelImports = []string{"math/rand/v2", "runtime", "sync/atomic", "testing", "time"}

// Parallel declares the function parallel.
const Parallel = `
// parallel makes instances, a hundred at a time, and runs the sequences of calls of
// each in parallel. The sequences begin at the same time, except for short delays.
func parallel(t *testing.T, executions int, test func() []func()) {
	for done := 0; done < executions; done += 100 {
		var m runtime.MemStats
		if runtime.ReadMemStats(&m); m.Sys > 2<<30 {
			t.Skipf("the instances use too much memory after %d executions", done)
		}
		var batch [100][]func()
		for i := range batch {
			batch[i] = test()
		}
		var arrived [100]atomic.Int32
		ended := make(chan bool, len(batch[0]))
		for n := range batch[0] {
			go func() {
				for i, sequences := range batch {
					delay := rand.IntN(400) * rand.IntN(2)
					arrived[i].Add(1)
					for spins := 0; arrived[i].Load() < int32(len(sequences)); spins++ {
						if spins > 1000 {
							runtime.Gosched()
						}
					}
					for range delay {
						arrived[i].Load()
					}
					sequences[n]()
				}
				ended <- true
			}()
		}
		timer := time.NewTimer(20 * time.Second)
		for range batch[0] {
			select {
			case <-ended:
			case <-timer.C:
				stacks := make([]byte, 1<<20)
				t.Fatalf("` + NotReturning + `:\n%s", stacks[:runtime.Stack(stacks, true)])
			}
		}
		timer.Stop()
	}
}
`
