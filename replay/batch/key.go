package batch

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/leadline/leadline/history"
)

// A Key identifies a check: two checks with the same key have the same outcome.
type Key [16]byte

// Key returns the key of the check of the history of an entry: a hash of its
// content, the model, the options and the program. What does not change the
// outcome is not part of it: the file, the name of the history, lines and stamps.
// The entry must have a history.
func (c *Checker) Key(e Entry) (Key, error) {
	program, err := Program()
	if err != nil {
		return Key{}, err
	}
	b := make([]byte, 0, 64+32*len(e.History.Ops))
	b = append(b, program...)
	b = appendString(b, c.Settings())
	sum := sha256.Sum256(appendHistory(b, e.History))
	return Key(sum[:16]), nil
}

// Settings returns the model and the options as text.
func (c *Checker) Settings() string {
	return fmt.Sprintf("model=%q times=%v options=%+v", c.Model, c.Times, c.Options)
}

// Program returns what identifies the running program: a hash of its executable
// file. Another build may have another verdict, if only by mending a fault.
var Program = sync.OnceValues(func() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding the program: %w", err)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("reading the program: %w", err)
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", fmt.Errorf("reading the program: %w", err)
	}
	return string(hash.Sum(nil)), nil
})

// at returns a key for an entry at its place: the file, the number in it and the
// name too.
func (k Key) at(e *Entry) Key {
	b := append([]byte(nil), k[:]...)
	b = appendString(b, e.File)
	b = binary.AppendVarint(b, int64(e.Number))
	b = appendString(b, e.History.ID)
	b = appendString(b, e.History.Format)
	sum := sha256.Sum256(b)
	return Key(sum[:16])
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendHistory appends everything in h that an outcome depends on. No encoding
// is a prefix of another.
func appendHistory(b []byte, h *history.History) []byte {
	b = appendString(b, h.Model)
	b = appendValues(b, h.ModelArgs)
	flags := byte(0)
	for i, set := range []bool{h.Torn > 0, h.IsRelaxed(), h.Tie == history.HalfOpen, h.Order == history.StampOrder} {
		if set {
			flags |= 1 << i
		}
	}
	b = append(b, flags)
	b = appendValues(b, h.Processes)
	b = appendOperations(b, h.Ops)
	b = appendOperations(b, h.Ghosts)
	b = binary.AppendVarint(b, int64(len(h.Edges)))
	for _, e := range h.Edges {
		b = binary.AppendVarint(b, int64(e.From))
		b = binary.AppendVarint(b, int64(e.To))
	}
	b = binary.AppendVarint(b, int64(h.Dropped))
	if h.Torn > 0 { // whether what was cut matters depends on the lines and the format
		b = binary.AppendVarint(appendString(b, h.Format), int64(h.Torn))
		for i := range h.Ops {
			b = binary.AppendVarint(b, int64(h.Ops[i].Line))
		}
	}
	return b
}

func appendValues(b []byte, values []history.Value) []byte {
	b = binary.AppendUvarint(b, uint64(len(values)))
	for _, v := range values {
		b = v.AppendKey(b)
	}
	return b
}

func appendOperations(b []byte, ops []history.Operation) []byte {
	b = binary.AppendUvarint(b, uint64(len(ops)))
	for i := range ops {
		op := &ops[i]
		b = appendString(b, op.Method)
		b = appendValues(b, op.Args)
		b = op.Result.AppendKey(b)
		b = op.ID().AppendKey(b)
		for _, n := range [...]int32{op.Process, op.Call, op.Return} {
			b = binary.AppendVarint(b, int64(n))
		}
		if op.Happened {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	return b
}
