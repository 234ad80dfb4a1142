package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
)

// An entry is one thing that was read: a history, or the faults of one, or a
// fault of a file.
type entry struct {
	file    string
	history *history.History // nil with err
	err     error
}

// place names the history for messages: its file, and its id where it has one.
func (e *entry) place() string {
	var many *history.Errors
	switch {
	case e.history != nil && e.history.ID != "":
		return e.file + "#" + e.history.ID
	case errors.As(e.err, &many) && many.ID != "":
		return e.file + "#" + many.ID
	}
	return e.file
}

// ops is the number of operations, at least 1.
func (e entry) ops() int {
	if e.history == nil {
		return 1
	}
	return max(1, len(e.history.Ops))
}

// isFileFault reports whether the entry is a fault of a file, or of reading
// it, rather than a history or the faults of one.
func (e *entry) isFileFault() bool {
	var many *history.Errors
	return e.history == nil && !errors.As(e.err, &many)
}

// name returns the name of an operation or a process as people write it.
func name(id history.Value) string {
	if id.Kind() == history.String {
		return id.Text()
	}
	return id.String()
}

// names returns those of the operations, separated.
func names(h *history.History, ops []int32, separator string) string {
	text := make([]string, len(ops))
	for i, op := range ops {
		text[i] = name(h.Ops[op].ID())
	}
	return strings.Join(text, separator)
}

// entries reads everything that paths name, in order, until ctx is cancelled.
// Before each file of a known size it calls reading, if there is one, with that
// size in bytes.
func entries(ctx context.Context, paths []string, o codec.Options, reading func(size int64)) iter.Seq[entry] {
	o.Context = ctx
	return func(yield func(entry) bool) {
		for file, err := range codec.Files(paths, o) {
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				if !yield(entry{file: file.Name, err: err}) {
					return
				}
				continue
			}
			if reading != nil {
				if info, err := os.Stat(file.Name); err == nil && info.Mode().IsRegular() {
					reading(info.Size())
				}
			}
			for h, err := range file.Histories() {
				if errors.Is(err, context.Canceled) {
					return
				}
				if !yield(entry{file.Name, h, err}) {
					return
				}
			}
		}
	}
}

// inProgramOrder relaxes the histories to program order.
func inProgramOrder(from iter.Seq[entry]) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for e := range from {
			if e.history != nil {
				e.history = e.history.ProgramOrder()
			}
			if !yield(e) {
				return
			}
		}
	}
}

// A skipCounter lists on w the files of directories that hold no histories, and
// counts them.
type skipCounter struct {
	w io.Writer
	n int
}

func (c *skipCounter) skip(name string, why error) {
	c.n++
	fmt.Fprintf(c.w, "leadline: skipped %s: %v\n", name, why)
}

// total writes how many files were skipped, if any.
func (c *skipCounter) total() {
	if c.n > 0 {
		fmt.Fprintf(c.w, "leadline: skipped %s without histories\n", counted(c.n, "file", "files"))
	}
}

// faults are the single faults that err is made of.
func faults(err error) []*history.Error {
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

// An errorPrinter writes faults to w, the first history.MaxErrors of a file.
type errorPrinter struct {
	w    io.Writer
	file string
	n    int
}

func (p *errorPrinter) print(file string, err error) {
	if file != p.file {
		p.file, p.n = file, 0
	}
	more := false
	var many *history.Errors
	if errors.As(err, &many) {
		more = many.More
	}
	for _, f := range faults(err) {
		if p.n >= history.MaxErrors {
			more = true
			break
		}
		p.n++
		fmt.Fprintln(p.w, f)
	}
	if more && p.n <= history.MaxErrors {
		p.n = history.MaxErrors + 1
		fmt.Fprintf(p.w, "%s: too many errors\n", file)
	}
}
