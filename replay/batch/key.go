package batch

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/leadline/leadline/history"
)

// A Key identifies a check: two checks with the same key have the same outcome.
type Key [16]byte

// Content returns a hash of everything in a history that an outcome depends on. The
// file, the name of the history, lines and stamps are not part of it.
func Content(h *history.History) Key {
	sum := sha256.Sum256(appendHistory(make([]byte, 0, 64+32*len(h.Ops)), h))
	return Key(sum[:16])
}

// Key returns the key of the check of a history with this content, which covers the
// model, the options and the program as well.
func (c *Checker) Key(content Key) (Key, error) {
	program, err := Program()
	if err != nil {
		return Key{}, err
	}
	sum := sha256.Sum256(appendString(appendString(content[:len(content):len(content)], program), c.Settings()))
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
	return hex.EncodeToString(hash.Sum(nil)), nil
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
