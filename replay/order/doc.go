// Package order decides queues, stacks, priority queues, deques and registers by
// constraints on pairs of operations. The order of two insertions becomes visible only when
// their values leave, so that a search along the responses would try all orders of many
// insertions. This package leaves the order of two operations open until others require it.
//
//	A  |--write(1)--|     |--read: 2--|
//	B    |--write(2)--|
//
// A's read sees write(2), so write(1) comes before write(2), or after the read. It returned
// before the read was invoked. So it comes before write(2).
//
// Variables say which operation comes first, and which write or insertion an operation sees
// or takes. Clauses say what the object requires; see collection and cells. A solver
// satisfies or refutes them. Its time and memory grow with the number of concurrent pairs
// and with the number of choices, and hardly with the number of orders.
//
// The solver learns a clause from each conflict. Its parts are the usual ones: the trail of
// assigned literals, clauses with two watched literals, decisions by activity, learning from
// the first unique implication point, restarts, and the reduction of learnt clauses. Beside
// the clauses there is one theory, the order of operations.
package order
