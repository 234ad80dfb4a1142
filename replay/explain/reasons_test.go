package explain_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
)

// native writes a history: each call is "method arguments = result" in JSON, with "= ?" for a
// pending one. The calls follow one another, and pending ones stay open.
func native(model string, calls ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"leadline":1,"model":%s}`+"\n", model)
	for i, call := range calls {
		head, result, _ := strings.Cut(call, " = ")
		method, args, _ := strings.Cut(head, " ")
		fmt.Fprintf(&b, `{"process":%d,"op":%d,"type":"invoke","method":%q,"args":[%s]}`+"\n", i, i, method, args)
		switch result {
		case "?":
		case "":
			fmt.Fprintf(&b, `{"process":%d,"op":%d,"type":"ok"}`+"\n", i, i)
		default:
			fmt.Fprintf(&b, `{"process":%d,"op":%d,"type":"ok","result":%s}`+"\n", i, i, result)
		}
	}
	return b.String()
}

// explainedText explains the history in a text as the commands do.
func explainedText(t testing.TB, text string) (*history.History, *replay.Explanation) {
	t.Helper()
	for h, err := range codec.Decode(strings.NewReader(text), "text", codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		s, err := batch.ModelOf(h, "")
		if err != nil {
			t.Fatal(err)
		}
		v := explained(t, h, s)
		if v.Answer != replay.NotLinearizable {
			t.Fatalf("%v:\n%s", v, text)
		}
		if sub, err := v.Explanation.SubHistory(h); err != nil || byChecker(t)(sub, s) {
			t.Fatalf("the core is linearizable, or %v:\n%s", err, text)
		}
		return h, v.Explanation
	}
	t.Fatal("no history")
	return nil, nil
}

// restrict restricts the core of h to the elements that it is about.
func restrict(core, h *history.History, e *replay.Explanation) {
	for k, i := range e.Core {
		if op := e.CoreOp(h, i); !core.Ops[k].Pending() {
			core.Ops[k].Args, core.Ops[k].Result = op.Args, op.Result
		}
	}
}

// repeat returns n calls, with %d for their numbers from first on.
func repeat(n, first int, format string) (calls []string) {
	for i := range n {
		calls = append(calls, strings.ReplaceAll(format, "%d", fmt.Sprint(first+i)))
	}
	return calls
}

// TestNamedReasons: the reason names a value that nothing puts into the object, a result that
// it never gives, and elements that are missing, extra or out of order. Pending operations are
// not in the core unless they matter.
func TestNamedReasons(t *testing.T) {
	list := func(h ...[]string) (all []string) {
		for _, calls := range h {
			all = append(all, calls...)
		}
		return all
	}
	of := func(calls ...string) []string { return calls }
	for _, pending := range []int{3, 20, 60} {
		waiting := repeat(pending, 0, "dequeue = ?")
		for _, c := range []struct {
			model      string
			calls      []string
			core       int
			impossible string // the beginning
			difference string
		}{
			{`"queue"`, list(of("enqueue 1"), waiting, of("dequeue = 99")), 1, "99 is never enqueued", ""},
			{`"queue"`, list(waiting, of("dequeue = 99", "enqueue 99")), 1, "99 is not yet enqueued", ""},
			{`"queue","args":[9]`, list(of("offer 1 = true"), waiting, of("take = 99")), 1, "99 is never enqueued", ""},
			{`"queue"`, list(of("put 1"), of("take = null")), 1, "null is never enqueued", ""},
			{`"queue"`, list(of("enqueue 1", "enqueue 2"), waiting, of("dequeue = 2", "dequeue = 1")), 4, "", ""},
			{`"queue"`, list(of("enqueue 1", "enqueue 2"), waiting, of("dequeue = 2", "dequeue = 2")), 1, "", ""}, // a loop comes before
			{`"stack"`, list(of("push 1"), repeat(pending, 0, "pop = ?"), of(`pop = "1"`)), 1, `"1" is never pushed: 1 was pushed as a number, this is the text "1"`, ""},
			{`"deque"`, list(of("pushFront 1"), repeat(pending, 0, "popBack = ?"), of("peekFront = 99")), 1, "99 is never pushed", ""},
			{`"priority-queue"`, list(of("insert 1"), repeat(pending, 0, "poll = ?"), of("poll = 99")), 1, "99 is never inserted", ""},
			{`"set"`, list(of("add 1 = true"), repeat(pending, 2, "add %d = ?"), of("contains 99 = true")), 1, "99 is never added", ""},
			{`"set"`, list(of("add 1 = true"), of("add 99 = false")), 1, "99 is never added", ""},
			{`"multiset"`, list(of("add 1"), repeat(pending, 2, "add %d = ?"), of("count 99 = 2")), 1, "99 is never added", ""},
			{`"register"`, list(repeat(pending, 2, "write %d = ?"), of("read = 99")), 1, "99 is never written", ""},
			{`"cas-register"`, list(repeat(pending, 2, "cas %d,7 = ?"), of("cas 99,1 = true")), 1, "99 is never written", ""},
			{`"kv"`, list(of(`put "a",9`), of(`put "b","9"`), of(`get "a" = "9"`)), 1, `"9" is never put under "a": 9 was put as a number, this is the text "9"`, ""},
			{`"kv"`, list(of(`put "a",9`), repeat(pending, 2, `put "b",%d = ?`), of(`remove "b" = 9.5`)), 1, `9.5 is never put under "b"`, ""},
			{`"kv"`, of(`append "a","x"`, `append "a","y"`, `get "a" = "yx"`), 3, "", ""}, // strings grow
			{`"multi-register"`, list(repeat(pending, 2, `txn [["append",1,%d]] = ?`), of(`txn [["read",1,null],["read",2,null]] = [["read",1,[99]],["read",2,null]]`)), 1,
				"99 is never appended under 1", "99 is extra"},
			{`"ConcurrentHashMap"`, list(of("put 1,2 = null"), of("get 1 = 99")), 1, "99 is never put", ""},
			{`"ConcurrentSkipListSet"`, list(of("add 1 = true"), of("contains 99 = true")), 1, "99 is never put", ""},
			{`"LinkedBlockingDeque","args":[4]`, list(of("add 1 = true"), repeat(pending, 0, "poll = ?"), of("poll = 99")), 1, "99 is never put", ""},
			{`"ConcurrentLinkedQueue"`, list(repeat(pending, 1, "add %d = ?"), of("offer 9 = false")), 1, "offer never returns false", ""},
			{`"LinkedBlockingQueue"`, list(repeat(pending, 1, "add %d = ?"), of("offer 9 = false")), 1, "offer never returns false", ""},
			{`"queue"`, list(repeat(pending, 1, "enqueue %d = ?"), of("offer 9 = false")), 1, "offer never returns false", ""},
			{`"queue","args":[2]`, of("offer 1 = true", "offer 2 = false"), 2, "", ""}, // it may be full

			{`"set"`, list(repeat(pending, 0, "add %d = ?"), repeat(40, 200, "add %d = true"), of("elements = [200,201,202]")), 2, "",
				"203, 204, 205, 206, 207, 208, 209, 210 and 29 more are missing"},
			{`"set"`, list(repeat(pending, 0, "add %d = ?"), of("add 70 = true", "add 71 = true", "remove 71 = true", "elements = [1,71]")), 1, "", "70 is missing, 71 is extra"},
			{`"set"`, list(repeat(pending, 0, "add %d = ?"), of("add 70 = true", "elements = [1,99]")), 1, "99 is never added", "70 is missing, 99 is extra"},
			{`"set"`, of("add 1 = true", "add 2 = true", "elements = [2,1]"), 1, "elements returns each element once", "2 comes before 1"},
			{`"multi-register"`, list(repeat(4, 1, `txn [["append","x",%d],["append","y",%d]] = [["append","x",%d],["append","y",%d]]`), repeat(pending, 9, `txn [["append","x",%d]] = ?`),
				of(`txn [["read","y",null],["read","x",null]] = [["read","y",[1,2,3,4]],["read","x",[1,3,2,4]]]`)), 3, "", "3 comes before 2"},
			{`"multi-register"`, list(repeat(4, 1, `txn [["append","x",%d]] = [["append","x",%d]]`), of(`txn [["read","x",null]] = [["read","x",[1,4]]]`)), 2, "", "2 and 3 are missing"},
			{`"multi-register"`, list(of(`txn [["append","x",1]] = [["append","x",1]]`), of(`txn [["read","x",null]] = [["read","x",[]]]`)), 2, "", "1 is missing"},
			{`"ConcurrentLinkedQueue"`, of("add 1 = true", "add 2 = true", "add 3 = true", `toArray = "[2,1]"`), 4, "", "3 is missing, 2 comes before 1"},
			{`"ConcurrentHashMap"`, of("put 1,2 = null", "put 3,4 = null", `keySet = "[3]"`), 3, "", "1 is missing"},
		} {
			text := native(c.model, c.calls...)
			h, e := explainedText(t, text)
			if len(e.Core) != c.core || !strings.HasPrefix(e.Impossible, c.impossible) || (e.Impossible == "") != (c.impossible == "") || e.Difference.String() != c.difference {
				t.Errorf("a core of %d, %q, %q; want %d, %q, %q:\n%s", len(e.Core), e.Impossible, e.Difference.String(), c.core, c.impossible, c.difference, show(h))
			}
		}
	}
}

// TestDifferences: two results that list elements are compared as multisets, then in order.
func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		recorded, other string
		want            string
		isNone          bool
	}{
		{`[1,2,3]`, `[1,2,3]`, "", false},
		{`[]`, `null`, "", false},
		{`null`, `[1,1]`, "1 and 1 are missing", false},
		{`[1,1,2]`, `[1,2,2]`, "2 is missing, 1 is extra", false},
		{`[3,1,2]`, `[1,2,3]`, "3 comes before 1", false},
		{`["a",1.5]`, `["a"]`, "1.5 is extra", false},
		{`"[1=2, 3=4]"`, `"[1=2]"`, `"3=4" is extra`, false},
		{`"{}"`, `"{1=2}"`, `"1=2" is missing`, false},
		{`[["read","x",[1]],["read","y",null]]`, `[["read","x",[2]],["read","y",null]]`, "2 is missing, 1 is extra", false},
		{`[["read","x",5],["read","y",null]]`, `[["read","x",6],["read","y",null]]`, "", true},
		{`null`, `null`, "", true},
		{`1`, `[1]`, "", true},
		{`"text"`, `"[1]"`, "", true},
	} {
		a, errA := history.ParseValue(c.recorded)
		b, errB := history.ParseValue(c.other)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		d, ok := replay.Differ(a, b)
		if ok == c.isNone || d.String() != c.want {
			t.Errorf("%v and %v: %q, %v; want %q", a, b, d.String(), ok, c.want)
		}
	}
}

// TestEmptyLists: null and the empty list are one value, so there is no violation, and results
// are shown alike.
func TestEmptyLists(t *testing.T) {
	text := native(`"multi-register"`, `txn [["read",1,null]] = [["read",1,[]]]`, `read 1 = []`, `txn [["read",1,null]] = [["read",1,null]]`,
		`txn [["write",1,[]],["read",1,null]] = [["write",1,[]],["read",1,[]]]`, `txn [["append",1,7]] = [["append",1,7]]`, `read 1 = [7]`)
	for h, err := range codec.Decode(strings.NewReader(text), "text", codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		s, err := batch.ModelOf(h, "")
		if err != nil {
			t.Fatal(err)
		}
		if !byChecker(t)(h, s) || !isLinearizable(h, s) || !reflect.DeepEqual(h.Ops[0].Result, h.Ops[2].Result) {
			t.Errorf("not linearizable, or shown as two values:\n%s", show(h))
		}
	}
}
