package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
)

// settings are what the result of a check depends on, apart from the files and the
// program.
type settings struct {
	Format, Map  string
	Limits       codec.Limits
	ProgramOrder bool
	Model        string
	Options      replay.Options
	Explain      bool
	Times        bool
}

// A task is the content of a message to the workers: files to check, or arguments
// of leadline stress. It does not have the names of the files: two tasks with the
// same key have the same result.
type task struct {
	Settings settings
	Files    []file
	Stress   []string `json:",omitempty"`
	Seed     string   `json:",omitempty"` // of stress
	// Sources is a hash of what a stress run tests, and of the program that tests it.
	Sources string `json:",omitempty"`
}

// A file is the content of a history file or of a member of an archive.
type file struct {
	Size   int    `json:",omitempty"` // of data
	Object string `json:",omitempty"` // name of a large file in the bucket of data
	data   []byte
	sum    [sha256.Size]byte // of the content

	spool   string // temporary file with a large one
	spooled int64  // bytes there
}

// key returns the key of the task's result.
func (t *task) key() string {
	header, err := json.Marshal(task{Settings: t.Settings, Stress: t.Stress, Seed: t.Seed, Sources: t.Sources})
	if err != nil {
		panic(fmt.Sprintf("leadline-cluster: %v", err)) // all fields have a form in JSON
	}
	h := sha256.New()
	h.Write(header)
	for i := range t.Files {
		h.Write(t.Files[i].sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// only returns a task for one of the files alone.
func (t *task) only(i int) *task { return &task{Settings: t.Settings, Files: t.Files[i : i+1]} }

func (t *task) encode() []byte {
	parts := make([][]byte, len(t.Files))
	for i := range t.Files {
		parts[i] = t.Files[i].data
		t.Files[i].Size = len(parts[i])
	}
	return pack(t, parts...)
}

func decodeTask(message []byte) (*task, error) {
	t := &task{}
	rest, err := unpack(message, t)
	for i := range t.Files {
		f := &t.Files[i]
		if err == nil && (f.Size < 0 || f.Size > len(rest)) {
			err = errCut
		}
		if err != nil {
			break
		}
		f.data, rest = rest[:f.Size], rest[f.Size:]
		if f.sum = sha256.Sum256(f.data); f.Object != "" {
			if n, err := hex.Decode(f.sum[:], []byte(f.Object)); n != len(f.sum) || err != nil {
				return nil, fmt.Errorf("reading a task: %q is not a hash", f.Object)
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading a task: %w", err)
	}
	return t, nil
}

// A result is the result of a task.
type result struct {
	Files []fileResult
	// If the task was divided, Split has the keys of the tasks with one file each, and the
	// other fields are empty.
	Split []string `json:",omitempty"`
	lines []byte   // of all entries
}

type fileResult struct {
	Entries  []entryResult
	Warnings []warning `json:",omitempty"`
}

// A warning is a message about a file that is not an error.
type warning struct {
	Line int `json:",omitempty"`
	Msg  string
}

// An entryResult is the result of a history, or a fault, of a file.
type entryResult struct {
	Status batch.Status
	Final  bool   `json:",omitempty"` // see batch.Outcome
	Size   int    // of its line
	Reason string `json:",omitempty"` // of an internal error
}

func (r *result) encode() []byte { return pack(r, r.lines) }

func decodeResult(message []byte) (*result, error) {
	r := &result{}
	rest, err := unpack(message, r)
	if err == nil {
		n := 0
		for i := range r.Files {
			for _, e := range r.Files[i].Entries {
				if e.Size < 0 || e.Size > len(rest)-n {
					return nil, fmt.Errorf("reading a result: %w", errCut)
				}
				n += e.Size
			}
		}
		r.lines = rest[:n]
	}
	if err != nil {
		return nil, fmt.Errorf("reading a result: %w", err)
	}
	return r, nil
}

// file returns the result of a file, and its lines.
func (r *result) file(i int) (fileResult, []byte) {
	if i >= len(r.Files) {
		r, i = fault(1, errors.New("the result is about fewer files")), 0
	}
	n := 0
	for _, f := range r.Files[:i] {
		for _, e := range f.Entries {
			n += e.Size
		}
	}
	return r.Files[i], r.lines[n:]
}

// final reports whether checking the same again would have the same outcome.
func (r *result) final() bool {
	for i := range r.Files {
		for _, e := range r.Files[i].Entries {
			if !e.Final && e.Status != batch.Invalid {
				return false
			}
		}
	}
	return r.Split == nil
}

// noFile begins the line of an entry whose file has the name "".
const noFile = `{"file":""`

// add adds an entry of the last file.
func (r *result) add(b *batch.Result) {
	b.File = ""
	outcome := b.Outcome()
	before := len(r.lines)
	r.lines = b.AppendLine(r.lines)
	e := entryResult{Status: outcome.Status, Final: outcome.Final, Size: len(r.lines) - before}
	if e.Status == batch.Internal {
		e.Reason = outcome.Reason
	}
	f := &r.Files[len(r.Files)-1]
	f.Entries = append(f.Entries, e)
}

// fault returns a result that reports a failure of leadline for each of n files.
func fault(n int, err error) *result {
	r := &result{}
	for range n {
		r.Files = append(r.Files, fileResult{})
		r.add(&batch.Result{Internal: err})
	}
	return r
}

// named returns the line of an entry with the name of its file.
func named(line []byte, name string) ([]byte, error) {
	rest, ok := bytes.CutPrefix(line, []byte(noFile))
	if !ok {
		return nil, errors.New("a result without its place")
	}
	var b bytes.Buffer
	b.WriteString(`{"file":`)
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(name); err != nil {
		return nil, err
	}
	b.Truncate(b.Len() - 1) // the newline
	b.Write(rest)
	return b.Bytes(), nil
}

// errCut is the error for a message that ends too soon.
var errCut = errors.New("the message is cut")

// pack encodes a header, which has a form in JSON, and what follows it.
func pack(header any, parts ...[]byte) []byte {
	text, err := json.Marshal(header)
	if err != nil {
		panic(fmt.Sprintf("leadline-cluster: %v", err))
	}
	message := append(binary.AppendUvarint(nil, uint64(len(text))), text...)
	for _, p := range parts {
		message = append(message, p...)
	}
	return message
}

// unpack decodes the header of a message and returns what follows it.
func unpack(message []byte, header any) ([]byte, error) {
	n, k := binary.Uvarint(message)
	if k <= 0 || n > uint64(len(message)-k) {
		return nil, errCut
	}
	return message[k+int(n):], json.Unmarshal(message[k:k+int(n)], header)
}
