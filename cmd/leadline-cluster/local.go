package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// urlVariable is the environment variable with the URL for workers that the coordinator
// starts. A command line would show the token in it to all users of the machine.
const urlVariable = "LEADLINE_CLUSTER_URL"

// startLocal keeps workers running on this machine until the context is cancelled. It
// restarts those that end. If several in a row end before they are connected, it calls
// failed instead. The returned function waits until all have ended.
func (f *checkFlags) startLocal(ctx context.Context, s streams, failed func(error)) (wait func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{"worker", "--attached", "--jobs", strconv.Itoa(max(1, runtime.GOMAXPROCS(0)/max(1, f.workers)))}
	for _, flag := range [][2]string{{"creds", f.creds}, {"tlsca", f.ca}} {
		if flag[1] != "" {
			args = append(args, "--"+flag[0], flag[1])
		}
	}
	if f.store != "" {
		args = append(args, "--store", filepath.Join(f.store, "journals"))
	}
	var all sync.WaitGroup
	for range f.workers {
		all.Go(func() {
			early := 0
			for ctx.Err() == nil {
				connected, err := runLocal(ctx, s, self, args, f.url)
				if connected {
					early = 0
				} else if early++; early == 3 {
					failed(fmt.Errorf("the workers end before they are connected: %w", err))
					return
				}
				pause(ctx, 100*time.Millisecond)
			}
		})
	}
	return all.Wait, nil
}

// runLocal runs a worker until it ends and reports whether it was connected.
func runLocal(ctx context.Context, s streams, self string, args []string, url string) (connected bool, err error) {
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), urlVariable+"="+url)
	cmd.Stderr = s.err
	stdin, err := cmd.StdinPipe() // closed when this process ends, in whatever way
	if err != nil {
		return false, err
	}
	defer stdin.Close()
	cmd.Cancel = stdin.Close
	cmd.WaitDelay = 5 * time.Second // then it is killed
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	_, err = bufio.NewReader(stdout).ReadString('\n')
	connected = err == nil
	err = cmd.Wait()
	if err == nil {
		err = errors.New("exit status " + strconv.Itoa(cmd.ProcessState.ExitCode()))
	}
	return connected, err
}
