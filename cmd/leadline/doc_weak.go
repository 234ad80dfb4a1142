// # Weaker consistency
//
// Some methods are documented not to be atomic: the size of a concurrent map, or a loop over
// its entries. With --weak, the operations of such methods may miss effects of others:
//
//	leadline check --weak size=bundle recorded.jsonl
//
// Then an order of all operations has to explain the results of the other methods, as
// always. A weak operation sees only some of the operations before it in that order: its
// result is the one that it gives after these alone. Its level says which ones it
// has to see (Emmi and Enea, POPL 2019). Each level has the rules of the one above it, too:
//   - weak, also without =LEVEL: none;
//   - basic: those that returned before it was called;
//   - monotonic: what operations that returned before it was called saw;
//   - peer: with an operation, those that returned before that one was called;
//   - causal: with an operation, what that one saw.
//
// The level bundle is for methods that read all keys of a map or all elements of a set: they
// are one read for each, anywhere between call and return. That is what sync.Map promises
// for Range. A weak method may also change the object. Its changes are seen like
// others; only its own result may miss some.
//
// Lines have consistent or not-consistent. With -v, a consistent history is followed by the
// order, and by what each weak operation does not see of it. If one weak result
// cannot be explained, or several together, check names them:
//
//	$ leadline check --weak size=bundle replay/weak/testdata/sizes.jsonl
//	consistent        by search    4 ops   2 procs  c=2  cp=2    3 orders       replay/weak/testdata/sizes.jsonl#between
//	not-consistent    -            5 ops   2 procs  c=2  cp=2    3 orders       replay/weak/testdata/sizes.jsonl#later
//	    no order explains 4 size(): 0 (process B, line 21)
//	+-------+-----------+----------+---------+-----------------------+---------+---------+
//	| model | histories | no depth | pending | not weakly consistent | unknown | invalid |
//	+-------+-----------+----------+---------+-----------------------+---------+---------+
//	| kv    |         2 |        1 |       0 |                     1 |       0 |       0 |
//	+-------+-----------+----------+---------+-----------------------+---------+---------+
//	2 histories: 1 weakly consistent, 1 not weakly consistent, 0 unknown, 0 invalid
//
// In JSON, weak has the levels that apply to the history, and unseen the operations of the
// witness that miss others. The words of verdict stay the same. If no order explains the
// other results either, the reason concerns the history without the weak results.
//
// leadline stress --weak Len=monotonic runs the object itself to find out what Len can return: on a
// new object, after the calls that it may see. So it needs no model. In the outcomes of threads,
// what happened before a call is what the program puts in order; in recorded executions
// and in schedules, it is what had returned. A violation names the level that explains it,
// and what reading methods return after it:
//
//	striped.New.Len is not atomic: { Remove(0); Put(1,0) } || { Put(0,0); Len() }
//	  answered T,0,0,2 in 1 of 36 schedules; one after another:  F,0,0,1  F,0,0,2  T,0,0,0  T,0,0,1
//	  would be allowed if Len may miss calls that overlap it (--weak Len=bundle)
//
// For bundle, the first argument of a method is the key that it changes, and changes of different keys have to
// be independent. Programs with more than 8192 lists of calls that a method may
// see are not run, nor are those in which calls wait for one another. Without =LEVEL, the results of a
// method do not count at all.
//
// Thirty sizes among a thousand operations of a map, with up to eight threads, take about a
// second with weak, basic and bundle. The other levels take more work, because what one operation
// sees restricts others; so do methods that read all keys and do not count them. The
// specification must be deterministic. bundle cannot be combined with monotonic, peer or causal.
package main
