//go:build unix

package peers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/benchdata/bench/peers"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay/simulate"
)

// porcupineFile is set in the environment of a process that checks this file with porcupine.
const porcupineFile = "PEERS_PORCUPINE_FILE"

func TestMain(m *testing.M) {
	if file := os.Getenv(porcupineFile); file != "" {
		os.Exit(checkWithPorcupine(file))
	}
	os.Exit(m.Run())
}

// checkWithPorcupine returns 0 if the history of a file is linearizable, 1 if not, and 2
// for an error, as leadline check does.
func checkWithPorcupine(file string) int {
	in, err := os.Open(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	status := 0
	for h, err := range codec.Decode(in, file, codec.Options{}) {
		var q peers.Question
		if err == nil {
			q, err = peers.NewQuestion(h)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		q.History = nil // porcupine does not need it
		if !porcupine.CheckOperations(q.Model, q.Ops) {
			status = 1
		}
	}
	return status
}

// processed returns the workloads of BenchmarkProcess. With -short, these are a few that
// porcupine decides quickly.
func processed() []simulate.Workload {
	var list []simulate.Workload
	add := func(sizes []int, w simulate.Workload) {
		for _, n := range sizes {
			w.Ops, w.Seed = n, 1
			list = append(list, w)
		}
	}
	for _, model := range []string{"queue", "stack", "priority-queue", "set"} {
		for _, threads := range []int{4, 16, 64} {
			add([]int{1000, 10_000, 100_000, 1_000_000}, simulate.Workload{Model: model, Threads: threads})
		}
		if model != "set" { // with 4 values, porcupine finishes
			add([]int{1000, 10_000}, simulate.Workload{Model: model, Threads: 4, Fill: 4})
		}
	}
	for _, model := range []string{"queue", "stack"} { // no monitor applies
		for _, fill := range []int{4, 32} {
			add([]int{1000, 10_000}, simulate.Workload{Model: model, Threads: 4, Values: 8, Fill: fill})
			add([]int{1000, 10_000}, simulate.Workload{Model: model, Threads: 16, Values: 8, Fill: fill})
		}
	}
	for _, w := range []simulate.Workload{{Model: "deque"}, {Model: "queue:8"}, {Model: "stack", Values: 200}, {Model: "priority-queue", Lost: 10}} {
		for _, w.Threads = range []int{4, 16} {
			add([]int{1000, 10_000}, w)
		}
	}
	large := []int{100_000, 1_000_000}
	add(large, simulate.Workload{Model: "kv", Threads: 50, Keys: 10})
	add(large, simulate.Workload{Model: "kv", Threads: 50, Keys: 10, Values: 5})
	add(large, simulate.Workload{Model: "kv", Threads: 50, Keys: 1000})
	add(large, simulate.Workload{Model: "kv", Threads: 50, Keys: 1000, Values: 5, Mix: simulate.Mix{Insert: 3, Remove: 1, Look: 3, Update: 1}})
	add(large, simulate.Workload{Model: "set", Threads: 16, Values: 1000})
	for _, model := range []string{"queue", "stack", "priority-queue", "set", "kv"} {
		for _, f := range []simulate.Fault{{Kind: simulate.Wrong, Percent: 10}, {Kind: simulate.Wrong, Percent: 50}, {Kind: simulate.Wrong, Percent: 90}, {Kind: simulate.Swap, Percent: 50}} {
			if model == "set" && f.Kind == simulate.Swap {
				continue // sets have no order
			}
			add(large, simulate.Workload{Model: model, Threads: 16, Faults: []simulate.Fault{f}})
		}
	}
	return list
}

// BenchmarkProcess measures whole processes that read a file in leadline's own format and
// check it: processor time and the largest resident set. A process that needs more than
// -each or -bytes is stopped, which the metric stopped says. A process never seems to have
// less memory than this one, which Linux counts as its own until it executes its program.
func BenchmarkProcess(b *testing.B) {
	dir := b.TempDir()
	leadline := filepath.Join(dir, "leadline")
	build := exec.Command("go", "build", "-o", leadline, "./cmd/leadline")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("building leadline: %v\n%s", err, out)
	}
	for _, w := range processed() {
		if testing.Short() && (w.Ops > 1000 || w.Fill != 4 || w.Values > 0) {
			continue
		}
		file := filepath.Join(dir, "history.jsonl")
		name := strings.ReplaceAll(strings.TrimPrefix(w.String(), "--simulate "), " --", "/")
		name = strings.ReplaceAll(name, " ", "=")
		for _, checker := range []string{"leadline", "porcupine"} {
			b.Run(name+"/checker="+checker, func(b *testing.B) {
				encode(b, w, file)
				truth := 0
				if len(w.Faults) > 0 {
					truth = 1
				}
				processes(b, func(ctx context.Context) *exec.Cmd {
					if checker == "leadline" {
						return exec.CommandContext(ctx, leadline, "check", file)
					}
					cmd := exec.CommandContext(ctx, os.Args[0])
					cmd.Env = append(os.Environ(), porcupineFile+"="+file)
					return cmd
				}, truth)
			})
		}
	}
}

func encode(b *testing.B, w simulate.Workload, file string) {
	h, err := w.History()
	if err != nil {
		b.Fatal(err)
	}
	var text bytes.Buffer
	if err := codec.Encode(&text, h); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	h, text = nil, bytes.Buffer{}
	debug.FreeOSMemory()
}

// processes runs command until b ends. Each process has to exit with status truth, or with 3 if it
// has no verdict.
func processes(b *testing.B, command func(context.Context) *exec.Cmd, truth int) {
	var cpu time.Duration
	var memory int64
	runs, stopped := 0, 0
	for b.Loop() {
		runs++
		ctx, stop := context.WithCancel(b.Context())
		cmd := command(ctx)
		var errs strings.Builder
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		go watch(ctx, stop, cmd.Process.Pid)
		err := cmd.Wait()
		over := ctx.Err() != nil
		stop()
		var exit *exec.ExitError
		switch {
		case over:
			stopped++
		case err != nil && !errors.As(err, &exit), !slices.Contains([]int{truth, 3}, cmd.ProcessState.ExitCode()):
			b.Fatalf("%v\n%s", cmd.ProcessState, errs.String())
		}
		cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		memory = max(memory, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	}
	if runtime.GOOS == "linux" {
		memory <<= 10 // it counts KiB
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(cpu.Seconds()/float64(runs), "cpu-sec/op")
	b.ReportMetric(float64(memory), "rss-bytes")
	if stopped > 0 {
		b.ReportMetric(float64(stopped)/float64(runs), "stopped")
	}
}

// watch stops a process that exceeds a limit. Only Linux reports on a running process.
func watch(ctx context.Context, stop context.CancelFunc, pid int) {
	for ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond)
		var pages, resident int64
		if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
			fmt.Sscan(string(text), &pages, &resident)
		}
		if uint64(resident)*uint64(os.Getpagesize()) > *bytesFlag || spent(pid) > *eachFlag {
			stop()
		}
	}
}

// spent returns the processor time of a running process.
func spent(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, found := strings.Cut(string(text), ") ") // behind the name
	fields := strings.Fields(rest)
	if err != nil || !found || len(fields) < 13 {
		return 0
	}
	var user, system int64
	fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	return time.Duration(user+system) * (time.Second / 100)
}
