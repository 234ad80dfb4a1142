package spec

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/container"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A versionedCell is what a versioned-kv has under a key. The first version is 1.
type versionedCell struct {
	value   value
	version int64
}

// A versionedMap holds values with versions under keys. A missing key has version 0.
type versionedMap struct {
	container.Ordered[value, versionedCell]
}

func (m *versionedMap) Clone() *versionedMap { return &versionedMap{m.Ordered.Clone()} }

func (m *versionedMap) AppendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(m.Len()))
	for p := range m.All() {
		dst = p.Val.value.AppendKey(p.Key.AppendKey(dst))
		dst = binary.AppendVarint(dst, p.Val.version)
	}
	return dst
}

func (m *versionedMap) AppendText(dst []byte) []byte {
	return table.AppendEach(dst, "{}", ", ", m.All(), func(dst []byte, p *container.Pair[value, versionedCell]) []byte {
		return fmt.Appendf(dst, "%v=%v at version %d", p.Key, p.Val.value, p.Val.version)
	})
}

// What put returns.
var (
	putOK      = history.StringValue("ok")
	putVersion = history.StringValue("version")
	putNoKey   = history.StringValue("no-key")
)

var versionedTable = table.New([]table.Method[*versionedMap]{
	table.Row("get|read(key) -> null|list", func(m *versionedMap, args []value) value {
		c := m.Get(args[0])
		if c == nil {
			return history.NullValue
		}
		return history.ListValue(c.value, history.IntValue(c.version))
	}, table.Reads|table.Keyed),
	table.Row("put|write|set(key, value, version: int) -> string", func(m *versionedMap, args []value) value {
		c, version := m.Get(args[0]), args[2].Int()
		switch {
		case c == nil && version > 0:
			return putNoKey
		case c != nil && version != c.version:
			return putVersion
		case c == nil:
			c, _ = m.GetOrAdd(args[0])
		}
		*c = versionedCell{args[1], version + 1}
		return putOK
	}, table.Updates|table.Keyed),
})

// A versionedSpec is the key-value server of the labs of MIT 6.5840, since 2024: a put names
// the version that it replaces, and a get returns the version that it found.
type versionedSpec struct {
	*table.Specification[*versionedMap]
}

// Check returns an error if op is wrong; see replay.Spec.
func (s versionedSpec) Check(op *history.Operation) error {
	if err := s.Specification.Check(op); err != nil {
		return err
	}
	switch r := op.Result; {
	case len(op.Args) == 3 && op.Args[2].Int() < 0:
		return fmt.Errorf("argument 3 of %s: want a version, which is an int from 0 on, got %v", op.Method, op.Args[2])
	case r.Kind() == history.List && (len(r.List()) != 2 || r.List()[1].Kind() != history.Int):
		return fmt.Errorf("%s returns [value, version], recorded %v", op.Method, r)
	case r.Kind() == history.String && !slices.ContainsFunc([]value{putOK, putVersion, putNoKey}, r.Equal):
		return fmt.Errorf("%s returns %v, %v or %v, recorded %v", op.Method, putOK, putVersion, putNoKey, r)
	}
	return nil
}

// Facts returns the facts of op; see replay.Described. A put that was refused changes nothing.
func (s versionedSpec) Facts(op *history.Operation) replay.Facts {
	f := s.Specification.Facts(op)
	f.ReadOnly = f.ReadOnly || op.Result.Equal(putVersion) || op.Result.Equal(putNoKey)
	return f
}

// VersionUse says what the version in the arguments or the result of op says; see
// replay.Versioned. A version that was recorded beside them says nothing.
func (s versionedSpec) VersionUse(op *history.Operation) replay.VersionUse {
	switch r := op.Result; {
	case r.Kind() == history.List:
		return replay.VersionUse{Kind: replay.SeenVersion, Version: history.VersionOf(r.List()[1].Int()), Part: 1, Value: r.List()[0]}
	case r.Equal(putOK):
		return replay.VersionUse{Kind: replay.NewVersion, Version: history.VersionOf(op.Args[2].Int() + 1), Part: 1, Value: op.Args[1]}
	}
	return replay.VersionUse{}
}

// AppendHeld appends the value that op puts, or the one that it found; see replay.Holder.
func (s versionedSpec) AppendHeld(dst []replay.Held, op *history.Operation) []replay.Held {
	switch r := op.Result; {
	case len(op.Args) == 3 && !s.Facts(op).ReadOnly:
		return append(dst, replay.Held{Value: op.Args[1], Part: op.Args[0], Puts: true, Verb: "put"})
	case r.Kind() == history.List:
		return append(dst, replay.Held{Value: r.List()[0], Part: op.Args[0], Verb: "put"})
	}
	return dst
}

var versionedEntry = table.Entry{Name: "versioned-kv",
	Doc:     "a map from keys to values with versions, as in the labs of MIT 6.5840; put names the version that it replaces",
	Methods: &versionedTable.Signatures,
	Make: func([]value) (table.Made, error) {
		return versionedSpec{&table.Specification[*versionedMap]{Table: versionedTable, Fresh: func() *versionedMap { return &versionedMap{} }}}, nil
	},
	Notes: []string{
		`get returns [value, version], or null for a missing key, whose version is 0.`,
		`put returns "ok" if the key had that version; its value then has the next version, which is larger by one.`,
		`Otherwise put changes nothing, and returns "no-key" for a missing key and "version" for any other one.`,
		`An ErrMaybe of the labs is a result that is unknown.`,
	},
}
