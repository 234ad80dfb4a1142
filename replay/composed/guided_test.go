package composed

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/explore"
)

// mostRandom bounds the random executions for one violation.
const mostRandom = 400

// meanRandom returns the mean number of random executions up to the first violation, over 20
// seeds, or the share of seeds that found one.
func meanRandom(t *testing.T, f figure, o Options) string {
	const seeds = 20
	executions, found := int64(0), 0
	for s := range seeds {
		x, err := newTest(f.method, &o)
		if err != nil {
			t.Fatal(err)
		}
		x.limit = DefaultOps
		r := &Report{}
		if _, err := x.run(context.Background(), r, explore.Plan{Strategy: "pos", Seed: uint64(s), Executions: mostRandom}); err != nil {
			t.Fatal(err)
		}
		if r.Violation != nil {
			found++
		}
		executions += r.Executions
	}
	if found < seeds {
		return fmt.Sprintf("%d of %d", found, seeds)
	}
	return fmt.Sprintf("%.1f", float64(executions)/seeds)
}

// many returns n consecutive ints.
func many(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// TestGuided measures what the search is worth, and compares with the table in the package documentation.
func TestGuided(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s%10s%10s%16s%16s\n", "method", "search", "random", "random, 1 key", "random, 10 keys")
	for _, f := range figures {
		if f.atomic || f.o.Values != nil || f.name == "Figure 12 vi" {
			continue
		}
		narrow := Options{Values: func() []any { return many(10) }}
		wide := narrow
		wide.Keys = many(10)
		fmt.Fprintf(&b, "%-14s%10d%10s%16s%16s\n", f.name, explored(t, f.method, f.o).Executions, meanRandom(t, f, f.o), meanRandom(t, f, narrow), meanRandom(t, f, wide))
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if want := "//\t" + strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", "\n//\t"); !strings.Contains(string(doc), want) {
		t.Errorf("the table in doc.go differs; it should be:\n%s", want)
	}
}
