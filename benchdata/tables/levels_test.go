package tables_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/leadline/leadline/benchdata/corpora"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/hitting/visibility"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/weak"
)

// levelsFile has the level of each method of java.util.concurrent with a history that is not
// linearizable: the strongest with which all its histories of corpus juc-single are consistent.
const levelsFile = "levels.txt"

// TestLevelsOfJDK finds the levels of the methods again.
func TestLevelsOfJDK(t *testing.T) {
	var b bytes.Buffer
	row := "%-24s%-26s%11s%14s  %s\n"
	fmt.Fprintf(&b, row, "class", "method", "histories", "linearizable", "level")
	files, err := corpora.FS.ReadDir("juc-single")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		class, isHistories := strings.CutSuffix(f.Name(), ".jsonl.zst")
		if !isHistories {
			continue
		}
		file, err := corpora.FS.Open("juc-single/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		r, err := zstd.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		byMethod, names := histories(t, r, func(id []string) string { return strings.Replace(id[2], "-", "/", 1) })
		r.Close()
		for _, name := range names {
			list := byMethod[name]
			bad := slices.DeleteFunc(slices.Clone(list), func(h *history.History) bool { return isConsistent(t, h, nil) })
			if len(bad) > 0 {
				method, _, _ := strings.Cut(name, "/")
				fmt.Fprintf(&b, row, class, name, fmt.Sprint(len(list)), fmt.Sprint(len(list)-len(bad)), levelOf(t, list, method))
			}
		}
	}
	text, err := os.ReadFile(levelsFile)
	if err != nil || !strings.HasPrefix(string(text), b.String()) {
		t.Errorf("%s does not begin with this: %v\n%s", levelsFile, err, &b)
	}
}

// TestLevelsOfFigure6 finds the levels of the methods of Figure 6 that corpus juc-single does not
// expose, from the histories of the paper's programs that do. Other rows have no histories.
func TestLevelsOfFigure6(t *testing.T) {
	text, err := os.ReadFile(levelsFile)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("testdata/figure6.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	byMethod, _ := histories(t, f, func(id []string) string { return id[0] + " " + id[1] })
	_, table, _ := strings.Cut(string(text), "\n\n")
	exposed := 0
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) < 6 || fields[0] == "class" { // class, method, executions, violations, level, program
			continue
		}
		list, want := byMethod[fields[0]+" "+fields[1]], "-"
		if len(list) > 0 {
			want = levelOf(t, list, fields[1])
			exposed++
		}
		if slices.ContainsFunc(list, func(h *history.History) bool { return isConsistent(t, h, nil) }) {
			t.Errorf("%s: a history is linearizable", line)
		}
		if fields[4] != want || (fields[3] == "0") != (want == "-") {
			t.Errorf("%sexpected level %s", line, want)
		}
	}
	if exposed != len(byMethod) {
		t.Errorf("%d methods have histories, %d of them rows", len(byMethod), exposed)
	}
}

// levelOf returns the strongest levels with which all histories are consistent, or none.
func levelOf(t *testing.T, list []*history.History, method string) string {
	var found []string
	for _, level := range []visibility.Level{visibility.Causal, visibility.Peer, visibility.Bundle, visibility.Monotonic, visibility.Basic, visibility.Weak} {
		if len(found) > 0 && (level != visibility.Bundle || slices.Contains(found, "bundle")) {
			continue
		}
		if !slices.ContainsFunc(list, func(h *history.History) bool { return !isConsistent(t, h, weak.Levels{method: level}) }) {
			found = append(found, level.String())
		}
	}
	if found == nil {
		return "none"
	}
	return strings.Join(found, ", ")
}

// isConsistent reports whether a history is consistent with levels. Where bundle is not
// defined, it is not.
func isConsistent(t *testing.T, h *history.History, levels weak.Levels) bool {
	s, err := spec.Lookup(h.Model, h.ModelArgs)
	if err != nil {
		t.Fatal(err)
	}
	v, err := weak.Check(t.Context(), h, s, levels, replay.Options{})
	switch {
	case err != nil && strings.Contains(err.Error(), "level bundle"):
		return false
	case err != nil || v.Answer == replay.Undecided:
		t.Fatalf("%s %v: %v %v", h.ID, levels, v, err)
	}
	return v.Answer == replay.Linearizable
}

// histories returns those of r by a name, which is a part of their ID, and the names.
func histories(t *testing.T, r io.Reader, nameOf func(id []string) string) (byName map[string][]*history.History, names []string) {
	t.Helper()
	byName = map[string][]*history.History{}
	for h, err := range codec.Decode(r, "histories", codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		name := nameOf(strings.Split(h.ID, "/"))
		if byName[name] == nil {
			names = append(names, name)
		}
		byName[name] = append(byName[name], h)
	}
	slices.Sort(names)
	return byName, names
}
