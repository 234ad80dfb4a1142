//go:build !unix

package worker

import (
	"os"
	"os/exec"
)

// attach gives a worker its ends of the pipes. os/exec passes only the standard streams.
func attach(cmd *exec.Cmd, requests, responses, _ *os.File) {
	cmd.Stdin, cmd.Stdout = requests, responses
}

// attached returns the worker's ends of the pipes.
func attached() (requests, responses, crash *os.File) {
	requests, responses = os.Stdin, os.Stdout
	os.Stdout = os.Stderr
	return requests, responses, nil
}

func lead(*exec.Cmd) {}

// Kill kills the process.
func Kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func interrupt(cmd *exec.Cmd) error { return cmd.Process.Kill() }
