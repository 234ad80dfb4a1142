package decide_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/leadline/leadline/benchdata/corpora"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/search"
	"github.com/leadline/leadline/replay/simulate"
	"github.com/leadline/leadline/replay/spec"
)

var (
	priceSeeds = flag.Int("prices.seeds", 1, "how many histories BenchmarkPrices simulates of each kind")
	priceCut   = flag.String("prices.cut", "", "rows that BenchmarkPrices leaves out, all at once, separated by commas")
	priceTime  = flag.Duration("prices.time", 2*time.Second, "the time that BenchmarkPrices gives to each history")
)

// A priced history is one of the histories with which rows and rules are priced.
type priced struct {
	name string
	h    *history.History
	spec replay.Spec
	by   string        // the row that decided it, or ""
	cpu  time.Duration // of the whole check
}

// BenchmarkPrices prints what each engine and rule is worth. For each row
// of the table of engines, and for each rule by which the search prunes, it has:
//
//   - decided: the histories that the row decides in a check with all rows;
//   - only it: those of them that stay undecided without the row or the rule;
//   - CPU with and without it, of the histories that the row decided, or, for a rule,
//     of those that a search decided.
//
// The histories are the bundled corpora, those in shared/histories if the project
// lies beside it, and a simulated set. With -short, it takes 20 of each.
func BenchmarkPrices(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for b.Loop() {
		all := pricedHistories(b)
		if *priceCut != "" {
			printCut(b, all)
			continue
		}
		var table strings.Builder
		w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "row\tdecided\treal\tonly it\treal\tCPU with, ms\twithout, ms\tonly it decides")
		for _, r := range decide.Rows() {
			rows := slices.DeleteFunc(decide.Rows(), func(o decide.Row) bool { return o.Name == r.Name })
			printPrice(w, r.Name, selectPriced(all, r.Name), func(p *priced) outcome { return check1(b, p, rows) })
		}
		searched := selectPriced(all, "short search", "search")
		for _, rule := range pruningRules {
			rows := decide.Rows()
			for i, r := range rows {
				if r.Name == "short search" || r.Name == "search" {
					rows[i] = r.Pruned(rule.off)
				}
			}
			printPrice(w, "rule: "+rule.name, searched, func(p *priced) outcome { return check1(b, p, rows) })
		}
		w.Flush()
		// A benchmark's log would be cut after ten lines.
		fmt.Printf("%d histories, %d undecided\n%s", len(all), len(selectPriced(all, "")), table.String())
	}
}

// printCut prints what is lost if rows are left out, all at once.
func printCut(b *testing.B, all []*priced) {
	cut := strings.Split(*priceCut, ",")
	rows := slices.DeleteFunc(decide.Rows(), func(r decide.Row) bool { return slices.Contains(cut, r.Name) })
	var with, without time.Duration
	for _, p := range all {
		o := check1(b, p, rows)
		with, without = with+p.cpu, without+o.cpu
		switch {
		case p.by != "" && !o.decided:
			fmt.Printf("lost: %s (%s)\n", p.name, p.by)
		case p.by == "" && o.decided:
			fmt.Printf("won: %s\n", p.name)
		case o.cpu > 2*p.cpu+100*time.Millisecond:
			fmt.Printf("slower: %s, %d ms, was %d (%s)\n", p.name, o.cpu.Milliseconds(), p.cpu.Milliseconds(), p.by)
		}
	}
	fmt.Printf("%d histories, %d ms, without %s %d ms\n", len(all), with.Milliseconds(), *priceCut, without.Milliseconds())
}

var pruningRules = []struct {
	name string
	off  search.Pruning
}{
	{"none off", search.Pruning{}},
	{"reads at once", search.Pruning{NoReadsAtOnce: true}},
	{"parts", search.Pruning{NoParts: true}},
	{"useless pending", search.Pruning{NoUseless: true}},
	{"erased effects", search.Pruning{NoErased: true}},
	{"twins", search.Pruning{NoTwins: true}},
	{"all but parts", search.Pruning{NoReadsAtOnce: true, NoUseless: true, NoErased: true, NoTwins: true}},
}

type outcome struct {
	decided bool
	cpu     time.Duration
}

func selectPriced(all []*priced, rows ...string) []*priced {
	return slices.DeleteFunc(slices.Clone(all), func(p *priced) bool { return !slices.Contains(rows, p.by) })
}

// printPrice checks the histories without what is priced, and prints a line.
func printPrice(w *tabwriter.Writer, name string, of []*priced, without func(p *priced) outcome) {
	real, only, onlyReal := 0, 0, 0
	var with, other time.Duration
	var names []string
	for _, p := range of {
		isReal := !strings.HasPrefix(p.name, "simulated ")
		if isReal {
			real++
		}
		with += p.cpu
		o := without(p)
		other += o.cpu
		if o.decided {
			continue
		}
		only++
		if isReal {
			onlyReal++
		}
		if len(names) < 6 {
			names = append(names, strings.TrimPrefix(p.name, "simulated "))
		}
	}
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", name, len(of), real, only, onlyReal, with.Milliseconds(), other.Milliseconds(), strings.Join(names, "; "))
}

// check1 checks a history with some rows, and reports whether it was decided.
func check1(b *testing.B, p *priced, rows []decide.Row) outcome {
	v, by, cpu := checkTimed(b, p, rows)
	if by != "" && v.Answer == replay.Undecided {
		b.Fatalf("%s: row %q decided, but the verdict is unknown: %v", p.name, by, v.Cause)
	}
	return outcome{v.Answer != replay.Undecided, cpu}
}

func checkTimed(b *testing.B, p *priced, rows []decide.Row) (replay.Verdict, string, time.Duration) {
	before := threadTime(b)
	v, by, err := decide.CheckRows(p.h, p.spec, replay.Options{Budget: replay.Budget{Time: *priceTime}}, rows)
	if err != nil {
		b.Fatalf("%s: %v", p.name, err)
	}
	return v, by, threadTime(b) - before
}

// threadTime is the processor time that this thread has used.
func threadTime(b *testing.B) time.Duration {
	const thisThread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thisThread, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// pricedHistories returns all histories with the rows that decide them.
func pricedHistories(b *testing.B) []*priced {
	var all []*priced
	add := func(name string, h *history.History) {
		s, err := spec.Lookup(h.Model, h.ModelArgs)
		if err != nil {
			return // it carries a specification of its own, or none
		}
		p := &priced{name: name, h: h, spec: s}
		_, p.by, p.cpu = checkTimed(b, p, decide.Rows())
		all = append(all, p)
	}
	for _, pattern := range []string{"juc/*.zst", "juc-labelled/*/*.zst", "juc-mutated/*.zst", "juc-single/*.zst", "go/*.jsonl.zst"} {
		files, err := fs.Glob(corpora.FS, pattern)
		if err != nil {
			b.Fatal(err)
		}
		count := 0
		for _, name := range files {
			eachBundled(b, name, func(h *history.History) bool {
				add(name+"#"+h.ID, h)
				count++
				return !testing.Short() || count < 20
			})
		}
	}
	addShared(b, add)
	addSimulated(b, add)
	return all
}

func eachBundled(b *testing.B, name string, do func(h *history.History) bool) {
	r, err := corpora.FS.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for h, err := range codec.Decode(r, name, codec.Options{}) {
		if err != nil {
			b.Fatal(err)
		}
		if !do(h) {
			return
		}
	}
}

func addShared(b *testing.B, add func(name string, h *history.History)) {
	const dir = "../../../shared/histories"
	if _, err := os.Stat(dir); err != nil {
		b.Logf("without the histories of %s", dir)
		return
	}
	count := 0
	for f, err := range codec.Files([]string{dir}, codec.Options{Skipped: func(string, error) {}}) {
		if err != nil {
			b.Fatal(err)
		}
		for h, err := range f.Histories() {
			if err == nil && (!testing.Short() || count < 20) {
				add(f.Name, h)
				count++
			}
		}
	}
}

// addSimulated adds the simulated set: each model with few and many threads, distinct
// and four values, short and long, without and with lost operations, right and with
// either fault.
func addSimulated(b *testing.B, add func(name string, h *history.History)) {
	count := 0
	faults := [][]simulate.Fault{nil, {{Kind: simulate.Wrong, Percent: 70}}, {{Kind: simulate.Swap, Percent: 70}}}
	for _, model := range append(simulate.Models(), "queue:5") {
		for k := range 16 * len(faults) * *priceSeeds {
			w := simulate.Workload{Model: model, Seed: uint64(1 + k/(16*len(faults))),
				Threads: []int{4, 16}[k&1], Values: []int{0, 4}[k>>1&1], Ops: []int{300, 3000}[k>>2&1], Lost: []int{0, 20}[k>>3&1], Faults: faults[k>>4%len(faults)]}
			h, err := w.History()
			if err != nil {
				continue // a fault that the model cannot have
			}
			if count++; testing.Short() && count > 20 {
				return
			}
			add("simulated "+w.String(), h)
		}
	}
}
