package spec

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// firstOf returns the initial value of a register, which is initial unless that is a map. A
// register that is not in the map is null. In JSON, the keys of the map are
// strings. So a string that spells an int is the key of that int as well, unless the
// map has the int itself.
func firstOf(initial, key value) value {
	if initial.Kind() != history.Map {
		return initial
	}
	first := history.NullValue
	pairs := initial.List()
	for i := 0; i < len(pairs); i += 2 {
		switch k := pairs[i]; {
		case k.Equal(key):
			return pairs[i+1]
		case key.Kind() == history.Int && k.Kind() == history.String && k.Text() == strconv.FormatInt(key.Int(), 10):
			first = pairs[i+1]
		}
	}
	return first
}

// store sets the value of a register. A register that has its initial value is not in the
// state.
func (m *cellMap) store(key, v value) {
	if v.Equal(m.first(key)) {
		m.Remove(key)
		return
	}
	m.set(key, v)
}

// A microOp is one step of a transaction: [f, key, value].
type microOp struct {
	f          string
	key, value value
}

// microOps returns the steps of a transaction, or an error if they are malformed.
func microOps(list value) ([]microOp, error) {
	ops := make([]microOp, len(list.List()))
	for i, one := range list.List() {
		m := one.List()
		if one.Kind() != history.List || len(m) != 3 || m[0].Kind() != history.String {
			return nil, fmt.Errorf("element %d of a transaction: want [f, key, value], got %s", i+1, one)
		}
		ops[i] = microOp{m[0].Text(), m[1], m[2]}
		switch ops[i].f {
		case "read", "write", "append":
		default:
			return nil, fmt.Errorf("element %d of a transaction: want read, write or append, got %s", i+1, m[0])
		}
	}
	return ops, nil
}

// transact performs a transaction and returns it with the values that its reads found.
// An append to a value that is not a list has no transition. Then transact undoes what
// the transaction has stored so far, in reverse order.
func (m *cellMap) transact(args []value) value {
	ops, err := microOps(args[0])
	if err != nil {
		return table.NoTransition
	}
	type stored struct{ key, old value }
	var journal []stored
	answers := make([]value, len(ops))
	for i, op := range ops {
		now := m.lookup(op.key)
		switch op.f {
		case "read":
			op.value = now
		case "write":
			journal = append(journal, stored{op.key, now})
			m.store(op.key, op.value)
		default:
			if k := now.Kind(); k != history.List && k != history.Null {
				for _, s := range slices.Backward(journal) {
					m.store(s.key, s.old)
				}
				return table.NoTransition
			}
			journal = append(journal, stored{op.key, now})
			m.store(op.key, history.ListValue(append(now.List()[:len(now.List()):len(now.List())], op.value)...))
		}
		answers[i] = history.ListValue(history.StringValue(op.f), op.key, op.value)
	}
	return history.ListValue(answers...)
}

var multiRegisterTable = table.New([]table.Method[*cellMap]{
	table.Row("txn(operations: list) -> list", (*cellMap).transact, table.Waits),
	table.Row("read|get(key) -> any", func(m *cellMap, args []value) value { return m.lookup(args[0]) }, table.Peeks|table.Keyed),
	table.Row("write|put|set(key, value)", func(m *cellMap, args []value) value {
		m.store(args[0], args[1])
		return history.NoValue
	}, table.Inserts|table.Keyed),
})

// A multiRegisterSpec is a set of registers with keys. Transactions read and write
// several at once: it is the multi-register of Jepsen's knossos. With append,
// its registers are the lists of Elle's list-append (Kingsbury and Alvaro, VLDB
// 2020). It also checks the contents of transactions.
type multiRegisterSpec struct{ table.Cells[*cellMap] }

// Check returns an error if op is wrong; see replay.Spec.
func (s multiRegisterSpec) Check(op *history.Operation) error {
	if err := s.Specification.Check(op); err != nil || op.Method != "txn" {
		return err
	}
	if _, err := microOps(op.Args[0]); err != nil {
		return err
	}
	if op.Result.Kind() != history.List {
		return nil
	}
	_, err := microOps(op.Result)
	return err
}

// Divide divides a transaction into transactions of one step each; see
// replay.Divisible. A step that reads has the value of the recorded result.
func (s multiRegisterSpec) Divide(op *history.Operation) (steps []history.Operation, parts []value, ok bool) {
	if op.Method != "txn" {
		if len(op.Args) == 0 {
			return nil, nil, false
		}
		return []history.Operation{{Method: op.Method, Args: op.Args, Result: op.Result}}, op.Args[:1], true
	}
	asked, answers := op.Args[0].List(), op.Result.List()
	unknown := op.Result.Kind() == history.Unknown
	if !unknown && (op.Result.Kind() != history.List || len(answers) != len(asked)) {
		return nil, nil, false
	}
	for i := range asked {
		step := history.Operation{Method: op.Method, Args: []value{history.ListValue(asked[i])}, Result: history.UnknownValue}
		if !unknown {
			step.Result = history.ListValue(answers[i])
		}
		steps, parts = append(steps, step), append(parts, asked[i].List()[1])
	}
	return steps, parts, true
}

// AppendSteps appends what op does to the registers; see replay.Stepped.
func (s multiRegisterSpec) AppendSteps(dst []replay.CellStep, op *history.Operation) []replay.CellStep {
	if op.Method != "txn" {
		return s.Cells.AppendSteps(dst, op)
	}
	asked, answers, ok := transaction(op)
	if !ok {
		return append(dst, replay.CellStep{Kind: replay.CellOther})
	}
	for i, a := range asked {
		step := replay.CellStep{Key: a.key, Value: a.value}
		switch v := answers[i].value; {
		case a.f == "read" && op.Result.Kind() == history.Unknown:
			continue
		case a.f == "read" && v.HoldsUnknown():
			step.Kind = replay.CellTest
		case a.f == "read":
			step.Kind, step.Value = replay.CellRead, v
		case a.value.HoldsUnknown():
			step.Kind = replay.CellOther
		case a.f == "write":
			step.Kind = replay.CellWrite
		default:
			step.Kind = replay.CellAppend
		}
		dst = append(dst, step)
	}
	return dst
}

// transaction returns the steps of a transaction and their results. It returns false if the
// recorded result has other steps.
func transaction(op *history.Operation) (asked, answers []microOp, ok bool) {
	asked, err := microOps(op.Args[0])
	if err != nil {
		return nil, nil, false
	}
	if op.Result.Kind() == history.Unknown {
		return asked, asked, true
	}
	if answers, err = microOps(op.Result); err != nil || op.Result.Kind() != history.List || len(asked) != len(answers) {
		return nil, nil, false
	}
	for i, a := range asked {
		if b := answers[i]; a.f != b.f || !a.key.Equal(b.key) || a.f != "read" && !a.value.Equal(b.value) {
			return nil, nil, false
		}
	}
	return asked, answers, true
}

// steps returns the steps of op and their results. It returns false if op cannot have its
// result.
func (s multiRegisterSpec) steps(op *history.Operation) (asked, answers []microOp, ok bool) {
	switch {
	case op.Method == "txn":
		return transaction(op)
	case len(op.Args) == 2:
		asked = []microOp{{"write", op.Args[0], op.Args[1]}}
		return asked, asked, true
	}
	return []microOp{{f: "read", key: op.Args[0]}}, []microOp{{"read", op.Args[0], op.Result}}, true
}

// AppendHeld appends the values and the elements of lists that op puts into registers or
// found there; see replay.Holder. It did not find there what it had put there itself.
func (s multiRegisterSpec) AppendHeld(dst []replay.Held, op *history.Operation) []replay.Held {
	asked, answers, ok := s.steps(op)
	own := len(dst)
	for i := range asked {
		first, list := s.FirstValue(asked[i].key), answers[i].value.List()
		add := func(v, first value, verb string) {
			h := replay.Held{Value: v, Part: asked[i].key, Puts: asked[i].f != "read", Verb: verb}
			isOwn := func(p replay.Held) bool { return p.Puts && p.Part.Equal(h.Part) && p.Value.Equal(v) }
			if h.Puts || ok && v.Kind() != history.Unknown && !orNull(v).Equal(first) && !slices.ContainsFunc(dst[own:], isOwn) {
				dst = append(dst, h)
			}
		}
		if asked[i].f != "read" || list == nil {
			add(answers[i].value, first, "written")
		}
		for _, v := range list {
			if !slices.ContainsFunc(first.List(), v.Equal) {
				add(v, history.NoValue, "appended")
			}
		}
	}
	return dst
}

// AppendParts appends the keys of the registers, and the elements of the lists, in op; see
// replay.Projectable.
func (s multiRegisterSpec) AppendParts(parts, elements []value, op *history.Operation) (p, e []value, ok bool) {
	asked, answers, ok := s.steps(op)
	for i := range asked {
		parts = append(parts, asked[i].key)
		if asked[i].f == "append" {
			elements = append(elements, asked[i].value)
		}
		elements = append(elements, answers[i].value.List()...)
		ok = ok && s.FirstValue(asked[i].key).Kind() != history.List
	}
	return parts, elements, ok
}

// Project returns op without steps on other registers, and without other elements of lists.
// Null takes the place of an empty list, because it is the initial value: recorders write
// either for a list before the first append.
func (s multiRegisterSpec) Project(op *history.Operation, hasKey, hasElement func(value) bool) (history.Operation, bool) {
	rest := func(v value) value {
		if v.Kind() != history.List {
			return v
		}
		return orNull(history.ListValue(slices.DeleteFunc(slices.Clone(v.List()), func(e value) bool { return !hasElement(e) })...))
	}
	p := *op
	if op.Method != "txn" {
		p.Args = slices.Clone(op.Args)
		for i := range p.Args[1:] {
			p.Args[i+1] = rest(p.Args[i+1])
		}
		p.Result = rest(op.Result)
		return p, hasKey(op.Args[0])
	}
	project := func(list value) value {
		var steps []value
		for _, step := range list.List() {
			switch m := step.List(); {
			case !hasKey(m[1]) || m[0].Text() == "append" && !hasElement(m[2]):
			case m[0].Text() == "append":
				steps = append(steps, step)
			default:
				steps = append(steps, history.ListValue(m[0], m[1], rest(m[2])))
			}
		}
		return history.ListValue(steps...)
	}
	p.Args = []value{project(op.Args[0])}
	if op.Result.Kind() == history.List {
		p.Result = project(op.Result)
	}
	return p, len(p.Args[0].List()) > 0
}

// orNull returns null for an empty list, and other values as they are.
func orNull(v value) value {
	if v.Kind() == history.List && len(v.List()) == 0 {
		return history.NullValue
	}
	return v
}

// FirstValue returns the initial value of a register; see replay.Stepped.
func (s multiRegisterSpec) FirstValue(key value) value { return s.Fresh().first(key) }

var multiRegisterEntry = table.Entry{Name: "multi-register", Args: "[:initial]",
	Doc:     "registers under keys, read and written by transactions; initially null, or the argument: one value for all, or a map",
	Methods: &multiRegisterTable.Signatures,
	Make:    newMultiRegister,
	Notes: []string{
		`txn takes a list of [f, key, value], where f is "read", "write" or "append", and performs them in order at once.`,
		`It returns the same list with the value found in place of each value read, which is null in the argument.`,
		`A string in that map that spells an int is the key of the int, too, as JSON objects have no other keys.`,
		`append adds its value to a list; null is the empty list, and append to anything else never returns.`,
	},
}

func newMultiRegister(args []value) (table.Made, error) {
	initial, err := table.Optional(args, "initial value", table.AnyValue, history.NullValue)
	if err != nil {
		return nil, err
	}
	return multiRegisterSpec{table.Cells[*cellMap]{Specification: &table.Specification[*cellMap]{Table: multiRegisterTable,
		Fresh: func() *cellMap {
			return &cellMap{first: func(key value) value { return orNull(firstOf(initial, key)) }}
		}}}}, nil
}
