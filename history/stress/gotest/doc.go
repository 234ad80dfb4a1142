// Package gotest has the parts of Go tests that reproduce a violation and need nothing but the
// standard library and the package under test.
//
// Package stress writes the body of a Test, and Imports has the names of packages.
package gotest

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

// pointer declares the function pointer.
const pointer = `
func pointer[T any](v T) *T { return &v }
`

// Round makes the calls of a hundred objects. Each goroutine runs one sequence, on one object
// after another. Sequences of an object begin at the same time, except for short delays.
const Round = `var started [100]atomic.Int32
var ended sync.WaitGroup
for n := range sequences[0] {
	ended.Go(func() {
		for i, calls := range sequences {
			for started[i].Add(1); int(started[i].Load()) < len(calls); {
				runtime.Gosched()
			}
			for range rand.IntN(400) * rand.IntN(2) {
				started[i].Load()
			}
			calls[n]()
		}
	})
}
ended.Wait()
`

// roundImports are the imports of Round, which every test has, and of parallel.
var roundImports = []string{"math/rand/v2", "runtime", "runtime/debug", "sync", "sync/atomic", "testing", "time"}

// parallel declares the function parallel.
const parallel = `
// parallel makes instances, a hundred at a time, and runs the sequences of calls of each in parallel.
func parallel(t *testing.T, executions int, test func() []func()) {
	debug.SetTraceback("all")
	for done := 0; done < executions; done += 100 {
		var m runtime.MemStats
		if runtime.ReadMemStats(&m); m.Sys > 2<<30 {
			t.Skipf("the instances use too much memory after %d executions", done)
		}
		var sequences [100][]func()
		for i := range sequences {
			sequences[i] = test()
		}
		late := time.AfterFunc(20*time.Second, func() { panic("` + NotReturning + `") })
		` + Round + `late.Stop()
	}
}
`
