package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/simulate"
)

var (
	batchHistories = flag.Int("batch-histories", 300, "how many histories the batches of tests have")
	batchKills     = flag.Int("batch-kills", 4, "how often a batch is killed")
	batchSeed      = flag.Uint64("batch-seed", 1, "seed of the tests of batches")
)

// tarOf returns a tar archive with a small history in each of its files, and the
// places in it where each file is complete. Every tenth history is not linearizable.
func tarOf(t testing.TB, histories int) (archive []byte, ends []int) {
	t.Helper()
	models := simulate.Models()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := range histories {
		load := simulate.Workload{Model: models[i%len(models)], Ops: 8 + i%8, Threads: 3, Seed: uint64(i), Fill: 3}
		if i%10 == 7 {
			load.Faults = []simulate.Fault{{Kind: simulate.Wrong, Percent: 90}}
		}
		h, err := load.History()
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := codec.Encode(&text, h); err != nil {
			t.Fatal(err)
		}
		if err := w.WriteHeader(&tar.Header{Name: fmt.Sprintf("run%d/%d.jsonl", i%3, i), Mode: 0o644, Size: int64(text.Len())}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text.Bytes()); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, b.Len())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), ends
}

// runBatch runs a command on an archive on standard input and returns what it printed.
func runBatch(t *testing.T, archive []byte, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command("leadline", append([]string{"check", "-o", "json"}, args...)...)
	cmd.Stdin = bytes.NewReader(archive)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// summaryOf reads the object of --summary.
func summaryOf(t *testing.T, file string) (s batch.Summary) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stopBatch starts a batch on the beginning of an archive, waits until its journal has
// so many bytes more, stops it and waits for its end.
func stopBatch(t *testing.T, beginning []byte, journal string, more int64, signal os.Signal, args ...string) (stderr string, status int) {
	t.Helper()
	size := func() int64 {
		info, err := os.Stat(journal)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	want := size() + more
	cmd := exec.Command("leadline", append([]string{"check", "-o", "json", "--resume", journal}, args...)...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go stdin.Write(beginning) // its end depends on the process
	for size() < want && cmd.Process.Signal(syscall.Signal(0)) == nil {
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status is what matters
	return errs.String(), cmd.ProcessState.ExitCode()
}

// TestKilledBatch: a batch that is killed again and again, at any place in its
// journal, and resumed prints in the end what one prints that was never stopped, and
// checks no history twice.
func TestKilledBatch(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	archive, ends := tarOf(t, *batchHistories)
	want, _, status := runBatch(t, archive, "-")
	if status != statusNot || strings.Count(want, "\n") != *batchHistories {
		t.Fatalf("status %d, %d lines", status, strings.Count(want, "\n"))
	}
	t.Logf("-batch-seed %d", *batchSeed)
	random := rand.New(rand.NewPCG(*batchSeed, 0))
	dir := t.TempDir()
	journal, summary := filepath.Join(dir, "journal"), filepath.Join(dir, "summary")
	fed := 0
	for range *batchKills {
		// A line of the journal has at least 100 bytes, so that those that are fed
		// and are not in the journal make it grow by so many.
		news := 1 + random.IntN(*batchHistories / *batchKills - 1)
		fed += news
		stopBatch(t, archive[:ends[fed-1]], journal, 1+random.Int64N(int64(news)*100), syscall.SIGKILL, "-")
	}
	text, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	known := bytes.Count(text, []byte("\n")) - 1 // without its header
	if known < 1 {
		t.Fatalf("the journal has %d results", known)
	}
	got, _, status := runBatch(t, archive, "--resume", journal, "--summary", summary, "-")
	if got != want || status != statusNot {
		t.Errorf("status %d; the output differs from that of a batch that was not killed: %s", status, firstDifference(got, want))
	}
	s := summaryOf(t, summary)
	if s.FromJournal != known || s.Checked != *batchHistories-known || s.Histories != *batchHistories || !s.Complete || s.Status != statusNot {
		t.Errorf("%d results were in the journal, and the summary is %+v", known, s)
	}
	keysOnce(t, journal, *batchHistories)
	// Once more: nothing is checked.
	if again, _, _ := runBatch(t, archive, "--resume", journal, "--summary", summary, "-"); again != want || summaryOf(t, summary).Checked != 0 {
		t.Errorf("the complete journal gives %s, and %d checks", firstDifference(again, want), summaryOf(t, summary).Checked)
	}
}

// keysOnce reports results that a journal has twice, or not at all.
func keysOnce(t *testing.T, journal string, results int) {
	t.Helper()
	text, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "{") {
			continue
		}
		key := strings.Split(line, "\t")[1]
		if seen[key] {
			t.Errorf("key %s is there twice", key)
		}
		seen[key] = true
	}
	if len(seen) != results {
		t.Errorf("the journal has %d results of %d histories", len(seen), results)
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d is\n%.300s\nwant\n%.300s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// TestInterruptedBatch: after SIGINT or SIGTERM, the journal is sound, there is a
// summary, and what was not reached is not unknown.
func TestInterruptedBatch(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	archive, ends := tarOf(t, 60)
	want, _, _ := runBatch(t, archive, "-")
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			dir := t.TempDir()
			journal, summary := filepath.Join(dir, "journal"), filepath.Join(dir, "summary")
			stderr, status := stopBatch(t, archive[:ends[39]], journal, 2000, signal, "--summary", summary, "-")
			s := summaryOf(t, summary)
			last := fmt.Sprintf("leadline check: stopped after %d of %%d or more: %d not linearizable\n", s.Histories, s.NotLinearizable)
			var read int
			if n, err := fmt.Sscanf(stderr[strings.LastIndex(strings.TrimSpace(stderr), "\n")+1:], last, &read); n != 1 || err != nil || read < s.Histories || read > 40 {
				t.Errorf("want %s, and stderr is\n%s", last, stderr)
			}
			if status != statusUnknown || s.Status != status || s.Complete || s.Unknown > runtime.GOMAXPROCS(0) || !strings.Contains(stderr, ": interrupted; ") {
				t.Errorf("status %d, summary %+v, stderr\n%s", status, s, stderr)
			}
			got, _, _ := runBatch(t, archive, "--resume", journal, "--summary", summary, "-")
			if s := summaryOf(t, summary); got != want || s.FromJournal == 0 || !s.Complete {
				t.Errorf("%+v, %s", s, firstDifference(got, want))
			}
		})
	}
}

// TestStoppedAfter: a batch of files that is interrupted counts all that they have. It ends
// with status 3 although it met a violation, and with 2 if a file is faulty.
func TestStoppedAfter(t *testing.T) {
	dir := t.TempDir()
	const bad = `{"leadline":1,"history":"bad","model":"register","args":[0]}
{"process":"A","type":"invoke","method":"read"}
{"process":"A","type":"ok","result":9}
`
	slow := filepath.Join(dir, "b.zst")
	writeLarge(t, slow)
	for name, text := range map[string]string{"a.jsonl": bad + strings.Replace(bad, "bad", "worse", 1), "c.jsonl": oneRead, "faulty.jsonl": faulty} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"text", []string{"check", "--max-history", "0", file("a.jsonl"), slow}, statusUnknown, `(?m)^stopped after [34] of [34] or more: 2 not linearizable$`},
		{"JSON", []string{"check", "-o", "json", "--jobs", "2", "--max-history", "0", file("a.jsonl"), slow}, statusUnknown,
			`(?m)^leadline check: stopped after [34] of [34] or more: 2 not linearizable$`},
		{"explain", []string{"explain", "--max-history", "0", file("a.jsonl"), slow}, statusUnknown, `(?m)^leadline explain: stopped after [34] of [34] or more: 2 not linearizable$`},
		{"program order", []string{"check", "--order", "program", "--max-history", "0", file("a.jsonl"), slow}, statusUnknown,
			`(?m)^stopped after [34] of [34] or more: 2 not sequentially consistent$`},
		{"fault", []string{"check", "--max-history", "0", file("a.jsonl"), file("faulty.jsonl"), slow}, statusBad, `(?m)^stopped after [45] of [45] or more: 2 not linearizable$`},
	} {
		t.Run(c.name, func(t *testing.T) {
			awaited := "#one"
			if c.name == "JSON" {
				awaited = `"one"`
			}
			printed, status := interrupt(t, strings.NewReader(""), awaited, c.args...)
			last := printed[strings.LastIndex(strings.TrimSpace(printed), "\n")+1:]
			if status != c.status || !regexp.MustCompile(c.want).MatchString(last) {
				t.Errorf("status %d, want %d and %s in\n%s", status, c.status, c.want, printed)
			}
		})
	}
}

// TestKilledReports: a batch that is killed leaves the reports that were there.
func TestKilledReports(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	archive, ends := tarOf(t, 20)
	dir := t.TempDir()
	var args []string
	for _, flag := range []string{"junit", "summary"} {
		file := filepath.Join(dir, flag)
		if err := os.WriteFile(file, []byte("the last one"), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--"+flag, file)
	}
	stopBatch(t, archive[:ends[9]], filepath.Join(dir, "journal"), 500, syscall.SIGKILL, append(args, "-")...)
	for _, flag := range []string{"junit", "summary"} {
		if text, err := os.ReadFile(filepath.Join(dir, flag)); err != nil || string(text) != "the last one" {
			t.Errorf("%s: %q, %v", flag, text, err)
		}
	}
	runBatch(t, archive, append(args, "-")...)
	for _, flag := range []string{"junit", "summary"} {
		file := filepath.Join(dir, flag)
		text, err := os.ReadFile(file)
		info, err2 := os.Stat(file)
		if err != nil || err2 != nil || string(text) == "the last one" || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %q, %v, %v, %v", flag, text, info, err, err2)
		}
		if _, err := os.Stat(file + ".part"); err == nil {
			t.Errorf("%s.part is left", flag)
		}
	}
}

// TestDamagedJournal: whatever is lost or altered in a journal is checked again.
func TestDamagedJournal(t *testing.T) {
	archive, _ := tarOf(t, 20)
	want, _, _ := runBatch(t, archive, "-")
	dir := t.TempDir()
	journal := filepath.Join(dir, "journal")
	runBatch(t, archive, "--resume", journal, "-")
	whole, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(*batchSeed, 1))
	t.Logf("-batch-seed %d", *batchSeed)
	first := bytes.IndexByte(whole, '\n') + 1
	for i := range 12 {
		text := bytes.Clone(whole)
		at := first + random.IntN(len(text)-first)
		what := "cut"
		if i%2 == 0 {
			text = text[:at]
		} else {
			what = "altered"
			text[at] ^= 1 << random.IntN(7)
		}
		if err := os.WriteFile(journal, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if got, stderr, _ := runBatch(t, archive, "--resume", journal, "-"); got != want {
			t.Errorf("%s at byte %d: %s\n%s", what, at, firstDifference(got, want), stderr)
		}
	}
}

// TestShards: each result is in one shard.
func TestShards(t *testing.T) {
	archive, _ := tarOf(t, 11)
	want, _, _ := runBatch(t, archive, "-")
	parts := make([][]string, 3)
	for i := range parts {
		out, _, _ := runBatch(t, archive, "--shard", fmt.Sprintf("%d/3", i+1), "-")
		parts[i] = strings.SplitAfter(out, "\n")
	}
	var merged strings.Builder
	for k := range 11 {
		merged.WriteString(parts[k%3][k/3])
	}
	if merged.String() != want {
		t.Error(firstDifference(merged.String(), want))
	}
}

// TestFailFast: the batch ends with the first history that is not linearizable, also
// if its input has no end yet.
func TestFailFast(t *testing.T) {
	const bad = `{"leadline":1,"history":"bad","model":"register","args":[0]}
{"process":"A","type":"invoke","method":"read"}
{"process":"A","type":"ok","result":9}
{"leadline":1,"history":"next","model":"register","args":[0]}
`
	in, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer w.Close() // after the command has ended
	if _, err := w.WriteString(bad); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("leadline", "check", "-o", "json", "--fail-fast", "-")
	cmd.Stdin = in
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != statusNot || strings.Count(string(out), "\n") != 1 {
		t.Errorf("%v, output\n%s", err, out)
	}
}

// TestReportsOpenFirst: a report that cannot be written ends the batch before its
// first check.
func TestReportsOpenFirst(t *testing.T) {
	archive, _ := tarOf(t, 1)
	for _, flag := range []string{"--junit", "--summary"} {
		if out, stderr, status := runBatch(t, archive, flag, t.TempDir(), "-"); out != "" || status != statusBad {
			t.Errorf("%s: status %d, output %q, stderr\n%s", flag, status, out, stderr)
		}
	}
}

// TestPaceText: what the progress line says depends on counts and times alone.
func TestPaceText(t *testing.T) {
	start := time.Unix(1000, 0)
	p := &pace{}
	if got := p.text(start); got != "0 histories" {
		t.Errorf("got %q", got)
	}
	p.known, p.fresh, p.freshHistories, p.freshRead = 50, start, 200, 1000
	p.read.Store(4000)
	if got := p.text(start.Add(10 * time.Second)); got != "250 histories, 20/s" {
		t.Errorf("got %q", got)
	}
	p.total.Store(10_000)
	if got, want := p.text(start.Add(10*time.Second)), "250 histories, 20/s, 40 % of 10.0 kB, 20s left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
