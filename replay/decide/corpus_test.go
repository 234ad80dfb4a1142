package decide_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"path"
	"slices"
	"testing"

	"github.com/leadline/leadline/benchdata/corpora"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

const labelled = "juc-labelled"

// A label is what was computed of a history independently of leadline.
type label struct {
	File         string
	Class        string
	Ops, Threads int
	C            int
	CP           int64
	Linearizable bool
	Extensions   *uint64 `json:"linear_extensions"`
	ExactDepth   *int    `json:"exact_depth"`
	MinD         *int    `json:"min_d"`
	Schedules    []int64
}

func readLabels(t testing.TB) []label {
	content, err := corpora.FS.ReadFile(path.Join(labelled, "labels.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var labels []label
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		var l label
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		labels = append(labels, l)
	}
	if len(labels) != 120 {
		t.Fatalf("%d labels instead of 120", len(labels))
	}
	return labels
}

func readHistory(t testing.TB, l label) *history.History {
	name := path.Join(labelled, l.File+".zst")
	file, err := corpora.FS.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for h, err := range codec.Decode(file, name, codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	t.Fatalf("%s holds no history", name)
	return nil
}

// TestLabels compares all columns of the labels: those of the poset and its
// families for all ten classes, verdict and depths for those with a model.
func TestLabels(t *testing.T) {
	decided := map[string]int{}
	for _, l := range readLabels(t) {
		h := readHistory(t, l)
		in, err := replay.NewInstance(h, true, replay.AutoChains, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, cp := in.Poset.Concurrency()
		if c != l.C || cp != l.CP || len(h.Ops) != l.Ops || len(h.Processes) != l.Threads {
			t.Errorf("%s: c %d, cp %d, %d operations, %d threads; want %+v", l.File, c, cp, len(h.Ops), len(h.Processes), l)
		}
		if counts, ok := hitting.Counts(in.Poset, in.Chains, len(l.Schedules), hitting.Options{}); !ok || !slices.Equal(counts, l.Schedules) {
			t.Errorf("%s: families of %v schedules, want %v", l.File, counts, l.Schedules)
		}
		if l.Extensions != nil {
			if n, ok := in.Poset.LinearExtensions(1 << 20); !ok || n != *l.Extensions {
				t.Errorf("%s: %d linear extensions (known: %v), want %d", l.File, n, ok, *l.Extensions)
			}
		}
		if model, err := spec.Lookup(h.Model, h.ModelArgs); err == nil {
			decided[l.Class]++
			checkLabel(t, l, h, model)
		}
	}
	for _, class := range []string{
		"ArrayBlockingQueue", "ConcurrentHashMap", "ConcurrentLinkedDeque", "ConcurrentLinkedQueue", "ConcurrentSkipListMap",
		"ConcurrentSkipListSet", "LinkedBlockingDeque", "LinkedBlockingQueue", "LinkedTransferQueue", "PriorityBlockingQueue",
	} {
		if decided[class] != 12 {
			t.Errorf("%d histories of %s were decided, want 12", decided[class], class)
		}
	}
}

func checkLabel(t *testing.T, l label, h *history.History, model replay.Spec) {
	t.Helper()
	v, err := decide.Check(context.Background(), h, model, replay.Options{MaxDepth: 5, ExactDepth: true})
	if err != nil {
		t.Errorf("%s: %v", l.File, err)
		return
	}
	if want := map[bool]replay.Answer{true: replay.Linearizable, false: replay.NotLinearizable}[l.Linearizable]; v.Answer != want {
		t.Errorf("%s is %v, want %v", l.File, v.Answer, want)
	}
	if minD := valueOr0(l.MinD); v.Depth != minD {
		t.Errorf("%s has witness depth %d, want %d", l.File, v.Depth, minD)
	}
	if l.ExactDepth != nil && v.ExactDepth != *l.ExactDepth {
		t.Errorf("%s has exact depth %d, want %d", l.File, v.ExactDepth, *l.ExactDepth)
	}
	for d, replayed := range v.Replayed[:min(len(v.Replayed), len(l.Schedules))] {
		added := l.Schedules[d]
		if d > 0 {
			added -= l.Schedules[d-1]
		}
		if d+1 != v.Depth && replayed != added || replayed > added {
			t.Errorf("%s: %d schedules replayed at depth %d, which adds %d", l.File, replayed, d+1, added)
		}
	}
}

func valueOr0(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}
