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
// Which engine when: families can show that there is a witness, and how deep it
// lies, but hardly ever that there is none. So a monitor or a short search says
// first whether there is one, which takes microseconds to milliseconds on most
// histories; then families look for the depth; and what is open after that is
// left to the complete search with all of the budget. See Check.
package decide
