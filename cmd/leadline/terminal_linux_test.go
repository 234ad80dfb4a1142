package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

func init() { scriptCommands["tty"] = runOnTerminal }

// runOnTerminal is the command tty FILE PROGRAM ARGS... of scripts. It runs the program
// with a terminal as its standard output, and writes to the file what it prints there.
// (The command ttyin of testscript may lose output on a busy machine.)
func runOnTerminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: tty file program args...")
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = os.Environ()
	for _, name := range []string{"PATH", "TERM", "COLUMNS", "NO_COLOR"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	text, err := outputOnTerminal(cmd)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o666))
}

// outputOnTerminal runs a command on a terminal of its own and returns all that it
// prints.
func outputOnTerminal(cmd *exec.Cmd) ([]byte, error) {
	controller, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer controller.Close()
	fd := int(controller.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, err
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	cmd.Stdout = terminal
	err = cmd.Start()
	terminal.Close()
	if err != nil {
		return nil, err
	}
	text, _ := io.ReadAll(controller) // it ends with EIO, once the program has closed the terminal
	_ = cmd.Wait()                    // its status does not matter
	return text, nil
}

// TestOutputOnTerminal: nothing is lost, however much is printed.
func TestOutputOnTerminal(t *testing.T) {
	text, err := outputOnTerminal(exec.Command("seq", "20000"))
	if err != nil {
		t.Skip(err)
	}
	if n := len(text); n != 108894+20000 { // each line ends with \r\n
		t.Errorf("%d bytes", n)
	}
}
