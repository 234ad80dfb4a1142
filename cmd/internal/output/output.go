// Package output is for commands whose results go to a reader that may go away, and which
// have to tidy up before they end.
//
// In leadline stress, for example:
//
//	out := &output.Writer{W: os.Stdout}
//	ctx, restore := out.Interruptible()
//	defer restore()
//	... // until the context is cancelled
//	if out.Closed() {
//		return output.StatusClosed
//	}
package output

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// StatusClosed is the exit status if nobody reads the output: what shells report of a
// program that SIGPIPE ended.
const StatusClosed = 128 + int(syscall.SIGPIPE)

// A Writer writes to W until that fails and keeps the error. Commands may stop then; they
// need not report it.
type Writer struct {
	W      io.Writer
	Err    error
	closed context.CancelFunc // called when nobody reads the output, unless nil
}

// Write writes p, or returns the error that ended the output.
func (w *Writer) Write(p []byte) (int, error) {
	if w.Err != nil {
		return 0, w.Err
	}
	n, err := w.W.Write(p)
	w.Err = err
	if w.closed != nil && w.Closed() {
		w.closed()
	}
	return n, err
}

// Closed reports whether the output ended because nobody reads it.
func (w *Writer) Closed() bool { return errors.Is(w.Err, syscall.EPIPE) }

// Interruptible returns a context that the first SIGINT or SIGTERM cancels. A second one
// ends the program at once.
func Interruptible() (ctx context.Context, restore func()) {
	ctx, restore = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, restore)
	return ctx, restore
}

// Interruptible is like the function, for commands that must not end by SIGPIPE, as they
// would leave directories behind: from then on, a write that nobody reads fails instead.
// If it is a write to w, it cancels the context. Others do not: a child process or a
// server that has gone concerns only those who talk to it.
func (w *Writer) Interruptible() (ctx context.Context, restore func()) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, restore = Interruptible()
	ctx, w.closed = context.WithCancel(ctx)
	return ctx, restore
}
