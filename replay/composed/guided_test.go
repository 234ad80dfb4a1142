package composed

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// mostRandom bounds the random runs for one violation.
const mostRandom = 400

// meanRuns returns the mean number of random runs up to the first violation, over 20
// seeds, or the share of seeds that found none.
func meanRuns(t *testing.T, f figure, o Options) string {
	const seeds = 20
	runs, found := 0, 0
	for s := range seeds {
		o.Random, o.Seed = mostRandom, uint64(s)
		r := explore(t, f.method, o)
		if r.Violation != nil {
			found++
		}
		runs += r.Runs
	}
	if found < seeds {
		return fmt.Sprintf("%d of %d", found, seeds)
	}
	return fmt.Sprintf("%.1f", float64(runs)/seeds)
}

// many returns n consecutive ints.
func many(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// TestGuided measures what the guide is worth, and compares with the table in the
// package documentation.
func TestGuided(t *testing.T) {
	if !*full {
		t.Skip("it takes 15,000 runs: with -full")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s%10s%10s%16s%16s\n", "method", "all runs", "guided", "blind, 1 key", "blind, 10 keys")
	for _, f := range figures {
		if f.atomic || f.o.Values != nil || f.name == "Figure 12 vi" {
			continue
		}
		blind := Options{Guide: Blind, Values: func() []any { return many(10) }}
		wide := blind
		wide.Keys = many(10)
		fmt.Fprintf(&b, "%-14s%10d%10s%16s%16s\n", f.name, explore(t, f.method, f.o).Runs, meanRuns(t, f, f.o), meanRuns(t, f, blind), meanRuns(t, f, wide))
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if want := "//\t" + strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", "\n//\t"); !strings.Contains(string(doc), want) {
		t.Errorf("the table in doc.go differs; it should be:\n%s", want)
	}
}
