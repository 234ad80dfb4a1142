package spec

import (
	"encoding/binary"
	"fmt"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A lock has an owner or is free. Who acquires it gets a fencing token.
type lock struct {
	owner value // None: it is free
	last  int64 // token; -1 before the first
}

// maxToken is the largest fencing token. The model counts up from it, so it is not the largest int.
const maxToken = 1<<62 - 1

func (l *lock) Clone() *lock { c := *l; return &c }

func (l *lock) AppendKey(dst []byte) []byte {
	return binary.AppendVarint(l.owner.AppendKey(dst), l.last)
}

func (l *lock) AppendText(dst []byte) []byte {
	switch {
	case l.last < 0:
		return append(dst, "free"...)
	case l.isFree():
		return fmt.Appendf(dst, "free, the last token was %d", l.last)
	}
	return fmt.Appendf(dst, "held by %v with token %d", l.owner, l.last)
}

func (l *lock) isFree() bool { return l.owner.Kind() == history.None }

// grant makes owner the owner of a free lock and returns the least possible token. For a lock
// that is held, it returns held.
func (l *lock) grant(owner, held value) value {
	if !l.isFree() {
		return held
	}
	l.owner, l.last = owner, l.last+1
	return history.IntValue(l.last)
}

var lockTable = table.New([]table.Method[*lock]{
	table.Row("acquire|lock(owner) -> int", func(l *lock, args []value) value { return l.grant(args[0], table.NoTransition) }, table.Waits),
	table.Row("tryAcquire|try_acquire|tryLock|try_lock(owner) -> null|int", func(l *lock, args []value) value {
		return l.grant(args[0], history.NullValue)
	}, table.FailsNull),
	table.Row("release|unlock(owner) -> bool", func(l *lock, args []value) value {
		if !l.owner.Equal(args[0]) {
			return history.BoolValue(false)
		}
		l.owner = history.NoValue
		return history.BoolValue(true)
	}, table.FailsFalse),
})

// A lockState accepts each token that is larger than the last one, because locks of many
// systems leave out some. It is a replay.Judge. If a token was not recorded, the state supposes
// the least one: later operations then have all results that they have after any other.
type lockState struct {
	lock   *lock
	object replay.State // the methods of lock
}

func newLockState(l *lock) lockState { return lockState{l, table.Object(lockTable, l)} }

// Apply grants the least possible token; see replay.Object.
func (s lockState) Apply(inv replay.Invocation) (value, bool) { return s.object.Apply(inv) }

func (s lockState) Clone() replay.State { return newLockState(s.lock.Clone()) }

func (s lockState) AppendKey(dst []byte) []byte { return s.lock.AppendKey(dst) }

func (s lockState) String() string { return string(s.lock.AppendText(nil)) }

// Outcomes returns the outcome with the least possible token; see replay.Nondeterministic.
func (s lockState) Outcomes(inv replay.Invocation) []replay.Outcome {
	next := s.Clone()
	result, ok := next.Apply(inv)
	if !ok {
		return nil
	}
	return []replay.Outcome{{Result: result, Next: next}}
}

// Judge returns the outcome with a recorded result; see replay.Judge.
func (s lockState) Judge(inv replay.Invocation, result value) []replay.Outcome {
	outcomes := s.Outcomes(inv)
	if len(outcomes) == 0 {
		return nil
	}
	o := &outcomes[0]
	if least := o.Result; least.Kind() == history.Int && result.Kind() == history.Int && result.Int() > least.Int() {
		o.Result = result
		o.Next.(lockState).lock.last = result.Int()
	}
	if !replay.Accepts(result, o.Result) {
		return nil
	}
	return outcomes
}

// A lockSpec is a lock with fencing tokens, as in Kleppmann, "How to do distributed locking"
// (2016).
type lockSpec struct{ *table.Specification[*lock] }

// New returns a free lock.
func (s lockSpec) New() replay.Object { return newLockState(s.Fresh()) }

// Check returns an error if op is wrong; see replay.Spec.
func (s lockSpec) Check(op *history.Operation) error {
	if err := s.Specification.Check(op); err != nil {
		return err
	}
	if r := op.Result; r.Kind() == history.Int && (r.Int() < 0 || r.Int() > maxToken) {
		return fmt.Errorf("%s returns a token from 0 to %d, recorded %v", op.Method, maxToken, r)
	}
	return nil
}

// VersionUse says that a token is the version that its acquisition made; see replay.Versioned.
// A version that was recorded beside the result says nothing.
func (s lockSpec) VersionUse(op *history.Operation) replay.VersionUse {
	if op.Result.Kind() != history.Int {
		return replay.VersionUse{}
	}
	return replay.VersionUse{Kind: replay.NewVersion, Version: history.VersionOf(op.Result.Int())}
}

var lockEntry = table.Entry{Name: "lock",
	Doc:     "a lock with an owner; acquiring it returns a fencing token, and has to wait while it is held",
	Methods: &lockTable.Signatures,
	Make: func([]value) (table.Made, error) {
		return lockSpec{&table.Specification[*lock]{Table: lockTable, Fresh: func() *lock { return &lock{last: -1} }}}, nil
	},
	Notes: []string{
		`A token is an int from 0 on, and larger than all tokens before; it need not be the next one.`,
		`tryAcquire returns null if the lock is held. The owner itself has to wait, too.`,
		`release returns false, and changes nothing, if another owner has the lock or none.`,
	},
}
