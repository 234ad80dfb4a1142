// Package table has the hash table of the engines. It numbers keys from 0 on, in
// the order in which they are added. Three types differ in where the keys are:
//
//	Index     the user keeps the keys
//	Table[K]  the table keeps the keys, which are of type K
//	Words     the table keeps the keys, which are of one or more words each
//
// The user computes the hash of a key, for instance with Hash or Mix, and
// compares keys. For example, three keys whose hashes end in the same bits are in
// this table of eight slots:
//
//	t.Add(hash("a")) = 0    hash ...010
//	t.Add(hash("b")) = 1    hash ...010
//	t.Add(hash("c")) = 2    hash ...011
//
//	slot      0   1   2   3   4   5   6   7
//	number            0   1   2
//
// A slot has the number of a key and its hash, so keys are compared only if
// their hashes are equal, and not at all when the table grows.
//
// Promised: numbers depend on the order of Add alone. A table grows step by step: engines
// count work in small steps, and a pause of tenths of a second would exceed their bounds.
// Bytes is known at any time, for the same reason. Not promised: that a hash is hard to attack.
package table
