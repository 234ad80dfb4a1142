package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/benchdata/peers"
	"github.com/leadline/leadline/replay"
)

// TestMain lets the test binary act as the measured children.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case porcupineCommand:
			os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
		case "eat":
			for eaten := [][]byte{}; ; time.Sleep(time.Millisecond) {
				if len(eaten) < 200 { // MiB
					eaten = append(eaten, bytes.Repeat([]byte{1}, 1<<20))
				}
			}
		case "spin":
			for peers.CPU() < time.Hour {
			}
		case "say":
			os.Stdout.WriteString("linearizable  rest\n    not-linearizable\nunknown\n")
			os.Exit(3)
		}
	}
	os.Exit(m.Run())
}

func linuxOnly(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("table is for Linux")
	}
}

func TestLimits(t *testing.T) {
	linuxOnly(t)
	// Only one limit is tight at a time: on a slow machine, touching 100 MiB can
	// take longer than spinning should.
	const brief, long = 300 * time.Millisecond, time.Hour
	for _, c := range []struct {
		what, stopped, answers string
		l                      limits
	}{
		{"eat", "memory", "", limits{cpu: long, memory: 100 << 20}},
		{"spin", "time", "", limits{cpu: brief, memory: 4 << 30}},
		{"say", "", "linearizable unknown", limits{cpu: long, memory: 4 << 30}},
	} {
		l := c.l
		got, output, err := start(t.Context(), l, os.Args[0], c.what)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v", c.what, got)
		if text := strings.Join(answers(output), " "); got.stopped != c.stopped || text != c.answers {
			t.Errorf("%s: stopped for %q with the answers %q", c.what, got.stopped, text)
		}
		if c.stopped == "memory" && (got.memory < l.memory || got.memory > 4*l.memory) {
			t.Errorf("%s: %v", c.what, got)
		}
		if c.stopped == "time" && got.cpu < l.cpu {
			t.Errorf("%s: %v", c.what, got)
		}
	}
	l := limits{cpu: long, memory: 4 << 30}
	if _, _, err := start(t.Context(), l, os.Args[0], porcupineCommand, "no-such-file"); err == nil {
		t.Error("no error for a child that fails")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := start(ctx, l, os.Args[0], "spin"); err == nil {
		t.Error("no error for a child that was interrupted")
	}
}

func TestAgree(t *testing.T) {
	for _, c := range []struct {
		truth replay.Answer
		cost  cost
		ok    bool
	}{
		{replay.Linearizable, cost{answers: []string{"linearizable"}}, true},
		{replay.NotLinearizable, cost{answers: []string{"linearizable"}}, false},
		{replay.Linearizable, cost{answers: []string{"not-linearizable"}}, false},
		{replay.Linearizable, cost{answers: []string{"unknown"}}, true},
		{replay.Linearizable, cost{}, false},
		{replay.Linearizable, cost{stopped: "time"}, true},
	} {
		if err := agree("leadline", c.truth, c.cost); (err == nil) != c.ok {
			t.Errorf("%v, %v: %v", c.truth, c.cost, err)
		}
	}
}

// TestTable measures a few small rows and compares everything except the
// numbers.
func TestTable(t *testing.T) {
	linuxOnly(t)
	if testing.Short() {
		t.Skip("builds leadline")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	var out, errs strings.Builder
	args := []string{"-full", "-repeat", "1", "-time", "5s", "-etcd", "/nowhere",
		"-rows", `^(set/n=1000/T=4|queue/n=1000/T=64|queue/n=1000/T=4/fill=4|stack/n=100000/T=16(/swap@50)?|(polylin|violat)/queue/n=100000/T=16|etcd)$`}
	if status := run(args, &out, &errs); status != 0 {
		t.Fatalf("status %d\n%s", status, errs.String())
	}
	const cost, number = `[0-9.]+ s, [0-9]+ MiB`, `[0-9.]+`
	for _, want := range []string{
		`(?m)^### Collections$`,
		`(?m)^\| type \| n \| T \| leadline \| porcupine \| ratio \|\n\|---\|---\|---\|---\|---\|---\|$`,
		`(?m)^\| queue \| 1000 \| 64 \| ` + cost + ` \| stopped [^|]* \| > ` + number + ` \|$`,
		`(?m)^\| set \| 1000 \| 4 \| ` + cost + ` \| ` + cost + ` \| ` + number + ` \|$`,
		`(?m)^\| queue \| 1000 \| 4 \| holds 4 \| ` + cost + ` \| ` + cost + ` \| ` + number + ` \|$`,
		`(?m)^\| stack \| 100000 \| 16 \| swap@50 \| ` + cost + ` \| - \| - \| ` + number + ` \|$`,
		`(?m)^### As the peers' own files$`,
		`(?m)^\| polylin \| queue \| 100000 \| ` + cost + `, ` + number + ` MB \| ` + cost + `, ` + number + ` MB \| ` + number + ` \| ` + number + ` \|$`,
		`(?m)^\| violat \| queue \| 100000 \| ` + cost + `, ` + number + ` MB \| ` + cost + `, ` + number + ` MB \| ` + number + ` \| ` + number + ` \|$`,
		`(?m)^\| etcd \| not found: /nowhere \|  \|  \|  \|  \|$`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no match of %s in\n%s", want, out.String())
		}
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
	}{
		{"-list", 0},
		{"-help", 0},
		{"-no-such-flag", 2},
		{"-repeat 0", 2},
		{"file", 2},
		{"-rows (", 1},
		{"-rows no-such-row", 1},
	} {
		var out, errs strings.Builder
		if status := run(strings.Fields(c.args), &out, &errs); status != c.status {
			t.Errorf("table %s: status %d, want %d\n%s", c.args, status, c.status, errs.String())
		}
	}
}

// TestNames: each row can be selected by its name, and each workload has one
// row.
func TestNames(t *testing.T) {
	for _, s := range selectRows(true, regexp.MustCompile("")) {
		seen := map[string]bool{}
		for _, r := range s.rows {
			if seen[r.name()] {
				t.Errorf("%s: %s occurs twice", s.title, r.name())
			}
			seen[r.name()] = true
			if r.source == "" {
				if _, err := r.workload.Events(); err != nil {
					t.Errorf("%s: %v", r.name(), err)
				}
			}
		}
	}
}
