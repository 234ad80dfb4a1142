// Package values has the arguments and results of calls of Go methods as history.Values.
//
// A Kind is the kind of a parameter: what arguments programs have for it, how they are
// written, and what Go value each stands for. Of returns the Kind of a Go type. Show makes a
// Value of a result.
//
//	Go type                     an argument in a program      the Go value
//	int, uint8, float64         1
//	string, []byte, error       "1"                           errors.New("1")
//	io.Reader, *bytes.Buffer    "1"                           strings.NewReader("1")
//	bool                        true
//	any                         1 or "1"
//	[]int, iter.Seq[int]        [0,1]                         also <-chan int, closed
//	map[int]int, iter.Seq2      {0=1}
//	struct                      [0,"1"]                       the fields that have values
//	*int, [4]int                1                             a new pointer; four times 1
//	time.Duration               1ns                           as an integer in histories
//	time.Time                   @1                            time.Unix(1, 0), likewise
//	context.Context             nothing, or canceled          context.Background()
//	*T, of the object's type    new, self                     another object; the object
//	*T, an interface            NewT                          what a constructor of the package returns
//	func(int) int               +1, keep, =0, =1              argument + 1, the argument, 0, 1
//	func(int) bool              =true, =false, once           once: false from the second call on
//	func(a, b T) bool, int      less, compare
//	func(T) uint64              hash
//	func() (T, error)           =0, fail                      fail: an error
//	func(T)                     f
//	io.Writer, chan T           w, chan                       chan: with a buffer
//
// A word such as +1 is a String in histories.
//
// Functions are pure, since an object may call them again when a compare-and-swap fails. Only
// once counts, for each call of the method by itself. A call of a method records the calls of
// f and once, and what is written to w: they are part of its result. It records only what
// its own goroutine does until it returns. What another goroutine does depends on the
// schedule, so it does not count.
//
// Objects may keep what they are given, and may change it. So each call gets new slices, maps,
// pointers, functions and interface values.
//
// Durations are a few nanoseconds, so that a call hardly waits. An hour would let what another
// call has stored expire while one waits, which no order of the calls explains.
package values
