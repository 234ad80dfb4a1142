package spec

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A mutex is held or not. Any process may unlock it, because a specification does not
// see processes. Locking a held mutex and unlocking a free one have no
// transition: the first waits, and the second never returns normally.
type mutex struct{ held bool }

func (m *mutex) Clone() *mutex { c := *m; return &c }

func (m *mutex) AppendKey(dst []byte) []byte { return history.BoolValue(m.held).AppendKey(dst) }

func (m *mutex) AppendText(dst []byte) []byte {
	if m.held {
		return append(dst, "held"...)
	}
	return append(dst, "free"...)
}

var mutexTable = table.New([]table.Method[*mutex]{
	table.Row("lock|acquire()", func(m *mutex, _ []value) value {
		if m.held {
			return table.NoTransition
		}
		m.held = true
		return history.NoValue
	}, table.Waits),
	table.Row("unlock|release()", func(m *mutex, _ []value) value {
		if !m.held {
			return table.NoTransition
		}
		m.held = false
		return history.NoValue
	}, table.Waits),
	table.Row("tryLock|try_lock|tryAcquire() -> bool", func(m *mutex, _ []value) value {
		got := !m.held
		m.held = true
		return history.BoolValue(got)
	}, table.FailsFalse),
	table.Row("isLocked|is_locked() -> bool", func(m *mutex, _ []value) value { return history.BoolValue(m.held) }, table.Reads),
})

var mutexEntry = table.Entry{Name: "mutex",
	Doc:     "a lock; locking it while it is held has to wait",
	Methods: &mutexTable.Signatures,
	Make:    table.Plain(table.Specification[*mutex]{Table: mutexTable, Fresh: func() *mutex { return &mutex{} }}),
	Notes: []string{
		`unlock of a free mutex never returns: a history in which it does is not linearizable.`,
		`Any thread may unlock; the model does not know who locked.`,
	},
}
