package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/weak"
)

// A Status says how the check of an entry ended.
type Status uint8

const (
	Unknown         Status = iota // no decision within the bounds; never a success
	Linearizable                  // there is a witness
	NotLinearizable               // there is provably none
	Invalid                       // bad input
	Internal                      // a fault of leadline
)

var statusNames = [...]string{"unknown", "linearizable", "not-linearizable", "invalid", "internal-error"}

func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("status %d", s)
}

// A Checker checks entries. It may be used by several goroutines.
type Checker struct {
	// Model is the specification; "" means the one that each history names. A name
	// without arguments takes the arguments of a history that has the same name.
	Model   string
	Options replay.Options
	// Weak are the levels of methods that need not be linearizable.
	Weak weak.Levels
	// Explain looks for the reason if a history is not linearizable.
	Explain bool
	// Times adds the time of each check to its line.
	Times bool
	// Journal has outcomes that take the place of checks. New outcomes are added to it.
	// It may be nil.
	Journal *Journal
}

// A Result is an entry with the result of its check.
type Result struct {
	Entry
	Model    string
	Spec     replay.Spec // nil if there is none
	Verdict  replay.Verdict
	Internal error  // a fault of leadline; the verdict does not count then
	Stack    []byte // of a panic that is Internal; no line of results has it
	// Skipped is set if the context was cancelled before the check began. Then the
	// result has only the entry.
	Skipped bool
	// FromJournal is set if the outcome comes from the journal. Nothing was checked then:
	// there is no Spec, no Verdict and no error.
	FromJournal bool

	weak        []string // levels that applied, as in size=basic
	times       bool     // the line has the time of the check
	interrupted bool     // the context was cancelled before the check ended
	outcome     *Outcome
}

// Status says how the check ended.
func (r *Result) Status() Status {
	switch {
	case r.FromJournal:
		return r.outcome.Status
	case r.Internal != nil:
		return Internal
	case r.Err != nil:
		return Invalid
	case r.Verdict.Answer == replay.Linearizable:
		return Linearizable
	case r.Verdict.Answer == replay.NotLinearizable:
		return NotLinearizable
	}
	return Unknown
}

// Check checks the history of an entry, unless the journal has its outcome. A panic, of the
// program or of a specification, becomes an internal error: other histories go on.
func (c *Checker) Check(ctx context.Context, e Entry) *Result {
	if c.Journal == nil || e.History == nil {
		return c.check(ctx, e)
	}
	k := e.Key()
	if o, ok := c.Journal.get(k); ok {
		return &Result{Entry: e, FromJournal: true, outcome: o}
	}
	r := c.check(ctx, e)
	if !r.interrupted && r.Status() < Invalid {
		c.Journal.put(k, r.Outcome())
	}
	return r
}

func (c *Checker) check(ctx context.Context, e Entry) (r *Result) {
	r = &Result{Entry: e, times: c.Times}
	defer func() {
		if p := recover(); p != nil {
			r.Internal, r.Stack = fmt.Errorf("internal error: %s: %v", r.Place(), p), debug.Stack()
		}
		r.interrupted = ctx.Err() != nil
	}()
	switch {
	case e.Err != nil:
		return r
	case ctx.Err() != nil:
		r.Skipped = true
		return r
	}
	s, err := ModelOf(e.History, c.Model)
	if err != nil {
		r.Model, r.Err = e.History.Model, err
		return r
	}
	r.Spec, r.Model = s, s.Name()
	check := weak.Check
	if c.Explain {
		check = weak.Explained
	}
	r.weak = c.Weak.In(r.History)
	r.Verdict, r.Err = check(ctx, r.History, s, c.Weak, c.Options)
	if r.Stack, r.Internal = internalError(r.Place(), r.Err); r.Internal != nil {
		r.Err = nil
	}
	return r
}

// internalError returns the error of a check of the history at a place, and the stack of
// its panic, if it is a fault of leadline or of a specification. Otherwise it returns nil.
func internalError(place string, err error) (stack []byte, internal error) {
	var p *decide.PanicError
	switch {
	case errors.As(err, &p):
		return p.Stack, fmt.Errorf("internal error: %s%s", place, p.Fault())
	case errors.Is(err, decide.ErrWitness):
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	return nil, nil
}

// CheckModel returns an error if no history could be checked with this model. "" is
// valid, and so is a name without its arguments, because histories may have them.
func CheckModel(model string) error {
	if model == "" || slices.ContainsFunc(spec.All(), func(e spec.Entry) bool { return e.Name == model }) {
		return nil
	}
	_, err := spec.Parse(model)
	return err
}

// ModelOf returns the specification for a history: model or, if that is "", the one that
// the history names. A model without arguments takes the arguments of a history that has
// the same name. Results of methods that return nothing are removed; see settle.
func ModelOf(h *history.History, model string) (replay.Spec, error) {
	var s replay.Spec
	var err error
	switch {
	case model != "" && !strings.EqualFold(model, h.Model):
		s, err = spec.Parse(model)
	case h.Model != "":
		s, err = spec.Lookup(h.Model, h.ModelArgs)
	default:
		return nil, &history.Error{File: h.File, Line: h.Line,
			Msg: "the history names no model; choose one with --model (see leadline models)"}
	}
	if err != nil {
		return nil, &history.Error{File: h.File, Line: h.Line, Msg: err.Error()}
	}
	settle(h, s)
	return s, nil
}

func isList(v history.Value) bool { return v.Kind() == history.List }

// settle removes the results of methods that return nothing: null, as many recorders write
// for nothing, and where expressions read the records, any value but an exception. It also
// chooses among values that mean the same; see replay.Projectable.
func settle(h *history.History, s replay.Spec) {
	isMapped := codec.IsMapped(h.Format)
	lists, _ := s.(replay.Projectable)
	all := func(history.Value) bool { return true }
	for i := range h.Ops {
		op := &h.Ops[i]
		if lists != nil && (isList(op.Result) || slices.ContainsFunc(op.Args, isList)) && s.Check(op) == nil {
			*op, _ = lists.Project(op, all, all)
			continue
		}
		switch op.Result.Kind() {
		case history.None, history.Unknown, history.Exception:
			continue
		case history.Null:
		default:
			if !isMapped {
				continue
			}
		}
		if s.Check(op) == nil {
			continue
		}
		none, unknown := *op, *op
		none.Result, unknown.Result = history.NoValue, history.UnknownValue
		if fmt.Sprint(s.Check(&none)) == fmt.Sprint(s.Check(&unknown)) { // there may be other faults
			op.Result = history.NoValue
		}
	}
}

// KnowsConcurrency reports whether v.C and v.CP are known.
func KnowsConcurrency(h *history.History, v *replay.Verdict) bool {
	return v.C > 0 || len(h.Ops) == 0
}
