// Package context replaces context in instrumented code. In a scheduled execution the
// deadlines of contexts are those of its clock, and canceling a context, and asking for
// its error, are scheduling points:
//
//	thread 0   ctx, _ := context.WithTimeout(parent, time.Hour)
//	           <-ctx.Done()                                       returns at once
//	           ctx.Err()                                          context.DeadlineExceeded
//	thread 1                                                      works until nothing is left
//
// Which of several children is canceled first is a choice. Code of other packages may
// derive contexts from those of an execution. Contexts that are made outside of an
// execution are those of the real package.
package context
