// Package proof checks certificates that a history is not linearizable, and makes them. It imports
// nothing else of leadline: whoever doubts leadline's verdicts reads this package alone.
//
//	certificate, err := proof.Make(history, proof.Hint{Core: []int{0, 2}})
//	claim, err := proof.Verify(certificate, history)
//
// A certificate has some operations of the history, with their intervals and edges, and a set of
// configurations. A configuration is a set of these operations, which are done, and a state.
//
//	{"certificate":1,"sha256":"5f0d...","model":"queue","until":5,"of":5,"only":[1]}
//	{"operation":0,"call":1,"return":2,"method":"enqueue","args":[1]}
//	{"operation":2,"call":4,"return":5,"method":"dequeue","result":null}
//	{"done":0,"state":[]}
//	{"done":1,"state":[1]}
//
// # Theorem
//
// If Verify accepts a certificate, the history has no linearization.
//
// Closed set. The set contains the start (nothing is done), and no end (all operations are done that
// returned, or are known to have happened). If a configuration is in it, then so is each that follows: one
// more operation is done, which had its result, and before which all are done that have to come
// before it. Suppose that the operations have a linearization. Then each of its prefixes is such a
// configuration: the empty one is the start, and each other one follows the one before. So
// all are in the set, and the last one is an end, which it does not contain.
//
// So these operations have no linearization. It remains to show that the history has none, if the
// others are left out as checkLeftOut allows. Let W be a linearization of the history; each of these
// steps makes one of what remains.
//
// Time. Events after a given one are left out; operations that are open then are pending, and are no
// longer known to happen. Take W up to the last operation that has returned by then. What it has was
// invoked by then. If it has an operation, it has all that come before it by an edge.
//
// Reads. An operation is left out that changes nothing where it has its result. Without it, all others meet
// the same states in W.
//
// Only. Operations are left out that are about keys or values not in a list, and the
// others are about those in it and apart. Keys are those of a map, or of lists; values are the elements of a
// collection, or what a register holds. Relate a state s of W to the state t of the rest of W:
//   - Collections, maps, lists: t is s without the other elements or keys. What is left out
//     keeps t, as it adds or removes only these. What is apart does the same in t, with the same result: it
//     adds, removes or finds an element that was kept, and which is first or last, least or greatest, or
//     there in t if it was in s; or it finds s empty, as t is then. If it is pending and takes an
//     element that was left out, it is left out of the rest: it need not have taken effect, unless
//     an edge leads from it. Then it is not apart.
//   - Lists of sets, and transactions on lists, are kept without the other elements and keys.
//   - Registers: t = s, or s is not in the list. What is left out makes s a value that is not in the
//     list, or keeps it. What is kept and needs a value needs one in the list: then t = s. What it writes
//     makes both equal.
//
// Not apart, so that nothing may be left out beside it, are a size that is not 0, an element that found no room, a
// removal that returned something unknown, and a compare-and-set that failed.
//
// A method without a result accepts any recorded result. Null and [] both mean an empty list.
//
// Edges. An edge of the certificate holds if real time and the edges of the history imply it.
//
// # What is not checked
//
// Without the history, Verify only checks that the operations of the certificate have no
// linearization. With it, the history is what leadline convert prints of some file, as its SHA-256
// says; package proof has a reader of its own for that form. That a foreign format was
// converted as it should be is not checked. The sequential objects here are those of leadline's
// specifications of the same names, written again.
package proof
