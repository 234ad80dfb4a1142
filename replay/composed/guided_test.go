package composed

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/leadline/leadline/replay"
)

// A guide says which operations the environment may run.
type guide func(x *explorer, r *run, beside replay.Invocation, before state) []replay.Invocation

// adjacent is that of the package.
var adjacent guide = (*explorer).adjacent

// onlyBefore allows operations that do not commute with the method's next one (the ablation of
// Section 4.5).
func onlyBefore(x *explorer, r *run, beside replay.Invocation, before state) []replay.Invocation {
	if before != r.state {
		return nil
	}
	return x.adjacent(r, beside, before)
}

// blind allows all operations.
func blind(x *explorer, r *run, _ replay.Invocation, _ state) []replay.Invocation {
	return x.c.alphabet(r.state, x.keys, x.values, x.values, x.o.Without)
}

// mostRandom bounds the random runs for one violation.
const mostRandom = 400

// meanRuns returns the mean number of random runs up to the first violation, over 20
// seeds, or the share of seeds that found none.
func meanRuns(t *testing.T, f figure, g guide, o Options) string {
	const seeds = 20
	runs, found := 0, 0
	for s := range seeds {
		x := prepared(t, f.method, g, o)
		pick := randomly(rand.New(rand.NewPCG(uint64(s), 0)))
		for x.report.Violation == nil && x.report.Runs < mostRandom {
			if err := x.countAndJudge(x.run(x.o.Ops, pick)); err != nil {
				t.Fatal(err)
			}
		}
		if x.report.Violation != nil {
			found++
		}
		runs += x.report.Runs
	}
	if found < seeds {
		return fmt.Sprintf("%d of %d", found, seeds)
	}
	return fmt.Sprintf("%.1f", float64(runs)/seeds)
}

// randomly picks nothing with probability one half, and otherwise first an operation
// and then its arguments.
func randomly(random *rand.Rand) func([]replay.Invocation) int {
	return func(list []replay.Invocation) int {
		if random.IntN(2) == 0 {
			return 0
		}
		var first []int // index of the first invocation of each operation; these are adjacent
		for i := range list {
			if i == 0 || list[i].Method != list[i-1].Method {
				first = append(first, i)
			}
		}
		i := random.IntN(len(first))
		return 1 + first[i] + random.IntN(append(first, len(list))[i+1]-first[i])
	}
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
		narrow := Options{Values: func() []any { return many(10) }}
		wide := narrow
		wide.Keys = many(10)
		fmt.Fprintf(&b, "%-14s%10d%10s%16s%16s\n", f.name, explored(t, f.method, f.o).Runs, meanRuns(t, f, adjacent, f.o), meanRuns(t, f, blind, narrow), meanRuns(t, f, blind, wide))
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if want := "//\t" + strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", "\n//\t"); !strings.Contains(string(doc), want) {
		t.Errorf("the table in doc.go differs; it should be:\n%s", want)
	}
}
