// Package order decides queues, stacks, priority queues and deques by constraints on pairs
// of operations. The order of two insertions becomes visible only when their values leave,
// so that a search along the responses would try all orders of many insertions. This package
// leaves the order of two operations open until others require it. Variables say which
// operation comes first, and clauses say what the collection requires of two values. A
// solver of propositional formulas learns a clause from each conflict. Its time and memory
// grow with the number of concurrent pairs and with the number of insertions that a removal
// may take, and hardly with the number of orders.
package order
