package spec

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A logItem is an entry of a log, with all entries before it. Nothing changes it, so logs
// share their entries.
type logItem struct {
	value  value
	index  int64
	before *logItem
	// jump is an earlier entry, or this one if it is the first. The jumps are those of Myers,
	// "An applicative random-access stack" (1983): finding an entry takes O(log n).
	jump *logItem
	// sum is a hash of the values of this entry and all before it.
	sum [sha256.Size]byte
}

// A growingLog is a sequence of values that grows at its end. Clone, AppendKey and appending
// take O(1), because histories of logs are long.
type growingLog struct {
	last *logItem // nil if there is none
}

func (l *growingLog) Clone() *growingLog { return &growingLog{l.last} }

// AppendKey appends the length and the hash of all values. No two logs with the same key are
// known, since SHA-256 has no known collisions. The values themselves would take O(n^2) bytes in
// a history of n appends.
func (l *growingLog) AppendKey(dst []byte) []byte {
	dst = binary.AppendVarint(dst, l.length())
	if l.last != nil {
		dst = append(dst, l.last.sum[:]...)
	}
	return dst
}

func (l *growingLog) AppendText(dst []byte) []byte {
	var values []value
	for e := l.last; e != nil; e = e.before {
		values = append(values, e.value)
	}
	slices.Reverse(values)
	return table.AppendEach(dst, "[]", ", ", slices.Values(values), table.AppendValue)
}

func (l *growingLog) length() int64 {
	if l.last == nil {
		return 0
	}
	return l.last.index + 1
}

func (l *growingLog) append(v value) {
	e := &logItem{value: v, index: l.length(), before: l.last}
	if b := e.before; b == nil {
		e.jump = e
		e.sum = sha256.Sum256(v.AppendKey(nil))
	} else {
		e.jump = b
		if b.index-b.jump.index == b.jump.index-b.jump.jump.index {
			e.jump = b.jump.jump
		}
		e.sum = sha256.Sum256(v.AppendKey(b.sum[:]))
	}
	l.last = e
}

// at returns the entry with an index from 0 to length-1.
func (l *growingLog) at(index int64) *logItem {
	e := l.last
	for e.index > index {
		if e.jump.index >= index {
			e = e.jump
		} else {
			e = e.before
		}
	}
	return e
}

var logTable = table.New([]table.Method[*growingLog]{
	table.Row("append(value) -> int", func(l *growingLog, args []value) value {
		l.append(args[0])
		return history.IntValue(l.last.index)
	}, table.Updates),
	table.Row("read|get(index: int) -> any", func(l *growingLog, args []value) value {
		if i := args[0].Int(); i >= 0 && i < l.length() {
			return l.at(i).value
		}
		return history.NullValue
	}, table.Reads),
	table.Row("length|size|len|tail() -> int", func(l *growingLog, _ []value) value { return history.IntValue(l.length()) }, table.Reads),
})

// A logSpec is a log such as those of S2, Kafka and Raft, whose appends return their index.
type logSpec struct {
	*table.Specification[*growingLog]
}

// VersionUse says what the index in the result of op says: the entry with index n is version n
// of the log. See replay.Versioned. A read of an entry may take effect at any time after its
// append, so it saw no version. A version that was recorded beside the result says nothing.
func (s logSpec) VersionUse(op *history.Operation) replay.VersionUse {
	if op.Result.Kind() != history.Int {
		return replay.VersionUse{}
	}
	switch n := op.Result.Int(); {
	case op.Method == "append":
		return replay.VersionUse{Kind: replay.NewVersion, Version: history.VersionOf(n), Value: op.Args[0]}
	case len(op.Args) == 0 && n > 0:
		return replay.VersionUse{Kind: replay.SeenVersion, Version: history.VersionOf(n - 1)}
	}
	return replay.VersionUse{}
}

// AppendHeld appends the value that op appends, or the one that it read; see replay.Holder.
func (s logSpec) AppendHeld(dst []replay.Held, op *history.Operation) []replay.Held {
	switch v := op.Result; {
	case op.Method == "append":
		return append(dst, replay.Held{Value: op.Args[0], Puts: true, Verb: "appended"})
	case len(op.Args) == 1 && v.Kind() != history.Null && table.AnyValue.Has(v.Kind()):
		return append(dst, replay.Held{Value: v, Verb: "appended"})
	}
	return dst
}

var logEntry = table.Entry{Name: "log",
	Doc:     "a log that grows at its end; append returns the index of the new entry",
	Methods: &logTable.Signatures,
	Make: func([]value) (table.Made, error) {
		return logSpec{&table.Specification[*growingLog]{Table: logTable, Fresh: func() *growingLog { return &growingLog{} }}}, nil
	},
	Notes: []string{
		`The first index is 0, and each further one is larger by one.`,
		`read of an index without an entry returns null. length returns the next index.`,
	},
}
