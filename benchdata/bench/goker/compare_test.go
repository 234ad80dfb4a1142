package goker

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// repetitions is how often go test runs a kernel.
const repetitions = 1000

// leakMain takes Go's leak profile when all runs have ended, or after ten seconds.
const leakMain = `
import (
	"os"
	"runtime/pprof"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	ended := make(chan int, 1)
	go func() { ended <- m.Run() }()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
	}
	time.Sleep(100 * time.Millisecond)
	pprof.Lookup("goroutineleak").WriteTo(os.Stdout, 1)
	os.Exit(0)
}
`

var (
	packageClause = regexp.MustCompile(`(?m)^package \w+`)
	leakTotal     = regexp.MustCompile(`goroutineleak profile: total (\d+)`)
	// running is how long the test runs that the timeout of go test ends.
	running = regexp.MustCompile(`running tests:\s+\S+ \((\S+)\)`)
)

// TestRepeated runs the blocking kernels by go test -count. It writes the columns repeated and count.
func TestRepeated(t *testing.T) {
	compareBy(t, "plain", func(k *kernel, dir string) { k.repeat(dir) })
}

// TestProfile takes Go's leak profile after many runs of the blocking kernels. It writes the
// columns profile and profiled.
func TestProfile(t *testing.T) {
	compareBy(t, "leaks", func(k *kernel, dir string) { k.profile(dir) })
}

// compareBy runs the blocking kernels by f, four at a time: most of them only wait.
func compareBy(t *testing.T, name string, f func(k *kernel, dir string)) {
	t.Helper()
	kernels(t) // skips without a folder
	recorded := readKernels(t, "goker.jsonl")
	var list []*kernel
	for _, k := range recorded {
		if strings.HasPrefix(k.Kernel, "blocking/") {
			list = append(list, k)
		}
	}
	dir := copied(t, list, nil)
	for _, k := range list { // one after another: go test uses both processors
		if name == "leaks" {
			addMain(t, dir, k)
		}
		build(t, dir, k, name)
	}
	var wg sync.WaitGroup
	next := make(chan *kernel)
	for range 4 {
		wg.Go(func() {
			for k := range next {
				f(k, dir)
			}
		})
	}
	for _, k := range list {
		next <- k
	}
	close(next)
	wg.Wait()
	for _, k := range list {
		t.Logf("%s: %d runs: %s; %d leaked after %d runs", k.Kernel, k.Count, k.Repeated, k.Profile, k.Profiled)
	}
	t.Log(totals(recorded))
	writeKernels(t, "goker.jsonl", recorded)
}

// build builds the test program of a kernel: leaks is one with the leak profile.
func build(t *testing.T, dir string, k *kernel, name string) {
	t.Helper()
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-o", filepath.Join(dir, k.Kernel, name), "./"+k.Kernel)
	cmd.Dir = dir
	if name == "leaks" {
		cmd.Env = append(os.Environ(), "GOEXPERIMENT=goroutineleakprofile")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", k.Kernel, err, out)
	}
}

// addMain adds leakMain to a copy of a kernel.
func addMain(t *testing.T, dir string, k *kernel) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, k.Kernel, "*_test.go"))
	text, err := os.ReadFile(files[0])
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, k.Kernel, "main_test.go"), []byte(packageClause.FindString(string(text))+"\n"+leakMain), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a test program of a kernel.
func (k *kernel) run(dir, name string) (out string, err error) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "./"+name, "-test.v", "-test.timeout=30s", "-test.count="+strconv.Itoa(repetitions))
	cmd.Dir = filepath.Join(dir, k.Kernel)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// repeat sets what go test reports. A timeout counts if one run has taken ten seconds, and otherwise
// the kernel is slow: Count is how many runs there were.
func (k *kernel) repeat(dir string) {
	out, err := k.run(dir, "plain")
	k.Count = strings.Count(out, "=== RUN")
	elapsed := time.Duration(0)
	if found := running.FindStringSubmatch(out); found != nil {
		elapsed, _ = time.ParseDuration(found[1])
	}
	switch {
	case err == nil:
		k.Repeated = "passed"
	case strings.Contains(out, "panic: test timed out") && elapsed < 10*time.Second:
		k.Repeated = "passed"
		k.Count--
	case strings.Contains(out, "panic: test timed out"):
		k.Repeated = "timeout"
	case strings.Contains(out, "all goroutines are asleep"):
		k.Repeated = "deadlock"
	case strings.Contains(out, "panic: ") || strings.Contains(out, "fatal error: "):
		k.Repeated = "panic"
	default:
		k.Repeated = fmt.Sprint("failed: ", err)
	}
}

// profile sets how many goroutines Go's leak profile has.
func (k *kernel) profile(dir string) {
	out, _ := k.run(dir, "leaks")
	k.Profile, k.Profiled = 0, strings.Count(out, "=== RUN")
	if found := leakTotal.FindStringSubmatch(out); found != nil {
		k.Profile, _ = strconv.Atoi(found[1])
	} else {
		k.Profile = -1 // no profile was written
	}
}
