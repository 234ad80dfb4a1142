// Package rand replaces math/rand/v2 in instrumented code. In an execution the
// functions of the package draw from schedule.Rand64, whose first numbers are
// choices to explore:
//
//	rand.IntN(2)   1 or 0, in different executions
//
// A source that the program seeds is the real one.
package rand
