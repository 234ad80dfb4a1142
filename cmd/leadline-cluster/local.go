package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/leadline/leadline/replay/batch"
)

// local has the worker processes that a coordinator starts on its machine.
type local struct {
	url, store string // of the workers
	n          int
	restarts   int // how often each is started again
	stderr     io.Writer
	failed     context.CancelCauseFunc // called if one ends more often
}

// start keeps the workers running until the context is cancelled. The returned function
// waits until all have ended.
func (l *local) start(ctx context.Context) (wait func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var all sync.WaitGroup
	for range l.n {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				err := l.run(ctx, self)
				if n == l.restarts && ctx.Err() == nil {
					l.failed(&statusError{fmt.Errorf("a worker ended %d times: %v", n+1, err), batch.ExitInternal})
				}
				pause(ctx, 100*time.Millisecond)
			}
		})
	}
	return all.Wait, nil
}

// run runs a worker until it ends.
func (l *local) run(ctx context.Context, self string) error {
	jobs := strconv.Itoa(max(1, runtime.GOMAXPROCS(0)/l.n))
	cmd := exec.CommandContext(ctx, self, "worker", "--attached", "--jobs", jobs, "--url", l.url, "--store", l.store)
	cmd.Stderr = l.stderr
	stdin, err := cmd.StdinPipe() // closed when this process ends, in whatever way
	if err != nil {
		return err
	}
	cmd.Cancel = stdin.Close
	cmd.WaitDelay = 5 * time.Second // then it is killed
	return cmd.Run()
}
