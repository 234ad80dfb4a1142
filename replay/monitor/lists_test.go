package monitor_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/ops"
)

// inTurns returns a history in which processes take turns, so that each operation overlaps
// twice as many others. Operations take effect in the order of their responses. The
// operation lost has none, and returns nevertheless; those of pending never return.
func inTurns(t testing.TB, s replay.Spec, processes int, calls []replay.Invocation, lost int, pending func(i int) bool) *history.History {
	t.Helper()
	b := history.NewBuilder(history.Header{})
	object := s.New()
	process := make([]int64, processes)
	for p := range process {
		process[p] = int64(p)
	}
	add := func(i int, e history.Event) {
		e.Process, e.Line = history.IntValue(process[i%processes]), b.Events()+1
		b.Add(&e)
	}
	for i := range len(calls) + processes {
		if k := i - processes; k >= 0 {
			target := object
			if k == lost {
				target = object.(replay.State).Clone()
			}
			result, ok := target.Apply(calls[k])
			switch {
			case !ok:
				t.Fatalf("%v waits", calls[k])
			case pending != nil && pending(k):
				process[k%processes] += int64(processes)
			default:
				add(k, history.Event{Type: history.OK, Result: result})
			}
		}
		if i < len(calls) {
			add(i, history.Event{Type: history.Invoke, Method: calls[i].Method, Args: calls[i].Args})
		}
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// growing are calls on lists and sets that grow, n each. Operation n/2 appends or adds.
func growing(n int) map[string][]replay.Invocation {
	number, text := func(i int) history.Value { return history.IntValue(int64(i)) }, history.StringValue
	calls := map[string][]replay.Invocation{}
	for i := range n {
		isAppend := i == n/2 || i%3 == 0
		key := number(i / 100)
		step := func(f string, key, v history.Value) history.Value { return history.ListValue(text(f), key, v) }
		txn := []history.Value{step("read", key, history.NullValue), step("append", number(1000+i%7), number(i))}
		if isAppend {
			txn[0] = step("append", key, number(i))
		}
		calls["multi-register"] = append(calls["multi-register"], replay.Invocation{Method: "txn", Args: []history.Value{history.ListValue(txn...)}})
		access, element := replay.Invocation{Method: "get", Args: []history.Value{key}}, replay.Invocation{Method: "add", Args: []history.Value{number(i)}}
		if isAppend {
			access = replay.Invocation{Method: "append", Args: []history.Value{key, text(fmt.Sprintf("x %d y", i))}}
		} else if i%100 == 97 {
			element = replay.Invocation{Method: "elements"}
		}
		calls["kv"], calls["set"] = append(calls["kv"], access), append(calls["set"], element)
	}
	return calls
}

// TestLongLists decides long histories, some of them with one append that was lost.
func TestLongLists(t *testing.T) {
	t.Parallel()
	n := 2000
	if *full {
		n = 20_000
	}
	some := func(i int) bool { return i%150 == 7 }
	for name, calls := range growing(n) {
		model := collection(t, name)
		h := inTurns(t, model, 20, calls, -1, some)
		if f := monitor.Lists(ops.New(h, model, 0), nil); f.Answer != replay.Linearizable {
			t.Errorf("%s: %v (%v), conflict %v", name, f.Answer, f.Reason, f.Conflict)
		} else if err := replay.Verify(h, model, f.Witness, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		h = inTurns(t, model, 20, calls, n/2, some)
		f := monitor.Lists(ops.New(h, model, 0), nil)
		if f.Answer != replay.NotLinearizable || len(f.Conflict) > 4 || !slices.Contains(f.Conflict, int32(n/2)) {
			t.Errorf("%s: %v (%v), conflict %v", name, f.Answer, f.Reason, f.Conflict)
		}
	}
}

// TestListsStop: see TestStop.
func TestListsStop(t *testing.T) {
	t.Parallel()
	for name, calls := range growing(4000) {
		model := collection(t, name)
		checkStop(t, inTurns(t, model, 8, calls, -1, nil), model, monitor.Lists, replay.Linearizable)
		checkStop(t, inTurns(t, model, 8, calls, 2000, nil), model, monitor.Lists, replay.NotLinearizable)
	}
}

// TestListsWork: see TestWork.
func TestListsWork(t *testing.T) {
	work := func(n int) map[string]int64 {
		spent := map[string]int64{}
		for name, calls := range growing(n) {
			if name == "set" {
				continue // its reads have many elements
			}
			m := meter.New(nil)
			if f := monitor.Lists(ops.New(inTurns(t, collection(t, name), 8, calls, -1, nil), collection(t, name), 0), m); f.Answer != replay.Linearizable {
				t.Errorf("%s: %v (%v)", name, f.Answer, f.Reason)
			}
			spent[name] = m.Spent()
		}
		return spent
	}
	few, many := work(1000), work(8000)
	for name := range few {
		if few[name] < 1000 || many[name] > 9*few[name] {
			t.Errorf("%s: %d units of work for 1000 operations, %d for 8000", name, few[name], many[name])
		}
	}
}

// TestListConflicts has a history for each kind of conflict, with operations that have
// nothing to do with it. In a transaction, x+1 appends 1 to x, and x= reads x.
func TestListConflicts(t *testing.T) {
	short := regexp.MustCompile(`([xy])([+=])(\[[^]]*\]|[0-9]*)`)
	write := func(text string) string {
		return short.ReplaceAllStringFunc(text, func(step string) string {
			f, v := "read", step[2:]
			if step[1] == '+' {
				f = "append"
			} else if v == "" {
				v = "null"
			}
			return fmt.Sprintf(`["%s","%s",%s]`, f, step[:1], v)
		})
	}
	for _, test := range []struct{ why, model, events, want string }{
		{"never appended", "multi-register", `A read "x"; A = [1]; A txn [x+2]; A = [x+2]`, `read("x"): [1]`},
		{"empty, but not null", "multi-register", `A txn [x+1]; B read "x"; B = []; A = [x+1]; A read "y"; A = null`, `read("x"): []`},
		{"an empty text, but not null", "kv", `A append 1 "a"; B get 1; B = ""; A`, `get(1): ""`},
		{"twice in the list", "multi-register", `A txn [x+1]; A = [x+1]; A read "x"; A = [1,1]`, `read("x"): [1, 1]`},
		{"neither is the beginning of the other", "multi-register",
			`A txn [x+1]; B txn [x+2]; A = [x+1]; A read "x"; A = [1]; B = [x+2]; B read "x"; B = [2,1]; A read "x"; A = [2,1]`,
			`read("x"): [1], read("x"): [2, 1]`},
		{"not what it appended", "multi-register", `A txn [x+2]; A = [x+2]; A txn [x+1,x=]; A = [x+1,x=[2]]; A txn [x+3]; A = [x+3]`,
			`txn([["append", "x", 1], ["read", "x", null]]): [["append", "x", 1], ["read", "x", [2]]]`},
		{"it changed meanwhile", "multi-register", `B txn [x+1]; A txn [x=,y+2,x=]; A = [x=,y+2,x=[1]]; B = [x+1]`,
			`txn([["read", "x", null], ["append", "y", 2], ["read", "x", null]]): [["read", "x", null], ["append", "y", 2], ["read", "x", [1]]]`},
		{"half of it", "multi-register", `A txn [x+1,x+2]; B read "x"; B = [1]; A = [x+1,x+2]; A read "y"; A = null`,
			`txn([["append", "x", 1], ["append", "x", 2]]): [["append", "x", 1], ["append", "x", 2]], read("x"): [1]`},
		{"within it", "multi-register", `A txn [x+1,x+2]; B txn [x+3]; A = [x+1,x+2]; B = [x+3]; C read "x"; C = [1,3,2]`,
			`txn([["append", "x", 1], ["append", "x", 2]]): [["append", "x", 1], ["append", "x", 2]], read("x"): [1, 3, 2]`},
		{"lost", "multi-register", `A txn [x+1]; A = [x+1]; B txn [x+2,y+2]; A read "x"; A = [2]; A read "y"; A = [2]`,
			`txn([["append", "x", 1]]): [["append", "x", 1]], read("x"): [2]`},
		{"read before it", "multi-register", `B read "x"; B = [1]; A txn [x+1]; C txn [y+1]`, `read("x"): [1], txn([["append", "x", 1]]): pending`},
		{"in the wrong order", "multi-register", `A txn [x+1]; A = [x+1]; A txn [x+2]; A = [x+2]; B read "x"; B = [2,1]; C txn [y+1]`,
			`txn([["append", "x", 1]]): [["append", "x", 1]], txn([["append", "x", 2]]): [["append", "x", 2]], read("x"): [2, 1]`},
		{"one of two lists was too early", "multi-register", `A txn [x+1,y+1]; B read "x"; B = [1]; B read "y"; B = null; C read "y"; C = [1]`,
			`txn([["append", "x", 1], ["append", "y", 1]]): pending, read("x"): [1], read("y"): null`},
		{"neither saw the other", "multi-register", `A txn [x=,y+1]; B txn [y=,x+1]; A = [x=,y+1]; B = [y=,x+1]`,
			`txn([["read", "x", null], ["append", "y", 1]]): [["read", "x", null], ["append", "y", 1]], txn([["read", "y", null], ["append", "x", 1]]): [["read", "y", null], ["append", "x", 1]]`},
		{"another text is useless", "kv", `A append 1 "a"; A; B append 1 "b"; B; C append 2 "a"; A get 1; A = "ba"; C; C append 2 "aa"; C; C get 2; C = "aaa"`,
			`append(1, "a"), append(1, "b"), get(1): "ba"`},
		{"no such text", `kv:""`, `A append 1 "ab"; A; A append 1 "c"; A; A get 1; A = "abd"`, `get(1): "abd"`},
		{"missing again", "kv", `A append 1 "a"; A; A get 1; A = null; B append 2 "a"`, `append(1, "a"), get(1): null`},
		{"an element was lost", "set", `A add 1; A = true; B add 2; A elements; A = [2]; B = true`, `add(1): true, elements(): [2]`},
		{"neither set is part of the other", "set", `A add 1; B add 2; C elements; D elements; C = [1]; D = [2]; C elements; C = [1,2]`,
			`elements(): [1], elements(): [2]`},
		{"missing again in a set", "set", `A add 1; B add 2; C elements; C = [1]; C elements; C = []; C add 3; C = true; C remove 3; C = true`,
			`add(1): pending, elements(): [1], elements(): []`},
		{"nobody adds it", "set", `A elements; A = [1]; B add 2; B = true; B remove 3; B = false`, `elements(): [1]`},
	} {
		h, err := history.New(history.Header{}, events(write(test.events)))
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		model := collection(t, test.model)
		f := monitor.Lists(ops.New(h, model, 0), nil)
		var ops []string
		for _, i := range f.Conflict {
			ops = append(ops, fmt.Sprint(&h.Ops[i]))
		}
		if got := strings.Join(ops, ", "); got != test.want {
			t.Errorf("%s: %v (%s), conflict %s; want %s", test.why, f.Answer, f.Reason, got, test.want)
		}
		if len(ops) > 0 && searched(t, restrict(h, f.Conflict), model) != replay.NotLinearizable {
			t.Errorf("%s: there is a witness of the conflict", test.why)
		}
	}
}
