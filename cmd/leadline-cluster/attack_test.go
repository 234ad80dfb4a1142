package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/leadline/leadline/replay/batch"
)

// start starts a command, which is killed at the end of the test.
func start(t *testing.T, env []string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	cmd, stdout, stderr = program(t, env, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // by a signal
	})
	return cmd, stdout, stderr
}

// until waits until a condition holds.
func until(holds func() bool) {
	for !holds() {
		time.Sleep(10 * time.Millisecond)
	}
}

// finished compares what a command has written with leadline check.
func finished(t *testing.T, cmd *exec.Cmd, stdout, stderr *bytes.Buffer, input string) {
	t.Helper()
	_ = cmd.Wait() // the status is compared
	want, wanted := expected(t, input)
	if status := cmd.ProcessState.ExitCode(); status != wanted {
		t.Errorf("status %d, want %d; %s", status, wanted, stderr)
	}
	compare(t, stdout.String(), want)
}

// TestTwoCoordinators: two coordinators of one job get the same lines, though the first one
// withdraws the job when it is interrupted.
func TestTwoCoordinators(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts")
	}
	dir, log := write(t, map[string]string{"a.jsonl": many(60)}), filepath.Join(t.TempDir(), "log")
	url := natsServer(t, server.Options{Port: server.RANDOM_PORT, StoreDir: t.TempDir()}).ClientURL()
	env := []string{slowVariable + "=30ms", logVariable + "=" + log, soonVariable + "=1s"}
	args := []string{"check", "--shards", "3", "--url", url, dir}
	first, _, _ := start(t, env, args...)
	second, out, messages := start(t, env, args...)
	third, out3, messages3 := start(t, env, args...)
	start(t, env, "worker", "--url", url)
	until(func() bool { return len(logged(t, log)) > 2 })
	if err := first.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // by the interrupt
	finished(t, second, out, messages, dir)
	finished(t, third, out3, messages3, dir)
}

// TestStopped: a worker that was stopped for so long that another one has begun its shard
// goes on. No line is written twice.
func TestStopped(t *testing.T) {
	if _, err := exec.LookPath("kill"); err != nil {
		t.Skip(err)
	}
	dir, store, log := write(t, map[string]string{"a.jsonl": many(60)}), filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "log")
	env := []string{slowVariable + "=30ms", logVariable + "=" + log, soonVariable + "=1s"}
	coordinator, out, messages := start(t, env, "check", "--workers", "0", "--shards", "2", "--store", store, dir)
	url := filepath.Join(store, "url")
	until(func() bool { _, err := os.Stat(url); return err == nil })
	work := []string{"worker", "--jobs", "1", "--url", "@" + url, "--store", filepath.Join(store, "journals")}
	stopped, _, _ := start(t, env, work...)
	signal := func(name string) {
		if err := exec.Command("kill", "-"+name, fmt.Sprint(stopped.Process.Pid)).Run(); err != nil {
			t.Fatal(err)
		}
	}
	until(func() bool { return len(logged(t, log)) > 2 })
	signal("STOP")
	start(t, env, work...)
	until(func() bool { return logged(t, log)["h0"]+logged(t, log)["h1"] > 2 })
	signal("CONT")
	finished(t, coordinator, out, messages, dir)
}

// TestOtherProgram: a worker of another build gets no shards, and says what it waits for.
func TestOtherProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a program with a byte more may not run")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, append(text, 0), 0o700); err != nil {
		t.Fatal(err)
	}
	dir, log, said := write(t, map[string]string{"a.jsonl": many(3)}), filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "said")
	url := natsServer(t, server.Options{Port: server.RANDOM_PORT, StoreDir: t.TempDir()}).ClientURL()
	coordinator, out, messages := start(t, nil, "check", "--url", url, dir)
	file, err := os.Create(said)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	worker, _, _ := program(t, []string{logVariable + "=" + log}, "worker", "--url", url)
	worker.Path, worker.Stderr = other, file
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = worker.Process.Kill() // it waits
		_ = worker.Wait()         // by a signal
	}()
	until(func() bool { text, _ := os.ReadFile(said); return strings.Contains(string(text), "\n") })
	if text, _ := os.ReadFile(said); !strings.Contains(string(text), "waiting for a coordinator that runs the same program") {
		t.Errorf("the worker of another build: %s", text)
	}
	start(t, nil, "worker", "--url", url)
	finished(t, coordinator, out, messages, dir)
	if n := logged(t, log); len(n) > 0 {
		t.Errorf("another build has checked %v", n)
	}
}

// TestNoDirectory: a machine without the directory of the coordinator is named. The same
// command tries again.
func TestNoDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	url := natsServer(t, server.Options{Port: server.RANDOM_PORT, StoreDir: t.TempDir()}).ClientURL()
	begin := func() (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		input := filepath.Join(dir, "a.jsonl")
		if err := os.WriteFile(input, []byte(many(3)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(input, time.Time{}, time.Unix(1e9, 0)); err != nil {
			t.Fatal(err)
		}
		cmd, out, messages := program(t, nil, "check", "--url", url, input)
		cmd.Dir = dir
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, out, messages
	}
	q, err := connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer q.nc.Close()
	cmd, out, messages := begin()
	until(func() bool { // the shard is there
		s, err := q.js.Stream(t.Context(), shardStream)
		return err == nil && s.CachedInfo().State.Msgs == 1
	})
	if err := os.RemoveAll(dir); err != nil {
		t.Skip(err) // it is in use
	}
	start(t, nil, "worker", "--url", url)
	_ = cmd.Wait() // the status is compared
	if status := cmd.ProcessState.ExitCode(); status != batch.ExitBad || out.Len() > 0 ||
		!strings.Contains(messages.String(), "shard 1/1: a worker on ") || !strings.Contains(messages.String(), ": the directory of the coordinator: ") {
		t.Errorf("status %d; %q; %s", status, out, messages)
	}
	cmd, out, messages = begin()
	finished(t, cmd, out, messages, filepath.Join(dir, "a.jsonl"))
}

// TestOtherContent: shards with the same names, and histories that differ in a value, are not
// merged.
func TestOtherContent(t *testing.T) {
	var sums []uint32
	for _, text := range []string{history("a", 2, true) + history("b", 1, false), history("a", 2, true) + history("b", 1, true)} {
		t.Chdir(write(t, map[string]string{"a.jsonl": text}))
		j, r := job{Paths: []string{"a.jsonl"}, Shards: 2, Memory: 1 << 30}, shardResult{}
		for range j.entries(t.Context(), &r) {
		}
		if sums = append(sums, r.Input); r.Entries != 2 {
			t.Errorf("%d entries", r.Entries)
		}
	}
	if sums[0] == sums[1] {
		t.Error("the sums are equal")
	}
}
