package io

import (
	"io"

	"github.com/leadline/leadline/history/explore/shim/sync"
)

// A Half is one direction of a pipe: a Write waits until others have read all of it.
type Half struct {
	writing sync.Mutex // one Write at a time
	mu      sync.Mutex
	changed *sync.Cond

	data    []byte // what is left of the present Write
	offered bool   // there is one
	reader  error  // why the reading end is closed, or nil
	writer  error  // why the writing end is closed, or nil
}

// NewHalf returns a Half.
func NewHalf() *Half {
	h := &Half{}
	h.changed = sync.NewCond(&h.mu)
	return h
}

// Change calls f and wakes those that wait.
func (h *Half) Change(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
	h.changed.Broadcast()
}

// Write writes b. late returns an error when it is to give up.
func (h *Half) Write(b []byte, late func() error) (n int, err error) {
	h.writing.Lock()
	defer h.writing.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	fault := func() error {
		switch {
		case h.writer != nil:
			return io.ErrClosedPipe
		case h.reader != nil:
			return h.reader
		}
		return late()
	}
	if err := fault(); err != nil {
		return 0, err
	}
	h.data, h.offered = b, true
	h.changed.Broadcast()
	for err == nil && h.offered {
		h.changed.Wait()
		if h.offered {
			err = fault()
		}
	}
	n = len(b) - len(h.data)
	h.data, h.offered = nil, false
	return n, err
}

// Read reads what a Write has offered.
func (h *Half) Read(b []byte, late func() error) (n int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		switch {
		case h.reader != nil:
			return 0, io.ErrClosedPipe
		case h.offered:
			n = copy(b, h.data)
			if h.data = h.data[n:]; len(h.data) == 0 {
				h.offered = false
			}
			h.changed.Broadcast()
			return n, nil
		case h.writer != nil:
			return 0, h.writer
		}
		if err := late(); err != nil {
			return 0, err
		}
		h.changed.Wait()
	}
}

// CloseRead and CloseWrite close an end with an error for the other one, unless it is closed.
func (h *Half) CloseRead(err error)  { h.close(&h.reader, err) }
func (h *Half) CloseWrite(err error) { h.close(&h.writer, err) }

func (h *Half) close(end *error, err error) {
	h.Change(func() {
		if *end == nil {
			*end = err
		}
	})
}

func never() error { return nil }

// A PipeReader is the reading end of a pipe.
type PipeReader struct{ h *Half }

// A PipeWriter is the writing end of a pipe.
type PipeWriter struct{ h *Half }

// Pipe returns a pipe.
func Pipe() (*PipeReader, *PipeWriter) {
	h := NewHalf()
	return &PipeReader{h}, &PipeWriter{h}
}

// Read reads from the pipe. It waits for a Write or the end.
func (r *PipeReader) Read(data []byte) (n int, err error) { return r.h.Read(data, never) }

// Close is CloseWithError(nil).
func (r *PipeReader) Close() error { return r.CloseWithError(nil) }

// CloseWithError closes the pipe. Writes return err, or ErrClosedPipe if it is nil.
func (r *PipeReader) CloseWithError(err error) error {
	if err == nil {
		err = io.ErrClosedPipe
	}
	r.h.CloseRead(err)
	return nil
}

// Write writes to the pipe. It waits until all is read, or the pipe is closed.
func (w *PipeWriter) Write(data []byte) (n int, err error) { return w.h.Write(data, never) }

// Close is CloseWithError(nil).
func (w *PipeWriter) Close() error { return w.CloseWithError(nil) }

// CloseWithError closes the pipe. Reads return err, or EOF if it is nil.
func (w *PipeWriter) CloseWithError(err error) error {
	if err == nil {
		err = io.EOF
	}
	w.h.CloseWrite(err)
	return nil
}
