package batch

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"sync"

	"github.com/leadline/leadline/history"
)

// A key is a hash of what an outcome of a batch depends on: two checks in it with the
// same key have the same outcome.
type key [16]byte

// contentKey covers everything in a history that an outcome depends on. It does not cover
// the file, the name of the history, lines and stamps.
func contentKey(h *history.History) key {
	c := contentHash{sha: sha256.New(), b: make([]byte, 0, 2*contentChunk)}
	c.history(h)
	c.flush()
	return key(c.sha.Sum(nil)[:16])
}

// A contentHash hashes an encoding that it makes piece by piece.
type contentHash struct {
	sha hash.Hash
	b   []byte // encoded and not hashed yet
}

const contentChunk = 4 << 10

func (c *contentHash) flush() {
	c.sha.Write(c.b)
	c.b = c.b[:0]
}

// Settings returns the model and the options as text.
func (c *Checker) Settings() string {
	return fmt.Sprintf("model=%q times=%v options=%+v", c.Model, c.Times, c.Options)
}

// Program returns a hash of the executable file of the running program. Another build
// may have another verdict, if only because a fault was mended.
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
func (k key) at(e *Entry) key {
	b := append([]byte(nil), k[:]...)
	b = appendString(b, e.File)
	b = binary.AppendVarint(b, int64(e.Number))
	b = appendString(b, e.History.ID)
	b = appendString(b, e.History.Format)
	sum := sha256.Sum256(b)
	return key(sum[:16])
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// history adds everything in h that an outcome depends on. No encoding is a prefix of
// another.
func (c *contentHash) history(h *history.History) {
	c.b = appendValues(appendString(c.b, h.Model), h.ModelArgs)
	flags := byte(0)
	timed := h.RealTime() // an order of the processes alone may be found in real time first
	for i, set := range []bool{h.IsRelaxed(), h.Tie == history.HalfOpen, h.Order == history.StampOrder, timed != nil} {
		if set {
			flags |= 1 << i
		}
	}
	c.b = appendValues(append(c.b, flags), h.Processes)
	c.operations(h.Ops)
	c.operations(h.Ghosts)
	c.numbers(len(h.Edges))
	for _, e := range h.Edges {
		c.numbers(int(e.From), int(e.To))
	}
	c.numbers(h.Dropped)
	if timed == nil {
		return
	}
	for _, ops := range [][]history.Operation{timed.Ops, timed.Ghosts} {
		c.numbers(len(ops))
		for i := range ops {
			c.numbers(int(ops[i].Call), int(ops[i].Return))
		}
	}
}

func (c *contentHash) operations(ops []history.Operation) {
	c.numbers(len(ops))
	for i := range ops {
		op := &ops[i]
		c.b = appendValues(appendString(c.b, op.Method), op.Args)
		c.b = op.ID().AppendKey(op.Result.AppendKey(c.b))
		happened := 0
		if op.Happened {
			happened = 1
		}
		c.numbers(int(op.Process), int(op.Call), int(op.Return), happened)
	}
}

// numbers adds numbers. It hashes what has been encoded so far if that is long.
func (c *contentHash) numbers(numbers ...int) {
	for _, n := range numbers {
		c.b = binary.AppendVarint(c.b, int64(n))
	}
	if len(c.b) >= contentChunk {
		c.flush()
	}
}

func appendValues(b []byte, values []history.Value) []byte {
	b = binary.AppendUvarint(b, uint64(len(values)))
	for _, v := range values {
		b = v.AppendKey(b)
	}
	return b
}
