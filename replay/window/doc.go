// Package window decides long histories of queues and stacks into which values are inserted
// more than once. It goes along the responses, and looks only at the operations that are
// open at each of them.
//
//   - In a queue, a removal fixes the order of insertions, so configurations differ mainly
//     in the removals that have been placed; see queueSearch.
//   - A stack has a beam search, which stores sets of whole stacks; see stackBeam.
//
// Sizes, and in a stack all reads, are woven into the witness of the rest.
package window
