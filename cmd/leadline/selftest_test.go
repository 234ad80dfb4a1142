package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/decide/selftest"
)

// TestSelftestFiles: a disagreement becomes a file that check can read, with
// what was said of it.
func TestSelftestFiles(t *testing.T) {
	zero := history.IntValue(0)
	h, err := history.New(history.Header{ID: "register-7-1", Model: "register"}, []history.Event{
		{Process: zero, Op: zero, Method: "read"}, {Type: history.OK, Process: zero, Op: zero, Result: history.IntValue(1)}})
	if err != nil {
		t.Fatal(err)
	}
	f := &selftestFlags{ops: 3, seed: 9, out: t.TempDir() + "/new"}
	var out bytes.Buffer
	err = f.report(&out, &selftest.Report{Wrong: 1, Disagreements: []selftest.Disagreement{{History: h, Verdicts: []selftest.EngineVerdict{
		{Engine: "search", Verdict: "linearizable", Wrong: true}, {Engine: "portfolio", Verdict: "not-linearizable"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(out.String(), "\n")
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"# register-7-1: brute force says not-linearizable", "# search: linearizable  <- wrong",
		"# portfolio: not-linearizable", "# To reproduce: leadline selftest --ops 3 --seed 9 --random 0 --random-ops 0"} {
		if !strings.Contains(string(content), line+"\n") {
			t.Errorf("%s lacks %q:\n%s", name, line, content)
		}
	}
	var stdout, stderr bytes.Buffer
	if status := run([]string{"check", name}, strings.NewReader(""), &stdout, &stderr); status != statusNot {
		t.Errorf("check %s: status %d\n%s%s", name, status, &stdout, &stderr)
	}
}
