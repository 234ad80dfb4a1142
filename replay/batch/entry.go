package batch

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
)

// An Entry is one thing that was read: a history, or the faults of one, or a
// fault of a file.
type Entry struct {
	File    string
	Number  int              // of the entry in its file, from 0
	History *history.History // nil with Err
	Err     error
	// Comments has the comments at the beginning of the file, in the first entry of the
	// file, if the reader of the entries asks for them.
	Comments string
}

// Entries yields the histories and faults of a file, in order.
func Entries(f codec.File) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		n := 0
		for h, err := range f.Histories() {
			if !yield(Entry{File: f.Name, Number: n, History: h, Err: err}) {
				return
			}
			n++
		}
	}
}

// IsLabels reports whether a file, by its name, has the known verdicts of its directory.
// Such files are skipped without a report.
func IsLabels(name string) bool { return filepath.Base(name) == "labels.jsonl" }

// ID returns the name of the history in its file, or "".
func (e *Entry) ID() string {
	var many *history.Errors
	switch {
	case e.History != nil:
		return e.History.ID
	case errors.As(e.Err, &many):
		return many.ID
	}
	return ""
}

// Place returns a name for messages: the file, and the ID of the history if it has one.
func (e *Entry) Place() string {
	if id := e.ID(); id != "" {
		return e.File + "#" + id
	}
	return e.File
}

// Ops returns the number of operations, but at least 1.
func (e Entry) Ops() int {
	if e.History == nil {
		return 1
	}
	return max(1, len(e.History.Ops))
}

// IsFileFault reports whether the entry is a fault of a file, or of reading
// it, rather than a history or the faults of one.
func (e *Entry) IsFileFault() bool {
	var many *history.Errors
	return e.History == nil && !errors.As(e.Err, &many)
}

// Faults returns the single faults that err is made of.
func Faults(err error) []*history.Error {
	var many *history.Errors
	var one *history.Error
	switch {
	case errors.As(err, &many):
		return many.List
	case errors.As(err, &one):
		return []*history.Error{one}
	}
	return []*history.Error{{Msg: err.Error()}}
}

// HasMore reports whether there are more faults than Faults returns.
func HasMore(err error) bool {
	var many *history.Errors
	return errors.As(err, &many) && many.More
}

// describe returns an operation as text, with its identifier.
func describe(h *history.History, i int32) string {
	op := h.Operation(i)
	id := op.ID()
	if id.Kind() == history.String {
		return fmt.Sprintf("%s %s", id.Text(), op)
	}
	return fmt.Sprintf("%v %s", id, op)
}
