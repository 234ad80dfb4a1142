package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/leadline/leadline/benchdata/subjects/internal/list"
	"github.com/leadline/leadline/history/stress"
)

// Processes are those that a test starts, of which it counts the processor time.
type processes struct {
	program string
	args    []string
	mu      sync.Mutex
	all     []*exec.Cmd
}

func (t *tester) scheduled(name string) *processes {
	return &processes{program: t.schedules, args: []string{"-serve", name, "-scheduled"}}
}

// start prepares a process, as stress.Supervise asks.
func (p *processes) start(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.program, p.args...)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, cmd)
	return cmd
}

// spent is the processor time of all processes so far. While one runs, it is known
// to 10 ms, on Linux only.
func (p *processes) spent() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	total := time.Duration(0)
	for _, cmd := range p.all {
		switch {
		case cmd.ProcessState != nil:
			total += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		case cmd.Process != nil:
			total += spentBy(cmd.Process.Pid)
		}
	}
	return total
}

// spentBy returns the processor time of a process that runs, from its line in /proc.
func spentBy(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := bytes.Cut(text, []byte(") "))
	fields := bytes.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	total := time.Duration(0)
	for _, field := range fields[11:13] {
		ticks, _ := strconv.Atoi(string(field))
		total += time.Duration(ticks) * (time.Second / 100)
	}
	return total
}

// limited returns a context that ends when the processes have spent so much.
func (p *processes) limited(ctx context.Context, most time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for ctx.Err() == nil {
			if p.spent() >= most {
				cancel()
			}
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return ctx, cancel
}

// search explores generated programs of an object for so much processor time.
func (p *processes) search(ctx context.Context, o *list.Object, preemptions int, most time.Duration, found func(*stress.Finding)) (*stress.Report, error) {
	ctx, cancel := p.limited(ctx, most)
	defer cancel()
	options := stress.Options{ReflectOptions: o.Reflect, Seed: 1, GoOn: true, Reduce: true, Schedules: true, Preemptions: preemptions,
		Effort: stress.Effort{Name: "schedules", Time: 24 * time.Hour, Program: time.Minute}, Found: found}
	options.Bounds.Values, options.Bounds.Sequences = o.Values, o.Sequences
	return stress.Supervise(ctx, p.start, options)
}

// hunt looks for the known violations of an object, first with one preemption, then
// with two, until all are found or so much processor time is spent.
func (t *tester) hunt(ctx context.Context, o *list.Object, known []*violation) error {
	p := t.scheduled(o.Name)
	left := 0
	for _, v := range known {
		if v.Object == o.Name {
			v.Hunt = nil
			left++
		}
	}
	done, stop := context.WithCancel(ctx)
	defer stop()
	found := func(f *stress.Finding) {
		for _, v := range known {
			if v.Object == o.Name && v.Method == f.Method && v.Hunt == nil {
				v.Hunt, v.history, v.Nearest = huntedOf(f, p.spent()), f.History, nil
				if left--; left == 0 && !t.goesOn {
					stop()
				}
				return
			}
		}
		t.say("%s: a violation that is not in the list: %s: %s: %s", o.Name, f.Method, f.Program, f.Outcome)
		t.results.addOther(&other{Object: o.Name, Method: f.Method, Program: f.Program, Outcome: f.Outcome, Spent: p.spent()})
	}
	report, err := p.search(done, o, t.preemptions, t.most, found)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Name, err)
	}
	r := &explored{Object: o.Name}
	r.count(report, p.spent())
	t.results.set(r)
	t.say("%-30s %d violations left; %d programs, %d executions, %.2f s", o.Name, left, r.Programs, r.Executions, r.Spent.Seconds())
	return nil
}

func huntedOf(f *stress.Finding, spent time.Duration) *hunted {
	s := f.Scheduled
	return &hunted{Program: f.Program, Outcome: f.Outcome, RealTime: f.RealTime, Preemptions: s.Preemptions, Delays: s.Delays, Schedule: s.Schedule,
		Mark: s.Mark, Programs: f.Explored, Execution: s.Execution, Executions: s.Total, Spent: spent, Replayed: s.Replayed}
}

// replay replays the schedule of a violation in so many other processes.
func (t *tester) replay(ctx context.Context, o *list.Object, v *violation, times int) error {
	h := v.Hunt
	h.Elsewhere, h.Processes = 0, times
	for range times {
		r, err := stress.Replay(ctx, t.scheduled(o.Name).start, stress.Options{ReflectOptions: o.Reflect}, h.Program, h.Schedule)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", o.Name, h.Program, err)
		}
		if r.Mark == h.Mark && r.Outcome == h.Outcome && r.Violates && r.Same == r.Times {
			h.Elsewhere++
		}
	}
	return nil
}

// threads runs the program of a violation on real threads, without instrumentation.
func (t *tester) threads(ctx context.Context, o *list.Object, v *violation) error {
	p := &processes{program: t.plain, args: []string{"-serve", o.Name}}
	options := stress.Options{ReflectOptions: o.Reflect, Programs: []string{v.Hunt.Program}, Effort: stress.Effort{Name: "threads", Time: t.onThreads, Program: t.onThreads}}
	report, err := stress.Supervise(ctx, p.start, options)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", o.Name, v.Hunt.Program, err)
	}
	v.Threads = &onThreads{Executions: report.Executions, Spent: p.spent()}
	for _, f := range report.Findings {
		v.Threads.Times, v.Threads.Executions = f.Times, f.Executions
	}
	return nil
}

// strategies are those whose executions to the first violation are compared: the
// columns of the table.
var strategies = []struct {
	title string
	trial
}{
	{"DFS 0, 1, 2", trial{Strategy: "dfs", Preemptions: 2}},
	{"delays 1, 2", trial{Strategy: "dfs", Delays: 2}},
	{"PCT 2", trial{Strategy: "pct", Preemptions: 1}},
	{"PCT 3", trial{Strategy: "pct", Preemptions: 2}},
	{"POS", trial{Strategy: "pos"}},
	{"walk", trial{Strategy: "walk"}},
	{"family 2", trial{Strategy: "family", Preemptions: 1}},
	{"family 3", trial{Strategy: "family", Preemptions: 2}},
}

// compare counts the executions of each strategy to the first violation of a program.
func (t *tester) compare(ctx context.Context, o *list.Object, v *violation) error {
	var list []trial
	for _, s := range strategies {
		s.Reflect, s.Program, s.Executions, s.Seeds = o.Reflect, v.Hunt.Program, t.executions, 1
		if s.Strategy == "pct" || s.Strategy == "pos" || s.Strategy == "walk" {
			s.Seeds = t.seeds
		}
		list = append(list, s.trial)
	}
	all, _, err := t.try(ctx, o.Name, list)
	if err != nil {
		return fmt.Errorf("%s: %w", v.Hunt.Program, err)
	}
	v.First = all
	return nil
}

// try does trials in another process, and returns its processor time, too.
func (t *tester) try(ctx context.Context, name string, list []trial) (all []*tried, spent time.Duration, err error) {
	text, err := json.Marshal(list)
	if err != nil {
		return nil, 0, err
	}
	cmd := exec.CommandContext(ctx, t.schedules, "-try", name)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), t.errs
	out, err := cmd.Output()
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	for line := range bytes.Lines(out) {
		r := &tried{}
		if err := json.Unmarshal(line, r); err != nil {
			return nil, 0, fmt.Errorf("%s: %q: %w", name, line, err)
		}
		all = append(all, r)
	}
	return all, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}
