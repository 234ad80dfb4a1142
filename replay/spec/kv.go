package spec

import (
	"encoding/binary"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A kvStore is a map from keys to values. For a missing key, get and remove
// return a fixed value; cas compares with it and append appends to it. By
// default it is null. For porcupine's key-value logs it is "", which is kv:""
// on the command line.
type kvStore struct {
	ordered[value, value]
	missing value
}

func (s *kvStore) clone() *kvStore { return &kvStore{s.ordered.clone(), s.missing} }

func (s *kvStore) appendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(s.n))
	for p := range s.all() {
		dst = p.val.AppendKey(p.key.AppendKey(dst))
	}
	return dst
}

func (s *kvStore) appendText(dst []byte) []byte { return appendEach(dst, "{}", s.all(), appendEntry) }

func (s *kvStore) lookup(key value) value {
	if p := s.get(key); p != nil {
		return *p
	}
	return s.missing
}

func (s *kvStore) store(key, v value) {
	p, _ := s.getOrAdd(key)
	*p = v
}

var kvTable = newTable([]method[*kvStore]{
	{"get|read(key) -> any", func(s *kvStore, args []value) value { return s.lookup(args[0]) }, peeks | keyed},
	{"put|write|set(key, value)", func(s *kvStore, args []value) value {
		s.store(args[0], args[1])
		return history.NoValue
	}, inserts | keyed},
	{"append(key, text: string)", kvAppend, keyed},
	{"remove(key) -> any", func(s *kvStore, args []value) value {
		old := s.lookup(args[0])
		s.remove(args[0])
		return old
	}, keyed | resets},
	{"delete(key)", func(s *kvStore, args []value) value {
		s.remove(args[0])
		return history.NoValue
	}, keyed | resets},
	{"contains|containsKey|has(key) -> bool", func(s *kvStore, args []value) value {
		return history.BoolValue(s.get(args[0]) != nil)
	}, reads | keyed},
	{"cas|compareAndSet(key, old, new) -> bool", func(s *kvStore, args []value) value {
		if !s.lookup(args[0]).Equal(args[1]) {
			return history.BoolValue(false)
		}
		s.store(args[0], args[2])
		return history.BoolValue(true)
	}, failsFalse | keyed | swaps},
}, sizeMethods[*kvStore]())

// kvAppend appends to a string. A missing key counts as "" unless the value for
// missing keys is itself a string. Appending to any other value has no
// transition.
func kvAppend(s *kvStore, args []value) value {
	old := s.lookup(args[0])
	if old.Kind() != history.String && s.get(args[0]) != nil {
		return noTransition
	}
	s.store(args[0], history.StringValue(old.Text()+args[1].Text()))
	return history.NoValue
}

// A kvSpec is the specification of a kvStore, and is a replay.Appending.
type kvSpec struct{ cellSpec[*kvStore] }

// AppendListSteps appends what op does to the strings under the keys; see
// replay.Appending.
func (s kvSpec) AppendListSteps(dst []replay.ListStep, op *history.Operation) ([]replay.ListStep, bool) {
	m := &s.table.list[s.table.find(op.Method, len(op.Args))]
	f, r := m.facts, op.Result
	if !f.has(keyed) || s.initial.Text() != "" {
		return dst, false
	}
	step := replay.ListStep{Kind: replay.ListOther, Key: op.Args[0]}
	switch {
	case m.names[0] == "append" && (op.Pending() || r.Kind() == history.None):
		step.Kind, step.Value = replay.ListAppend, op.Args[1]
	case f.has(reads) && r.Kind() == history.Unknown:
		return dst, true
	case f.has(peeks) && r.Equal(s.initial):
		step.Kind, step.Value = replay.ListRead, history.NullValue
	case f.has(peeks) && r.Kind() == history.String:
		step.Kind, step.Value = replay.ListRead, r
	}
	return append(dst, step), true
}

var kvEntry = entry{"kv", "[:missing]",
	"a map from keys to values; a missing key returns null or the argument",
	&kvTable.signatures, newKV, []string{
		`append to a missing key stores the string, or appends it to the missing value if that is a string.`,
		`append to a value that is not a string never returns.`,
	}}

func newKV(args []value) (replay.Spec, error) {
	missing, err := optional("kv", args, "value for a missing key", anyValue, history.NullValue)
	if err != nil {
		return nil, err
	}
	return kvSpec{cellSpec[*kvStore]{&specification[*kvStore]{name: "kv", args: args, table: kvTable, discipline: replay.OverwrittenByKey, initial: missing, isCell: true,
		fresh: func() *kvStore { return &kvStore{missing: missing} }}}}, nil
}
