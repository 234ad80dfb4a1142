package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// recorder starts the Java recorder, or skips the test where there is no JDK.
func recorder(t *testing.T, args ...string) (*exec.Cmd, io.Reader) {
	t.Helper()
	if !*full {
		t.Skip("starts Java: with -full")
	}
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("no JDK: nothing is recorded")
	}
	cmd := exec.Command("java", append([]string{"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", root + "/benchdata/juc/Recorder.java"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// TestRecorderPipe is java Recorder.java ... | leadline check -.
func TestRecorderPipe(t *testing.T) {
	t.Parallel()
	cmd, out := recorder(t, "--class", "ConcurrentHashMap", "--ops", "14", "--threads", "2", "--count", "200", "--seed", "7")
	var stdout, stderr bytes.Buffer
	status := run([]string{"check", "-"}, out, &stdout, &stderr)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("recorder: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "200 histories: ") || !strings.HasSuffix(last, " 0 unknown, 0 invalid") {
		t.Errorf("%s\n%s", last, stderr.String())
	}
	if status != statusOK && status != statusNot {
		t.Errorf("status %d", status)
	}
}

// TestCorpus: the script that records a corpus asks for enough histories, and leaves no
// file of a class of which there are too few. Java is a program that fails.
func TestCorpus(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	bin, dir := t.TempDir(), filepath.Join(t.TempDir(), "corpus")
	for name, text := range map[string]string{"javac": "", "java": "echo part; case $3 in Select) cat >/dev/null; exit 1; esac"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, test := range []struct {
		args   string
		status int
		files  bool // whether the directory is made
	}{{"", 2, false}, {dir + " 5 200", 2, false}, {dir + " 5 many", 2, false}, {dir + " 5 502", 1, true}} {
		cmd := exec.Command("sh", append([]string{root + "/benchdata/juc/corpus.sh"}, strings.Fields(test.args)...)...)
		text, _ := cmd.CombinedOutput() // the status is compared
		if status := cmd.ProcessState.ExitCode(); status != test.status || strings.Contains(string(text), "HISTORIES is at least 502") != (status == 2) {
			t.Errorf("%q: status %d\n%s", test.args, status, text)
		}
		if files, err := os.ReadDir(dir); (err == nil) != test.files || len(files) > 0 {
			t.Errorf("%q: %v, %v", test.args, files, err)
		}
	}
}

// TestRecorderKilled: what the recorder had written when it was killed is
// checked, up to the line that it had begun.
func TestRecorderKilled(t *testing.T) {
	t.Parallel()
	cmd, out := recorder(t, "--class", "ConcurrentLinkedQueue", "--ops", "14", "--threads", "4", "--count", "1000000", "--seed", "7")
	written := make([]byte, 100_000)
	if _, err := io.ReadFull(out, written); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	// End within a line, whatever the number of bytes happens to hit.
	end := bytes.LastIndexByte(written, '\n')
	begun := written[:end-10]
	whole := begun[:bytes.LastIndexByte(begun, '\n')]
	headers := bytes.Count(whole, []byte(`{"leadline":1`))
	var stdout, stderr bytes.Buffer
	if status := run([]string{"check", "-"}, bytes.NewReader(begun), &stdout, &stderr); status != statusBad {
		t.Errorf("status %d, want 2", status)
	}
	if !strings.Contains(stderr.String(), "the file is cut within this line") {
		t.Errorf("nothing is said of the cut line: %s", stderr.String())
	}
	// A header whose first event is the cut line makes an invalid history.
	got := strings.Count(stdout.String(), "linearizable  ") + strings.Count(stdout.String(), "invalid  ")
	if got != headers {
		t.Errorf("%d verdicts of %d histories\n%s", got, headers, stdout.String())
	}
}
