// Package window decides long histories of queues into which values are inserted more than
// once. It goes along the responses, and looks only at the operations that are open at each
// of them. A removal fixes the order of insertions, so configurations differ mainly in the
// removals that have been placed; see queueSearch. Sizes are woven into the witness of the
// rest.
package window
