package explain_test

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

var (
	seedFlag = flag.Uint64("seed", 1, "seed of the random tests")
	full     = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
)

// newRand logs the seed first, so that a failure can be repeated by -seed.
func newRand(t testing.TB) *rand.Rand {
	t.Logf("-seed %d", *seedFlag)
	return rand.New(rand.NewPCG(*seedFlag, 0))
}

// A subject is a specification with the calls that random histories make.
type subject struct {
	name    string
	spec    replay.Spec
	methods []method
}

type method struct {
	name   string
	params []string // kinds
}

// subjects are all bundled specifications that can be made without a tree of runs.
func subjects(t testing.TB) []subject {
	var all []subject
	for _, e := range spec.All() {
		for _, name := range map[string][]string{"queue": {"queue", "queue:2"}, "register": {"register", "register:0"},
			"cas-register": {"cas-register:0"}, "kv": {"kv", "kv:0"}, "ArrayBlockingQueue": {"ArrayBlockingQueue:2"},
			"priority-queue": {"priority-queue", "priority-queue:max"}, "bank": {awkwardBank}, spec.RunsName: {}}[e.Name] {
			all = append(all, newSubject(t, name, e))
		}
		switch e.Name {
		case "queue", "register", "cas-register", "kv", "ArrayBlockingQueue", "priority-queue", "bank", spec.RunsName:
		default:
			all = append(all, newSubject(t, e.Name, e))
		}
	}
	return all
}

func newSubject(t testing.TB, name string, e spec.Entry) subject {
	s, err := spec.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	sub := subject{name: name, spec: s}
	for _, text := range e.Methods {
		head, rest, _ := strings.Cut(text, "(")
		inside, _, _ := strings.Cut(rest, ")")
		m := method{name: strings.Split(head, "|")[0]}
		if inside != "" {
			for p := range strings.SplitSeq(inside, ", ") {
				_, kinds, typed := strings.Cut(p, ": ")
				if !typed {
					kinds = "any"
				}
				m.params = append(m.params, kinds)
			}
		}
		sub.methods = append(sub.methods, m)
	}
	return sub
}

var awkward = map[string][]history.Value{
	"int":    {history.IntValue(0), history.IntValue(1), history.IntValue(-1)},
	"string": {history.StringValue(""), history.StringValue("a")},
	"bool":   {history.BoolValue(false), history.BoolValue(true)},
	"null":   {history.NullValue},
	"list":   {history.ListValue(), history.ListValue(history.IntValue(0)), history.ListValue(history.IntValue(1), history.IntValue(0))},
	"float":  {history.FloatValue(0.5)},
}

// awkwardBank has an account for each of these values.
const awkwardBank = `bank:{0: 2, 1: 1, -1: 0, "": 1, "a": 0, false: 1, true: 2, null: 1, [0]: 1, []: 0, [1, 0]: 2, 0.5: 1}`

// A drawer draws invocations with few different values, and not too many methods.
type drawer struct {
	*rand.Rand
	s       subject
	values  []history.Value
	methods []method
}

func newDrawer(r *rand.Rand, s subject) *drawer {
	d := &drawer{Rand: r, s: s}
	kinds := []string{"int", "int", "int", "string", "bool", "null", "list", "float"}
	for range 2 + r.IntN(2) {
		of := awkward[kinds[r.IntN(len(kinds))]]
		d.values = append(d.values, of[r.IntN(len(of))])
	}
	for range 2 + r.IntN(4) {
		d.methods = append(d.methods, s.methods[r.IntN(len(s.methods))])
	}
	return d
}

func (d *drawer) value(kinds string) (history.Value, bool) {
	if kinds == "any" {
		return d.values[d.IntN(len(d.values))], true
	}
	of := strings.Split(kinds, "|")
	list := awkward[of[d.IntN(len(of))]]
	if list == nil {
		return history.Value{}, false
	}
	return list[d.IntN(min(2, len(list)))], true
}

// invocation returns a random invocation that the specification accepts.
func (d *drawer) invocation() replay.Invocation {
	for {
		m := d.methods[d.IntN(len(d.methods))]
		if d.IntN(8) == 0 {
			m = d.s.methods[d.IntN(len(d.s.methods))]
		}
		inv := replay.Invocation{Method: m.name}
		valid := true
		for _, kinds := range m.params {
			v, ok := d.value(kinds)
			valid = valid && ok
			inv.Args = append(inv.Args, v)
		}
		op := history.Operation{Method: inv.Method, Args: inv.Args, Result: history.UnknownValue, Return: history.NoReturn}
		if valid && d.s.spec.Check(&op) == nil {
			return inv
		}
	}
}

// history returns a linearizable history of at most n operations: each takes effect
// at one moment. Some operations are lost, and some results unknown.
func (d *drawer) history(t testing.TB, n int) *history.History {
	type slot struct {
		inv           replay.Invocation
		open, done    bool
		retired, lost bool
		result        history.Value
	}
	slots := make([]slot, 1+d.IntN(3))
	losing, hiding := d.IntN(2) == 0, d.IntN(3) == 0
	object := d.s.spec.New()
	b := history.NewBuilder(history.Header{ID: "random", Model: d.s.name})
	begun := 0
	for range 12 * n {
		p := d.IntN(len(slots))
		s := &slots[p]
		switch {
		case s.retired:
		case !s.open && begun < n:
			*s = slot{inv: d.invocation(), open: true, lost: losing && d.IntN(6) == 0}
			begun++
			b.Add(&history.Event{Type: history.Invoke, Process: history.IntValue(int64(p)), Method: s.inv.Method, Args: s.inv.Args, Line: begun})
		case !s.open:
		case !s.done:
			if s.lost && d.IntN(2) == 0 {
				s.retired = true
				break
			}
			s.result, s.done = object.Apply(s.inv)
		case s.lost:
			s.retired = true
		default:
			result := s.result
			if hiding && d.IntN(4) == 0 {
				result = history.UnknownValue
			}
			b.Add(&history.Event{Type: history.OK, Process: history.IntValue(int64(p)), Result: result})
			s.open = false
		}
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// spoil returns h with some results exchanged for others that the specification
// accepts.
func (d *drawer) spoil(h *history.History) *history.History {
	changed := *h
	changed.Ops = append([]history.Operation(nil), h.Ops...)
	for range 1 + d.IntN(2) {
		i := d.IntN(len(h.Ops))
		op := &changed.Ops[i]
		if op.Pending() {
			continue
		}
		was := op.Result
		switch other := changed.Ops[d.IntN(len(h.Ops))].Result; d.IntN(5) {
		case 0:
			op.Result = history.BoolValue(d.IntN(2) == 0)
		case 1:
			op.Result = history.NullValue
		case 2:
			op.Result = d.values[d.IntN(len(d.values))]
		case 3:
			op.Result = history.ExceptionValue("E")
		default:
			op.Result = other
		}
		if d.s.spec.Check(op) != nil {
			op.Result = was
		}
	}
	return &changed
}

// isLinearizable tries all orders of a history without edges.
func isLinearizable(h *history.History, s replay.Spec) bool {
	placed := make([]bool, len(h.Ops))
	var extend func(state replay.State) bool
	extend = func(state replay.State) bool {
		first := int32(history.NoReturn) // the earliest response of what is not placed
		for i := range h.Ops {
			if !placed[i] {
				first = min(first, h.Ops[i].Return)
			}
		}
		if first == history.NoReturn && !anyHappened(h, placed) {
			return true
		}
		for i := range h.Ops {
			op := &h.Ops[i]
			if placed[i] || op.Call > first {
				continue
			}
			placed[i] = true
			for _, o := range replay.OutcomesOf(state, op) {
				if replay.Accepts(op.Result, o.Result) && extend(o.Next) {
					placed[i] = false
					return true
				}
			}
			placed[i] = false
		}
		return false
	}
	return extend(s.New().(replay.State))
}

func anyHappened(h *history.History, placed []bool) bool {
	for i := range h.Ops {
		if h.Ops[i].Happened && !placed[i] {
			return true
		}
	}
	return false
}

func show(h *history.History) string {
	var b strings.Builder
	for i := range h.Ops {
		op := &h.Ops[i]
		b.WriteString(strings.Repeat(" ", int(op.Call)) + op.String())
		if !op.Pending() {
			b.WriteString(" until " + history.IntValue(int64(op.Return)).String())
		}
		b.WriteString("\n")
	}
	return b.String()
}
