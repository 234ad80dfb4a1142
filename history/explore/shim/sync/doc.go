// Package sync replaces sync in instrumented code.
//
// A waiting Lock of a Mutex is one step: a thread that has not arrived yet may be
// slow, so the order of arrival adds nothing. Where arrival matters it is a step of its
// own: a writer that waits for an RWMutex keeps new readers out, Cond.Wait
// takes part in the next Signal, WaitGroup.Wait returns once the counter was zero.
//
//	thread 0   RLock              RLock     waits for thread 1
//	thread 1           Lock                 waits for thread 0: a deadlock
//
// Pool.Get may choose between an object that was put and a new one, and
// Map.Range the order of its keys.
package sync
