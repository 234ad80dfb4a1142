//go:build unix

package worker

import (
	"context"
	"io"
	"os"
	"os/exec"
	"testing"
)

// TestTool: when the context is done, the processes of a command end with it.
func TestTool(t *testing.T) {
	alive, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := Tool(ctx, "sh", "-c", "sleep 3600 & echo >&3; wait")
	cmd.ExtraFiles = []*os.File{theirs}
	endsWith(t, cmd, alive, theirs, cancel)
}

// TestLead: the same for a command that ignores an interrupt.
func TestLead(t *testing.T) {
	alive, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", "trap '' INT; sleep 3600 & echo >&3; wait")
	Lead(cmd)
	cmd.ExtraFiles = []*os.File{theirs}
	endsWith(t, cmd, alive, theirs, cancel)
}

// endsWith cancels a command that writes to theirs, and waits until nobody has that open.
func endsWith(t *testing.T, cmd *exec.Cmd, alive, theirs *os.File, cancel func()) {
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	theirs.Close()
	if _, err := alive.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := cmd.Wait(); err == nil {
		t.Error("the command ended by itself")
	}
	if _, err := io.Copy(io.Discard, alive); err != nil {
		t.Error(err)
	}
}
