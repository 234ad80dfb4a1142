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
		`append adds its value to a list; null counts as the empty list, and append to anything else never returns.`,
	},
}

func newMultiRegister(args []value) (table.Made, error) {
	initial, err := table.Optional(args, "initial value", table.AnyValue, history.NullValue)
	if err != nil {
		return nil, err
	}
	return multiRegisterSpec{table.Cells[*cellMap]{Specification: &table.Specification[*cellMap]{Table: multiRegisterTable,
		Fresh: func() *cellMap { return &cellMap{first: func(key value) value { return firstOf(initial, key) }} }}}}, nil
}
