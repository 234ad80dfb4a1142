package table

import (
	"fmt"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Facts are the facts about a method that engines may assume, in the row of the method.
// A fact has to be true in every state: a wrong one makes verdicts wrong.
type Facts uint32

const (
	Reads      Facts = 1 << iota // changes nothing
	FailsFalse                   // changes nothing where it returns false, which is not an element
	FailsNull                    // changes nothing where it returns null, which is not an element
	Keyed                        // concerns the key, or element, that is its first argument, and no other
	Inserts                      // inserts its last argument
	Removes                      // removes and returns a value, or removes its argument from a set
	Finds                        // returns the value that a removal would take, or whether a set has its argument
	Front                        // inserts, removes or finds at the front of a deque
	Waits                        // may have no transition: then a call waits. One that removes does so where there is nothing
	Throws                       // throws an exception where there is nothing to remove or find, or no room
	Counts                       // returns the number of values, or whether there are none
	Empties                      // removes all values and returns nothing
	Swaps                        // replaces the value equal to its last argument but one by its last argument
	Appends                      // appends its last argument to a string
	Lists                        // returns the sorted list of all values of a set
	Resets                       // replaces the value by the initial one, and returns the old value or nothing
	Advances                     // makes a new version of the object, or of its key, unless it is refused

	Updates  = Facts(0) // no facts
	Peeks    = Reads | Finds
	Measures = Reads | Counts
)

// Exceptions of methods with the fact Throws.
var (
	NoSuchElement = history.ExceptionValue("java.util.NoSuchElementException") // nothing to remove or find
	IllegalState  = history.ExceptionValue("java.lang.IllegalStateException")  // no room
)

// Has reports whether all facts of g are known.
func (f Facts) Has(g Facts) bool { return f&g == g }

// unchanged reports whether a method with that result left the object unchanged. A method
// that throws an exception refused one element, or found none.
func (f Facts) unchanged(result value) bool {
	switch kind := result.Kind(); {
	case f.Has(Reads), kind == history.Exception && f&(Inserts|Removes) != 0:
		return true
	case kind == history.Bool:
		return f.Has(FailsFalse) && !result.Bool()
	default:
		return f.Has(FailsNull) && kind == history.Null
	}
}

// Traits returns the traits of the specification; see replay.Described.
func (s *Specification[S]) Traits() replay.Traits { return s.traits }

// Facts returns the facts of op; see replay.Described.
func (s *Specification[S]) Facts(op *history.Operation) replay.Facts {
	i := s.Table.find(op.Method, len(op.Args))
	if i < 0 {
		return replay.Facts{}
	}
	f := s.Table.List[i].Facts
	isExcluded := s.Table.excludes(i, op.Result)
	known := replay.Facts{ReadOnly: f.unchanged(op.Result), Apart: isExcluded || s.apart(i, op)}
	if isExcluded || f&(Counts|Lists) != 0 {
		known.Impossible = s.impossible(i, op)
	}
	if f.Has(Keyed) {
		known.Part = 1
	}
	if known.Role = replay.Never; !isExcluded {
		known.Role, known.Value = s.role(f, op)
	}
	switch {
	case s.Discipline == replay.NoDiscipline:
		known.Role = replay.Other
	case known.Role == replay.Never && known.Impossible == "":
		known.Impossible = f.never(op)
	}
	return known
}

// VersionUse says what the version of op says; see replay.Versioned. Versions are those of keys
// if some method concerns one key, and otherwise those of the object.
func (s *Specification[S]) VersionUse(op *history.Operation) replay.VersionUse {
	if op.Version == 0 {
		return replay.VersionUse{}
	}
	i := s.Table.find(op.Method, len(op.Args))
	if i < 0 || op.Result.Kind() == history.Exception || s.traits.Partitioned && !s.Table.List[i].Has(Keyed) {
		return replay.VersionUse{}
	}
	f, use := s.Table.List[i].Facts, replay.VersionUse{Kind: replay.AnyVersion, Version: op.Version}
	switch {
	case f.unchanged(op.Result):
		use.Kind = replay.SeenVersion
	case f.Has(Advances) && (op.Result.Kind() != history.Unknown || f&(FailsFalse|FailsNull) == 0):
		use.Kind = replay.NewVersion
	}
	if s.traits.Partitioned {
		use.Part = 1
	}
	if s.IsCell && op.Result.Kind() != history.Unknown && (f.Has(Peeks) || f.Has(Inserts|Advances)) {
		use.Value = op.Result
		if f.Has(Inserts) {
			use.Value = op.Args[len(op.Args)-1]
		}
	}
	return use
}

// never returns why no state gives a result with the role Never, or "" if one may do so.
func (f Facts) never(op *history.Operation) string {
	switch {
	case op.Result.Kind() == history.Exception:
		return fmt.Sprintf("%s never throws %v", op.Method, op.Result)
	case f.Has(Inserts):
		return fmt.Sprintf("%s never returns %v, because there is always room", op.Method, op.Result)
	}
	return ""
}

// role returns the role of op. The result null is ambiguous in a collection
// that holds null, so such a collection is left to the search.
func (s *Specification[S]) role(f Facts, op *history.Operation) (replay.Role, history.Value) {
	switch d := s.Discipline; {
	case f&(Counts|Empties) != 0 && op.Result.Kind() == history.Exception: // these throw none
		return replay.Never, history.Value{}
	case f.Has(Counts):
		return sizeRole(op)
	case f.Has(Empties):
		return replay.Clear, history.Value{}
	case f&(Inserts|Removes|Finds) == 0:
		return replay.Other, history.Value{}
	case d == replay.Named || d == replay.Counted:
		return namedRole(f, op)
	case f.Has(Inserts):
		return s.insertRole(f, op)
	}
	return s.takeRole(f, op)
}

// role returns the role of a method according to its facts.
func (f Facts) role() replay.Role {
	back, first := replay.Look, replay.LookFront
	switch {
	case f.Has(Inserts):
		back, first = replay.Insert, replay.InsertFront
	case f.Has(Removes):
		back, first = replay.Remove, replay.RemoveFront
	}
	if f.Has(Front) {
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
func namedRole(f Facts, op *history.Operation) (replay.Role, history.Value) {
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
func (s *Specification[S]) insertRole(f Facts, op *history.Operation) (replay.Role, history.Value) {
	v := op.Args[len(op.Args)-1]
	switch {
	case v.Kind() == history.Null:
		return replay.Other, v
	case s.Discipline == replay.FirstInBounded && !op.Pending() && op.Result.Kind() != history.None && !op.Result.Bool():
		return f.fullRole(op.Result), v
	case f.unchanged(op.Result): // impossible: the collection is never full, and accepts every value
		return replay.Never, v
	case s.overwritten() && v.Equal(s.Initial):
		return replay.Other, v
	}
	return f.role(), v
}

// fullRole is the role of an insertion into a bounded collection, if its result does not
// show that it had an effect.
func (f Facts) fullRole(result value) replay.Role {
	switch {
	case f.Has(Throws) && result.Equal(IllegalState):
		return replay.Full
	case !f.Has(Throws) && f.Has(FailsFalse) && result.Kind() == history.Bool:
		return replay.Full
	}
	return replay.Other
}

// takeRole is the role of methods that return a value. If there is none, they return
// null or throw an exception.
func (s *Specification[S]) takeRole(f Facts, op *history.Operation) (replay.Role, history.Value) {
	v := op.Result
	switch {
	case op.Pending() && f.Has(Reads):
		return replay.Idle, history.Value{}
	case op.Pending():
		return f.role(), history.UnknownValue
	case v.Kind() == history.Unknown:
		return replay.Other, history.Value{}
	case v.Kind() == history.Exception && f.Has(Throws) && v.Equal(NoSuchElement):
		return replay.Nothing, v
	case v.Kind() == history.Exception:
		return replay.Never, v
	case s.overwritten():
		if v.Equal(s.Initial) {
			return replay.Nothing, v
		}
		return f.role(), v
	case v.Kind() == history.Null && f.Has(Waits):
		return replay.Never, v
	case v.Kind() == history.Null:
		return replay.Nothing, v
	}
	return f.role(), v
}

// overwritten reports whether an insertion replaces the previous value.
func (s *Specification[S]) overwritten() bool {
	return s.Discipline == replay.Overwritten || s.Discipline == replay.OverwrittenByKey
}

// apart reports whether op, an operation of method i, does not depend on other values; see
// replay.Facts. Some state may give its result.
func (s *Specification[S]) apart(i int, op *history.Operation) bool {
	f, r := s.Table.List[i].Facts, op.Result
	isTrue, isKnown := r.Kind() == history.Bool && r.Bool(), r.Kind() != history.Unknown
	switch {
	case f.Has(Empties):
		return true
	case r.Kind() == history.Exception:
		return f.Has(Throws) && r.Equal(NoSuchElement) // it found nothing
	case f.Has(Counts):
		return isTrue || r.Equal(history.IntValue(0))
	case s.IsCell && f.Has(Swaps):
		return op.Pending() || isTrue
	case s.IsCell:
		return f&(Inserts|Resets) != 0 || f.Has(Finds) && isKnown
	case f.Has(Keyed): // a part is a value
		return false
	case f.Has(Inserts): // one that returned nothing, or true, found room
		return op.Pending() || s.Table.List[i].Result == nothing || r.Kind() == history.None || isTrue
	}
	return f&(Removes|Finds) != 0 && (op.Pending() || isKnown)
}
