package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// look is the interval between two checks of a child, short enough that it
// cannot exceed a limit by much.
const look = 10 * time.Millisecond

// patience is the largest multiple of the CPU time limit that may pass on the
// clock.
const patience = 20

// start runs a child to its end or to a limit. It returns the child's output,
// even if the child was stopped. Only Linux reports the memory of a running
// child.
//
// Linux counts the parent's resident set as the child's until the child
// executes its own program. So a child never seems to have less memory than
// this program ever had, and this program has to stay small.
func start(ctx context.Context, l limits, name string, args ...string) (c cost, output []byte, err error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		return c, nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(look)
	defer tick.Stop()
	begun := time.Now()
	for running := true; running; {
		select {
		case err = <-ended:
			running = false
		case <-tick.C:
			if c.stopped == "" {
				if c.stopped = l.exceeded(cmd.Process.Pid, time.Since(begun)); c.stopped != "" {
					cmd.Process.Kill()
				}
			}
		}
	}
	c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	c.memory = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	if c.stopped == "memory" { // the kernel's two counts can differ by some pages
		c.memory = max(c.memory, l.memory)
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return c, nil, context.Cause(ctx)
	case c.stopped != "":
		return c, out.Bytes(), nil
	case errors.As(err, &exit) && (exit.ExitCode() == statusNot || exit.ExitCode() == statusUnknown):
	case err != nil:
		return c, nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, errs.Bytes())
	}
	return c, out.Bytes(), nil
}

// exceeded returns the limit that a process has reached, if any.
func (l limits) exceeded(pid int, passed time.Duration) string {
	var size, resident int64
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
		if _, err := fmt.Sscan(string(text), &size, &resident); err == nil && resident*int64(os.Getpagesize()) > l.memory {
			return "memory"
		}
	}
	if cpuOf(pid) > l.cpu || passed > patience*l.cpu {
		return "time"
	}
	return ""
}

// cpuOf returns the CPU time that a process has used, in hundredths of a
// second.
func cpuOf(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The second field is the name in parentheses, the fourteenth and
	// fifteenth are the times.
	_, rest, _ := bytes.Cut(text, []byte(") "))
	fields := strings.Fields(string(rest))
	if len(fields) < 13 {
		return 0
	}
	var user, system int64
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		return 0
	}
	return time.Duration(user+system) * (time.Second / 100)
}
