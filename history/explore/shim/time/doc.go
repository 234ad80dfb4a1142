// Package time replaces time in instrumented code. An execution has a clock
// of its own, which starts at a fixed time, advances with each reading, and
// jumps to the earliest sleeper or timer when no thread can go on:
//
//	thread 0   time.Sleep(time.Hour)                                  returns at once
//	thread 1                           works until nothing is left
//
// A timer is a daemon of the execution. A Timer or Ticker made outside of an execution
// follows the real clock.
package time
