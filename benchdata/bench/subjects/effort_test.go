package subjects_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
)

// A trial is a line of effort.jsonl: a search with one seed.
type trial struct {
	Type    string  `json:"type"`
	Unsafe  bool    `json:"unsafe"`
	Tests   int     `json:"tests"`
	Elapsed float64 `json:"elapsed"` // seconds
}

// TestEffort: README.md has the effort of each type, as in Figure 6 of "Fully Automatic and
// Precise Detection of Thread Safety Violations". Trials that found nothing are not counted.
func TestEffort(t *testing.T) {
	text, err := os.ReadFile("effort.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	found, trials := map[string][]trial{}, map[string]int{}
	for line := range bytes.Lines(text) {
		var one trial
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatal(err)
		}
		if trials[one.Type]++; one.Unsafe {
			found[one.Type] = append(found[one.Type], one)
		}
	}
	for name, list := range found {
		if trials[name] != 10 {
			t.Errorf("%s has %d trials", name, trials[name])
		}
		tests, seconds := make([]float64, 0, 10), make([]float64, 0, 10)
		for _, one := range list {
			tests, seconds = append(tests, float64(one.Tests)), append(seconds, one.Elapsed)
		}
		if row := fmt.Sprintf("| %s | %d | %s | %s |\n", name, len(list), spread("%.0f", tests), spread("%.2f", seconds)); !bytes.Contains(readme, []byte(row)) {
			t.Errorf("README.md does not have the row\n%s", row)
		}
	}
}

// spread returns the least, the average and the greatest number.
func spread(format string, numbers []float64) string {
	sum := 0.0
	for _, n := range numbers {
		sum += n
	}
	return fmt.Sprintf(format+" / "+format+" / "+format, slices.Min(numbers), sum/float64(len(numbers)), slices.Max(numbers))
}
