package decide_test

import (
	"context"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/leadline/leadline/benchdata/corpora"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

// No violation of a Go library is a linearizable history, whichever
// engine is asked; the specifications come with them.
func TestGoViolations(t *testing.T) {
	n := 0
	eachOf(t, "go/violations.jsonl", func(h *history.History) bool {
		n++
		for _, engine := range []replay.Engine{replay.AutoEngine, replay.SearchEngine} {
			if got := verdictOf(t, h, engine); got != replay.NotLinearizable {
				t.Errorf("%s: %v", h.ID, got)
			}
		}
		return true
	})
	if n < 20 {
		t.Errorf("%d violations", n)
	}
}

// The other executions are decided, and search and families agree.
func TestGoCorpus(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(corpora.FS, "go/*.jsonl.zst")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		n := 0
		eachOf(t, file, func(h *history.History) bool {
			if n++; !*full && n%50 != 0 {
				return true
			}
			auto, searched := verdictOf(t, h, replay.AutoEngine), verdictOf(t, h, replay.SearchEngine)
			if auto == replay.Undecided || auto != searched {
				t.Errorf("%s: %v, by search %v", h.ID, auto, searched)
			}
			return *full || n < 100 // what is not looked at is not decoded either
		})
		if n < 100 {
			t.Errorf("%s: %d histories", path.Base(file), n)
		}
	}
}

// eachOf calls do with the histories of a file, one after the other, until it returns
// false.
func eachOf(t *testing.T, file string, do func(*history.History) bool) {
	t.Helper()
	r, err := corpora.FS.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for h, err := range codec.Decode(r, file, codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if h.ID == "" || h.Model != spec.RunsName || !strings.Contains(file, "go/") {
			t.Fatalf("%s: history %q of model %s", file, h.ID, h.Model)
		}
		if !do(h) {
			break
		}
	}
}

func verdictOf(t *testing.T, h *history.History, engine replay.Engine) replay.Answer {
	t.Helper()
	s, err := spec.Lookup(h.Model, h.ModelArgs)
	if err != nil {
		t.Fatalf("%s: %v", h.ID, err)
	}
	v, err := decide.Check(context.Background(), h, s, replay.Options{Engine: engine, MaxDepth: 5})
	if err != nil {
		t.Fatalf("%s: %v", h.ID, err)
	}
	return v.Answer
}
