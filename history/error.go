package history

import (
	"fmt"
	"strings"
)

// MaxErrors is how many errors of one input are kept; the next one is
// reported as "too many errors".
const MaxErrors = 10

// An Error is a fault of the input. It prints as file:line: message.
type Error struct {
	File string
	Line int // 1-based; 0 if it has none
	Msg  string
	Err  error // the cause, which may be nil
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	switch {
	case e.File == "" && e.Line == 0:
		return e.Msg
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	case e.File == "":
		return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// Errors are the faults of one history in the order of their lines: at least one
// and at most MaxErrors.
type Errors struct {
	ID   string // of the history, "" if unknown
	List []*Error
	More bool // there were more than MaxErrors
}

func (e *Errors) Error() string {
	var b strings.Builder
	for i, one := range e.List {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(one.Error())
	}
	if e.More {
		b.WriteString("\ntoo many errors")
	}
	return b.String()
}

// Unwrap returns the single faults, for errors.As and errors.Is.
func (e *Errors) Unwrap() []error {
	errs := make([]error, len(e.List))
	for i, one := range e.List {
		errs[i] = one
	}
	return errs
}

// Add keeps another fault, or records that there are too many.
func (e *Errors) Add(err *Error) {
	if len(e.List) == MaxErrors {
		e.More = true
		return
	}
	e.List = append(e.List, err)
}

// Full reports whether another fault would not be kept.
func (e *Errors) Full() bool { return len(e.List) == MaxErrors }
