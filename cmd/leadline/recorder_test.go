package main

import (
	"bytes"
	"io"
	"os/exec"
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
	if !strings.Contains(stderr.String(), "torn last line") {
		t.Errorf("nothing is said of the torn line: %s", stderr.String())
	}
	// A header whose first event is the torn line makes an invalid history.
	got := strings.Count(stdout.String(), "linearizable  ") + strings.Count(stdout.String(), "invalid  ")
	if got != headers {
		t.Errorf("%d verdicts of %d histories\n%s", got, headers, stdout.String())
	}
}
