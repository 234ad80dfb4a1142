package decide_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"testing"

	"github.com/leadline/leadline/benchdata/corpora"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// TestMutated decides histories in which one result was changed, and
// compares with the verdicts of exhaustive replay on the JDK's own objects.
func TestMutated(t *testing.T) {
	content, err := corpora.FS.ReadFile("juc-mutated/labels.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]replay.Answer{}
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		var l struct {
			History      string
			Linearizable bool
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		want[l.History] = replay.NotLinearizable
		if l.Linearizable {
			want[l.History] = replay.Linearizable
		}
	}
	files, err := fs.Glob(corpora.FS, "juc-mutated/*.zst")
	if err != nil || len(files) != 10 {
		t.Fatalf("%d files of mutated histories, %v", len(files), err)
	}
	for _, name := range files {
		if n := checkMutated(t, name, want); n < 20 {
			t.Errorf("%s: only %d mutated histories", name, n)
		}
	}
}

// checkMutated compares every engine with the labels of a file's histories.
func checkMutated(t *testing.T, name string, want map[string]replay.Answer) int {
	t.Helper()
	file, err := corpora.FS.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	for h, err := range codec.Decode(file, name, codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		model, err := spec.Lookup(h.Model, h.ModelArgs)
		if err != nil {
			t.Fatal(err)
		}
		n++
		for _, engine := range []replay.Engine{replay.AutoEngine, replay.SearchEngine} {
			v := check(t, h, model, replay.Options{Engine: engine})
			if label, ok := want[h.ID]; !ok || v.Answer != label {
				t.Errorf("%s (%v) is %v, want %v", h.ID, engine, v.Answer, label)
			}
		}
	}
	return n
}
