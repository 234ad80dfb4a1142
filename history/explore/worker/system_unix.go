//go:build unix

package worker

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// attach gives a worker its ends of the pipes, which are its descriptors 3 and 4.
func attach(cmd *exec.Cmd, requests, responses *os.File) {
	cmd.ExtraFiles = []*os.File{requests, responses}
}

// attached returns the worker's ends of the pipes. What it starts does not inherit them.
func attached() (requests, responses *os.File) {
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(4)
	return os.NewFile(3, "requests"), os.NewFile(4, "responses")
}

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
