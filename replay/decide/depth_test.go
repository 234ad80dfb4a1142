package decide_test

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/benchdata/corpora"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// TestDepthsOfCorpora compares depth and index of the linearizable histories of
// the bundled corpora with families of depth up to 7.
func TestDepthsOfCorpora(t *testing.T) {
	t.Parallel()
	for _, corpus := range sampledCorpora {
		var count depthCount
		corpus.each(t, func(h *history.History) { compareDepth(t, h, &count) })
		if count.found[1] == 0 || count.found[2] == 0 {
			t.Errorf("%s: %+v: nothing was compared", corpus.pattern, count)
		}
		t.Logf("%s: %+v", corpus.pattern, count)
	}
}

// A sampledCorpus is a bundled corpus, or with -full all of it.
type sampledCorpus struct {
	pattern   string
	histories int
	sample    int // one in so many, without -full
	most      int // of a file, decoded without -full
}

var sampledCorpora = []sampledCorpus{
	{"juc/*.zst", 10464, 50, 300},
	{"juc-labelled/*/*.zst", 120, 4, 1},
	{"juc-mutated/*.zst", 360, 4, 100},
	{"go/*.jsonl.zst", 6414, 50, 150},
}

// each calls do with the histories of the sample.
func (c *sampledCorpus) each(t *testing.T, do func(h *history.History)) {
	t.Helper()
	files, err := fs.Glob(corpora.FS, c.pattern)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range files {
		first := n
		eachHistory(t, name, func(h *history.History) bool {
			if n++; *full || n%c.sample == 0 {
				do(h)
			}
			return *full || n-first < c.most
		})
	}
	if *full && n != c.histories || n < c.histories/15 {
		t.Errorf("%s: %d histories, want %d", c.pattern, n, c.histories)
	}
}

// TestFamiliesDecide: at the bound of the depth, families alone decide the histories of the
// bundled corpora with few schedules and schedule indices.
func TestFamiliesDecide(t *testing.T) {
	t.Parallel()
	most := 1e5 // indices
	if *full {
		most = 1e7
	}
	answers, all := map[replay.Answer]int{}, 0
	for _, corpus := range sampledCorpora {
		corpus.each(t, func(h *history.History) {
			all++
			s, err := spec.Lookup(h.Model, h.ModelArgs)
			if err != nil {
				t.Fatal(err)
			}
			in, err := replay.NewInstance(h, true, replay.AutoChains, nil)
			if err != nil {
				t.Fatal(err)
			}
			bound := hitting.Bound(in.Poset)
			extensions, known := in.Poset.LinearExtensions(1 << 16)
			indices := float64(slices.Max(append(in.Chains, 0))+1) * math.Pow(float64(len(h.Ops)), float64(bound-1))
			if !known || extensions > 1e5 || indices > most {
				return
			}
			got := check(t, h, s, replay.Options{Engine: replay.FamiliesEngine, MaxDepth: bound})
			if want := check(t, h, s, replay.Options{}); !got.Decided() || got.Answer != want.Answer {
				t.Errorf("%s: %v at the bound %d by families, want %v", h.ID, &got, bound, &want)
			}
			answers[got.Answer]++
		})
	}
	t.Logf("families decide %d of %d histories: %v", answers[replay.Linearizable]+answers[replay.NotLinearizable], all, answers)
	if answers[replay.Linearizable] < all/2 || answers[replay.NotLinearizable] == 0 {
		t.Error("too few of one answer")
	}
}

// eachHistory calls do with the histories of a file, one after the other, until it
// returns false.
func eachHistory(t *testing.T, name string, do func(*history.History) bool) {
	t.Helper()
	r, err := corpora.FS.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for h, err := range codec.Decode(r, name, codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if !do(h) {
			break
		}
	}
}

// familyDepth is the depth up to which families are replayed.
const familyDepth = 7

// A depthCount counts comparisons with families: depths found by both, and those
// that exceed familyDepth.
type depthCount struct {
	found  [familyDepth + 1]int
	deeper int
}

// compareDepth compares depth and index of a linearizable history with families.
func compareDepth(t *testing.T, h *history.History, count *depthCount) {
	t.Helper()
	s, err := spec.Lookup(h.Model, h.ModelArgs)
	if err != nil {
		t.Fatal(err)
	}
	got := check(t, h, s, replay.Options{MaxDepth: familyDepth})
	if got.Answer != replay.Linearizable {
		return
	}
	if got.Depth == 0 && (got.Deeper != familyDepth || got.DepthCause != replay.Depth) {
		t.Errorf("%s: no depth up to %d (%v)", h.ID, got.Deeper, got.DepthCause)
	}
	want := check(t, h, s, replay.Options{
		MaxDepth: familyDepth, Engine: replay.FamiliesEngine,
		Budget: replay.Budget{Schedules: 1 << 40},
	})
	switch {
	case want.Depth > 0:
		count.found[want.Depth]++
		if got.Depth != want.Depth || got.Index.Chain != want.Index.Chain || !slices.Equal(got.Index.Tuple, want.Index.Tuple) {
			t.Errorf("%s: depth %d by %v, families have %d by %v", h.ID, got.Depth, got.Index, want.Depth, want.Index)
		}
	case want.Cause == replay.Depth:
		count.deeper++
		if got.Depth != 0 {
			t.Errorf("%s: depth %d by %v, families have none up to %d", h.ID, got.Depth, got.Index, familyDepth)
		}
	default:
		t.Errorf("%s: families stopped: %v", h.ID, want.Cause)
	}
}

// TestDepthsOfShared looks for the depths of the recorded histories that may lie
// beside the project: each linearizable one has a depth of at most 8, or it is
// known to be deeper.
func TestDepthsOfShared(t *testing.T) {
	const dir = "../../../shared/histories"
	if _, err := os.Stat(dir); err != nil || !*full {
		t.Skipf("no recorded histories at %s, or no -full", dir)
	}
	want := map[string]int{"memstress3-18.edn": 6, "memstress3-75.edn": 5, "etcd_045.log": 5}
	found := map[int]int{}
	longest, slowest := time.Duration(0), ""
	for f, err := range codec.Files([]string{dir}, codec.Options{Skipped: func(string, error) {}}) {
		if err != nil {
			t.Fatal(err)
		}
		for h, err := range f.Histories() {
			if err != nil || h.Model == "" {
				continue // files that are wrong on purpose
			}
			s, err := spec.Lookup(h.Model, h.ModelArgs)
			if err != nil {
				t.Errorf("%s: %v", f.Name, err)
				continue
			}
			v := check(t, h, s, replay.Options{MaxDepth: 8, Budget: replay.Budget{Bytes: 1 << 30}})
			if v.Answer != replay.Linearizable {
				continue
			}
			found[v.Depth]++
			if v.Depth == 0 && (v.Deeper != 8 || v.DepthCause != replay.Depth) {
				t.Errorf("%s, %d operations: no depth up to %d (%v)", f.Name, len(h.Ops), v.Deeper, v.DepthCause)
			}
			if d, ok := want[filepath.Base(f.Name)]; ok {
				delete(want, filepath.Base(f.Name))
				if v.Depth != d {
					t.Errorf("%s: depth %d, want %d", f.Name, v.Depth, d)
				}
			}
			if v.Elapsed > longest {
				longest, slowest = v.Elapsed, strings.TrimPrefix(f.Name, dir+"/")
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
	t.Logf("%v by depth; %s took %v", found, slowest, longest)
}
