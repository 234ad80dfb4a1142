//go:build unix

package worker

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

func init() {
	workers["closes"] = func(context.Context, *Conn) error {
		for fd := range 3 {
			_ = syscall.Close(fd)
		}
		panic("at last")
	}
	workers["closes its connection"] = func(context.Context, *Conn) error {
		_ = syscall.Close(3)
		_ = syscall.Close(4)
		select {}
	}
	workers["leaves others"] = func(context.Context, *Conn) error { leave(); os.Exit(3); return nil }
	workers["leaves others at once"] = func(context.Context, *Conn) error { os.Exit(3); return nil }
	if Name() == "leaves others at once" {
		leave() // before Serve: with the connection
	}
}

// leave starts a process that is in no group of ours and keeps descriptors open.
func leave() {
	cmd := exec.Command("sleep", "30")
	cmd.Stderr, cmd.SysProcAttr = os.Stderr, &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}
