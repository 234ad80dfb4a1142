package files

import (
	"context"
	"io"
	"io/fs"
	"os"
)

// openPipe opens a named pipe. It waits for a writer until ctx is done.
func openPipe(ctx context.Context, name string) (io.ReadCloser, error) {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		file, err := os.Open(name)
		done <- opened{file, err}
	}()
	select {
	case o := <-done:
		return o.file, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// interruptible returns a reader of r whose Read returns when ctx, which may be nil, is
// done, even if that of r blocks. A regular file does not block.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	if ctx == nil {
		return r
	}
	if f, ok := r.(fs.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return r
		}
	}
	return &waitingReader{context: ctx, r: r, done: make(chan readResult, 1)}
}

// A waitingReader reads in a goroutine. Read waits for it until the context is done.
type waitingReader struct {
	context context.Context
	r       io.Reader
	buffer  []byte
	got     []byte // of buffer, not delivered yet
	err     error
	done    chan readResult
}

type readResult struct {
	n   int
	err error
}

func (w *waitingReader) Read(p []byte) (int, error) {
	if len(w.got) == 0 && w.err == nil {
		if w.buffer == nil {
			w.buffer = make([]byte, 1<<16)
		}
		go func() {
			n, err := w.r.Read(w.buffer)
			w.done <- readResult{n, err}
		}()
		select {
		case read := <-w.done:
			w.got, w.err = w.buffer[:read.n], read.err
		case <-w.context.Done():
			w.err = w.context.Err() // the goroutine is left behind
		}
	}
	n := copy(p, w.got)
	if w.got = w.got[n:]; len(w.got) > 0 {
		return n, nil
	}
	return n, w.err
}
