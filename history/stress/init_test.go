package stress_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/stress"
)

// hangInInit is the program of an object whose package hangs before it reads anything. It
// has started another process, which hangs as well. Both keep file 3 open.
func hangInInit(how string) {
	if how != "init below" {
		below := exec.Command(os.Args[0])
		below.Env = append(os.Environ(), "STRESS_TEST_CHILD=init below")
		three := os.NewFile(3, "three")
		below.ExtraFiles, below.Stdout, below.Stderr = []*os.File{three}, os.Stdout, os.Stderr
		if below.Start() == nil {
			_, _ = three.WriteString("x")
		}
		if how == "init loud" {
			_, _ = os.Stdout.Write(bytes.Repeat([]byte("loud\n"), 1<<16))
		}
	}
	for {
		time.Sleep(time.Hour)
	}
}

// TestHangingInit: a package that hangs before it reads its programs, which are too many
// for a pipe, is found out, and an interrupt ends it. No process is left behind.
func TestHangingInit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no groups of processes")
	}
	programs := slices.Repeat([]string{"{ get(1); get(1) } || { get(2); get(2) }"}, 5000)
	for _, c := range []struct {
		name, how string
		silence   time.Duration
		run       func(ctx context.Context, start func(context.Context) *exec.Cmd, o stress.Options) error
		want      string
	}{
		{"watchdog", "init", 300 * time.Millisecond, supervised, "ran no program within 300ms"},
		{"loud watchdog", "init loud", 300 * time.Millisecond, supervised, "ran no program within 300ms"},
		{"interrupt", "init", patience, supervised, ""},
		{"interrupted replay", "init", patience, func(ctx context.Context, start func(context.Context) *exec.Cmd, o stress.Options) error {
			_, err := stress.Replay(ctx, start, o, programs[0], "0")
			return err
		}, "ended early"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			alive, theirs, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer alive.Close()
			start := func(ctx context.Context) *exec.Cmd {
				cmd := child(c.how)(ctx)
				cmd.ExtraFiles = []*os.File{theirs}
				return cmd
			}
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			ended := make(chan error, 1)
			go func() {
				ended <- c.run(ctx, start, stress.Options{Silence: c.silence, Programs: programs, Effort: stress.Effort{Time: patience}})
				theirs.Close()
			}()
			if _, err := alive.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			if c.silence == patience {
				interrupt()
			}
			if err := <-ended; (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if _, err := io.Copy(io.Discard, alive); err != nil { // until nobody has it open
				t.Error(err)
			}
		})
	}
}

func supervised(ctx context.Context, start func(context.Context) *exec.Cmd, o stress.Options) error {
	_, err := stress.Supervise(ctx, start, o)
	return err
}
