package subjects_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
)

var (
	priceTime = flag.Duration("prices.time", 20*time.Second, "the time that BenchmarkPrices gives to each type; 0 leaves types out")
	priceRun  = flag.Duration("prices.run", 2*time.Second, "the time that BenchmarkPrices gives to each program on threads")
	priceWays = flag.String("prices.ways", "", "the ways of BenchmarkPrices that begin with this; lines of others stay as they are")
)

// A way finds violations alone: in a given program, or in programs that are generated for a type.
type way struct {
	name  string
	plan  *explore.Plan // of the schedules of a program; nil for threads
	flags []string      // of leadline; nil if the way does not generate programs
}

const onlyTypes = "safety"

var ways = []way{
	{"schedules, no preemption", &explore.Plan{Executions: mostExecutions, Strategy: "dfs"}, nil},
	{"schedules, 1 preemption", &explore.Plan{Preemptions: 1, Executions: mostExecutions, Strategy: "dfs"}, []string{"stress", "--preemptions", "1"}},
	{"schedules, 2 preemptions", &explore.Plan{Preemptions: 2, Executions: mostExecutions, Strategy: "dfs"}, nil},
	{"schedules, 3 preemptions", &explore.Plan{Preemptions: 3, Executions: mostExecutions, Strategy: "dfs"}, []string{"stress"}},
	{"schedules, no bound", &explore.Plan{Preemptions: -1, Executions: mostExecutions}, nil},
	{"schedules, random", &explore.Plan{Executions: mostExecutions, Strategy: "pos"}, nil},
	{"threads", nil, []string{"stress", "--threads"}},
	{onlyTypes, nil, []string{"safety"}},
}

// pricedTypes have a finding in safety.jsonl, and a constructor that is an expression.
var pricedTypes = []string{
	"github.com/emirpasic/gods/lists/arraylist.New()", "github.com/emirpasic/gods/queues/linkedlistqueue.New()",
	"github.com/emirpasic/gods/maps/hashmap.New()", "github.com/eapache/queue.New()", "github.com/deckarep/golang-set/v2.NewSet[int]()",
	"github.com/puzpuzpuz/xsync/v4.NewMap[int,int]()", "github.com/bytedance/gopkg/collection/zset.NewFloat64()",
	"&bytes.Buffer{}", "&strings.Builder{}", "strings.NewReader(\"abc\")", "container/list.New()", "container/ring.New(2)", "math/big.NewInt(1)",
}

func init() { workers["prices"] = answering(answerPrice) }

// A price is a line of prices.jsonl: what a way finds in a program or a type.
type price struct {
	Way        string  `json:"way"`
	Kind       string  `json:"kind"` // "violation", "control" or "type"
	Input      string  `json:"input"`
	Found      bool    `json:"found"`
	Executions int64   `json:"executions,omitempty"` // of programs
	CPU        float64 `json:"cpu"`                  // seconds
}

// A priceJob is a program for the worker, with an index of ways.
type priceJob struct {
	Violation violation
	Way       int
	Run       time.Duration // on threads
}

// BenchmarkPrices writes prices.jsonl: what each way of finding is worth, on the 53 known
// violations, the programs of controls, and pricedTypes. TestPrices compares the table of
// package stress with it. It takes about a quarter of an hour:
//
//	go test -run ^$ -bench Prices -benchtime 1x ./subjects
func BenchmarkPrices(b *testing.B) {
	if testing.Short() {
		b.Skip("takes a quarter of an hour")
	}
	dir := b.TempDir()
	scheduled := startInstrumented(b, "prices")
	defer scheduled.Close()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	threaded, err := worker.Start(b.Context(), worker.Program{Path: self, Name: "prices"}, worker.Guard{})
	if err != nil {
		b.Fatal(err)
	}
	defer threaded.Close()
	leadline := filepath.Join(dir, "leadline")
	if out, err := exec.Command("go", "build", "-C", "../../..", "-o", leadline, "./cmd/leadline").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	module := scratchModule(b, dir)
	var all []price
	for range b.N {
		all = nil
		for i, w := range ways {
			if !strings.HasPrefix(w.name, *priceWays) {
				continue
			}
			if w.name != onlyTypes {
				on := threaded
				if w.plan != nil {
					on = scheduled
				}
				all = append(all, pricePrograms(b, on, i)...)
			}
			if w.flags != nil && *priceTime > 0 {
				for _, constructor := range pricedTypes {
					p := priceType(b, leadline, module, w, constructor)
					b.Logf("%+v", p)
					all = append(all, p)
				}
			}
		}
	}
	if *priceTime > 0 {
		old, err := readPrices()
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			b.Fatal(err)
		}
		all = append(all, slices.DeleteFunc(old, func(p price) bool { return strings.HasPrefix(p.Way, *priceWays) })...)
		rank := func(p price) int { return slices.IndexFunc(ways, func(w way) bool { return w.name == p.Way }) }
		slices.SortStableFunc(all, func(a, b price) int { return rank(a) - rank(b) })
		var text strings.Builder
		for _, p := range all {
			line, _ := json.Marshal(p)
			fmt.Fprintln(&text, string(line))
		}
		if err := os.WriteFile("prices.jsonl", []byte(text.String()), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("\n%s", priceTable(all))
}

func readPrices() (all []price, err error) {
	text, err := os.ReadFile("prices.jsonl")
	for line := range strings.Lines(string(text)) {
		var p price
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, err
}

// pricePrograms asks a worker for all programs.
func pricePrograms(b *testing.B, on *worker.Process, i int) []price {
	var all []price
	ask := func(kind string, v violation) {
		_ = on.Send(priceJob{v, i, *priceRun}) // if it is dead, Receive says why
		p := price{}
		if err := on.Receive(&p); err != nil {
			b.Fatalf("%v: %v", &v, err)
		}
		p.Way, p.Kind, p.Input = ways[i].name, kind, v.Object+" "+v.Hunt.Program
		all = append(all, p)
	}
	for _, v := range knownViolations(b) {
		ask("violation", v)
	}
	for _, c := range controls {
		v := violation{Object: c.object}
		v.Hunt.Program = c.program
		ask("control", v)
	}
	return all
}

// scratchModule makes a module that requires what pricedTypes need.
func scratchModule(b *testing.B, dir string) string {
	module := filepath.Join(dir, "module")
	root, err := filepath.Abs("../../..")
	if err == nil {
		err = os.Mkdir(module, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(module, "prices.go"), []byte("package prices\n\nimport _ \"github.com/leadline/leadline/replay/stresstest\"\n"), 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
	for _, args := range [][]string{
		{"mod", "init", "example.com/prices"},
		{"mod", "edit", "-require", "github.com/leadline/leadline@v0.0.0", "-replace", "github.com/leadline/leadline=" + root},
		{"mod", "tidy"},
		{"get", "github.com/emirpasic/gods@v1.18.1", "github.com/eapache/queue@v1.1.0", "github.com/deckarep/golang-set/v2@v2.9.0",
			"github.com/puzpuzpuz/xsync/v4@v4.5.0", "github.com/bytedance/gopkg@v0.1.4"},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = module, append(os.Environ(), "GONOSUMDB=*", "GOFLAGS=-mod=mod")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	return module
}

// priceType runs leadline on a type. Its CPU time is for all processes, also those that build.
func priceType(b *testing.B, leadline, dir string, w way, constructor string) price {
	cmd := exec.Command(leadline, slices.Concat(w.flags, []string{"--new", constructor, "--time", priceTime.String(), "--save", ""})...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	status := cmd.ProcessState.ExitCode()
	if status != 0 && status != 1 && status != 3 {
		b.Logf("%s %s: %v\n%s", w.name, constructor, err, out)
	}
	return price{Way: w.name, Kind: "type", Input: constructor, Found: status == 1,
		CPU: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
}

// answerPrice answers a job with a price.
func answerPrice(ctx context.Context, all []object, job priceJob) (p price, err error) {
	before := processorTime()
	p.Found, p.Executions, err = findBy(ctx, all, job)
	p.CPU = (processorTime() - before).Seconds()
	return p, err
}

func findBy(ctx context.Context, all []object, job priceJob) (found bool, executions int64, err error) {
	class, p, err := job.Violation.parse(all)
	if err != nil {
		return false, 0, err
	}
	if plan := ways[job.Way].plan; plan != nil {
		e, err := explore.Schedules(ctx, class, p, stresstest.Checker(nil), *plan)
		if err != nil {
			return false, 0, err
		}
		return len(e.Violations) > 0, e.Executions, nil
	}
	r, err := stress.Search(ctx, class, stress.Options{Programs: []string{job.Violation.Hunt.Program}, Checker: stresstest.Checker(nil),
		Effort: stress.Effort{Time: job.Run, Program: job.Run}})
	if err != nil {
		return false, 0, err
	}
	return len(r.Findings) > 0, r.Executions, nil
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// priceTable is the table of the documentation of package stress. The last column counts what ways
// with another first word did not find.
func priceTable(all []price) string {
	concept := func(way string) string { word, _, _ := strings.Cut(way, ","); return word }
	by := map[string]map[string]bool{} // the concepts that found an input
	for _, p := range all {
		if p.Found {
			if by[p.Kind+p.Input] == nil {
				by[p.Kind+p.Input] = map[string]bool{}
			}
			by[p.Kind+p.Input][concept(p.Way)] = true
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "\t%-25s %10s %8s %10s %8s %8s %8s %8s\n", "way", "violations", "CPU s", "executions", "controls", "types", "CPU s", "only it")
	for _, w := range ways {
		found, tried, executions, cpu, only := map[string]int{}, map[string]int{}, int64(0), map[string]float64{}, 0
		for _, p := range all {
			if p.Way != w.name {
				continue
			}
			tried[p.Kind]++
			executions += p.Executions
			cpu[cmp.Or(map[string]string{"control": "violation"}[p.Kind], p.Kind)] += p.CPU
			if p.Found {
				found[p.Kind]++
				if len(by[p.Kind+p.Input]) == 1 {
					only++
				}
			}
		}
		cell := func(kind, format string, values ...any) string {
			if tried[kind] == 0 {
				return "-"
			}
			return fmt.Sprintf(format, values...)
		}
		fmt.Fprintf(&text, "\t%-25s %10s %8s %10s %8s %8s %8s %8d\n", w.name,
			cell("violation", "%d of %d", found["violation"], tried["violation"]), cell("violation", "%.1f", cpu["violation"]), cell("violation", "%d", executions),
			cell("control", "%d of %d", found["control"], tried["control"]), cell("type", "%d of %d", found["type"], tried["type"]), cell("type", "%.0f", cpu["type"]), only)
	}
	return text.String()
}

// TestPrices: the documentation of package stress has the table of prices.jsonl.
func TestPrices(t *testing.T) {
	all, err := readPrices()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../../history/stress/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	want := priceTable(all)
	for line := range strings.Lines(want) {
		if !strings.Contains(string(doc), "//"+line) {
			t.Fatalf("history/stress/doc.go does not have this table:\n%s", want)
		}
	}
}
