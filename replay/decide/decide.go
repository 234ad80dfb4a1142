package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/trial"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/state"
)

// ErrWitness reports that a witness failed its second replay: a fault of this
// program or of a specification whose objects do not behave as they should,
// never of the history.
var ErrWitness = errors.New("internal error: a witness failed its second replay")

// A PanicError is a panic during a check: a fault of this program or of the
// specification, never of the history.
type PanicError struct {
	History string // its ID
	Spec    string // its name
	Value   any    // what was passed to panic
	Stack   []byte

	internal bool // the specification is a replay.Trusted one
	position string
}

// Error says "internal error" only if the specification is a bundled one. It has
// the file and line of the panic.
func (e *PanicError) Error() string {
	s := fmt.Sprintf("checking history %q against %s panicked", e.History, e.Spec) + e.Fault()
	if e.internal {
		s = "internal error: " + s
	}
	return s
}

// Fault returns where the panic was and its value, as in " at FILE:LINE: VALUE". It is the
// same in every run: in place of a value that may contain addresses, it has the type.
func (e *PanicError) Fault() string {
	text := ": "
	if e.position != "" {
		text = " at " + e.position + text
	}
	_, isError := e.Value.(error)
	if kind := reflect.ValueOf(e.Value).Kind(); isError || kind <= reflect.Complex128 || kind == reflect.String {
		return text + fmt.Sprint(e.Value)
	}
	return text + fmt.Sprintf("a value of type %T", e.Value)
}

// panicked returns the error for a panic, in the function that recovers it.
func panicked(h *history.History, spec replay.Spec, value any) *PanicError {
	e := &PanicError{History: h.ID, Spec: nameOf(spec), Value: value, Stack: debug.Stack()}
	_, e.internal = spec.(replay.Trusted)
	var callers [32]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for more, after := true, false; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if after && !strings.HasPrefix(f.Function, "runtime.") {
			e.position = fmt.Sprintf("%s:%d", f.File, f.Line)
			break
		}
		after = after || f.Function == "runtime.gopanic"
	}
	return e
}

// Check decides whether the history is linearizable with respect to the
// specification. It runs the engines one after another, in the order given in the
// package comment. If o.Engine is set, only that engine runs.
//
// Cause is the reason why a verdict is Undecided. Cancelling ctx leads to such a
// verdict and a nil error. With an error, all of the verdict but Elapsed is zero, so it
// is Undecided. An error is one of these:
//   - a *history.Errors, for operations that the specification cannot have;
//   - a *history.Error, for a history that needs behaviour that the specification does
//     not model (see replay.Unmodelled);
//   - a *PanicError, if the specification (or an engine) panicked;
//   - an error that wraps ErrWitness;
//   - another error if h is nil or malformed, if spec is nil or wrong (see replay.Trusted),
//     or if o.Engine or o.Chains is unknown.
//
// Build histories with history.New or a history.Builder. Check refuses a history made by
// hand if its operations are not in the order of their invocations, if an operation
// returns before its invocation, or if a process, an edge or a position is out of range (see
// history.History.WellFormed). Other faults,
// such as two events at one position or overlapping operations of one process, can
// make the verdict wrong.
//
// Time and memory are bounded by o.Budget; the number of schedules of depth d
// by m n^(d-1), for m chains and n operations, each replayed in O(n); the
// search by the number of configurations it can meet.
func Check(ctx context.Context, h *history.History, spec replay.Spec, o replay.Options) (replay.Verdict, error) {
	v, _, err := Read(ctx, h, spec, o)
	return v, err
}

// Read is Check. It also returns the problem, which has what was read of the operations,
// unless there is an error.
func Read(ctx context.Context, h *history.History, spec replay.Spec, o replay.Options) (v replay.Verdict, p *ops.Problem, err error) {
	switch {
	case o.Engine > replay.MonitorEngine:
		return v, nil, fmt.Errorf("decide: unknown engine: %v", o.Engine)
	case o.Chains > replay.MinimumChains:
		return v, nil, fmt.Errorf("decide: unknown mode of chains: %d", o.Chains)
	case ctx == nil:
		ctx = context.Background()
	}
	start := time.Now()
	if err := h.WellFormed(); err != nil {
		return v, nil, fmt.Errorf("decide: %w", err)
	}
	o = o.WithDefaults(len(h.Ops))
	if err := probe(ctx, spec, h.Ops, o.Budget.Time); err != nil {
		return v, nil, fmt.Errorf("decide: %w", err)
	}
	if spec, err = replay.WithCrashes(h, spec); err != nil {
		return v, nil, fmt.Errorf("decide: %w", err)
	}
	defer func() {
		if value := recover(); value != nil {
			v, p, err = replay.Verdict{}, nil, panicked(h, spec, value)
		}
		v.Elapsed = time.Since(start)
	}()
	t := newTask(ctx, h, spec, o)
	read := t.Problem // a check may add the order of versions, which depends on the results
	if o.Budget.Time > 0 {
		t.clock.deadline = start.Add(o.Budget.Time)
	}
	defer t.release()
	v, what, err := t.checkModelled()
	if what != "" && o.Engine != replay.FamiliesEngine {
		t.withoutDepths() // a depth takes orders that others do not need
		v, what, err = t.checkModelled()
	}
	if what != "" {
		err = &history.Error{File: h.File, Line: h.Line, Msg: string(what)}
	}
	if err != nil {
		return replay.Verdict{}, nil, err
	}
	v.Work = t.meter.Spent()
	return v, read, nil
}

// probe runs trial.Probe for at most half of the time limit.
func probe(ctx context.Context, spec replay.Spec, ops []history.Operation, limit time.Duration) error {
	if _, trusted := spec.(replay.Trusted); !trusted && limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit/2)
		defer cancel()
	}
	return trial.Probe(ctx, spec, ops)
}

// nameOf returns the name of a specification whose Name may panic.
func nameOf(spec replay.Spec) (name string) {
	defer func() {
		if recover() != nil {
			name = fmt.Sprintf("%T", spec)
		}
	}()
	return spec.Name()
}

// A task is the check of one history.
type task struct {
	Session
	*ops.Problem
	checked     bool // the specification has accepted all operations
	verdictOnly bool // only the verdict is needed, not the depth
	// linearizable: a row has found a witness, but not yet the depth.
	linearizable bool

	instance    *replay.Instance // see poset
	instanceErr error
	depths      *Depths // see depthSearch
	hasNoDepths bool
}

func newTask(ctx context.Context, h *history.History, spec replay.Spec, o replay.Options) *task {
	t := &struct { // one allocation
		task
		own clock
	}{task{Problem: ops.New(h, spec, o.Budget.Bytes)}, newClock(ctx, o.Budget)}
	t.Session = Session{o, engines, &t.own, t.own.meter()}
	return &t.task
}

// poset returns the history's poset with its chains. It is built once, when
// the first engine needs it.
func (t *task) poset() (*replay.Instance, error) {
	if t.instance == nil && t.instanceErr == nil {
		t.instance, t.instanceErr = replay.NewInstance(t.H, true, t.o.Chains, t.meter)
	}
	return t.instance, t.instanceErr
}

// depthSearch returns the search for the depth, or nil if it does not apply.
func (t *task) depthSearch() *Depths {
	if t.depths == nil && !t.hasNoDepths {
		if !t.H.HasEdges() {
			whole, _ := t.poset() // intervals are always a poset
			t.depths = NewDepths(t.Problem, whole, t.o.Chains)
		}
		t.hasNoDepths = t.depths == nil
	}
	return t.depths
}

// release returns tables to pools, for other histories.
func (t *task) release() {
	if t.depths != nil {
		t.depths.Release()
	}
}

// checkModelled is check, but returns what the specification does not describe if it panicked
// with that, and a *PanicError for another panic.
func (t *task) checkModelled() (v replay.Verdict, what replay.Unmodelled, err error) {
	defer func() {
		switch value := recover().(type) {
		case nil:
		case replay.Unmodelled:
			what = value
		default:
			err = panicked(t.H, t.Spec, value)
		}
	}()
	v, err = t.check()
	return v, "", err
}

// withoutDepths leaves the rows that decide without a depth.
func (t *task) withoutDepths() {
	t.verdictOnly, t.o.ExactDepth, t.o.CountSchedules = true, false, false
	t.engines = slices.DeleteFunc(slices.Clone(t.engines), func(e row) bool { return e.kind == replay.FamiliesEngine })
}

func (t *task) check() (v replay.Verdict, err error) {
	if v.Finding, err = t.decide(); err != nil {
		return v, err
	}
	if v.Answer == replay.Linearizable {
		t.setDepthCause(&v)
	}
	v.C, v.CP = t.concurrency()
	if t.o.ExactDepth && v.Answer == replay.Linearizable && !t.clock.over {
		t.exactDepth(&v)
	}
	if t.o.CountSchedules && !t.clock.over {
		t.countSchedules(&v)
	}
	switch {
	case v.Answer == replay.Linearizable:
		c, m := t.clock.verifying(len(t.H.Ops), t.meter)
		switch err := replay.Verify(t.H, t.Spec, v.Witness, m); {
		case errors.Is(err, replay.ErrStopped):
			v.Finding = replay.Finding{Cause: cmp.Or(t.clock.cause, c.cause), Replayed: v.Replayed}
		case err != nil:
			return v, fmt.Errorf("%w: history %q: %w", ErrWitness, t.H.ID, err)
		case v.Witness == nil: // the history has no operations
			v.Witness = []int32{}
		}
	case v.Answer == replay.Undecided && t.clock.over:
		v.Cause = t.clock.cause
	}
	return v, nil
}

// decide runs the engines until the history is decided, and the depth has been
// found or given up.
func (t *task) decide() (replay.Finding, error) {
	var known replay.Finding
	if !t.checked {
		if err := replay.Check(t.H, t.Spec); err != nil {
			return known, err
		}
	}
	ordered, contradiction := replay.ByVersion(t.H, t.Spec)
	if c := contradiction; c != nil {
		f := replay.Refuted(replay.SearchEngine)
		f.Conflict, f.Versions = c.Ops, c.Reason
		for _, op := range c.Ops {
			f.Reached = max(f.Reached, t.H.Ops[op].Return)
		}
		return f, nil
	}
	if ordered != t.H {
		t.Problem = t.With(ordered, nil)
	}
	if t.o.Engine == replay.AutoEngine && len(t.H.Ops) > short && t.H.IsRelaxed() {
		if f := t.inRealTime(); f.Decided() {
			known, t.linearizable = f, true
		}
	}
	for i := range t.engines {
		e := &t.engines[i]
		if !e.applies(t, &known) {
			continue
		}
		if t.clock.expired() {
			break
		}
		f, err := e.start(t)
		if err != nil {
			return known, fmt.Errorf("checking history %q: %w", t.H.ID, err)
		}
		join(&known, &f, e)
		t.linearizable = known.Answer == replay.Linearizable
		if known.Answer == replay.NotLinearizable || known.Decided() && t.o.Engine != replay.AutoEngine {
			break
		}
	}
	return known, nil
}

// join merges the finding f of engine e into known.
func join(known, f *replay.Finding, e *row) {
	if f.Replayed == nil {
		f.Replayed = known.Replayed
	}
	f.Deeper = max(f.Deeper, known.Deeper)
	if f.DepthCause = known.DepthCause; e.kind == replay.FamiliesEngine && f.Cause != replay.Declined {
		f.DepthCause = f.Cause
	}
	switch {
	case f.Decided():
		*known = *f
		return
	case known.Decided():
	case f.Cause == replay.Declined || e.share != nil:
		// The cause of a later engine is more relevant.
		if known.Cause == replay.NoCause {
			known.Cause, known.Reason = f.Cause, f.Reason
		}
	case known.Cause != replay.Memory:
		known.Cause, known.Reason = f.Cause, f.Reason
	}
	known.Replayed, known.Deeper, known.DepthCause = f.Replayed, f.Deeper, f.DepthCause
}

// setDepthCause sets why the depth of a linearizable history is not known.
func (t *task) setDepthCause(v *replay.Verdict) {
	switch {
	case v.Depth > 0:
		v.Deeper, v.DepthCause = 0, replay.NoCause
	case t.clock.over:
		v.DepthCause = t.clock.cause
	case v.DepthCause == replay.NoCause:
		v.DepthCause = replay.Declined
	}
}

// exactDepth sets the linearizability depth, or the cause why it is unknown.
func (t *task) exactDepth(v *replay.Verdict) {
	if t.H.HasEdges() && len(t.H.Ops) > hitting.ExactMax {
		v.ExactCause = "open"
		return
	}
	in, err := t.poset()
	machine := state.NewMachine(t.Problem)
	if err != nil || machine == nil {
		v.ExactCause = replay.Declined.String()
		return
	}
	defer machine.Release()
	m := t.meter.Share(t.o.Budget.ExactWork)
	machine.Bound(m, t.o.Budget.Bytes)
	v.ExactDepth, err = hitting.ExactDepth(in.Poset, machine, hitting.Options{Meter: m, MaxBytes: t.o.Budget.Bytes})
	switch {
	case errors.Is(err, hitting.ErrOpen):
		v.ExactCause = "open"
	case t.clock.over:
		v.ExactCause = t.clock.cause.String()
	case errors.Is(err, hitting.ErrMemory), machine.GaveUp() == replay.Memory:
		v.ExactCause = replay.Memory.String()
	case err != nil, machine.GaveUp() != replay.NoCause:
		v.ExactCause = "work"
	}
	if v.ExactCause != "" {
		v.ExactDepth = 0
	}
}
