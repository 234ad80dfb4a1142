package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// work runs leadline-cluster worker. An attached worker ends when its standard input
// does, and writes a line when it is connected.
func (c *connection) work(ctx context.Context, s streams, jobs int, stress string, attached bool) error {
	kind := checkKind
	if stress != "" {
		kind = stressKind
		var err error
		if stress, err = exec.LookPath(stress); err != nil {
			return err
		}
	}
	options, err := c.options()
	if err != nil {
		return err
	}
	url, err := c.address()
	if err != nil {
		return err
	}
	q, err := connect(kind, url, append(options, nats.RetryOnFailedConnect(true))...)
	if err != nil {
		return err
	}
	defer q.nc.Close()
	if !attached && q.nc.Status() == nats.RECONNECTING {
		fmt.Fprintln(s.err, "leadline-cluster worker: waiting for the server")
	}
	defer func() { _ = q.nc.FlushTimeout(time.Second) }() // without it, the last task is delivered again
	if attached {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		go func() {
			_, _ = io.Copy(io.Discard, s.in) // whatever ends it
			cancel()
		}()
		if _, err := fmt.Fprintln(s.out, "connected"); err != nil {
			return err
		}
	}
	return newWorker(q, jobs, stress, s.err).run(ctx)
}

// startLocal keeps n workers running on this machine until the context is cancelled. It
// restarts those that end. If several in a row end before they are connected, it calls
// failed instead. The returned function waits until all have ended.
func (f *clusterFlags) startLocal(ctx context.Context, s streams, q *queue, failed func(error)) (wait func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{"worker", "--attached", "--jobs", "1"}
	for _, flag := range [][2]string{{"creds", f.creds}, {"nkey", f.nkey}, {"tlsca", f.ca}, {"tlscert", f.cert}, {"tlskey", f.certKey}, {"stress", f.leadline}} {
		if flag[1] != "" {
			args = append(args, "--"+flag[0], flag[1])
		}
	}
	ended := make(chan struct{})
	for range f.workers {
		go func() {
			defer func() { ended <- struct{}{} }()
			early := 0
			for ctx.Err() == nil {
				connected, err := runLocal(ctx, s, self, args, q.url)
				if connected {
					early = 0
				} else if early++; early == 3 {
					failed(fmt.Errorf("the workers end before they are connected: %w", err))
					return
				}
				pause(ctx, 100*time.Millisecond)
			}
		}()
	}
	return func() {
		for range f.workers {
			<-ended
		}
	}, nil
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
