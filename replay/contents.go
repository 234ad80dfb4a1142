package replay

import "github.com/leadline/leadline/history"

// A Stepped is a Spec whose objects consist of cells, and whose operations are sequences of
// steps on them. A cell is a register, or what is stored under a key of a map: a value, a
// list or a string. A set is one cell.
type Stepped interface {
	Spec
	// AppendSteps appends to dst what op, an operation that Check accepts, does to the cells
	// if it has its recorded result, and if it takes effect in case it is pending. The steps
	// run one after another, without other operations between them. Reads whose result is
	// unknown are left out. A step whose Kind is CellOther is always true.
	AppendSteps(dst []CellStep, op *history.Operation) []CellStep
	// FirstValue returns the initial value of a cell.
	FirstValue(key history.Value) history.Value
	// Initially returns the specification with another initial value of all cells. It
	// returns false if users cannot choose that.
	Initially(value history.Value) (Spec, bool)
}

// A CellStep is what an operation does to one cell, or to all of them.
type CellStep struct {
	Kind CellStepKind
	// Key names the cell. It is null for a register, and None for a set and for a step on
	// all cells.
	Key history.Value
	// Value is what the step reads, writes or appends. Other steps on a set concern this
	// value only; if it is None, they concern the whole set.
	Value history.Value
}

// A CellStepKind is what a CellStep does.
type CellStepKind uint8

const (
	CellOther   CellStepKind = iota // it does anything else
	CellTest                        // it changes nothing, and depends on the cell in some other way
	CellDiffers                     // it finds a value other than Value
	CellRead                        // it finds Value: in a set, the sorted list of the values
	CellWrite                       // it writes Value
	CellAppend                      // it appends Value to a list, where null counts as empty; or adds it to a set that may have it
	CellConcat                      // it appends the string Value to a string; an initial value that is not a string counts as empty
)
