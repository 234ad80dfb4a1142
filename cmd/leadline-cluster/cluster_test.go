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
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
	"github.com/spf13/pflag"
)

var (
	runs = flag.Int("kills", 1, "how often TestKilled is run")
	seed = flag.Uint64("seed", 0, "seed of TestKilled (default: from the time)")
)

// Variables of the environment say what workers do besides.
const (
	poisonVariable = "LEADLINE_CLUSTER_TEST_POISON" // end at the history of this name
	logVariable    = "LEADLINE_CLUSTER_TEST_LOG"    // write the name of each history to this file
	slowVariable   = "LEADLINE_CLUSTER_TEST_SLOW"   // wait so long for each history
)

// TestMain runs the program itself in child processes.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		checkEntry = testedCheck
		if slices.Contains(os.Args, "--output") { // as leadline stress
			os.Exit(fakeStress(os.Args[1:]))
		}
		os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func testedCheck(c *batch.Checker, ctx context.Context, e batch.Entry) *batch.Result {
	if name := os.Getenv(poisonVariable); name != "" && e.ID() == name {
		os.Exit(7)
	}
	if file := os.Getenv(logVariable); file != "" {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = fmt.Fprintln(f, e.ID())
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			panic(err)
		}
	}
	if d, err := time.ParseDuration(os.Getenv(slowVariable)); err == nil {
		time.Sleep(d)
	}
	return c.Check(ctx, e)
}

// fakeStress prints what a stress run might. Seed 3 has found something.
func fakeStress(args []string) int {
	fmt.Printf("{\"kind\":\"object\",\"arguments\":%q}\n", args)
	if slices.Contains(args, "--seed=3") {
		return statusNot
	}
	return statusOK
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

// concurrent returns a history that families of depth 1 do not decide.
func concurrent(name string) string {
	text := fmt.Sprintf(`{"leadline":1,"history":%q,"model":"register","args":[0]}`+"\n", name)
	for i := range 4 {
		text += fmt.Sprintf(`{"process":%d,"type":"invoke","method":"write","args":[%d]}`+"\n", i, i)
	}
	text += `{"process":4,"type":"invoke","method":"read"}` + "\n" + `{"process":4,"type":"ok","result":7}` + "\n"
	for i := range 4 {
		text += fmt.Sprintf(`{"process":%d,"type":"ok"}`+"\n", i)
	}
	return text
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

// expected returns the lines that leadline check --output json writes, by the
// package that it uses.
func expected(t *testing.T, paths ...string) string {
	t.Helper()
	var lines []byte
	c := batch.Checker{Explain: true}
	add := func(e batch.Entry) {
		r := c.Check(t.Context(), e)
		lines = r.AppendLine(lines)
	}
	for f, err := range codec.Files(paths, codec.Options{}) {
		if err != nil {
			add(batch.Entry{File: f.Name, Err: err})
			continue
		}
		for e := range batch.Entries(f) {
			add(e)
		}
	}
	return string(lines)
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

// TestCheck: the lines are those of leadline check, whatever the files are.
func TestCheck(t *testing.T) {
	files := map[string]string{
		"a.jsonl":         history("good", 3, false),
		"b.jsonl":         history("stale", 3, true) + history("next", 1, false),
		"same.jsonl":      history("good", 3, false),
		"bad.jsonl":       history("bad", 1, false) + `{"process":0,"type":"ok","result":"<&>"}` + "\n",
		"empty.jsonl":     "",
		"notes.txt":       "nothing of interest\n",
		"labels.jsonl":    `{"file":"a.jsonl"}`,
		"large.jsonl":     history("large", 5000, false),
		"sub/ü <&>.jsonl": history("ü <&>", 2, true),
		"torn.jsonl":      strings.TrimSuffix(history("torn", 2, false), "\n}"),
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
	log := filepath.Join(t.TempDir(), "log")
	missing := filepath.Join(dir, "missing.jsonl")
	got, messages, status := runProgram(t, []string{logVariable + "=" + log}, "check", dir, missing)
	if status != statusBad {
		t.Errorf("status %d, want %d; %s", status, statusBad, messages)
	}
	compare(t, got, expected(t, dir, missing))
	if !strings.Contains(messages, "skipped "+filepath.Join(dir, "notes.txt")) || strings.Contains(messages, "labels.jsonl") {
		t.Errorf("the messages are to name notes.txt, and not labels.jsonl: %s", messages)
	}
	if n := logged(t, log)["good"]; n != 1 {
		t.Errorf("a history in two equal files was checked %d times", n)
	}
	if len(got) < 100 || strings.Contains(got, `"file":""`) {
		t.Error("results without names")
	}
}

// TestStored: with the store of an earlier run, what is final is not checked again.
func TestStored(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": history("good", 3, false), "b.jsonl": history("stale", 3, true)})
	store, log := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "log")
	env := []string{logVariable + "=" + log}
	want := expected(t, dir)
	for range 2 { // a second check would wait for workers
		for _, workers := range []string{"1", "0"} {
			got, messages, status := runProgram(t, env, "check", "--store", store, "--workers", workers, dir)
			if status != statusNot {
				t.Fatalf("status %d; %s", status, messages)
			}
			compare(t, got, want)
		}
	}
	if n := logged(t, log); n["good"] != 1 || n["stale"] != 1 {
		t.Errorf("checks: %v", n)
	}
	unknown := []string{"check", "--store", store, "--workers", "1", "--engine", "families", "--max-depth", "1",
		write(t, map[string]string{"c.jsonl": concurrent("undecided")})}
	for i, more := range [][]string{nil, nil, {"--retry-unknown"}} {
		if _, messages, status := runProgram(t, env, append(unknown, more...)...); status != statusUnknown {
			t.Fatalf("status %d; %s", status, messages)
		}
		if n := logged(t, log)["undecided"]; n != 1+i/2 {
			t.Errorf("after %d runs, a history that is unknown was checked %d times", i+1, n)
		}
	}
}

// TestPoison: a file that ends its workers is given up after some of them. Others
// that it was sent with are checked.
func TestPoison(t *testing.T) {
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("%02d.jsonl", i)] = history("h"+strconv.Itoa(i), 2, i%10 == 0)
	}
	dir := write(t, files)
	got, messages, status := runProgram(t, []string{poisonVariable + "=h45"}, "check", "--tries", "2", "--ack-wait", "500ms", dir)
	if status != statusInternal || !strings.Contains(messages, "45.jsonl: given up: 2 workers") {
		t.Errorf("status %d; %s", status, messages)
	}
	var good []string
	for line := range strings.Lines(got) {
		if !strings.Contains(line, "45.jsonl") {
			good = append(good, line)
		} else if !strings.Contains(line, `"verdict":"unknown"`) || !strings.Contains(line, "given up") {
			t.Error(line)
		}
	}
	if err := os.Remove(filepath.Join(dir, "45.jsonl")); err != nil {
		t.Fatal(err)
	}
	compare(t, strings.Join(good, ""), expected(t, dir))
	if n := strings.Count(got, "\n"); n != 60 {
		t.Errorf("%d lines, want 60", n)
	}
}

// TestWorkersEnd: workers that never get to work end the command.
func TestWorkersEnd(t *testing.T) {
	_, messages, status := runProgram(t, nil, "check", "--creds", filepath.Join(write(t, map[string]string{"none": "no credentials"}), "none"),
		write(t, map[string]string{"a.jsonl": history("a", 1, false)}))
	if status != statusBad || !strings.Contains(messages, "leadline-cluster check: ") {
		t.Errorf("status %d; %s", status, messages)
	}
}

// TestKilled kills workers and the coordinator. Every history has one result.
func TestKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed coordinator leaves its files in use")
	}
	from := *seed
	if from == 0 {
		from = uint64(time.Now().UnixNano())
	}
	files := map[string]string{}
	for i := range 400 {
		files[fmt.Sprintf("%d/%03d.jsonl", i%3, i)] = history("h"+strconv.Itoa(i), i%9+1, i%5 == 0)
	}
	for i := range 3 { // these take workers longer than they may be silent
		var many strings.Builder
		for k := range 120 {
			many.WriteString(history(fmt.Sprintf("many%d-%d", i, k), 4, k%6 == 0))
		}
		files[fmt.Sprintf("many%d.jsonl", i)] = many.String()
	}
	dir := write(t, files)
	want := expected(t, dir)
	for i := range *runs {
		t.Logf("seed %d", from+uint64(i))
		r := rand.New(rand.NewPCG(from+uint64(i), 0))
		for attempt := 0; !killed(t, r, dir, want); attempt++ {
			if attempt == 5 {
				t.Fatal("the coordinator always ends before it is killed")
			}
		}
	}
}

// killed does it once. It reports false if the coordinator ended before it was to be
// killed.
func killed(t *testing.T, r *rand.Rand, dir, want string) bool {
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listen := probe.Addr().String()
	if err := probe.Close(); err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(t.TempDir(), "store")
	coordinate := func() (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
		cmd, out, messages := program(t, nil, "check", "--workers", "0", "--listen", listen, "--store", store, "--ack-wait", "1s", "--tries", "100", dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, out, messages
	}
	work := func() *exec.Cmd {
		cmd, _, _ := program(t, []string{slowVariable + "=15ms"}, "worker", "--jobs", "1", "--url", "@"+filepath.Join(store, "url"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	end := func(cmd *exec.Cmd) {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // by a signal
	}
	coordinator, out, messages := coordinate()
	for { // it must be there when workers start
		if _, err := os.Stat(filepath.Join(store, "url")); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	workers := []*exec.Cmd{work(), work(), work()}
	defer func() {
		for _, w := range workers {
			end(w)
		}
	}()
	var ended chan error
	wait := func() {
		cmd, to := coordinator, make(chan error, 1)
		ended = to
		go func() { to <- cmd.Wait() }()
	}
	wait()
	kills, killAt, again := 0, 2+r.IntN(4), false
	for {
		select {
		case err := <-ended:
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != statusNot {
				t.Fatalf("the coordinator: %v; %s", err, messages)
			}
			t.Logf("%d workers were killed", kills)
			compare(t, out.String(), want)
			return again
		case <-time.After(time.Duration(50+r.IntN(300)) * time.Millisecond):
		}
		if kills++; kills == killAt {
			_ = coordinator.Process.Kill() // it may have ended, which is seen below
			<-ended
			coordinator, out, messages = coordinate()
			wait()
			again = true
		}
		i := r.IntN(2) // the third one is left alone
		end(workers[i])
		workers[i] = work()
	}
}

// TestInterrupted: after an interrupt the lines that are out are the first ones.
func TestInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts")
	}
	files := map[string]string{}
	for i := range 400 {
		files[fmt.Sprintf("%03d.jsonl", i)] = history("h"+strconv.Itoa(i), 2, true)
	}
	dir := write(t, files)
	cmd, _, messages := program(t, []string{slowVariable + "=50ms"}, "check", "--workers", "1", dir)
	cmd.Stdout = nil
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := io.CopyN(&out, stdout, 1); err != nil {
		t.Fatal(err, messages)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(&out, stdout); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status is looked at
	if status := cmd.ProcessState.ExitCode(); status != statusUnknown || !strings.Contains(messages.String(), "interrupted") {
		t.Errorf("status %d; %s", status, messages)
	}
	if n := strings.Count(out.String(), "\n"); !regexp.MustCompile(fmt.Sprintf(`\nleadline-cluster check: stopped after %d of (400|\d+ or more): %[1]d not linearizable\n$`, n)).MatchString(messages.String()) {
		t.Errorf("%d lines, and the last message is not about them: %s", n, messages)
	}
	want := expected(t, dir)
	if n := strings.Count(out.String(), "\n"); !strings.HasPrefix(want, out.String()) || n == 50 {
		t.Errorf("%d lines, which are not the first ones of all", n)
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
	cmd, _, messages := program(t, []string{"TMPDIR=" + temporary}, "check", "--workers", "1", dir)
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

// TestStress: every seed has its lines, in order.
func TestStress(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	got, messages, status := runProgram(t, nil, "stress", "--leadline", self, "--seeds", "5", "--workers", "2", "--", "--subject", "queue")
	if status != statusNot {
		t.Errorf("status %d; %s", status, messages)
	}
	want := ""
	for i := 1; i <= 5; i++ {
		want += fmt.Sprintf(`{"seed":%d,"kind":"object","arguments":["stress" "--output" "json" "--save" "" "--seed=%d" "--subject" "queue"]}`+"\n", i, i)
	}
	compare(t, got, want)
}

// TestSettings: what the flags of check say reaches the workers.
func TestSettings(t *testing.T) {
	flags := pflag.NewFlagSet("check", pflag.ContinueOnError)
	f := newCheckFlags(flags)
	if err := flags.Parse([]string{"--chains", "minimum", "--max-line", "100", "--max-history", "0", "--max-ratio", "7",
		"--memory", "3MiB", "--order", "pro-gram", "x"}); err != nil {
		t.Fatal(err)
	}
	if err := f.complete(flags, flags.Args()); err != nil {
		t.Fatal(err)
	}
	if l := f.settings.Limits; f.settings.Options.Chains != replay.MinimumChains || l.Line != 100 || l.History != -1 || l.Ratio != 7 ||
		l.Memory != 2<<20 || !f.settings.ProgramOrder {
		t.Errorf("%+v, chains %v", l, f.settings.Options.Chains)
	}
	dir := write(t, map[string]string{"a.jsonl": history("a", 2, false)})
	got, messages, status := runProgram(t, nil, "check", "--max-line", "50", "--workers", "1", dir)
	if status != statusBad || !strings.Contains(got, "longer than 50 bytes") {
		t.Errorf("status %d; %s; %s", status, got, messages)
	}
}

func TestUsage(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": history("a", 1, false), "bad.map": "process"})
	for _, c := range []struct{ args, want string }{
		{"", "Commands:"},
		{"chek", `no command "chek"`},
		{"check", "no file, directory, bucket or - given"},
		{"check --nothing x", "unknown flag: --nothing"},
		{"check --workers -1 x", "--workers is too small"},
		{"check --workers 9999 x", "--workers or --tries is too large"},
		{"check - x -", "- is given twice"},
		{"check --ack-wait 1ms x", "--ack-wait is too small"},
		{"check --tries 0 x", "--tries is too small"},
		{"check --memory 1 x", "--memory must be at least 1MiB"},
		{"check --engine magic x", `"--engine" flag: want auto, `},
		{"check --chains none x", `"--chains" flag: want auto, process, minimum`},
		{"check --max-line -1 x", "want a number of bytes"},
		{"check --patience 1ms x", "--patience is too small"},
		{"check --order none x", `"--order" flag: want realtime, program`},
		{"check --skip-unknown no x", `"--skip-unknown" flag: want format, content, none`},
		{"check --model nothing x", "nothing"},
		{"check --format nothing x", `unknown format "nothing"`},
		{"check --map @" + dir + "/none x", "reading the mapping"},
		{"check --map @" + dir + "/bad.map x", `"process" is not NAME=EXPRESSION`},
		{"check --max-depth 0 x", "--max-depth must be at least 1"},
		{"check --timeout -1s x", "a bound must not be negative"},
		{"check --store s --url nats://127.0.0.1:1 x", "--store is for the embedded server"},
		{"check --url nats://127.0.0.1:1:1 x", "connecting to NATS"},
		{"check --url @" + dir + "/none x", "no such file"},
		{"check --creds " + dir + "/none x", "no such file"},
		{"check --tlscert x x", "--tlscert and --tlskey need each other"},
		{"check --listen nowhere x", "nowhere"},
		{"check --store " + dir + "/a.jsonl x", "not a directory"},
		{"check --workers 0 bucket:none", "no such bucket"},
		{"stress", "no arguments for leadline stress"},
		{"stress -- --subject queue --seed=3", "--seed=3 cannot be used in a cluster"},
		{"stress --seed -1 -- --subject queue", `"--seed" flag: want a whole number from 0;`},
		{"stress --seeds 0 -- --subject queue", "--seeds must be 1 to 1000000"},
		{"stress --leadline /none/leadline -- --subject queue", "/none/leadline"},
		{"worker", "no --url given"},
		{"worker x", "takes no arguments"},
		{"version x", "takes no arguments"},
		{"worker --jobs 0", "--jobs must be 1 to 1024"},
		{"worker --stress /none/leadline --url nats://127.0.0.1:1", "/none/leadline"},
	} {
		var out, messages bytes.Buffer
		if status := run(strings.Fields(c.args), strings.NewReader(""), &out, &messages); status != statusBad {
			t.Errorf("%s: status %d", c.args, status)
		}
		if all := out.String() + messages.String(); !strings.Contains(all, c.want) {
			t.Errorf("%s: %q, want %q", c.args, all, c.want)
		}
	}
	for _, args := range []string{"help", "check --help", "worker --help", "stress --help", "version", "--version"} {
		var out, messages bytes.Buffer
		if status := run(strings.Fields(args), nil, &out, &messages); status != statusOK || !strings.Contains(out.String(), "leadline-cluster") || messages.Len() > 0 {
			t.Errorf("%s: status %d, %q, %q", args, status, &out, &messages)
		}
	}
}
