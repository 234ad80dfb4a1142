package porcupine_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	leadline "github.com/leadline/leadline/replay/porcupine"
)

func call(id int, in any) porcupine.Event {
	return porcupine.Event{Kind: porcupine.CallEvent, Value: in, Id: id}
}

func ret(id int, out any) porcupine.Event {
	return porcupine.Event{Kind: porcupine.ReturnEvent, Value: out, Id: id}
}

func operation(client int, in input, begin int64, out any, end int64) porcupine.Operation {
	return porcupine.Operation{ClientId: client, Input: in, Call: begin, Output: out, Return: end}
}

var (
	write1 = input{op: "write", value: 1}
	read   = input{op: "read"}
)

// TestClosedIntervals: a call at the time of a return is concurrent with it, also
// for one client.
func TestClosedIntervals(t *testing.T) {
	for _, client := range []int{0, 1} {
		for begin, want := range map[int64]porcupine.CheckResult{10: porcupine.Ok, 11: porcupine.Illegal} {
			ops := []porcupine.Operation{operation(0, write1, 0, nil, 10), operation(client, read, begin, 0, 20)}
			got, info := leadline.CheckOperationsVerbose(register, ops, 0)
			if got != want || porcupine.CheckOperationsTimeout(register, ops, 0) != want {
				t.Errorf("client %d reads at %d: %v, want %v", client, begin, got, want)
			}
			if stamps := info.History.Stamps; len(stamps) != 4 || stamps[3] != 20 {
				t.Errorf("time stamps %v, want those of the operations", stamps)
			}
		}
	}
}

// TestOverlappingClient: operations of one client may overlap.
func TestOverlappingClient(t *testing.T) {
	ops := []porcupine.Operation{operation(7, write1, 0, nil, 10), operation(7, read, 5, 0, 20), operation(7, read, 15, 1, 30), operation(7, read, 40, 1, 50)}
	if !leadline.CheckOperations(register, ops) {
		t.Error("illegal")
	}
	h, _, err := leadline.Operations(register, ops)
	if err != nil {
		t.Fatal(err)
	}
	var processes []string
	for i := range h.Ops {
		processes = append(processes, h.Processes[h.Ops[i].Process].String())
	}
	if got, want := strings.Join(processes, " "), `7 "7#2" 7 7`; got != want {
		t.Errorf("processes %s, want %s", got, want)
	}
}

func TestFaults(t *testing.T) {
	noInit, noStep, panicking := register, register, register
	noInit.Init, noStep.Step = nil, nil
	panicking.Step = func(any, any, any) (bool, any) { panic("a bug of the model") }
	badPartition := register
	badPartition.Partition = func([]porcupine.Operation) [][]porcupine.Operation { panic("a bug of the partition") }
	badPartition.PartitionEvent = func([]porcupine.Event) [][]porcupine.Event { panic("a bug of the partition") }
	good := []porcupine.Event{call(1, write1), ret(1, nil)}
	noEqual := porcupine.Model{Init: func() any { return []int{} }, Step: func(state, in, _ any) (bool, any) { return in == write1, state }}
	together := []porcupine.Event{call(1, write1), call(2, write1), ret(1, nil), ret(2, nil), call(3, read), ret(3, 1)}
	for _, test := range []struct {
		name   string
		model  porcupine.Model
		events []porcupine.Event
		want   string
	}{
		{"twice", register, []porcupine.Event{call(1, read), call(1, read), ret(1, 0)}, "operation 1 is called twice"},
		{"again", register, []porcupine.Event{call(1, read), ret(1, 0), call(1, read), ret(1, 0)}, "operation 1 is called twice"},
		{"return twice", register, []porcupine.Event{call(1, read), ret(1, 0), ret(1, 0)}, "operation 1 returns twice"},
		{"no call", register, []porcupine.Event{ret(1, 0)}, "operation 1 returns without having been called"},
		{"no return", register, []porcupine.Event{call(5, write1), call(1, read), ret(1, 0)}, "operation 5 does not return"},
		{"no Init", noInit, good, "has no Init"},
		{"no Step", noStep, good, "neither Step nor StepContext"},
		{"panic", panicking, good, "a bug of the model"},
		{"no Equal", noEqual, together, "comparing uncomparable type []int"},
		{"partition", badPartition, good, "a bug of the partition"},
	} {
		t.Run(test.name, func(t *testing.T) {
			result, info := leadline.CheckEventsVerbose(test.model, test.events, 0)
			if result != porcupine.Unknown || info.Err == nil || !strings.Contains(info.Err.Error(), test.want) {
				t.Errorf("%v, error %v, want one with %q", result, info.Err, test.want)
			}
			if got := leadline.CheckEventsTimeout(test.model, test.events, 0); got != porcupine.Unknown {
				t.Errorf("CheckEventsTimeout returns %v", got)
			}
			defer func() {
				if recover() == nil {
					t.Error("CheckEvents does not panic")
				}
			}()
			leadline.CheckEvents(test.model, test.events)
		})
	}
	backwards := []porcupine.Operation{operation(0, write1, 0, nil, 1), operation(0, read, 10, 0, 9)}
	if _, info := leadline.CheckOperationsVerbose(register, backwards, 0); info.Err == nil || !strings.Contains(info.Err.Error(), "operation 1 returns at 9") {
		t.Errorf("error %v for a return before the call", info.Err)
	}
}

func TestTimeout(t *testing.T) {
	var ops []porcupine.Operation
	for i := range 100 {
		ops = append(ops, operation(i, write1, 0, nil, 1))
	}
	if got := leadline.CheckOperationsTimeout(register, ops, time.Nanosecond); got != porcupine.Unknown {
		t.Errorf("%v in a nanosecond", got)
	}
	if got := leadline.CheckOperationsTimeout(register, ops, 0); got != porcupine.Ok {
		t.Errorf("%v without a limit", got)
	}
}

// TestLong: both searches decide long parts. Porcupine's decides those of up to 5,792
// operations.
func TestLong(t *testing.T) {
	for _, n := range []int{5792, 5793} {
		var ops []porcupine.Operation
		for i := range n {
			at := int64(4 * i)
			ops = append(ops, operation(1, input{op: "write", value: i}, at, nil, at+2), operation(2, read, at+1, i, at+3))
		}
		if !leadline.CheckOperations(register, ops[:n]) {
			t.Errorf("%d operations are illegal", n)
		}
		ops[n-1].Output = -1
		if ops[n-1].Input = read; leadline.CheckOperations(register, ops[:n]) {
			t.Errorf("%d operations with a wrong read are legal", n)
		}
	}
}

func TestEmpty(t *testing.T) {
	for _, s := range subjects() {
		if !leadline.CheckOperations(s.model, nil) || !leadline.CheckEvents(s.model, nil) {
			t.Errorf("%s: an empty history is illegal", s.name)
		}
	}
}

// TestStepContext: a model may have StepContext only, and states that equal
// nothing.
func TestStepContext(t *testing.T) {
	model := porcupine.Model{
		Init: func() any { return func() int { return 0 } },
		StepContext: func(_ context.Context, state, in, out any) (bool, any) {
			value := state.(func() int)()
			if i := in.(input); i.op == "write" {
				return true, func() int { return i.value }
			}
			return out == value, state
		},
		Equal: func(any, any) bool { return false },
	}
	ops := []porcupine.Operation{operation(0, write1, 0, nil, 9), operation(1, read, 1, 0, 2), operation(1, read, 3, 1, 4)}
	if !leadline.CheckOperations(model, ops) {
		t.Error("illegal")
	}
	ops = append(ops, operation(2, read, 10, 0, 11))
	if leadline.CheckOperations(model, ops) {
		t.Error("a read of an overwritten value is legal")
	}
	// As in porcupine, StepContext is called instead of Step.
	model.Step = func(state, in, out any) (bool, any) { return true, state }
	if got, want := leadline.CheckOperations(model, ops), porcupine.CheckOperations(model, ops); got || want {
		t.Errorf("with a Step that accepts everything: %t, porcupine: %t", got, want)
	}
}

// TestExplanation: the explanation is in terms of the user's operations, in the
// words of the model.
func TestExplanation(t *testing.T) {
	in := func(op, key string, value int) input { return input{op, key, value} }
	ops := []porcupine.Operation{
		operation(0, in("write", "a", 1), 0, nil, 10),
		operation(1, in("write", "b", 2), 0, nil, 10),
		operation(0, in("read", "b", 0), 20, 2, 30),
		operation(1, in("read", "a", 0), 20, 0, 30),
		operation(0, in("read", "a", 0), 40, 1, 50),
	}
	result, info := leadline.CheckOperationsVerbose(partitioned(), ops, 0)
	e := info.Verdict.Explanation
	if result != porcupine.Illegal || e == nil {
		t.Fatalf("%v, explanation %v, error %v", result, e, info.Err)
	}
	op := &info.History.Ops[e.Unexplained]
	if op.ID().Int() != 3 || op.String() != `read("a", 0): 0` {
		t.Errorf("operation %v, %v, is unexplained, want number 3", op.ID(), op)
	}
	var allowed []string
	for _, group := range e.Free {
		for _, f := range group {
			f.Allowed = slices.DeleteFunc(f.Allowed, func(v history.Value) bool { return v.Kind() == history.Unknown })
			allowed = append(allowed, fmt.Sprint(info.History.Ops[f.Op].ID(), f.Allowed))
		}
	}
	if got := strings.Join(allowed, "; "); got != "3 [1]" {
		t.Errorf("allowed results: %s, want 3 [1]", got)
	}
	var text bytes.Buffer
	if err := info.Explain(&text); err != nil || !strings.Contains(text.String(), `read("a", 0): 0`) {
		t.Errorf("error %v, explanation:\n%s", err, &text)
	}
	state := info.Spec.New()
	for i, want := range []string{"{all: 0}", `{"a": 1, others: 0}`, `{"a": 1, "b": 2}`} {
		if got := replay.StateText(state); got != want {
			t.Errorf("after %d writes the state is %s, want %s", i, got, want)
		}
		o := &info.History.Ops[i]
		state.Apply(replay.Invocation{Method: o.Method, Args: o.Args})
	}
}

// TestNoBlame: an explanation does not claim that other results would not help if
// the history has none to try.
func TestNoBlame(t *testing.T) {
	_, info := leadline.CheckOperationsVerbose(register, []porcupine.Operation{operation(0, read, 0, 7, 1)}, 0)
	e := info.Verdict.Explanation
	if e == nil || len(e.Free) != 0 {
		t.Fatalf("explanation %+v, error %v", e, info.Err)
	}
	if len(e.Missing) != 1 || e.Missing[0].Part != "blame" {
		t.Errorf("missing parts %v, want the blame", e.Missing)
	}
}

func TestVisualize(t *testing.T) {
	ops := []porcupine.Operation{operation(0, write1, 0, nil, 10), operation(1, read, 20, 0, 30)}
	_, info := leadline.CheckOperationsVerbose(register, ops, 0)
	var page bytes.Buffer
	if err := leadline.Visualize(register, info, &page); err != nil || !strings.Contains(page.String(), "<html") {
		t.Errorf("error %v, page of %d bytes", err, page.Len())
	}
	if err := leadline.VisualizePath(register, info, filepath.Join(t.TempDir(), "page.html")); err != nil {
		t.Error(err)
	}
	if err := leadline.VisualizePath(register, info, t.TempDir()); err == nil {
		t.Error("a directory is overwritten")
	}
	_, info = leadline.CheckEventsVerbose(register, []porcupine.Event{ret(1, 0)}, 0)
	if err := leadline.Visualize(register, info, &page); err != nil {
		t.Errorf("page about an error: %v", err)
	}
}
