package spec

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A mutex is held or not. Any process may unlock it, because a specification does not
// see processes. Locking a held mutex and unlocking a free one have no
// transition: the first waits, and the second never returns normally.
type mutex struct{ held bool }

func (m *mutex) clone() *mutex { c := *m; return &c }

func (m *mutex) appendKey(dst []byte) []byte { return history.BoolValue(m.held).AppendKey(dst) }

func (m *mutex) appendText(dst []byte) []byte {
	if m.held {
		return append(dst, "held"...)
	}
	return append(dst, "free"...)
}

var mutexTable = newTable([]method[*mutex]{
	{"lock|acquire()", func(m *mutex, _ []value) value {
		if m.held {
			return noTransition
		}
		m.held = true
		return history.NoValue
	}, updates},
	{"unlock|release()", func(m *mutex, _ []value) value {
		if !m.held {
			return noTransition
		}
		m.held = false
		return history.NoValue
	}, updates},
	{"tryLock|try_lock|tryAcquire() -> bool", func(m *mutex, _ []value) value {
		got := !m.held
		m.held = true
		return history.BoolValue(got)
	}, failsFalse},
	{"isLocked|is_locked() -> bool", func(m *mutex, _ []value) value { return history.BoolValue(m.held) }, reads},
})

var mutexEntry = entry{"mutex", "",
	"a lock; locking it while it is held has to wait",
	&mutexTable.signatures, newMutex, []string{
		`unlock of a free mutex never returns: a history in which it does is not linearizable.`,
		`Any thread may unlock; the model does not know who locked.`,
	}}

func newMutex(args []value) (replay.Spec, error) {
	if err := atMost("mutex", args, 0); err != nil {
		return nil, err
	}
	return &specification[*mutex]{name: "mutex", args: args, table: mutexTable, fresh: func() *mutex { return &mutex{} }}, nil
}
