package table

import (
	"fmt"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// An Entry describes one kind of object: its line in a listing, and how to make its
// specification.
type Entry struct {
	Name, Args, Doc string // see spec.Entry
	Methods         *Signatures
	Notes           []string // lines with facts that the signatures do not show
	// Make returns the specification for the arguments, which are at most as many as Args
	// has. Its errors do not name the specification.
	Make func(args []value) (Made, error)
}

// Made is a new specification, which New completes.
type Made interface {
	replay.Spec
	finish(e *Entry, args []value)
}

// New returns the specification with these arguments.
func (e *Entry) New(args []value) (replay.Spec, error) {
	most := 0
	if e.Args != "" {
		most = 1 + strings.Count(e.Args, ",")
	}
	switch {
	case len(args) > most && most == 0:
		return nil, fmt.Errorf("%s takes no arguments, got %d", e.Name, len(args))
	case len(args) > most:
		return nil, fmt.Errorf("%s takes at most %d argument%s, got %d", e.Name, most, "s"[:min(1, most-1)], len(args))
	case len(args) == 0 && strings.HasPrefix(e.Args, ":"):
		return nil, fmt.Errorf("%s needs an argument: %s%s", e.Name, e.Name, e.Args)
	}
	s, err := e.Make(args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	s.finish(e, args)
	return s, nil
}

// Plain returns an Entry.Make for objects without arguments.
func Plain[S State[S]](s Specification[S]) func([]value) (Made, error) {
	return func([]value) (Made, error) {
		made := s
		return &made, nil
	}
}

// BadArgument returns the error of the argument called what.
func BadArgument(what, want string, got value) error {
	return fmt.Errorf("%s must be %s, got %s", what, want, got)
}

// Optional returns the first argument, called what, or def if there is none.
func Optional(args []value, what string, set Kinds, def value) (value, error) {
	if len(args) == 0 {
		return def, nil
	}
	if !set.Has(args[0].Kind()) {
		want := "of kind " + set.String()
		if set == AnyValue {
			want = "known, and no exception"
		}
		return value{}, BadArgument(what, want, args[0])
	}
	return args[0], nil
}

// Positive returns an error for an argument that is not an int greater than 0.
func Positive(what string, v value) error {
	if v.Kind() != history.Int || v.Int() <= 0 {
		return BadArgument(what, "a positive int", v)
	}
	return nil
}
