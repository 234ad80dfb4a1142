package main

import (
	"strings"
	"testing"
)

// Two small libraries; go run ./upstream has all.
func TestUpstream(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	t.Chdir("..")
	for _, args := range [][]string{{}, {"-plain"}} {
		var out, errs strings.Builder
		status := run(append(args, "-only", "alphadose/haxmap|zhangyunhao116/skipmap"), &out, &errs)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 2 || status != 0 || errs.Len() > 0 {
			t.Errorf("%v: status %d, %s%s", args, status, out.String(), errs.String())
		}
		for _, line := range lines {
			if strings.Contains(line, "left out") {
				t.Skip(line) // modules are missing
			}
			if !strings.Contains(line, " tests pass without, ") || strings.Contains(line, " 0 tests") {
				t.Errorf("%v: %s", args, line)
			}
		}
	}
	if status := run([]string{"-only", "("}, &strings.Builder{}, &strings.Builder{}); status != 2 {
		t.Errorf("a wrong expression: status %d, want 2", status)
	}
}
