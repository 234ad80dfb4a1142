package replay

import "github.com/leadline/leadline/history"

// An Appending is a Spec whose objects hold lists under keys, to which operations append,
// or a set, to which they add. These are empty at first. A string is the list of the
// strings that were appended.
type Appending interface {
	Spec
	// AppendListSteps appends to dst what op, an operation that Check accepts, does to the
	// lists if it has its recorded result. The steps run one after another, without other
	// operations between them. Reads whose result is unknown are left out. AppendListSteps
	// returns false if op may do anything to any list, or depends on several lists.
	AppendListSteps(dst []ListStep, op *history.Operation) ([]ListStep, bool)
}

// A ListStep is what an operation does to the list under a key, or to the set.
type ListStep struct {
	Kind  ListStepKind
	Key   history.Value
	Value history.Value
}

// A ListStepKind is what a ListStep does.
type ListStepKind uint8

const (
	ListOther  ListStepKind = iota // it does anything else to the list
	ListAppend                     // it appends Value
	ListRead                       // it finds that the list is Value, or empty if that is null
	SetAdd                         // it adds Value, or did nothing if that was in the set already
	SetRead                        // it finds that the set has the values in the list Value and no others
	SetOther                       // it does anything else to Value in the set
)

// An Overwriting is a Spec whose objects hold values under keys, which operations overwrite.
type Overwriting interface {
	Spec
	// AppendCellSteps appends to dst what op, an operation that Check accepts, does to the
	// values if it has its recorded result, and if it takes effect in case it is pending.
	// The steps run one after another, without other operations between them. Reads whose
	// result does not determine the value are left out. AppendCellSteps returns false if op
	// may overwrite any value.
	AppendCellSteps(dst []CellStep, op *history.Operation) ([]CellStep, bool)
	// FirstValue returns the initial value under a key.
	FirstValue(key history.Value) history.Value
}

// An Initial is an Overwriting whose users choose the initial value under all keys.
type Initial interface {
	Overwriting
	// Initially returns the specification with another initial value.
	Initially(value history.Value) (Spec, bool)
}

// A CellStep is what an operation does to the value under a key.
type CellStep struct {
	Kind  CellStepKind
	Key   history.Value
	Value history.Value
}

// A CellStepKind is what a CellStep does.
type CellStepKind uint8

const (
	CellOther CellStepKind = iota // it may write any value
	CellRead                      // it finds Value
	CellWrite                     // it writes Value
)
