// Package rand replaces math/rand in instrumented code. In an execution the
// functions of the package draw from schedule.Rand64, whose first numbers are
// choices to explore:
//
//	rand.Intn(2)   1 or 0, in different executions
//
// A source that the program seeds in an execution is the real one.
package rand
