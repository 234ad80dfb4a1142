package output

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// unread returns a pipe that nobody reads.
func unread(t *testing.T) *os.File {
	r, w, err := os.Pipe()
	if err == nil {
		err = r.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() }) // whatever it returns
	return w
}

// TestClosed: the context ends with the reader of the output, and not with that of
// another pipe, though both cause SIGPIPE.
func TestClosed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGPIPE)
	defer signal.Stop(signals)
	out := &Writer{W: unread(t)}
	ctx, restore := out.Interruptible()
	defer restore()
	for range 3 {
		if _, err := unread(t).WriteString("x"); !errors.Is(err, syscall.EPIPE) {
			t.Fatal("a pipe that nobody reads:", err)
		}
		<-signals
	}
	select {
	case <-ctx.Done():
		t.Fatal("another pipe cancels the context")
	case <-time.After(50 * time.Millisecond): // time for what must not happen
	}
	if _, err := io.WriteString(out, "x"); !errors.Is(err, syscall.EPIPE) || !out.Closed() {
		t.Error("the output:", err)
	}
	<-ctx.Done()
	if _, err := io.WriteString(out, "x"); !errors.Is(err, syscall.EPIPE) {
		t.Error("the output, again:", err)
	}
}

// TestFull: another error of the output does not cancel the context.
func TestFull(t *testing.T) {
	r, full := io.Pipe()
	r.CloseWithError(syscall.ENOSPC)
	out := &Writer{W: full}
	ctx, restore := out.Interruptible()
	defer restore()
	if _, err := io.WriteString(out, "x"); err != syscall.ENOSPC || out.Err != err || out.Closed() {
		t.Error(err)
	}
	if context.Cause(ctx) != nil {
		t.Error(context.Cause(ctx))
	}
}
