package decide_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/order"
	"github.com/leadline/leadline/replay/search"
	"github.com/leadline/leadline/replay/spec"
)

// javaCollections are the queues and deques of the JDK with a discipline, and their
// methods with roles, several times as often as the others.
var javaCollections = []string{
	"ConcurrentLinkedQueue", "LinkedBlockingQueue", "LinkedTransferQueue", "PriorityBlockingQueue",
	"ConcurrentLinkedDeque", "LinkedBlockingDeque", "LinkedBlockingQueue:3", "LinkedBlockingDeque:2",
}

// A javaCalls makes the operations of random histories of a class.
type javaCalls struct {
	r        *rand.Rand
	spec     replay.Spec
	common   []string // methods with roles
	rare     []string // all methods
	distinct bool
	last     int64 // the last distinct value
}

func newJavaCalls(t *testing.T, r *rand.Rand, class string) *javaCalls {
	c := &javaCalls{r: r, spec: model(t, class)}
	for _, entry := range spec.All() {
		if entry.Name != c.spec.Name() {
			continue
		}
		for _, signature := range entry.Methods {
			c.rare = append(c.rare, signature)
			name, _, _ := strings.Cut(signature, "(")
			switch {
			case strings.HasSuffix(name, "Occurrence") || strings.HasPrefix(signature, "remove(e") || name == "addAll" || name == "removeAll":
			case slices.ContainsFunc([]string{"add", "offer", "put", "push", "poll", "peek", "take", "remove", "pop", "get", "element"},
				func(p string) bool { return strings.HasPrefix(name, p) }):
				c.common = append(c.common, signature, signature)
			case name == "size" || name == "isEmpty" || name == "clear":
				c.common = append(c.common, signature)
			}
		}
	}
	return c
}

// invocation returns a random call, of a method with a role unless others is set.
func (c *javaCalls) invocation(others bool) replay.Invocation {
	list := c.common
	if others && c.r.IntN(6) == 0 {
		list = c.rare
	}
	signature := list[c.r.IntN(len(list))]
	name, rest, _ := strings.Cut(signature, "(")
	inv := replay.Invocation{Method: name}
	value := func() history.Value {
		switch {
		case others && c.r.IntN(8) == 0:
			return history.NullValue
		case c.distinct && !strings.HasPrefix(name, "contains") && !strings.HasPrefix(name, "remove"):
			c.last++
			return history.IntValue(c.last ^ 1)
		}
		return history.IntValue(int64(c.r.IntN(3)))
	}
	switch {
	case strings.HasPrefix(rest, "e: "):
		inv.Args = []history.Value{value()}
	case strings.HasPrefix(rest, "c: "):
		inv.Args = []history.Value{history.ListValue(value(), value())}
	}
	return inv
}

// wrong returns a result that the operation may have had at another time.
func (c *javaCalls) wrong() history.Value {
	switch c.r.IntN(10) {
	case 0:
		return history.NullValue
	case 1:
		return history.BoolValue(c.r.IntN(2) == 0)
	case 2, 3:
		return history.ExceptionValue("java.util.NoSuchElementException")
	case 4:
		return history.ExceptionValue([]string{"java.lang.IllegalStateException", "java.lang.NullPointerException"}[c.r.IntN(2)])
	case 5:
		return history.UnknownValue
	}
	return history.IntValue(int64(c.r.IntN(max(3, int(c.last)))))
}

// history returns n operations. Each takes effect at a random moment between its
// events. Some results are then made wrong or unknown, and some operations are pending.
func (c *javaCalls) history(t *testing.T, n int, others bool) *history.History {
	type open struct {
		inv    replay.Invocation
		op     int64
		done   bool
		stuck  bool // it does not return
		result history.Value
	}
	c.last, c.distinct = 0, c.r.IntN(3) > 0
	wrongs, pending := c.r.IntN(3), c.r.IntN(2) == 0
	object := c.spec.New()
	running := make([]*open, 2+c.r.IntN(3))
	b := history.NewBuilder(history.Header{ID: "java"})
	add := func(e history.Event) {
		e.Line = b.Events() + 1
		b.Add(&e)
	}
	perform := func(o *open) bool {
		o.result, o.done = object.Apply(o.inv)
		return o.done
	}
	for begun, left := 0, 8*n; left > 0 && (begun < n || slices.ContainsFunc(running, func(o *open) bool { return o != nil })); left-- {
		p := c.r.IntN(len(running))
		process := history.IntValue(int64(p))
		switch o := running[p]; {
		case o == nil && begun < n:
			running[p] = &open{inv: c.invocation(others), op: int64(begun)}
			add(history.Event{Type: history.Invoke, Process: process, Op: history.IntValue(int64(begun)), Method: running[p].inv.Method, Args: running[p].inv.Args})
			begun++
		case o == nil, o.stuck:
		case !o.done && c.r.IntN(2) == 0:
			perform(o)
		case o.done || perform(o):
			if o.stuck = pending && c.r.IntN(12) == 0; o.stuck {
				continue
			}
			if wrong := c.wrong(); wrongs > 0 && c.r.IntN(n) == 0 &&
				c.spec.Check(&history.Operation{Method: o.inv.Method, Args: o.inv.Args, Result: wrong}) == nil {
				o.result = wrong
			}
			add(history.Event{Type: history.OK, Process: process, Op: history.IntValue(o.op), Result: o.result})
			running[p] = nil
		}
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestJavaCollections compares the engines that read roles with the search that runs
// the objects themselves.
func TestJavaCollections(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	trials := 400
	if *full {
		trials = 6000
	}
	for _, class := range javaCollections {
		decided := map[string]int{}
		c := newJavaCalls(t, r, class)
		for range trials {
			n := 4 + r.IntN(9)
			if r.IntN(4) == 0 {
				n = 25 + r.IntN(16) // monitors come first
			}
			h := c.history(t, n, r.IntN(2) == 0)
			want := search.Run(ops.New(h, c.spec, 1<<30), nil).Answer
			if len(h.Ops) <= 6 && bruteForce(h, c.spec) != (want == replay.Linearizable) {
				t.Fatalf("the search says %v of a history of %s:\n%s", want, class, show(h))
			}
			decided[fmt.Sprint(want)]++
			for _, e := range append(engines[len(engines)-6:], decider{"pairs", func(_ *testing.T, h *history.History, s replay.Spec) (v replay.Verdict, ok bool) {
				v.Finding = order.Run(ops.New(h, s, 1<<30), nil)
				return v, v.Decided()
			}}) {
				v, ok := e.decide(t, h, c.spec)
				if !ok {
					continue
				}
				decided[e.name]++
				if v.Answer != want {
					t.Fatalf("%s says %v of a history of %s that is %v:\n%s", e.name, v.Answer, class, want, show(h))
				}
				if v.Answer == replay.Linearizable {
					if err := replay.Verify(h, c.spec, v.Witness, nil); err != nil {
						t.Fatalf("%s has a bad witness %v: %v\n%s", e.name, v.Witness, err, show(h))
					}
				}
			}
		}
		// A bounded queue that cannot be full has a monitor.
		if d := replay.TraitsOf(c.spec).Discipline; d != replay.FirstInBounded && (decided["monitor"] < trials/10) != (d == replay.NoDiscipline) {
			t.Errorf("%s: the monitor decided %d histories of %d", class, decided["monitor"], trials)
		}
		t.Log(class, decided)
	}
}

// TestLongJavaCollections: histories of hundreds of distinct values, with many orders,
// are decided by the roles of the methods.
func TestLongJavaCollections(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	for _, class := range javaCollections[:6] {
		for _, n := range []int{40, 300, 1000} {
			h := overlapping(t, r, class, n, 8, func(i int) replay.Invocation {
				if i <= 20 || r.IntN(2) == 0 { // twenty offers come first
					return replay.Invocation{Method: "offer", Args: []history.Value{history.IntValue(int64(i))}}
				}
				return replay.Invocation{Method: "poll"}
			})
			if v := check(t, h, model(t, class), replay.Options{}); v.Answer != replay.Linearizable {
				t.Errorf("%d operations of %s: %v", n, class, v)
			}
			last := int32(-1)
			for i := range h.Ops {
				if h.Ops[i].Method == "poll" && h.Ops[i].Result.Kind() == history.Int {
					last = int32(i)
				}
			}
			h.Ops[last].Result = history.IntValue(int64(2 * n)) // never inserted
			if v := check(t, h, model(t, class), replay.Options{}); v.Answer != replay.NotLinearizable {
				t.Errorf("%d operations of %s, one of them wrong: %v", n, class, v)
			}
		}
	}
}

// overlapping returns n calls, numbered from 1, by threads that overlap, each with effect
// at a random moment between its events.
func overlapping(t *testing.T, r *rand.Rand, spec string, n, threads int, call func(i int) replay.Invocation) *history.History {
	object := model(t, spec).New()
	b := history.NewBuilder(history.Header{ID: "overlapping"})
	add := func(e history.Event) {
		e.Line = b.Events() + 1
		b.Add(&e)
	}
	begun := 0
	invocations := make([]*replay.Invocation, threads)
	results := make([]*history.Value, threads)
	for left := n; left > 0; {
		p := r.IntN(threads)
		process := history.IntValue(int64(p))
		switch {
		case invocations[p] == nil && begun == n:
		case invocations[p] == nil:
			begun++
			inv := call(begun)
			invocations[p] = &inv
			add(history.Event{Type: history.Invoke, Process: process, Method: inv.Method, Args: inv.Args})
		case results[p] == nil:
			result, _ := object.Apply(*invocations[p])
			results[p] = &result
		default:
			add(history.Event{Type: history.OK, Process: process, Result: *results[p]})
			invocations[p], results[p] = nil, nil
			left--
		}
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}
