package replay

import (
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
)

// NoOperation stands for no operation of a history.
const NoOperation = -1

// An Explanation is the reason why a history is not linearizable. It names
// results, not causes: a broken mutator shows in a later read that is correct
// in itself. Each part holds by the checker's own verdicts. Missing names the
// parts that were not computed.
type Explanation struct {
	// Prefix is the number of events (invocations and responses, in order) of
	// the shortest prefix of the history that is not linearizable. Its last
	// event is the response of Unexplained. Prefix is 0 if there is no such prefix,
	// because real time alone can be explained, or if it is missing. If one or two operations
	// of a long history contradict all orders (see ByVersion), it is the prefix that ends with
	// them, and shorter ones may fail as well.
	Prefix int
	// Unexplained is the operation of the first response that no order
	// explains: up to the event before it the history is linearizable. It is
	// NoOperation if real time alone can be explained; then Marks and Edges are
	// the reason.
	Unexplained int32
	// Impossible is why no state at all gives the recorded result of Unexplained,
	// as in "remove never returns null; it returns int" or "99 is never enqueued", or "" if
	// that is not known; see the function Impossible and the type Holder.
	Impossible string
	// Difference is what is missing, extra or out of order in the recorded result of
	// Unexplained, whatever the order, if it lists the elements of a collection. OutOfOrder
	// may have some of the pairs only.
	Difference Difference
	// Lists is true if a list that Unexplained returns has elements of the collection, and is
	// not one of its values.
	Lists bool
	// States are the states in which the object can be just before that response, as
	// StateText writes them, in the order of their texts. Each is the last state of an
	// order of the events before the response. Operations that are open may have taken
	// effect or not. If there are more than MaxStates, States has
	// some of them and MoreStates is true.
	//
	// If the object is partitioned, they are the states of the part that the operation
	// concerns. If StatesOfCore is true, they are states of the minimal sub-history,
	// because the states of the whole history were too many to count. If CoreOps is not nil,
	// States have only the parts and elements of CoreOps.
	States       []string
	MoreStates   bool
	StatesOfCore bool
	// Returns has, for each of States, the results that Unexplained gets if it takes
	// effect in that state. The list is empty, but not nil, if the operation has to wait
	// there, and nil if it has taken effect in all orders that end in that state.
	// Earlier are the results that it got in orders in which it has taken effect before.
	// No result in Returns or Earlier is the recorded one. Both are nil if they were not
	// computed.
	Returns [][]history.Value
	Earlier []history.Value
	// Core are the operations of a minimal sub-history that is not linearizable
	// by itself, in order of their invocations. The sub-history ends where Prefix does:
	// later responses are not part of it. Package replay/explain documents what
	// may be removed from a history without creating a failure. If any further part of
	// that kind is removed from Core, the rest is linearizable. If Missing has "core",
	// Core is not linearizable but may not be minimal.
	Core []int32
	// CoreOps are the operations of Core without parts and elements that do not matter (see
	// Projectable), such as the other elements in a list of the elements of a set. Then not
	// Core as recorded, but CoreOps are minimal. Parts and Elements are those that matter;
	// Elements is empty if the parts are no lists. All three are nil if nothing is left out.
	CoreOps         []history.Operation
	Parts, Elements []history.Value
	// CoreMarks and CoreEdges are what Core fails with, besides real time or the order
	// within processes: pending operations in it that are known to have happened, and
	// orders between its operations. Such an order may come from edges through other
	// operations.
	CoreMarks []int32
	CoreEdges []history.Edge
	// Marks are pending operations that are known to have happened, and Edges
	// are orders beyond real time, or beyond the order within processes. Together they
	// leave no order; without any one of them there is one. Both are nil unless
	// Unexplained is NoOperation.
	Marks []int32
	Edges []history.Edge
	// Free are the ways to make the history linearizable by freeing the results
	// of as few operations as possible, at most three. Each is a group of
	// operations. If it is empty, no such group exists. If Missing has "blame",
	// Free may be incomplete: there may be other groups, or smaller ones.
	Free [][]FreedResult
	// Initial is another initial value, as in "cas-register:0", under which the history is
	// linearizable, or ""; see the type Initial. It is one of the values that operations of Core
	// found. InitialNext is NoOperation if the whole history is linearizable then. Otherwise,
	// the history is linearizable beyond the response of Unexplained, and InitialNext is the
	// operation of the first response that no order explains.
	Initial     string
	InitialNext int32
	// Missing are the parts that were not computed.
	Missing []MissingPart
}

// CoreOp returns operation i of h, an operation of Core, as it is in CoreOps.
func (e *Explanation) CoreOp(h *history.History, i int32) *history.Operation {
	if at, found := slices.BinarySearch(e.Core, i); found && e.CoreOps != nil {
		return &e.CoreOps[at]
	}
	return &h.Ops[i]
}

// MaxStates is the largest number of states that Explanation.States lists in
// full.
const MaxStates = 16

// A MissingPart is a part of an Explanation that was not computed.
type MissingPart struct {
	Part  string // "prefix", "states", "core", "blame", "initial" or "difference", as in JSON
	Cause string // why, for people: "time", "memory", "work", "cancelled", or a short sentence
}

// A FreedResult is an operation such that another result would make the history
// linearizable.
type FreedResult struct {
	Op int32
	// Allowed are results that make the history linearizable, together with some results of
	// the other operations of the group. There may be more such results.
	Allowed []history.Value
}

// StateText returns the state of an object in words for people, or "" if the
// object does not say: an object may be a fmt.Stringer. The text of a collection
// lists its values in the notation of history.Value, the next to be removed first.
func StateText(o Object) string {
	if s, ok := o.(fmt.Stringer); ok {
		return s.String()
	}
	return ""
}
