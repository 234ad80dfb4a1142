// Package procgroup starts processes that end with all that they have started in turn, such
// as the compilers of the Go tool:
//
//	cmd := procgroup.Tool(ctx, "go", "build", "./...")
//	err := cmd.Run() // when ctx is cancelled, nothing is left behind
//
// Where the system has no groups of processes, only the process itself ends.
package procgroup

import (
	"context"
	"os/exec"
	"time"
)

// grace is how long the processes of Tool have to end after an interrupt.
const grace = 5 * time.Second

// Lead makes the process of a command the leader of a group of those that it starts. If
// the command has a context, its end kills the group. A signal of the terminal no longer
// reaches it, so the caller has to end it.
func Lead(cmd *exec.Cmd) {
	lead(cmd)
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { return Kill(cmd) }
	}
}

// Tool returns a command like exec.CommandContext. When the context is done, it
// interrupts the group of the command, so that it can remove its files, and kills what
// is left after five seconds.
func Tool(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	lead(cmd)
	cmd.WaitDelay = 2 * grace
	cmd.Cancel = func() error {
		time.AfterFunc(grace, func() { _ = Kill(cmd) }) // it has ended if that fails
		return interrupt(cmd)
	}
	return cmd
}
