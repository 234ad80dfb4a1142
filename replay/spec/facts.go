package spec

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// facts are the facts about a method that engines may assume, in the row of the method.
// A fact has to be true in every state: a wrong one makes verdicts wrong.
type facts uint16

const (
	reads      facts = 1 << iota // changes nothing
	failsFalse                   // changes nothing where it returns false, which is not an element
	failsNull                    // changes nothing where it returns null, which is not an element
	keyed                        // concerns the key, or element, that is its first argument, and no other
	inserts                      // inserts its last argument
	removes                      // removes and returns a value, or removes its argument from a set
	finds                        // returns the value that a removal would take, or whether a set has its argument
	front                        // inserts, removes or finds at the front of a deque
	waits                        // has no transition where there is nothing to remove
	throws                       // throws an exception where there is nothing to remove or find, or no room
	counts                       // returns the number of values, or whether there are none
	empties                      // removes all values and returns nothing
	swaps                        // replaces the value equal to its last argument but one by its last argument
	resets                       // replaces the value by the initial one, and returns the old value or nothing

	updates  = facts(0) // no facts
	peeks    = reads | finds
	measures = reads | counts
)

func (f facts) has(g facts) bool { return f&g == g }

// problem describes what is wrong with the facts of a method, or returns "". A
// result can mean failure only if no element equals it.
func (f facts) problem(s *signature) string {
	switch {
	case f.has(failsFalse) && s.result != 1<<history.Bool:
		return "false may be an element"
	case f.has(failsNull) && (s.result == anyValue || !s.result.has(history.Null)):
		return "null may be an element, or is never returned"
	case (f.has(keyed) || f.has(inserts)) && len(s.params) == 0, f.has(swaps) && len(s.params) < 2:
		return "there is no argument"
	}
	return ""
}

// unchanged reports whether a method with that result left the object unchanged. A method
// that throws an exception refused one element, or found none.
func (f facts) unchanged(result value) bool {
	switch kind := result.Kind(); {
	case f.has(reads), kind == history.Exception && f&(inserts|removes) != 0:
		return true
	case kind == history.Bool:
		return f.has(failsFalse) && !result.Bool()
	default:
		return f.has(failsNull) && kind == history.Null
	}
}

// Traits returns the traits of the specification; see replay.Described.
func (s *specification[S]) Traits() replay.Traits { return s.traits }

// Facts returns the facts of op; see replay.Described.
func (s *specification[S]) Facts(op *history.Operation) replay.Facts {
	i := s.table.find(op.Method, len(op.Args))
	if i < 0 {
		return replay.Facts{}
	}
	f := s.table.list[i].facts
	known := replay.Facts{ReadOnly: f.unchanged(op.Result)}
	if f.has(keyed) {
		known.Part = 1
	}
	switch {
	case s.discipline == replay.NoDiscipline:
	case s.table.excludes(i, op.Result):
		known.Role = replay.Never
	default:
		known.Role, known.Value = s.role(f, op)
	}
	return known
}

// role returns the role of op. The result null is ambiguous in a collection
// that holds null, so such a collection is left to the search.
func (s *specification[S]) role(f facts, op *history.Operation) (replay.Role, history.Value) {
	switch d := s.discipline; {
	case f&(counts|empties) != 0 && op.Result.Kind() == history.Exception: // these throw none
		return replay.Never, history.Value{}
	case f.has(counts):
		return sizeRole(op)
	case f.has(empties):
		return replay.Clear, history.Value{}
	case f&(inserts|removes|finds) == 0:
		return replay.Other, history.Value{}
	case d == replay.Named || d == replay.Counted:
		return namedRole(f, op)
	case f.has(inserts):
		return s.insertRole(f, op)
	}
	return s.takeRole(f, op)
}

// role returns the role of a method according to its facts.
func (f facts) role() replay.Role {
	back, first := replay.Look, replay.LookFront
	switch {
	case f.has(inserts):
		back, first = replay.Insert, replay.InsertFront
	case f.has(removes):
		back, first = replay.Remove, replay.RemoveFront
	}
	if f.has(front) {
		return first
	}
	return back
}

// sizeRole is the role of methods that return a size, or whether it is 0.
func sizeRole(op *history.Operation) (replay.Role, history.Value) {
	r := op.Result
	switch {
	case op.Pending():
		return replay.Idle, history.Value{}
	case r.Bool(), r.Equal(history.IntValue(0)):
		return replay.Nothing, history.Value{}
	case r.Kind() == history.Bool:
		return replay.Size, history.UnknownValue
	case r.Kind() == history.Int && r.Int() > 0:
		return replay.Size, r
	}
	return replay.Other, history.Value{}
}

// namedRole is the role of the methods of a set or multiset.
func namedRole(f facts, op *history.Operation) (replay.Role, history.Value) {
	role, v := f.role(), op.Args[0]
	switch {
	case op.Pending() && role == replay.Look:
		return replay.Idle, v
	case op.Pending():
		return role, v
	case op.Result.Kind() == history.None: // a multiset's add
		return role, v
	case op.Result.Kind() == history.Int:
		return countRole(op.Result.Int()), v
	case op.Result.Kind() != history.Bool:
		return replay.Other, v
	case op.Result.Bool():
		return role, v
	case role == replay.Insert: // it was in the set before
		return replay.Look, v
	}
	return replay.Absent, v
}

// countRole is the role of a multiset's count.
func countRole(n int64) replay.Role {
	switch {
	case n == 0:
		return replay.Absent
	case n == 1:
		return replay.Look
	}
	return replay.Never // if values are distinct
}

// insertRole is the role of methods that insert their last argument.
func (s *specification[S]) insertRole(f facts, op *history.Operation) (replay.Role, history.Value) {
	v := op.Args[len(op.Args)-1]
	switch {
	case v.Kind() == history.Null:
		return replay.Other, v
	case s.discipline == replay.FirstInBounded && !op.Pending() && op.Result.Kind() != history.None && !op.Result.Bool():
		return f.fullRole(op.Result), v
	case f.unchanged(op.Result): // impossible: the collection is never full, and accepts every value
		return replay.Never, v
	case s.overwritten() && v.Equal(s.initial):
		return replay.Other, v
	}
	return f.role(), v
}

// fullRole is the role of an insertion into a bounded collection, if its result does not
// show that it had an effect.
func (f facts) fullRole(result value) replay.Role {
	switch {
	case f.has(throws) && result.Equal(illegalState):
		return replay.Full
	case !f.has(throws) && f.has(failsFalse) && result.Kind() == history.Bool:
		return replay.Full
	}
	return replay.Other
}

// takeRole is the role of methods that return a value. If there is none, they return
// null or throw an exception.
func (s *specification[S]) takeRole(f facts, op *history.Operation) (replay.Role, history.Value) {
	v := op.Result
	switch {
	case op.Pending() && f.has(reads):
		return replay.Idle, history.Value{}
	case op.Pending():
		return f.role(), history.UnknownValue
	case v.Kind() == history.Unknown:
		return replay.Other, history.Value{}
	case v.Kind() == history.Exception && f.has(throws) && v.Equal(noSuchElement):
		return replay.Nothing, v
	case v.Kind() == history.Exception:
		return replay.Never, v
	case s.overwritten():
		if v.Equal(s.initial) {
			return replay.Nothing, v
		}
		return f.role(), v
	case v.Kind() == history.Null && f.has(waits):
		return replay.Never, v
	case v.Kind() == history.Null:
		return replay.Nothing, v
	}
	return f.role(), v
}

// overwritten reports whether an insertion replaces the previous value.
func (s *specification[S]) overwritten() bool {
	return s.discipline == replay.Overwritten || s.discipline == replay.OverwrittenByKey
}

// A cellSpec is the specification of a register, or of a map of registers.
type cellSpec[S state[S]] struct{ *specification[S] }

// AppendCellSteps appends what op does to the values; see replay.Overwriting.
func (s cellSpec[S]) AppendCellSteps(dst []replay.CellStep, op *history.Operation) ([]replay.CellStep, bool) {
	f, r, n := s.table.list[s.table.find(op.Method, len(op.Args))].facts, op.Result, len(op.Args)
	key := history.NullValue
	if f.has(keyed) {
		key = op.Args[0]
	}
	add := func(kind replay.CellStepKind, v value) {
		dst = append(dst, replay.CellStep{Kind: kind, Key: key, Value: v})
	}
	switch isException := r.Kind() == history.Exception; {
	case !isException && f.has(peeks) && !r.HoldsUnknown():
		add(replay.CellRead, r)
	case !isException && (f.has(reads) || f.unchanged(r)):
	case !isException && f.has(inserts) && !op.Args[n-1].HoldsUnknown():
		add(replay.CellWrite, op.Args[n-1])
	case f.has(swaps) && (op.Pending() || r.Kind() == history.Bool) && !slices.ContainsFunc(op.Args, value.HoldsUnknown):
		add(replay.CellRead, op.Args[n-2])
		add(replay.CellWrite, op.Args[n-1])
	default:
		add(replay.CellOther, r)
		return dst, s.traits.Partitioned == f.has(keyed)
	}
	return dst, true
}

// FirstValue returns the initial value; see replay.Overwriting.
func (s cellSpec[S]) FirstValue(value) value { return s.initial }

// Initially returns the specification with another initial value; see replay.Initial.
func (s *specification[S]) Initially(v value) (replay.Spec, bool) {
	other, err := Lookup(s.name, []value{v})
	return other, err == nil
}

// Concern returns the values that op is about; see replay.Separable.
func (s *specification[S]) Concern(op *history.Operation) replay.Concern {
	i := s.table.find(op.Method, len(op.Args))
	if i < 0 {
		return replay.Concern{}
	}
	f, r := s.table.list[i].facts, op.Result
	switch {
	case s.table.excludes(i, r):
		return replay.Concern{Apart: true} // no state gives the result
	case r.Kind() == history.Exception:
		return replay.Concern{Apart: f.has(throws) && r.Equal(noSuchElement)} // it found nothing
	case f.has(empties):
		return replay.Concern{Apart: true}
	case f.has(counts):
		return replay.Concern{Apart: r.Kind() == history.Bool && r.Bool() || r.Equal(history.IntValue(0))}
	case s.isCell:
		return s.concernOfCell(f, op)
	case f.has(keyed):
		return replay.Concern{} // a part is a value
	}
	return f.concern(op, s.table.list[i].result)
}

// concern is the concern of an operation on a collection whose values are not
// parts. kinds are the kinds of result that its method has.
func (f facts) concern(op *history.Operation, kinds kinds) replay.Concern {
	r := op.Result
	switch {
	case f.has(inserts):
		// An insertion that returned nothing, or true, found room.
		apart := op.Pending() || kinds == nothing || r.Kind() == history.None || r.Kind() == history.Bool && r.Bool()
		return replay.Concern{Apart: apart, Change: 1, Values: [2]value{op.Args[len(op.Args)-1]}}
	case f&(removes|finds) == 0:
		return replay.Concern{}
	case op.Pending():
		return replay.Concern{Apart: true}
	case r.Kind() == history.Unknown:
		return replay.Concern{}
	}
	c := replay.Concern{Apart: true, Vacant: r.Kind() == history.Null && !f.has(waits), Values: [2]value{r}}
	if f.has(removes) {
		c.Change = -1
	}
	return c
}

// concernOfCell is the concern of an operation on an object, or a part, that holds one
// value.
func (s *specification[S]) concernOfCell(f facts, op *history.Operation) replay.Concern {
	r, n := op.Result, len(op.Args)
	switch {
	case f.has(inserts):
		return replay.Concern{Apart: true, Values: [2]value{op.Args[n-1]}}
	case f.has(swaps):
		return replay.Concern{Apart: op.Pending() || r.Kind() == history.Bool && r.Bool(), Values: [2]value{op.Args[n-2], op.Args[n-1]}}
	case f.has(resets) && (r.Kind() == history.Unknown || r.Kind() == history.None):
		return replay.Concern{Apart: true, Values: [2]value{s.initial}}
	case f.has(resets):
		return replay.Concern{Apart: true, Values: [2]value{s.initial, r}}
	case f.has(finds) && r.Kind() != history.Unknown:
		return replay.Concern{Apart: true, Values: [2]value{r}}
	}
	return replay.Concern{} // a cas that failed, or an update that depends on the value
}
