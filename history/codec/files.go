package codec

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/leadline/leadline/history"
)

// A File is an input that Files found. It is opened by Histories and not
// before, so that several may be decoded at the same time and their results
// be put in order.
type File struct {
	Name string // the path, or "-"
	opts Options
}

// Histories decodes the file; see Decode. Each call opens it anew.
func (f File) Histories() iter.Seq2[*history.History, error] {
	return func(yield func(*history.History, error) bool) {
		r, err := f.open()
		if err != nil {
			yield(nil, fileError(f.Name, err))
			return
		}
		defer r.Close()
		for h, err := range Decode(r, f.Name, f.opts) {
			if !yield(h, err) {
				return
			}
		}
	}
}

func (f File) open() (io.ReadCloser, error) {
	if f.Name == "-" {
		return io.NopCloser(f.opts.stdin()), nil
	}
	if info, err := os.Stat(f.Name); err == nil && info.Mode()&fs.ModeNamedPipe != 0 && f.opts.Context != nil {
		return openPipe(f.opts.Context, f.Name)
	}
	return os.Open(f.Name)
}

// openPipe opens a named pipe, which waits for a writer.
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

// interruptible returns a reader of r whose Read ends when the context is
// done, even if that of r waits. A regular file does not wait.
func (o *Options) interruptible(r io.Reader) io.Reader {
	if o.Context == nil {
		return r
	}
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return r
		}
	}
	return &waitingReader{context: o.Context, r: r, done: make(chan readResult, 1)}
}

// A waitingReader reads in a goroutine, for which Read waits or not.
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

// Files yields the files that paths name, in their order: a path is a file,
// a directory, whose files follow in the order of their names and
// recursively, or "-" for standard input. In a directory, what is not a regular
// file or has no known format is skipped and reported to opts.Skipped; a file
// that is empty or cannot be read is an error, and so is a directory in which
// nothing is left. A path that names nothing is an error, and the next path
// follows.
//
// With opts.Format set, every regular file of a directory is taken to have
// that format.
func Files(paths []string, opts Options) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		if _, err := opts.format(); err != nil {
			yield(File{}, err)
			return
		}
		for _, path := range paths {
			if path != "-" {
				info, err := os.Stat(path)
				if err != nil {
					if !yield(File{Name: path}, fileError(path, err)) {
						return
					}
					continue
				}
				if info.IsDir() {
					if !walk(path, opts, yield) {
						return
					}
					continue
				}
			}
			if !yield(File{path, opts}, nil) {
				return
			}
		}
	}
}

// walk yields the files below directory dir; it reports false if the caller
// stopped.
func walk(dir string, opts Options, yield func(File, error) bool) bool {
	found, goOn := 0, true
	give := func(f File, err error) error {
		if goOn = yield(f, err); !goOn {
			return filepath.SkipAll
		}
		return nil
	}
	// The separator makes WalkDir enter a directory that is a symbolic link.
	// Its error is always nil: the function below handles each.
	_ = filepath.WalkDir(dir+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			found++
			return give(File{Name: path}, fileError(path, err))
		case entry.IsDir():
			return nil
		}
		err = recognise(path, opts)
		switch {
		case errors.Is(err, ErrUnknownFormat) || errors.Is(err, errNotRegular):
			if opts.Skipped != nil {
				opts.Skipped(path, err)
			}
			return nil
		case err != nil:
			found++
			return give(File{Name: path}, fileError(path, err))
		}
		found++
		return give(File{path, opts}, nil)
	})
	if found == 0 && goOn {
		goOn = yield(File{Name: dir}, &SyntaxError{File: dir, Msg: "the directory holds no histories"})
	}
	return goOn
}

var errNotRegular = errors.New("not a regular file")

// recognise reports why a file of a directory has no histories.
func recognise(path string, opts Options) error {
	info, err := os.Stat(path) // follows symbolic links
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errNotRegular
	}
	if opts.Format != "" || opts.Map != "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := newInput(f, opts.Limits)
	if err != nil {
		return err
	}
	defer in.close()
	_, err = in.detect()
	return err
}

// fileError gives err, which names path itself or not, the form of all
// errors of files.
func fileError(path string, err error) error {
	if pe, ok := err.(*fs.PathError); ok {
		err = pe.Err
	}
	return &SyntaxError{File: path, Msg: err.Error(), Err: err}
}
