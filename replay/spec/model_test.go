package spec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A model is a specification and the ints in its invocations, for the random
// tests. Its probes, each applied to a copy, show everything that a state can
// ever show.
type model struct {
	text   string
	ints   []int
	probes []string
}

var drained = strings.Repeat("; %s = ", 30)

func drain(method string) string { return strings.ReplaceAll(drained[2:], "%s", method) }

// tableProbe shows the size of a hash map's table: two keys are in insertion
// order exactly if they share a bin.
func tableProbe(first string) string {
	p := first
	for k := 1; k < 1024; k *= 2 {
		p += fmt.Sprintf("; clear = ; put %d 0 = ; put 0 0 = ; keys = ", k)
	}
	return p
}

var small = []int{0, 1, 2}

// awkward are elements that resemble special results ("empty", "failed") or one
// another.
var awkward = []string{"null", "false", "true", "0", "-1", `""`, `"a"`, "[]", "[null]", "[1,2]"}

// forEach returns calls of a method for each element that a state may hold.
func forEach(method string) string {
	calls := ""
	for _, e := range append([]string{"1", "2"}, awkward...) {
		calls += "; " + method + " " + e + " = "
	}
	return calls
}

// forIndexes returns calls of a method for each index that a log may have.
func forIndexes(method string) string {
	calls := ""
	for i := range 12 {
		calls += fmt.Sprintf("; %s %d = ", method, i)
	}
	return calls
}

var models = []model{
	{"register", small, []string{"read = "}},
	{"cas-register:1", small, []string{"read = "}},
	{"counter", small, []string{"read = "}},
	{"kv", small, []string{"size = " + forEach("get") + forEach("contains")}},
	{`kv:""`, small, []string{"size = " + forEach("get") + forEach("contains")}},
	{"set", small, []string{"size = " + forEach("contains")}},
	{"multiset", small, []string{"size = " + forEach("count")}},
	{"stack", small, []string{"size = ; " + drain("pop")}},
	{"queue", small, []string{"size = ; " + drain("dequeue")}},
	{"queue:2", small, []string{"size = ; " + drain("dequeue")}},
	{"deque", small, []string{"size = ; " + drain("popFront")}},
	{"priority-queue", small, []string{drain("poll")}},
	{"priority-queue:max", small, []string{drain("poll")}},
	{"mutex", small, []string{"isLocked = "}},
	{"multi-register", small, []string{forEach("read")[2:]}},
	{"multi-register:0", small, []string{forEach("read")[2:]}},
	{"versioned-kv", small, []string{forEach("get")[2:]}},
	{"log", small, []string{"length = " + forIndexes("read")}},
	{"lock", small, []string{forEach("release")[2:] + "; tryAcquire 1 = "}},
	{`bank:{"a":3,"b":1,"c":0}`, small, []string{"read = "}},
	{"etcd", small, []string{etcdProbe()}},
	{`etcd:["revision","mod","version","count","deleted"]`, small, []string{etcdProbe()}},
	{"ArrayBlockingQueue:3", small, []string{"toString = "}},
	{"ConcurrentLinkedDeque", small, []string{"toString = "}},
	{"ConcurrentLinkedQueue", small, []string{"toString = "}},
	{"ConcurrentSkipListMap", []int{-1, 0, 1, 2, 300}, []string{"toString = "}},
	{"ConcurrentSkipListSet", []int{-1, 0, 1, 2, 300}, []string{"toString = "}},
	{"LinkedBlockingDeque", small, []string{"toString = "}},
	{"LinkedBlockingDeque:3", small, []string{"toString = "}},
	{"LinkedBlockingQueue", small, []string{"toString = "}},
	{"LinkedBlockingQueue:3", small, []string{"toString = "}},
	{"LinkedTransferQueue", small, []string{"toString = "}},
	{"PriorityBlockingQueue", small, []string{"toString = "}},
	{"ConcurrentHashMap", []int{0, 1, 16, 17, 32, 48, 64, 128}, []string{"toString = ", tableProbe("size = "), tableProbe("clear = ; putAll {0:0,1:1} = ")}},
	{"ConcurrentHashMap:0", []int{0, 1, 2, 4}, []string{"toString = ", tableProbe("size = "), tableProbe("clear = ; putAll {0:0,1:1,2:2,3:3} = ")}},
}

// invocation returns an invocation that Check accepts.
func (m *model) invocation(r *rand.Rand, methods *table.Signatures) replay.Invocation {
	return m.call(r, methods, r.IntN(len(methods.List)))
}

// call is an invocation of the given method.
func (m *model) call(r *rand.Rand, methods *table.Signatures, method int) replay.Invocation {
	s := methods.List[method]
	inv := replay.Invocation{Method: s.Names[r.IntN(len(s.Names))]}
	if len(s.Params) == 3 && s.Params[2].Kinds == table.KindOf(history.List) {
		inv.Args = randomEtcdTxn(r, func(kinds table.Kinds) history.Value { return m.argument(r, kinds, false) })
		return inv
	}
	switch inv.Method {
	case "txn":
		inv.Args = []history.Value{m.transaction(r)}
		return inv
	case "transfer":
		account := func() history.Value { return history.StringValue("abc"[r.IntN(3):][:1]) }
		inv.Args = []history.Value{account(), account(), history.IntValue(int64(m.ints[r.IntN(len(m.ints))]))}
		return inv
	}
	for _, p := range s.Params {
		inv.Args = append(inv.Args, m.argument(r, p.Kinds, methods.CheckArg != nil))
	}
	return inv
}

// transaction is the argument of a transaction of a multi-register.
func (m *model) transaction(r *rand.Rand) history.Value {
	var steps []history.Value
	for range r.IntN(4) {
		f := []string{"read", "write", "append"}[r.IntN(3)]
		v := history.NullValue
		if f != "read" {
			v = m.argument(r, table.AnyValue, false)
		}
		steps = append(steps, history.ListValue(history.StringValue(f), m.argument(r, table.AnyValue, false), v))
	}
	return history.ListValue(steps...)
}

func (m *model) argument(r *rand.Rand, set table.Kinds, java bool) history.Value {
	pick := func() history.Value { return history.IntValue(int64(m.ints[r.IntN(len(m.ints))])) }
	switch rare := r.IntN(12) == 0; {
	case set == table.AnyValue && r.IntN(2) == 0:
		return programArgument(awkward[r.IntN(len(awkward))])
	case set.Has(history.Null) && rare:
		return history.NullValue
	case set.Has(history.String) && (rare || !set.Has(history.Int)):
		return history.StringValue("a"[r.IntN(2):])
	case set.Has(history.Int):
		return pick()
	case set.Has(history.Bool):
		return history.BoolValue(r.IntN(2) == 0)
	case set.Has(history.List):
		var list []history.Value
		for range r.IntN(3) {
			list = append(list, pick())
		}
		return history.ListValue(list...)
	}
	var pairs []history.Value
	for i := range r.IntN(3) {
		pairs = append(pairs, history.IntValue(int64(m.ints[i])), pick())
	}
	v, _ := history.MapValue(pairs...)
	return v
}

func (m *model) open(t *testing.T) (replay.Spec, *table.Signatures) {
	s, err := Parse(m.text)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(entries, func(e *table.Entry) bool { return e.Name == s.Name() })
	if i < 0 {
		t.Fatalf("no entry %s", s.Name())
	}
	return s, entries[i].Methods
}

// run performs calls, written as in a program but without results, and returns
// their results.
func run(t *testing.T, s replay.State, calls string) string {
	var shown strings.Builder
	for call := range strings.SplitSeq(calls, "; ") {
		op, err := parseCall(call)
		if err != nil {
			t.Fatal(err)
		}
		shown.WriteString(answer(s, replay.Invocation{Method: op.Method, Args: op.Args}))
	}
	return shown.String()
}
