// Package poset implements finite partial orders on the elements 0..n-1, with
// their chains, widths and linear extensions. It does not depend on histories.
//
// A history's operations form an interval order: i < j iff i's response comes
// before j's invocation. Interval keeps such an order in 8 bytes per element.
// Orders beyond real time (program order alone, extra edges) need not be
// interval orders; New and Extend keep them as a relation, in n*n/8 bytes.
//
// Four operations of three processes, with the positions of their events:
//
//	process 0  |--0--|     |----2----|
//	process 1     |----1----|
//	process 2                   |--3--|
//	position   0  1  2     3 4  5   6 7
//
//	0 < 2, 0 < 3, 1 < 3; concurrent: 0 and 1, 1 and 2, 2 and 3
//
// So cp = 3 pairs are concurrent, at most c = 2 operations at once, two chains
// suffice (0 2 and 1 3), and there are 5 linear extensions.
//
// Faulty data, such as a cycle or an edge that names no element, is an error. A
// programming error, such as intervals out of order or the Len of a nil Poset, is a
// panic whose message begins with "poset: ".
//
// Promised: results depend on the arguments only, and chains, orders and blocks
// are the same on every run. Not promised: that New recognises an interval order.
package poset
