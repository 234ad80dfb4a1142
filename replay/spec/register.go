package spec

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A register holds one value. It is the read/write register of Lamport's "On
// interprocess communication" (1986); with cas it is Jepsen's cas-register.
type register struct{ v value }

func (r *register) Clone() *register { c := *r; return &c }

func (r *register) AppendKey(dst []byte) []byte { return r.v.AppendKey(dst) }

func (r *register) AppendText(dst []byte) []byte { return table.AppendValue(dst, r.v) }

var registerTable = table.New(registerMethods)

var casRegisterTable = table.New(registerMethods, []table.Method[*register]{
	table.Row("cas|compareAndSet|compare_and_set(old, new) -> bool", func(r *register, args []value) value {
		if !r.v.Equal(args[0]) {
			return history.BoolValue(false)
		}
		r.v = args[1]
		return history.BoolValue(true)
	}, table.FailsFalse|table.Swaps|table.Advances),
})

var registerMethods = []table.Method[*register]{
	table.Row("read|get|load() -> any", func(r *register, _ []value) value { return r.v }, table.Peeks),
	table.Row("write|set|put|store(value)", func(r *register, args []value) value {
		r.v = args[0]
		return history.NoValue
	}, table.Inserts|table.Advances),
}

var registerEntry = table.Entry{Name: "register", Args: "[:initial]",
	Doc:     "a value to read and write, initially null",
	Methods: &registerTable.Signatures,
	Make:    makeRegister(registerTable),
}

var casRegisterEntry = table.Entry{Name: "cas-register", Args: "[:initial]",
	Doc:     "a register with compare-and-set",
	Methods: &casRegisterTable.Signatures,
	Make:    makeRegister(casRegisterTable),
}

// makeRegister returns the Entry.Make of a register.
func makeRegister(t *table.Table[*register]) func([]value) (table.Made, error) {
	return func(args []value) (table.Made, error) {
		initial, err := table.Optional(args, "initial value", table.AnyValue, history.NullValue)
		if err != nil {
			return nil, err
		}
		return table.Cells[*register]{Specification: &table.Specification[*register]{Table: t, Discipline: replay.Overwritten, Initial: initial, IsCell: true,
			Fresh: func() *register { return &register{initial} }}}, nil
	}
}
