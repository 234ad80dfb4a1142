package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leadline/leadline/replay/batch"
)

// script returns the shell part of a file of deploy: the block below the args of a container,
// or the whole file.
func script(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n >= 50 {
		t.Errorf("%s has %d lines", name, n)
	}
	_, block, found := strings.Cut(string(text), "        - |\n")
	if !found {
		return string(text)
	}
	var b strings.Builder
	for line := range strings.Lines(block) {
		line, ok := strings.CutPrefix(line, "          ")
		if !ok {
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// merged returns what the command in the comment of a file of deploy gives.
func merged(t *testing.T, name, out string, shards int) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	_, line, found := strings.Cut(string(text), "cd /data/out && ")
	if !found {
		t.Fatalf("%s does not say how to merge", name)
	}
	line, _, _ = strings.Cut(line, "\n")
	cmd := exec.Command("sh", "-c", strings.Replace(line, " 10)", fmt.Sprintf(" %d)", shards), 1))
	cmd.Dir = out
	lines, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", line, err, lines)
	}
	return string(lines)
}

// TestDeploy runs the shell parts of the files of deploy, as Kubernetes and Slurm do.
func TestDeploy(t *testing.T) {
	for _, tool := range []string{"sh", "paste", "seq", "grep"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	path := "PATH=" + filepath.Dir(leadline(t)) + string(os.PathListSeparator) + os.Getenv("PATH")
	const shards = 3
	for _, c := range []struct {
		name string
		env  func(i int) []string // i is from 1
	}{
		{"kubernetes.yaml", func(i int) []string {
			return []string{fmt.Sprintf("JOB_COMPLETION_INDEX=%d", i-1), fmt.Sprintf("SHARDS=%d", shards)}
		}},
		{"slurm.sh", func(i int) []string {
			return []string{fmt.Sprintf("SLURM_ARRAY_TASK_ID=%d", i), fmt.Sprintf("SLURM_ARRAY_TASK_COUNT=%d", shards)}
		}},
	} {
		in, out := write(t, map[string]string{"a.jsonl": many(10), "b c.jsonl": history("last", 2, false)}), t.TempDir()
		want, _ := expected(t, in)
		text := script(t, c.name)
		for i := 1; i <= shards; i++ {
			run := func(more string) error {
				cmd := exec.Command("sh", "-c", text)
				cmd.Env = append(os.Environ(), append(c.env(i), more, "IN="+in, "OUT="+out)...)
				return cmd.Run()
			}
			// Something that ends the program by a signal makes the shell part fail.
			fake := write(t, map[string]string{"leadline": "#!/bin/sh\nkill -9 $$\n"})
			if err := os.Chmod(filepath.Join(fake, "leadline"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := run("PATH=" + fake + string(os.PathListSeparator) + os.Getenv("PATH")); err == nil {
				t.Errorf("%s succeeds although leadline was killed", c.name)
			}
			if _, err := os.Stat(filepath.Join(out, fmt.Sprintf("%d.jsonl", i))); err == nil {
				t.Errorf("%s: there are lines although leadline was killed", c.name)
			}
			if err := run(path); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		compare(t, merged(t, c.name, out, shards), want)
		if err := os.WriteFile(filepath.Join(in, "bad.jsonl"), []byte("no history\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		bad := exec.Command("sh", "-c", text)
		bad.Env = append(os.Environ(), path, "SHARDS=1", "JOB_COMPLETION_INDEX=0", "SLURM_ARRAY_TASK_ID=1", "SLURM_ARRAY_TASK_COUNT=1", "IN="+filepath.Join(in, "bad.jsonl"), "OUT="+t.TempDir())
		if _ = bad.Run(); bad.ProcessState.ExitCode() != batch.ExitBad {
			t.Errorf("%s: status %d for bad input", c.name, bad.ProcessState.ExitCode())
		}
		if status, err := os.ReadFile(filepath.Join(out, "1.status")); err != nil || strings.TrimSpace(string(status)) != "1" {
			t.Errorf("%s: status %q, %v", c.name, status, err)
		}
	}
}
