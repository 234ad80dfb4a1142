package worker

import (
	"context"
	"os/exec"
	"time"
)

// Lead makes the process of a command the leader of a group of those that it starts. If
// the command has a context, its end kills the group. A signal of the terminal no longer
// reaches it, so the caller has to end it.
func Lead(cmd *exec.Cmd) {
	lead(cmd)
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { return Kill(cmd) }
	}
}

// Tool returns a command like exec.CommandContext, such as one of the Go tool, which
// starts compilers. When the context is done, it interrupts the group of the command, so
// that it can remove its files, and kills what is left after five seconds.
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
