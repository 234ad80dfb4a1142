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

// A key is a hash of an entry: of its place, and of everything in its history that an
// outcome depends on. Lines and stamps are not part of it.
type key [16]byte

// keyOf returns the key of an entry with a history. No encoding that it hashes is a prefix
// of another.
func keyOf(e *Entry) key {
	h := e.History
	var b []byte
	for _, s := range []string{e.File, h.ID, h.Format, h.Model} {
		b = append(appendNumbers(b, len(s)), s...)
	}
	flags := byte(0)
	timed := h.RealTime() // decide.Check may find an order of a relaxed history in real time first
	for i, set := range []bool{h.IsRelaxed(), h.Tie == history.HalfOpen, h.Order == history.StampOrder, timed != nil} {
		if set {
			flags |= 1 << i
		}
	}
	b = appendValues(appendValues(append(b, flags), h.ModelArgs), h.Processes)
	b = appendNumbers(b, e.Number, len(h.Ops), len(h.Ghosts), len(h.Edges), h.Dropped)
	for _, edge := range h.Edges {
		b = appendNumbers(b, int(edge.From), int(edge.To))
	}
	sha := sha256.New()
	sha.Write(b)
	for _, ops := range [][]history.Operation{h.Ops, h.Ghosts} {
		for i := range ops {
			b = appendOperation(b[:0], &ops[i])
			sha.Write(b)
		}
	}
	if timed != nil {
		for _, ops := range [][]history.Operation{timed.Ops, timed.Ghosts} {
			sha.Write(appendNumbers(nil, len(ops)))
			for i := range ops {
				b = appendNumbers(b[:0], int(ops[i].Call), int(ops[i].Return))
				sha.Write(b)
			}
		}
	}
	return key(sha.Sum(nil)[:16])
}

func appendOperation(b []byte, op *history.Operation) []byte {
	b = append(appendNumbers(b, len(op.Method)), op.Method...)
	b = op.ID().AppendKey(op.Result.AppendKey(appendValues(b, op.Args)))
	happened := 0
	if op.Happened {
		happened = 1
	}
	return appendNumbers(b, int(op.Process), int(op.Call), int(op.Return), happened)
}

func appendNumbers(b []byte, numbers ...int) []byte {
	for _, n := range numbers {
		b = binary.AppendVarint(b, int64(n))
	}
	return b
}

func appendValues(b []byte, values []history.Value) []byte {
	b = appendNumbers(b, len(values))
	for _, v := range values {
		b = v.AppendKey(b)
	}
	return b
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
