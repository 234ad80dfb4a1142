package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/files"
)

// Counts counts histories by how their checks ended. Histories is the sum of the others.
type Counts struct {
	Histories       int `json:"histories"`
	Linearizable    int `json:"linearizable"`
	NotLinearizable int `json:"not_linearizable"`
	Unknown         int `json:"unknown"`
	Invalid         int `json:"invalid"`
	InternalErrors  int `json:"internal_errors"`
}

// Add counts a history.
func (c *Counts) Add(s Status) {
	c.Histories++
	switch s {
	case Linearizable:
		c.Linearizable++
	case NotLinearizable:
		c.NotLinearizable++
	case Invalid:
		c.Invalid++
	case Internal:
		c.InternalErrors++
	default:
		c.Unknown++
	}
}

// A Summary sums up a batch. In JSON, it is what leadline check --summary writes.
type Summary struct {
	Counts
	FileFaults  FileReasons `json:"file_faults"`
	Skipped     FileReasons `json:"skipped_files"` // the caller counts them
	Checked     int         `json:"checked"`
	FromJournal int         `json:"from_journal"`
	Shard       *string     `json:"shard"`    // set by the caller
	Complete    bool        `json:"complete"` // set by the caller: all of the input is checked
	Status      int         `json:"status"`   // set by the caller: the exit status
	Elapsed     int64       `json:"elapsed_ns"`
}

// Add counts a result.
func (t *Summary) Add(r *Result) {
	switch {
	case r.IsFileFault():
		t.FileFaults.Add(r.File, r.Err)
		return
	case r.FromJournal:
		t.FromJournal++
	default:
		t.Checked++
	}
	t.Counts.Add(r.Status())
}

// FileReasons counts files that hold no histories, by reason.
type FileReasons struct {
	N  int // all of them
	by [len(reasons) + 1]reasonCount
}

type reasonCount struct {
	n     int
	files []string // the first namedFiles of them
}

// namedFiles is how many files are named for each reason.
const namedFiles = 5

// reasons are the reasons that are counted separately.
var reasons = [...]struct {
	name string
	is   func(error) bool
}{
	{"missing", func(err error) bool { return errors.Is(err, fs.ErrNotExist) }},
	{"unreadable", isUnreadable},
	{"empty", func(err error) bool { return errors.Is(err, files.ErrEmpty) }},
	{"of no known format", func(err error) bool { return errors.Is(err, codec.ErrUnknownFormat) }},
	{"of another compression", func(err error) bool { return errors.Is(err, files.ErrCompression) }},
	{"of another encoding", func(err error) bool { return errors.Is(err, files.ErrEncoding) }},
	{"of more than the limits allow", func(err error) bool { return errors.Is(err, files.ErrLimit) }},
}

// isUnreadable reports whether err is an error of the system, other than a missing file.
func isUnreadable(err error) bool {
	var system syscall.Errno
	return errors.As(err, &system) && !errors.Is(err, fs.ErrNotExist)
}

// Add counts a file.
func (r *FileReasons) Add(file string, err error) {
	k := 0
	for k < len(reasons) && !reasons[k].is(err) {
		k++
	}
	r.N++
	by := &r.by[k]
	if by.n++; by.n <= namedFiles {
		by.files = append(by.files, file)
	}
}

// Each calls do with each reason that occurs, how many files have it, and the first few of
// these. "other" is the last reason.
func (r *FileReasons) Each(do func(reason string, n int, files []string)) {
	for k, by := range r.by {
		name := "other"
		if k < len(reasons) {
			name = reasons[k].name
		}
		if by.n > 0 {
			do(name, by.n, by.files)
		}
	}
}

// String returns the reasons in parentheses, or "" if none has a name.
func (r *FileReasons) String() string {
	if r.by[len(reasons)].n == r.N {
		return ""
	}
	var parts []string
	r.Each(func(name string, n int, _ []string) { parts = append(parts, fmt.Sprintf("%d %s", n, name)) })
	return " (" + strings.Join(parts, ", ") + ")"
}

// MarshalJSON returns an object with the number of files for each reason.
func (r FileReasons) MarshalJSON() ([]byte, error) {
	counts := map[string]int{}
	r.Each(func(name string, n int, _ []string) { counts[name] = n })
	return json.Marshal(counts)
}
