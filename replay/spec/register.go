package spec

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A register holds one value. It is the read/write register of Lamport's "On
// interprocess communication" (1986); with cas it is Jepsen's cas-register.
type register struct{ v value }

func (r *register) clone() *register { c := *r; return &c }

func (r *register) appendKey(dst []byte) []byte { return r.v.AppendKey(dst) }

func (r *register) appendText(dst []byte) []byte { return appendValue(dst, r.v) }

var registerTable = newTable(registerMethods)

var casRegisterTable = newTable(registerMethods, []method[*register]{
	{"cas|compareAndSet|compare_and_set(old, new) -> bool", func(r *register, args []value) value {
		if !r.v.Equal(args[0]) {
			return history.BoolValue(false)
		}
		r.v = args[1]
		return history.BoolValue(true)
	}, failsFalse | swaps},
})

var registerMethods = []method[*register]{
	{"read|get|load() -> any", func(r *register, _ []value) value { return r.v }, peeks},
	{"write|set|put|store(value)", func(r *register, args []value) value {
		r.v = args[0]
		return history.NoValue
	}, inserts},
}

var registerEntry = entry{"register", "[:initial]",
	"a value to read and write, initially null",
	&registerTable.signatures, newRegister, nil}

func newRegister(args []value) (replay.Spec, error) {
	return registerSpec("register", registerTable, replay.Overwritten, args)
}

var casRegisterEntry = entry{"cas-register", "[:initial]",
	"a register with compare-and-set",
	&casRegisterTable.signatures, newCASRegister, nil}

func newCASRegister(args []value) (replay.Spec, error) {
	return registerSpec("cas-register", casRegisterTable, replay.NoDiscipline, args)
}

func registerSpec(name string, t *table[*register], d replay.Discipline, args []value) (replay.Spec, error) {
	initial, err := optional(name, args, "initial value", anyValue, history.NullValue)
	if err != nil {
		return nil, err
	}
	return cellSpec[*register]{&specification[*register]{name: name, args: args, table: t, discipline: d, initial: initial, isCell: true,
		fresh: func() *register { return &register{initial} }}}, nil
}
