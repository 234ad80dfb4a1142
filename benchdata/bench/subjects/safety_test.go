package subjects_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A finding is a line of safety.jsonl, or of what leadline safety prints.
type finding struct {
	Type     string  `json:"type"`
	Module   string  `json:"module"`
	Unsafe   bool    `json:"unsafe"`
	Reason   string  `json:"reason"`
	Implicit bool    `json:"implicit"`
	Tests    int     `json:"tests"`
	Elapsed  float64 `json:"elapsed"` // seconds
	Races    int     `json:"races"`   // tests with data races
}

// row returns how the row of the type in README.md begins. The documentation is not
// in safety.jsonl.
func (f *finding) row(documented string) string {
	found, reason, implicit := "no", "-", "-"
	if f.Unsafe {
		found, reason, implicit = "yes", f.Reason, "no"
		if strings.HasPrefix(reason, "deadlock: ") || strings.HasPrefix(reason, "never ends: ") {
			reason, _, _ = strings.Cut(reason, ":")
		}
		if f.Implicit {
			implicit = "yes"
		}
	}
	return fmt.Sprintf("\n| %s | %s | %s | %s | %s | %s | %d | %.1f s |", f.Type, f.Module, documented, found, reason, implicit, f.Tests, f.Elapsed)
}

// TestSafety: README.md has the findings of safety.jsonl, as in Table 1 of "Fully Automatic and
// Precise Detection of Thread Safety Violations", and PAPERS.md counts them. Two types that
// failed with each of ten seeds fail again.
func TestSafety(t *testing.T) {
	text, err := os.ReadFile("safety.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	types, unsafe := map[string]int{}, map[string]int{}
	raced, racedOnly, failedOnly := 0, 0, 0
	for line := range bytes.Lines(text) {
		var f finding
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatal(err)
		}
		switch {
		case f.Races > 0 && !f.Unsafe:
			racedOnly++
			fallthrough
		case f.Races > 0:
			raced++
		case f.Unsafe:
			failedOnly++
		}
		rows := 0
		for _, documented := range []string{"safe", "silent", "unsafe"} {
			if bytes.Contains(readme, []byte(f.row(documented))) {
				rows++
				types[documented]++
				if f.Unsafe {
					unsafe[documented]++
				}
			}
		}
		if rows != 1 {
			t.Errorf("README.md has %d rows like %s", rows, f.row("..."))
		}
	}
	papers, err := os.ReadFile("../../tables/PAPERS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, figure := range []string{
		fmt.Sprintf("%d of %d types, %d of them documented as safe", unsafe["safe"]+unsafe["silent"]+unsafe["unsafe"], types["safe"]+types["silent"]+types["unsafe"], unsafe["safe"]),
		fmt.Sprintf("%d of %d types documented as unsafe, %d of %d as safe", unsafe["unsafe"], types["unsafe"], unsafe["safe"], types["safe"]),
		fmt.Sprintf("races of %d of the %d types, of which %d have no failure, and none of %d types with one", raced, types["safe"]+types["silent"]+types["unsafe"], racedOnly, failedOnly),
	} {
		if !strings.Contains(string(papers), figure) {
			t.Errorf("PAPERS.md does not have the figure %q", figure)
		}
	}
	if testing.Short() {
		t.Skip("searches for the failures of two types")
	}
	leadline := filepath.Join(t.TempDir(), "leadline")
	if out, err := exec.Command("go", "build", "-C", "../../..", "-o", leadline, "./cmd/leadline").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, constructor := range []string{"container/list.New", "math/big.NewInt(1)"} {
		out, _ := exec.Command(leadline, "safety", "--new", constructor, "--seed", "1", "--time", "60s", "--save", "", "-o", "json").Output() // status 1
		var f finding
		if err := json.Unmarshal(out, &f); err != nil || !f.Unsafe {
			t.Errorf("%s: %v, nothing found in %d tests\n%s", constructor, err, f.Tests, out)
		}
	}
}
