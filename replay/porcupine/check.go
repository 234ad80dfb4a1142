package porcupine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/report"
	"github.com/leadline/leadline/replay/view"
)

// An Info is the result of a check.
type Info struct {
	History *history.History
	Spec    replay.Spec
	Verdict replay.Verdict
	// Err is the reason why the check has no verdict, or nil: the history is ill-formed,
	// or the model panicked. The result is Unknown then.
	Err error
}

// Result returns the verdict in porcupine's terms.
func (i *Info) Result() porcupine.CheckResult {
	switch i.Verdict.Answer {
	case replay.Linearizable:
		return porcupine.Ok
	case replay.NotLinearizable:
		return porcupine.Illegal
	}
	return porcupine.Unknown
}

// Explain writes the verdict and the reason for it in plain sentences.
func (i *Info) Explain(w io.Writer) error {
	if i.Err != nil {
		_, err := fmt.Fprintln(w, i.Err)
		return err
	}
	return report.Explain(w, i.History, i.Spec, &i.Verdict, report.Options{})
}

// CheckOperations reports whether a history is linearizable. It panics if the
// history is ill-formed, if the model panics, or if the check needs too much
// memory, because it cannot report any of these.
func CheckOperations(model porcupine.Model, ops []porcupine.Operation) bool {
	c, err := fromOperations(model, ops)
	return check(context.Background(), c, err, false, 0).mustDecide()
}

// CheckOperationsTimeout checks whether a history is linearizable. It returns
// Unknown if that takes longer than timeout, where 0 means no limit, and in the
// cases in which CheckOperations panics.
func CheckOperationsTimeout(model porcupine.Model, ops []porcupine.Operation, timeout time.Duration) porcupine.CheckResult {
	c, err := fromOperations(model, ops)
	return check(context.Background(), c, err, false, timeout).Result()
}

// CheckOperationsVerbose is like CheckOperationsTimeout, and returns all that leadline
// finds: the witness and its depth, or why there is none.
func CheckOperationsVerbose(model porcupine.Model, ops []porcupine.Operation, timeout time.Duration) (porcupine.CheckResult, Info) {
	c, err := fromOperations(model, ops)
	info := check(context.Background(), c, err, true, timeout)
	return info.Result(), *info
}

// CheckEvents is CheckOperations for events.
func CheckEvents(model porcupine.Model, events []porcupine.Event) bool {
	c, err := fromEvents(model, events)
	return check(context.Background(), c, err, false, 0).mustDecide()
}

// CheckEventsTimeout is CheckOperationsTimeout for events.
func CheckEventsTimeout(model porcupine.Model, events []porcupine.Event, timeout time.Duration) porcupine.CheckResult {
	c, err := fromEvents(model, events)
	return check(context.Background(), c, err, false, timeout).Result()
}

// CheckEventsVerbose is CheckOperationsVerbose for events.
func CheckEventsVerbose(model porcupine.Model, events []porcupine.Event, timeout time.Duration) (porcupine.CheckResult, Info) {
	c, err := fromEvents(model, events)
	info := check(context.Background(), c, err, true, timeout)
	return info.Result(), *info
}

// check decides a converted history. Only a verbose check needs more than the answer.
func check(ctx context.Context, c *converter, err error, verbose bool, timeout time.Duration) *Info {
	i := &Info{Err: err}
	if err != nil {
		return i
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	start := time.Now()
	c.spec.ctx = ctx
	i.Err = c.decide(ctx, i, verbose)
	c.spec.ctx = context.Background()
	i.Verdict.Elapsed = time.Since(start)
	isBlame := func(m replay.MissingPart) bool { return m.Part == "blame" }
	if e := i.Verdict.Explanation; e != nil && len(e.Free) == 0 && !slices.ContainsFunc(e.Missing, isBlame) {
		e.Missing = append(e.Missing, replay.MissingPart{Part: "blame", Cause: "only results that the history has for an equal input were tried"})
	}
	return i
}

// mustDecide reports whether the history is linearizable. It panics if there is no verdict.
func (i *Info) mustDecide() bool {
	switch {
	case i.Err != nil:
		panic(fmt.Sprintf("leadline: %v", i.Err))
	case !i.Verdict.Decided():
		panic(fmt.Sprintf("leadline: the check was stopped: %v", i.Verdict.Cause))
	}
	return i.Verdict.Answer == replay.Linearizable
}

// Visualize writes a page about a checked history; see package view. The model must be
// the model of the check.
func Visualize(_ porcupine.Model, info Info, w io.Writer) error {
	return view.Write(w, view.Item{History: info.History, Spec: info.Spec, Verdict: info.Verdict, Err: info.Err})
}

// VisualizePath is Visualize to a file.
func VisualizePath(model porcupine.Model, info Info, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(Visualize(model, info, file), file.Close())
}
