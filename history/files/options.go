package files

import (
	"context"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
)

// Options configure a walk. The zero value is useful.
type Options struct {
	Limits Limits
	// Stdin is read for the path "-"; nil means os.Stdin.
	Stdin io.Reader
	// Context ends reading when it is done, even while a read blocks. It may be nil.
	Context context.Context
	// FS is the file system of the paths; nil means that of the operating system.
	FS fs.FS
	// Exclude reports whether a file or a directory below a directory is left out without
	// a word, because the caller writes it, for example. It may be nil.
	Exclude func(fs.FileInfo) bool
	// Look judges a file before it is yielded, unless that is a stream. If it returns an error,
	// the walk yields the error instead, or nothing if that is ErrSkip. It may be nil.
	Look func(Found) error
	// Count, if not nil, counts the bytes of the files that were read or skipped,
	// before decompression. Standard input and pipes are not counted.
	Count *atomic.Int64
}

// A Found is a file that a walk found. Its Input has nothing but a beginning for Look to
// examine, and must not be kept.
type Found struct {
	Name     string
	FS       fs.FS // of the walk
	Input    *Input
	Argument bool // a path names the file itself, not a directory or an archive above it
	Member   bool // of an archive
}

func (o *Options) look(f Found) error {
	if o.Look == nil {
		return nil
	}
	f.FS = o.fileSystem()
	return o.Look(f)
}

// system is the file system of the operating system.
type system struct{}

func (system) Open(name string) (fs.File, error)          { return os.Open(name) }
func (system) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }
func (system) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// openFile opens a file and counts the bytes that are read from it.
func (o *Options) openFile(name string) (fs.File, error) {
	f, err := o.fileSystem().Open(name)
	if err != nil || o.Count == nil {
		return f, err
	}
	return &countedFile{f, o}, nil
}

func (o *Options) context() context.Context {
	if o.Context != nil {
		return o.Context
	}
	return context.Background()
}

// fileSystem returns the file system of the paths.
func (o *Options) fileSystem() fs.FS {
	if o.FS != nil {
		return o.FS
	}
	return system{}
}

// count adds to Options.Count.
func (o *Options) count(bytes int64) {
	if o.Count != nil {
		o.Count.Add(bytes)
	}
}

// A countedFile counts what is read of it.
type countedFile struct {
	fs.File
	opts *Options
}

func (c *countedFile) Read(p []byte) (int, error) {
	n, err := c.File.Read(p)
	c.opts.count(int64(n))
	return n, err
}

func (o *Options) stdin() io.Reader {
	if o.Stdin != nil {
		return o.Stdin
	}
	return os.Stdin
}
