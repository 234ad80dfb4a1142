package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/files"
	"github.com/leadline/leadline/replay"
)

// TestSummary: each result counts once, and a fault of a file is not a history.
func TestSummary(t *testing.T) {
	h := &history.History{}
	var s Summary
	for _, r := range []*Result{
		{Entry: Entry{History: h}, Verdict: replay.Verdict{Finding: replay.Finding{Answer: replay.Linearizable}}},
		{Entry: Entry{History: h}, Verdict: replay.Verdict{Finding: replay.Refuted(replay.SearchEngine)}},
		{Entry: Entry{History: h}},
		{Entry: Entry{History: h}, FromJournal: true, outcome: &Outcome{Status: NotLinearizable}},
		{Entry: Entry{History: h}, Internal: errors.New("a fault")},
		{Entry: Entry{Err: &history.Errors{}}},
		{Entry: Entry{File: "none", Err: fmt.Errorf("reading: %w", fs.ErrNotExist)}},
		{Entry: Entry{File: "dir", Err: &os.PathError{Err: syscall.EACCES}}},
		{Entry: Entry{File: "odd", Err: errors.New("odd")}},
	} {
		s.Add(r)
	}
	for range 7 {
		s.Skipped.Add("x", codec.ErrUnknownFormat)
	}
	s.Skipped.Add("y", files.ErrEmpty)
	text, err := json.Marshal(s)
	const want = `{"histories":6,"linearizable":1,"not_linearizable":2,"unknown":1,"invalid":1,"internal_errors":1,` +
		`"file_faults":{"missing":1,"other":1,"unreadable":1},"skipped_files":{"empty":1,"of no known format":7},` +
		`"checked":5,"from_journal":1,"shard":null,"complete":false,"status":0,"elapsed_ns":0}`
	if string(text) != want || err != nil {
		t.Errorf("%v\n%s, want\n%s", err, text, want)
	}
	if got, want := s.FileFaults.String(), " (1 missing, 1 unreadable, 1 other)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.Skipped.Each(func(reason string, n int, names []string) {
		if reason == "of no known format" && strings.Join(names, "") != "xxxxx" {
			t.Errorf("%s: the first files are %q", reason, names)
		}
	})
	var other FileReasons
	if other.Add("z", errors.New("odd")); other.String() != "" {
		t.Errorf("%q, want no reasons", &other)
	}
}
