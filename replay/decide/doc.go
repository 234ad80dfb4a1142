// Package decide checks whether a history is linearizable. Check is the entry
// point of the whole module: it orders the engines, watches the budget and
// has every witness replayed once more before it is reported.
//
//	A  |--write(1)--|        |--read: 2--|
//	B     |--write(2)--|
//	C        |------read: 1------|
//
// C reads what A wrote and A reads what B wrote, so that write(1), C's read,
// write(2), A's read is the only witness. It delays write(2) beyond C's read,
// which takes a family of d = 2.
//
// Which engine when: a family of small d is cheap and finds most witnesses,
// and the depth is worth knowing, so families come first; what they leave
// open is for the complete search. See Check.
package decide
