package trial_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/leadline/leadline/benchdata/corpora"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/trial"
	"github.com/leadline/leadline/replay/spec"
)

// A list has the values that were pushed.
type list = []int64

func pushes() []history.Operation {
	var ops []history.Operation
	for i := range int64(3) {
		ops = append(ops, history.Operation{Method: "push", Args: []history.Value{history.IntValue(i)}, Return: history.NoReturn})
	}
	return append(ops, history.Operation{Method: "sum", Return: history.NoReturn})
}

func sum(s list) (n int64) {
	for _, v := range s {
		n += v
	}
	return n
}

// listModel has the given push. Its key has the values from the first on.
func listModel(push func(s list, v int64) list, key func(s list) list) *replay.Model[list] {
	return &replay.Model[list]{
		Label: "list", Initial: make(list, 1, 8),
		Next: func(s list, inv replay.Invocation) []replay.Step[list] {
			if inv.Method == "sum" {
				return []replay.Step[list]{{Result: history.IntValue(sum(s)), Next: s}}
			}
			return []replay.Step[list]{{Next: push(s, inv.Args[0].Int())}}
		},
		Key: func(dst []byte, s list) []byte {
			for _, v := range key(s) {
				dst = binary.AppendVarint(dst, v)
			}
			return dst
		},
	}
}

// A tally is the sum of what was pushed.
type tally struct{ n int64 }

func (t *tally) Apply(inv replay.Invocation) (history.Value, bool) {
	if inv.Method == "sum" {
		return history.IntValue(t.n), true
	}
	t.n += 1 + inv.Args[0].Int()
	return history.NoValue, true
}

func (t *tally) Clone() replay.State         { c := *t; return &c }
func (t *tally) AppendKey(dst []byte) []byte { return binary.AppendVarint(dst, t.n) }

// A newSpec makes objects by a function, and a sharedSpec returns the same one each time.
type newSpec struct{ make func() replay.Object }

func (newSpec) Name() string                   { return "tally" }
func (newSpec) Check(*history.Operation) error { return nil }
func (s newSpec) New() replay.Object           { return s.make() }

type sharedSpec struct{ object replay.Object }

func (sharedSpec) Name() string                   { return "tally" }
func (sharedSpec) Check(*history.Operation) error { return nil }
func (s sharedSpec) New() replay.Object           { return s.object }

// An incomplete state lacks its clone, or where its outcomes lead.
type incomplete struct {
	*tally
	cloneless bool
}

func (s *incomplete) Clone() replay.State {
	if s.cloneless {
		return nil
	}
	return s
}

func (s *incomplete) Outcomes(replay.Invocation) []replay.Outcome { return []replay.Outcome{{}} }

// All stateless objects are alike.
type stateless struct{}

func (*stateless) Apply(replay.Invocation) (history.Value, bool) { return history.NullValue, true }

func TestProbe(t *testing.T) {
	whole := func(s list) list { return s }
	copying := func(s list, v int64) list { return append(s[:len(s):len(s)], v) }
	calls := int64(0)
	random := listModel(copying, whole)
	random.Next = func(s list, inv replay.Invocation) []replay.Step[list] {
		if inv.Method == "push" {
			return []replay.Step[list]{{Next: s}}
		}
		calls++
		return []replay.Step[list]{{Result: history.IntValue(calls), Next: s}}
	}
	// A key that separates more states than need be is slow, but not wrong.
	var alive []*int64
	unique := &replay.Model[*int64]{Label: "unique", Initial: new(int64),
		Next: func(s *int64, inv replay.Invocation) []replay.Step[*int64] {
			if inv.Method == "sum" {
				return []replay.Step[*int64]{{Result: history.IntValue(*s), Next: s}}
			}
			next := new(int64)
			*next = *s + inv.Args[0].Int()
			alive = append(alive, next) // so that no address comes twice
			return []replay.Step[*int64]{{Next: next}}
		},
		Key: func(dst []byte, s *int64) []byte { return fmt.Appendf(dst, "%p", s) }}
	changing := listModel(copying, whole)
	steps := changing.Next
	changing.Next = func(s list, inv replay.Invocation) []replay.Step[list] {
		next := steps(s, inv)
		if inv.Method == "push" && inv.Args[0].Int() > 0 {
			inv.Args[0] = history.IntValue(inv.Args[0].Int() + 1)
		}
		return next
	}
	made, keys := int64(0), int64(0)
	for name, test := range map[string]struct {
		spec replay.Spec
		want string // in the error
	}{
		"correct":    {listModel(copying, whole), ""},
		"nil":        {nil, "the specification is nil"},
		"nil model":  {(*replay.Model[list])(nil), "the specification is a nil *replay.Model["},
		"no Next":    {&replay.Model[list]{Label: "list", Key: listModel(copying, whole).Key}, "list is a replay.Model without Next"},
		"no Key":     {&replay.Model[list]{Label: "list", Next: listModel(copying, whole).Next}, "list is a replay.Model without Key"},
		"in place":   {listModel(func(s list, v int64) list { s[0] += v; return s }, whole), "push(1) changes the state that it is applied to"},
		"append":     {listModel(func(s list, v int64) list { return append(s, v) }, whole), "may not share memory"},
		"short key":  {listModel(copying, func(s list) list { return s[:1] }), "states with the same key"},
		"random":     {random, "sum() returns 1 in a state, and then 2 in its clone"},
		"own keys":   {unique, ""},
		"no details": {listModel(copying, func(s list) list { return list{int64(len(s))} }), "states with the same key"},
		"panics":     {listModel(func(list, int64) list { panic("push") }, whole), ""},
		"arguments":  {changing, "push(1) changes its arguments to those of push(2)"},
		"shared":     {sharedSpec{&tally{}}, "sum() returns 6 from one new object and 12 from another"},
		"new":        {newSpec{func() replay.Object { return &tally{} }}, ""},
		"object":     {newSpec{func() replay.Object { return struct{ replay.Object }{&tally{}} }}, ""},
		"one object": {sharedSpec{struct{ replay.Object }{&tally{}}}, "sum() returns 6 from one new object and 12 from another"},
		"pointer":    {sharedSpec{&struct{ replay.Object }{&tally{}}}, "sum() returns 6 from one new object and 12 from another"},
		"stateless":  {newSpec{func() replay.Object { return &stateless{} }}, ""},
		"no object":  {newSpec{func() replay.Object { return nil }}, "New returns nil"},
		"no clone":   {newSpec{func() replay.Object { return &incomplete{&tally{}, true} }}, "Clone returns nil"},
		"no state":   {newSpec{func() replay.Object { return &incomplete{&tally{}, false} }}, "an outcome of push(0) has no next state"},
		"random key": {listModel(copying, func(s list) list { keys++; return list{keys} }), "a state has the key"},
		"unsteady": {newSpec{func() replay.Object {
			made++
			return struct{ replay.Object }{&tally{n: made}}
		}}, "objects have to be deterministic"},
	} {
		err := trial.Probe(context.Background(), test.spec, pushes())
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
	// The initial state may change without a state in between.
	shared := list{0}
	leaky := listModel(copying, whole)
	leaky.Initial = shared
	next := leaky.Next
	leaky.Next = func(s list, inv replay.Invocation) []replay.Step[list] {
		if len(s) > 2 {
			shared[0]++
		}
		return next(s, inv)
	}
	if err := trial.Probe(context.Background(), leaky, pushes()); err == nil {
		t.Error("the initial state changes")
	}
}

// untrusted is a bundled specification that Probe does not trust.
type untrusted struct{ replay.Spec }

// TestProbeBundled: Probe finds nothing wrong with the bundled specifications, on
// histories of the corpora.
func TestProbeBundled(t *testing.T) {
	t.Parallel()
	probed := map[string]int{}
	err := fs.WalkDir(corpora.FS, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(file, ".jsonl") || strings.HasSuffix(file, "labels.jsonl") {
			return err
		}
		r, err := corpora.FS.Open(file)
		if err != nil {
			return err
		}
		defer r.Close()
		n := 0
		for h, err := range codec.Decode(r, file, codec.Options{}) {
			if n++; err != nil || n > 20 {
				return nil // archives of other formats are read by other tests
			}
			s, err := spec.Lookup(h.Model, h.ModelArgs)
			if err != nil {
				continue
			}
			probed[h.Model]++
			if err := trial.Probe(context.Background(), untrusted{s}, h.Ops); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			if _, ok := s.(replay.Trusted); !ok {
				t.Errorf("%s is not Trusted", s.Name())
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(probed) < 10 {
		t.Errorf("only %v", probed)
	}
}

// TestProbeStops: Probe ends with its context, but for the invocation that it tries twice.
func TestProbeStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	slow := listModel(func(s list, v int64) list { return s }, func(s list) list { return s })
	next := slow.Next
	slow.Next = func(s list, inv replay.Invocation) []replay.Step[list] {
		if calls++; calls == 3 {
			cancel()
		}
		return next(s, inv)
	}
	if err := trial.Probe(ctx, slow, pushes()); err != nil || calls > 4 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
