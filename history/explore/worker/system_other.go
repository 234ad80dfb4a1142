//go:build !unix

package worker

import (
	"os"
	"os/exec"
)

// os/exec passes only the standard streams here. A worker takes them before other packages
// can use them.
var stdin, stdout = take()

func take() (in, out *os.File) {
	if Name() != "" {
		in, out, os.Stdout = os.Stdin, os.Stdout, os.Stderr
	}
	return in, out
}

// attach gives a worker its ends of the pipes.
func attach(cmd *exec.Cmd, requests, responses *os.File) {
	cmd.Stdin, cmd.Stdout = requests, responses
}

// attached returns the worker's ends of the pipes.
func attached() (requests, responses *os.File) { return stdin, stdout }

func lead(*exec.Cmd) {}

// Kill kills the process.
func Kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func interrupt(cmd *exec.Cmd) error { return cmd.Process.Kill() }
