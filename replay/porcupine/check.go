package leadline

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
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/report"
	"github.com/leadline/leadline/replay/stresstest"
	"github.com/leadline/leadline/replay/view"
)

// An Info is the result of a check. It takes the place of a
// porcupine.LinearizationInfo.
type Info struct {
	History *history.History
	Spec    replay.Spec
	Verdict replay.Verdict
	// Err is the reason if the check has no verdict: the history is ill-formed or the
	// model panicked. The result is Unknown then.
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
	info := checkOperations(model, ops, quick(0))
	return info.mustDecide()
}

// CheckOperationsTimeout checks whether a history is linearizable. It returns
// Unknown if that takes longer than timeout, where 0 means no limit, and in the
// cases in which CheckOperations panics.
func CheckOperationsTimeout(model porcupine.Model, ops []porcupine.Operation, timeout time.Duration) porcupine.CheckResult {
	info := checkOperations(model, ops, quick(timeout))
	return info.Result()
}

// CheckOperationsVerbose is like CheckOperationsTimeout, and returns all that leadline
// finds: the witness and its depth, or why there is none.
func CheckOperationsVerbose(model porcupine.Model, ops []porcupine.Operation, timeout time.Duration) (porcupine.CheckResult, Info) {
	info := checkOperations(model, ops, verbose(timeout))
	return info.Result(), info
}

// CheckEvents is CheckOperations for events.
func CheckEvents(model porcupine.Model, events []porcupine.Event) bool {
	info := checkEvents(model, events, quick(0))
	return info.mustDecide()
}

// CheckEventsTimeout is CheckOperationsTimeout for events.
func CheckEventsTimeout(model porcupine.Model, events []porcupine.Event, timeout time.Duration) porcupine.CheckResult {
	info := checkEvents(model, events, quick(timeout))
	return info.Result()
}

// CheckEventsVerbose is CheckOperationsVerbose for events.
func CheckEventsVerbose(model porcupine.Model, events []porcupine.Event, timeout time.Duration) (porcupine.CheckResult, Info) {
	info := checkEvents(model, events, verbose(timeout))
	return info.Result(), info
}

// quick are the options if only the answer counts.
func quick(timeout time.Duration) replay.Options {
	return replay.Options{MaxDepth: 1, Budget: replay.Budget{Time: timeout}}
}

func verbose(timeout time.Duration) replay.Options {
	return replay.Options{Explain: true, Budget: replay.Budget{Time: timeout}}
}

func checkOperations(model porcupine.Model, ops []porcupine.Operation, o replay.Options) (i Info) {
	if i.History, i.Spec, i.Err = Operations(model, ops); i.Err == nil {
		i.check(o)
	}
	return i
}

func checkEvents(model porcupine.Model, events []porcupine.Event, o replay.Options) (i Info) {
	if i.History, i.Spec, i.Err = Events(model, events); i.Err == nil {
		i.check(o)
	}
	return i
}

func (i *Info) check(o replay.Options) {
	v, err := decide.Check(context.Background(), i.History, i.Spec, o)
	var panicked *decide.PanicError
	if errors.As(err, &panicked) {
		err = fmt.Errorf("the model panicked: %v\n%s", panicked.Value, panicked.Stack)
	}
	i.Verdict, i.Err = v, err
	isBlame := func(m replay.MissingPart) bool { return m.Part == "blame" }
	if e := v.Explanation; e != nil && len(e.Free) == 0 && !slices.ContainsFunc(e.Missing, isBlame) {
		e.Missing = append(e.Missing, replay.MissingPart{Part: "blame", Cause: "only results that the history has for an equal input were tried"})
	}
}

// mustDecide reports whether the history is linearizable.
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
// that of the check.
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

// RequireOperations fails the test unless the history is linearizable. The message
// explains why it is not; see stresstest.Check, which also saves the history.
func RequireOperations(t stresstest.TB, model porcupine.Model, ops []porcupine.Operation) {
	t.Helper()
	h, spec, err := Operations(model, ops)
	require(t, h, spec, err)
}

// RequireEvents is RequireOperations for events.
func RequireEvents(t stresstest.TB, model porcupine.Model, events []porcupine.Event) {
	t.Helper()
	h, spec, err := Events(model, events)
	require(t, h, spec, err)
}

func require(t stresstest.TB, h *history.History, spec replay.Spec, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("leadline: %v", err)
		return
	}
	stresstest.Check(t, h, spec, stresstest.CheckOptions{})
}
