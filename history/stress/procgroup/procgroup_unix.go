//go:build unix

package procgroup

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

func lead(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill kills what is left of a group. Its leader may have ended.
func Kill(cmd *exec.Cmd) error { return send(cmd, syscall.SIGKILL) }

func interrupt(cmd *exec.Cmd) error { return send(cmd, syscall.SIGINT) }

func send(cmd *exec.Cmd, signal syscall.Signal) error {
	err := syscall.Kill(-cmd.Process.Pid, signal)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
