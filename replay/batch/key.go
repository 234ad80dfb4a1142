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

// A key is the Key of an entry.
type key = [16]byte

// Key returns a hash of an entry with a history: of its place, and of everything in its
// history that an outcome depends on. Lines and stamps are not part of it. No encoding
// that it hashes is a prefix of another.
func (e *Entry) Key() [16]byte {
	h, sha := e.History, sha256.New()
	timed := h.RealTime() // decide.Check may find an order of a relaxed history in real time first
	var b []byte
	for _, text := range []string{e.File, h.ID, h.Format, h.Model} {
		b = history.StringValue(text).AppendKey(b)
	}
	b = appendValues(appendValues(b, h.ModelArgs), h.Processes)
	b = appendNumbers(b, e.Number, number(h.IsRelaxed()), int(h.Tie), int(h.Order), int(h.Durability), number(timed != nil), h.Dropped)
	sha.Write(b)
	writeHistory(sha, h)
	if timed != nil {
		writeHistory(sha, timed)
	}
	return key(sha.Sum(nil)[:16])
}

// writeHistory writes the operations and the edges of a history.
func writeHistory(w io.Writer, h *history.History) {
	b := appendNumbers(nil, len(h.Ops), len(h.Ghosts), len(h.Edges), len(h.Waits))
	for _, w := range h.Waits {
		b = history.StringValue(w.For).AppendKey(appendNumbers(b, int(w.Op)))
	}
	for _, edge := range h.Edges {
		b = appendNumbers(b, int(edge.From), int(edge.To))
	}
	w.Write(b) // a hash has no errors
	for i := range int32(len(h.Ops) + len(h.Ghosts)) {
		op := h.Operation(i)
		b = history.StringValue(op.Method).AppendKey(b[:0])
		b = op.ID().AppendKey(op.Result.AppendKey(appendValues(b, op.Args)))
		b = appendNumbers(b, int(op.Process), int(op.Call), int(op.Return), number(op.Happened), number(op.Waits), number(op.Crashed))
		b = binary.AppendVarint(b, int64(op.Version))
		w.Write(b)
	}
}

func number(set bool) int {
	if set {
		return 1
	}
	return 0
}

func appendNumbers(b []byte, numbers ...int) []byte {
	for _, n := range numbers {
		b = binary.AppendVarint(b, int64(n))
	}
	return b
}

func appendValues(b []byte, values []history.Value) []byte {
	return history.ListValue(values...).AppendKey(b)
}

// Program returns a hash of the executable file of the running program. Another build
// may give another verdict, for example because a fault was mended.
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
