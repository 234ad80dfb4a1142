//go:build !unix

package procgroup

import "os/exec"

func lead(*exec.Cmd) {}

// Kill kills the process.
func Kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func interrupt(cmd *exec.Cmd) error { return cmd.Process.Kill() }
