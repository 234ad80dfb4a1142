//go:build unix

package worker

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// The descriptors of a worker.
const (
	requestsDescriptor  = 3
	responsesDescriptor = 4
	crashDescriptor     = 5
)

// attach gives a worker its ends of the pipes.
func attach(cmd *exec.Cmd, requests, responses, crash *os.File) {
	cmd.ExtraFiles = []*os.File{requests, responses, crash}
}

// attached returns the worker's ends of the pipes. What it starts does not inherit them.
func attached() (requests, responses, crash *os.File) {
	open := func(descriptor int, name string) *os.File {
		syscall.CloseOnExec(descriptor)
		return os.NewFile(uintptr(descriptor), name)
	}
	return open(requestsDescriptor, "requests"), open(responsesDescriptor, "responses"), open(crashDescriptor, "crash")
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
