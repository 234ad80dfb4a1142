// # Explore
//
// Explore runs the Go tests that you have under one schedule of their goroutines after another. Neither
// the tests nor the module change, and the module need not require leadline:
//
//	leadline explore ./...
//	leadline explore --run TestShutdown ./pool
//
// It builds the test program of each package with copies of the code in which package sync, channels,
// timers and package testing are controlled, and gives each test a process of its own. Schedules without a
// preemption come first, then some random ones, then all with one delay or preemption, and so on. A
// test is done after 20,000 executions, 10 seconds, or all schedules up to the bound. It has a fault if
//   - it fails, or a goroutine panics, or the runtime would end the process
//   - it is in a deadlock: it has not ended, and nothing can go on
//   - a goroutine is left that nothing can wake any more (--leaks at-end: any that waits; none: no such check)
//
// Results count only if the test asserts something about them: a history that it records (package history/record) and
// hands to stresstest.Check is judged in each execution. Data races are a matter of go test -race.
//
// A fault comes with the schedule that has the fewest preemptions and then the fewest steps that were found, with
// the place of each step. It has been replayed in the process, and as the first execution of two new ones.
// The schedule is saved in testdata/leadline beside the test and tried first next time; leadline replay FILE
// shows it again. Some of the random schedules show the fault, too: the last line says how many.
//
// These are eight tests with a fault each.
//
// A signal is lost if it comes before the wait:
//
//	func TestLostSignal(t *testing.T) {
//		var mu sync.Mutex
//		ready := sync.NewCond(&mu)
//		go func() { mu.Lock(); ready.Signal(); mu.Unlock() }()
//		mu.Lock()
//		ready.Wait()
//		mu.Unlock()
//	}
//
// Two locks are taken in two orders:
//
//	func TestLockOrder(t *testing.T) {
//		var a, b sync.Mutex
//		go func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() }()
//		b.Lock()
//		a.Lock()
//		a.Unlock()
//		b.Unlock()
//	}
//
// Two goroutines see that a channel is open, and close it:
//
//	func TestDoubleClose(t *testing.T) {
//		var closed atomic.Bool
//		done := make(chan bool)
//		stop := func() {
//			if !closed.Load() {
//				closed.Store(true)
//				close(done)
//			}
//		}
//		go stop()
//		stop()
//	}
//
// A channel is closed while others may still send:
//
//	func TestSendOnClosed(t *testing.T) {
//		results := make(chan int, 2)
//		go func() { results <- 1 }()
//		go func() { results <- 2 }()
//		<-results
//		close(results)
//	}
//
// A goroutine is counted when it runs, which may be after the wait:
//
//	func TestWaitGroup(t *testing.T) {
//		var wg sync.WaitGroup
//		var n atomic.Int64
//		for range 2 {
//			go func() { wg.Add(1); n.Add(1); wg.Done() }()
//		}
//		wg.Wait()
//		if n.Load() != 2 {
//			t.Fatalf("%d of 2 have run", n.Load())
//		}
//	}
//
// Nobody receives what a worker sends after a timeout:
//
//	func TestLeakedWorker(t *testing.T) {
//		result := make(chan int)
//		quit := make(chan bool)
//		go func() { result <- 1 }()
//		go func() { close(quit) }()
//		select {
//		case <-result:
//		case <-quit:
//		}
//	}
//
// A context and a result are ready at the same time:
//
//	func TestContextRace(t *testing.T) {
//		ctx, cancel := context.WithCancel(t.Context())
//		defer cancel()
//		result := make(chan int, 1)
//		go func() { result <- 1; cancel() }()
//		select {
//		case <-result:
//		case <-ctx.Done():
//			t.Fatal("the result is lost")
//		}
//	}
//
// A timer goes off before it is stopped, with --timers anytime:
//
//	func TestTimerRace(t *testing.T) {
//		var expired atomic.Bool
//		timer := time.AfterFunc(time.Minute, func() { expired.Store(true) })
//		if timer.Stop(); expired.Load() {
//			t.Fatal("it expired")
//		}
//	}
//
// The command line is leadline explore --timers anytime, and this is the table, without what follows each
// fault:
//
//	fault  TestLostSignal: deadlock
//	fault  TestLockOrder: deadlock
//	fault  TestDoubleClose: panic
//	fault  TestSendOnClosed: panic
//	fault  TestWaitGroup: failed
//	fault  TestLeakedWorker: leak
//	fault  TestContextRace: failed
//	fault  TestTimerRace: failed
//
// Each test has a line, and the last line counts them: fault; explored, with the bound up to which all
// schedules were run; sequential, if it starts no goroutine; cut, if no execution has ended, since there are
// too many steps or goroutines (64 at a time), or goroutines that only sleep or poll; skipped, if it skips
// itself; and refused, with the reason:
//   - it waits for something outside, such as a network: "net.(*TCPListener).Accept waits for the world outside".
//     Files, the environment and commands that return soon may be used.
//   - it keeps state: its second execution, with the same schedule, differs from the first one, or its fault does
//     not occur in a new process. Package-level variables are restored before each execution, but not variables
//     that a closure has captured, files, or those of packages that are not instrumented.
//   - it needs a goroutine that init or TestMain has started
//
// Time is virtual. It passes when nothing else can go on; when the test has ended, too. So guards such as
// time.After(5 * time.Second) do not expire while the test goes on. --timers anytime then also lets it pass at any
// step: such a guard then fails, and a race with a timer is found. Maps, select and random numbers are choices of
// the schedule. Only --plain makes steps of plain loads and stores, and finds what depends on a data race.
// Timers are those of Go 1.23, also where the go.mod names an older version. A vendor directory is not used: the module
// cache needs the modules. Examples, benchmarks and fuzz targets are not explored.
//
// The exit status is 1 if a test has a fault, 2 if a package cannot be built, and 3 if a test that --run
// names, or every test with goroutines, was refused or cut. --junit writes a report in which faults are
// failures, and what was not explored is skipped. In Go, stresstest.Explore does the same for a function in a test.
package main
