package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/leadline/leadline/replay/batch"
)

var (
	runs      = flag.Int("kills", 1, "how often TestKilled is run")
	histories = flag.Int("histories", 400, "number of histories of TestKilled")
	seed      = flag.Uint64("seed", 0, "seed of TestKilled (default: from the time)")
)

// Variables of the environment say what workers do besides.
const (
	poisonVariable = "LEADLINE_CLUSTER_TEST_POISON" // end at the history of this name
	logVariable    = "LEADLINE_CLUSTER_TEST_LOG"    // write the name of each history to this file
	slowVariable   = "LEADLINE_CLUSTER_TEST_SLOW"   // wait so long for each history
	soonVariable   = "LEADLINE_CLUSTER_TEST_SOON"   // ackWait
	triesVariable  = "LEADLINE_CLUSTER_TEST_TRIES"
)

// TestMain runs the program itself in child processes.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		checkEntry = testedCheck
		if d, err := time.ParseDuration(os.Getenv(soonVariable)); err == nil {
			ackWait = d
		}
		if n, err := strconv.Atoi(os.Getenv(triesVariable)); err == nil {
			tries = n
		}
		os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	status := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir) // a temporary directory
	}
	os.Exit(status)
}

func testedCheck(c *batch.Checker, ctx context.Context, e batch.Entry) *batch.Result {
	if name := os.Getenv(poisonVariable); name != "" && e.ID() == name {
		os.Exit(7)
	}
	d, _ := time.ParseDuration(os.Getenv(slowVariable))
	time.Sleep(d)
	r := c.Check(ctx, e)
	if file := os.Getenv(logVariable); file != "" && !r.FromJournal {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = fmt.Fprintln(f, e.ID())
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			panic(err)
		}
	}
	return r
}

// history returns a history of a register in the native format. Reads have the values
// of writes, so that it is linearizable, unless it is stale.
func history(name string, writes int, stale bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"leadline":1,"history":%q,"model":"register","args":[0]}`+"\n", name)
	for i := range writes {
		read := i + 1
		if stale && i == writes-1 {
			read = 0
		}
		fmt.Fprintf(&b, `{"process":0,"type":"invoke","method":"write","args":[%d]}`+"\n"+`{"process":0,"type":"ok"}`+"\n", i+1)
		fmt.Fprintf(&b, `{"process":1,"type":"invoke","method":"read"}`+"\n"+`{"process":1,"type":"ok","result":%d}`+"\n", read)
	}
	return b.String()
}

// many returns n histories. Every fifth of them is stale.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(history("h"+strconv.Itoa(i), i%4+1, i%5 == 0))
	}
	return b.String()
}

// write writes files below a new directory.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// built is the program leadline of the same source.
var built struct {
	sync.Once
	dir, name string
	err       error
}

// leadline returns the path of the program leadline.
func leadline(t *testing.T) string {
	t.Helper()
	root := filepath.Join("..", "..")
	if _, err := os.Stat(filepath.Join(root, "cmd", "leadline", "main.go")); err != nil {
		t.Skip("the source of leadline is not beside this one")
	}
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "leadline-cluster-test-"); built.err != nil {
			return
		}
		built.name = filepath.Join(built.dir, "leadline")
		if runtime.GOOS == "windows" {
			built.name += ".exe"
		}
		cmd := exec.Command("go", "build", "-o", built.name, "./cmd/leadline")
		cmd.Dir = root
		if text, err := cmd.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w: %s", err, text)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.name
}

// expected returns what leadline check --output json writes, and its exit status.
func expected(t *testing.T, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(leadline(t), append([]string{"check", "--output", "json"}, args...)...)
	out, _ := cmd.Output() // the status is compared
	return string(out), cmd.ProcessState.ExitCode()
}

// program returns a command that runs this program.
func program(t *testing.T, env []string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), env...)
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd, stdout, stderr
}

// runProgram runs the program to its end.
func runProgram(t *testing.T, env []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd, out, messages := program(t, env, args...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), messages.String(), cmd.ProcessState.ExitCode()
}

func compare(t *testing.T, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("line %d of %d is\n%swant\n%s", i+1, len(g), g[i], w[i])
		}
	}
	t.Fatalf("%d lines, want %d", len(g)-1, len(w)-1)
}

// logged returns how often each history was checked.
func logged(t *testing.T, file string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, name := range strings.Fields(string(text)) {
		counts[name]++
	}
	return counts
}

// TestCheck: the output equals the output of leadline check, for any files and any number of
// workers and shards.
func TestCheck(t *testing.T) {
	files := map[string]string{
		"a.jsonl":         history("good", 3, false),
		"b.jsonl":         history("stale", 3, true) + history("next", 1, false),
		"bad.jsonl":       history("bad", 1, false) + `{"process":0,"type":"ok","result":"<&>"}` + "\n",
		"empty.jsonl":     "",
		"notes.txt":       "nothing of interest\n",
		"labels.jsonl":    `{"file":"a.jsonl"}`,
		"large.jsonl":     history("large", 5000, false),
		"sub/ü <&>.jsonl": history("ü <&>", 2, true),
		"cut.jsonl":       strings.TrimSuffix(history("cut", 2, false), "\n}"),
		"log.csv":         "client,op,val,time\n1,write,7,1\n1,read,7,2\n",
	}
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	w := tar.NewWriter(z)
	for i := range 100 {
		text := history("m"+strconv.Itoa(i), i%5+1, i%7 == 0)
		if err := w.WriteHeader(&tar.Header{Name: fmt.Sprintf("run/%d.jsonl", i), Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	files["members.tar.gz"] = archive.String()
	dir := write(t, files)
	for _, c := range []struct{ flags, args []string }{
		{nil, []string{dir, filepath.Join(dir, "missing.jsonl")}},
		{[]string{"--shards", "7"}, []string{dir}},
		{[]string{"--workers", "2"}, []string{filepath.Join(dir, "members.tar.gz", "run", "7.jsonl"), filepath.Join(dir, "b.jsonl")}},
		{[]string{"--workers", "2", "--shards", "3"}, []string{"--order", "program", "--model", "register:0", "--max-depth", "2", "--chains", "minimum", "--max-history", "20kB", dir}},
	} {
		want, wanted := expected(t, c.args...)
		got, messages, status := runProgram(t, nil, append(append([]string{"check"}, c.flags...), c.args...)...)
		if status != wanted {
			t.Errorf("%v: status %d, want %d; %s", c.flags, status, wanted, messages)
		}
		compare(t, got, want)
		if len(c.flags) == 0 && (!strings.Contains(messages, "left out, as "+filepath.Join(dir, "log.csv")) || strings.Contains(messages, "labels.jsonl")) {
			t.Errorf("the messages are to name log.csv, and not labels.jsonl: %s", messages)
		}
	}
}

// TestStored: with the store of an earlier run, nothing is checked again unless the input has
// changed.
func TestStored(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": history("good", 3, false), "b.jsonl": history("stale", 3, true)})
	store, log := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "log")
	env := []string{logVariable + "=" + log}
	for _, workers := range []string{"1", "0"} { // a second check would wait for workers
		want, wanted := expected(t, dir)
		got, messages, status := runProgram(t, env, "check", "--shards", "2", "--store", store, "--workers", workers, dir)
		if status != wanted {
			t.Fatalf("status %d; %s", status, messages)
		}
		compare(t, got, want)
	}
	if n := logged(t, log); n["good"] != 1 || n["stale"] != 1 {
		t.Errorf("checks: %v", n)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.jsonl"), []byte(history("other", 4, true)), 0o600); err != nil {
		t.Fatal(err)
	}
	want, _ := expected(t, dir)
	got, _, _ := runProgram(t, env, "check", "--shards", "2", "--store", store, dir)
	compare(t, got, want)
}

// TestPoison: a shard that ends its workers is given up after some of them, and the command
// says so. The same command tries it again, and goes on with the journal.
func TestPoison(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": many(60)})
	store, log := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "log")
	args, env := []string{"check", "--shards", "2", "--store", store, dir}, []string{logVariable + "=" + log, triesVariable + "=2", soonVariable + "=500ms"}
	got, messages, status := runProgram(t, append(env, poisonVariable+"=h45"), args...)
	if status != batch.ExitInternal || got != "" || !strings.Contains(messages, "shard 2/2: given up: 2 workers have ended") {
		t.Errorf("status %d; %q; %s", status, got, messages)
	}
	want, wanted := expected(t, dir)
	if got, messages, status = runProgram(t, env, args...); status != wanted {
		t.Errorf("status %d; %s", status, messages)
	}
	compare(t, got, want)
	if n := logged(t, log); n["h1"] != 1 || n["h45"] != 1 {
		t.Errorf("a worker that was started again did not go on with its journal: %v", n)
	}
}

// TestWorkersEnd: workers that never get to work end the command.
func TestWorkersEnd(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": history("a", 1, false), "store/journals": "not a directory"})
	_, messages, status := runProgram(t, []string{triesVariable + "=1"}, "check", "--store", filepath.Join(dir, "store"), filepath.Join(dir, "a.jsonl"))
	if status != batch.ExitInternal || !strings.Contains(messages, "leadline-cluster check: a worker ended 2 times: ") {
		t.Errorf("status %d; %s", status, messages)
	}
}

// TestKilled kills workers and the coordinator, which are started again.
func TestKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed coordinator leaves its files in use")
	}
	from := *seed
	if from == 0 {
		from = uint64(time.Now().UnixNano())
	}
	files := map[string]string{}
	for i := range 10 {
		files[fmt.Sprintf("%d.jsonl", i)] = many(*histories / 10)
	}
	dir := write(t, files)
	want, wanted := expected(t, dir)
	for i := range *runs {
		t.Logf("seed %d", from+uint64(i))
		killed(t, rand.New(rand.NewPCG(from+uint64(i), 0)), dir, want, wanted)
	}
}

// killed does it once.
func killed(t *testing.T, r *rand.Rand, dir, want string, wanted int) {
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listen := probe.Addr().String()
	if err := probe.Close(); err != nil {
		t.Fatal(err)
	}
	stores := t.TempDir()
	store := filepath.Join(stores, "store")
	env := []string{soonVariable + "=1s", triesVariable + "=100", fmt.Sprintf("%s=%v", slowVariable, 6*time.Second/time.Duration(*histories))}
	coordinate := func() (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
		cmd, out, messages := program(t, env, "check", "--workers", "0", "--shards", "5", "--listen", listen, "--store", store, dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, out, messages
	}
	work := func(i int) *exec.Cmd {
		cmd, _, _ := program(t, env, "worker", "--jobs", "1", "--url", "@"+filepath.Join(store, "url"), "--store", filepath.Join(stores, strconv.Itoa(i)))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	end := func(cmd *exec.Cmd) {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // by a signal
	}
	coordinator, _, _ := coordinate()
	for { // it must be there when workers start
		if _, err := os.Stat(filepath.Join(store, "url")); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	workers := []*exec.Cmd{work(0), work(1)}
	defer func() {
		for _, w := range workers {
			end(w)
		}
	}()
	first := r.IntN(2)
	for k := range 3 {
		time.Sleep(time.Duration(200+r.IntN(600)) * time.Millisecond)
		if k == 1 {
			end(coordinator)
			continue
		}
		i := (first + k/2) % 2
		end(workers[i])
		workers[i] = work(i)
	}
	coordinator, out, messages := coordinate()
	if err := coordinator.Wait(); coordinator.ProcessState.ExitCode() != wanted {
		t.Fatalf("the coordinator: %v; %s", err, messages)
	}
	compare(t, out.String(), want)
}

// TestInterrupted: an interrupt ends the command, which writes no lines. The same command goes
// on.
func TestInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts")
	}
	dir := write(t, map[string]string{"a.jsonl": many(300)})
	store, log := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "log")
	args := []string{"check", "--store", store, dir}
	cmd, out, messages := program(t, []string{slowVariable + "=50ms", logVariable + "=" + log}, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for len(logged(t, log)) < 3 {
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status is looked at
	if status := cmd.ProcessState.ExitCode(); status != batch.ExitUnknown || out.Len() > 0 ||
		!strings.Contains(messages.String(), "interrupted\nleadline-cluster check: stopped: not all of the 1 shards are checked") {
		t.Errorf("status %d; %q; %s", status, out, messages)
	}
	want, _ := expected(t, dir)
	got, _, _ := runProgram(t, []string{logVariable + "=" + log}, args...)
	compare(t, got, want)
	if n := logged(t, log); n["h0"] != 1 {
		t.Errorf("the first history was checked %d times", n["h0"])
	}
}

// TestClosed: a reader that goes away ends the command, which leaves no directories behind.
func TestClosed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	dir, temporary := write(t, map[string]string{"a.jsonl": history("a", 2, false)}), t.TempDir()
	output, closed, err := os.Pipe()
	if err == nil {
		err = output.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd, _, messages := program(t, []string{"TMPDIR=" + temporary}, "check", dir)
	cmd.Stdout = closed
	_ = cmd.Run() // the status is looked at
	closed.Close()
	if status := cmd.ProcessState.ExitCode(); status != 128+int(syscall.SIGPIPE) || messages.Len() > 0 {
		t.Errorf("status %d; %s", status, messages)
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "*")); err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
}

// TestWritten: the command does not read what it writes.
func TestWritten(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": history("a", 2, false), "out.jsonl": ""})
	file, err := os.OpenFile(filepath.Join(dir, "out.jsonl"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd, _, messages := program(t, nil, "check", dir)
	cmd.Stdout = file
	_ = cmd.Run() // the status is looked at
	if status := cmd.ProcessState.ExitCode(); status != batch.ExitBad || !strings.Contains(messages.String(), "out.jsonl is written by this command") {
		t.Errorf("status %d; %s", status, messages)
	}
	_, text, status := runProgram(t, nil, "check", "--store", filepath.Join(dir, "store"), dir)
	if status != batch.ExitBad || !strings.Contains(text, "store is written by this command") {
		t.Errorf("status %d; %s", status, text)
	}
}
