package codec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/leadline/leadline/history"
)

// A File is an input that Files found.
type File struct {
	Name string // the path, or "-"
	opts Options
	in   *input // a stream or a member of an archive, which is already open; or nil
}

// Histories decodes the file; see Decode. Each call opens it anew, so that several
// may be decoded at the same time. Standard input, pipes and members of archives can
// be read once, and only until the next file is drawn from Files.
func (f File) Histories() iter.Seq2[*history.History, error] {
	return func(yield func(*history.History, error) bool) {
		in := f.in
		if in == nil {
			r, err := f.opts.openFile(f.Name)
			if err != nil {
				yield(nil, fileError(f.Name, err))
				return
			}
			defer r.Close()
			if in, err = newInput(r, f.opts.Limits); err != nil {
				yield(nil, inputError(f.Name, err))
				return
			}
			defer in.close()
		}
		for h, err := range decodeInput(in, f.Name, f.opts) {
			if !yield(h, err) {
				return
			}
		}
	}
}

// mostComments is how much of a file Comments reads.
const mostComments = 1 << 20

// Comments returns the lines that begin with '#' at the beginning of the file, as far as
// they are in its first megabyte. Histories reads them again: a pipe is opened once.
func (f File) Comments() string {
	in := f.in
	if in == nil {
		r, err := f.opts.openFile(f.Name)
		if err != nil {
			return "" // Histories reports it
		}
		defer r.Close()
		if in, err = newInput(r, f.opts.Limits); err != nil {
			return ""
		}
		defer in.close()
	}
	for at := 0; ; {
		text := in.head[at:]
		line := bytes.IndexByte(text, '\n') + 1
		switch {
		case line > 0 && text[0] == '#':
			at += line
		case len(text) > 0 && text[0] != '#' || in.err != nil || len(in.head) >= mostComments:
			return string(in.head[:at])
		default:
			in.look()
		}
	}
}

// Open returns the content of the file as it is stored. The content of standard
// input, a pipe or a member of an archive is decompressed, and can be read once, as
// described at Histories.
func (f File) Open() (io.ReadCloser, error) {
	if f.in != nil {
		return io.NopCloser(f.in), nil
	}
	r, err := f.opts.openFile(f.Name)
	if err != nil {
		return nil, fileError(f.Name, err)
	}
	return r, nil
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

// interruptible returns a reader of r whose Read returns when the context is done,
// even if that of r blocks. A regular file does not block.
func (o *Options) interruptible(r io.Reader) io.Reader {
	if o.Context == nil {
		return r
	}
	if f, ok := r.(fs.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return r
		}
	}
	return &waitingReader{context: o.Context, r: r, done: make(chan readResult, 1)}
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

// Files yields the files that paths name, in their order. A path is one of:
//   - a file;
//   - a directory, whose files follow in the order of their names, recursively;
//   - an archive, which is like a directory: its members follow in the archive's order;
//   - a file or directory in an archive, as in logs.tar.zst/run7/a.jsonl;
//   - "-" for standard input.
//
// Archives are tar, plain or compressed, and zip, recognised by their content.
// An archive in an archive is an error.
//
// In a directory or an archive, a file that has no known format is skipped and
// reported to opts.Skipped; see Options.Skip. A file that is empty, cannot be read or
// is not regular is an error. Links to files are followed, links to directories are
// not. A path that does not exist, or in which all files are skipped, is an error;
// the next path follows.
//
// With opts.Format set, every regular file of a directory is taken to have
// that format.
func Files(paths []string, opts Options) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		if _, err := opts.format(); err != nil {
			yield(File{}, err)
			return
		}
		s := &source{opts: opts, yield: yield}
		for _, path := range paths {
			if !s.path(path) {
				return
			}
		}
	}
}

// A source yields files. Its methods report false if the caller stopped.
type source struct {
	opts     Options
	yield    func(File, error) bool
	found    int    // files and faults
	explicit bool   // the current path is an argument, not a file of a directory
	clients  string // the last pattern that several files match; see clientFiles
}

func (s *source) fault(name string, err error) bool {
	s.found++
	return s.yield(File{Name: name}, fileError(name, err))
}

// unrecognised skips a file of a directory or an archive, or reports it as a fault.
func (s *source) unrecognised(name string, err error) bool {
	if !s.opts.skips(err) {
		return s.fault(name, err)
	}
	if s.opts.Skipped != nil {
		s.opts.Skipped(name, err)
	}
	return true
}

// path yields what an argument names.
func (s *source) path(name string) bool {
	s.explicit = true
	if name == "-" {
		return s.stream(name, io.NopCloser(s.opts.stdin()))
	}
	info, err := fs.Stat(s.opts.fileSystem(), name)
	if err != nil {
		if archive, member, ok := s.splitMember(name); ok {
			return s.file(archive, member)
		}
		return s.fault(name, err)
	}
	switch {
	case info.IsDir():
		return s.directory(name)
	case !info.Mode().IsRegular() && s.opts.FS == nil: // a pipe, for instance
		pipe, err := openPipe(s.opts.context(), name)
		if err != nil {
			return s.fault(name, err)
		}
		return s.stream(name, pipe)
	}
	return s.file(name, "")
}

// splitMember splits a path that leads into an archive.
func (s *source) splitMember(name string) (archive, member string, ok bool) {
	slashed := filepath.ToSlash(name)
	for i := range slashed {
		if slashed[i] != '/' || i == 0 {
			continue
		}
		info, err := fs.Stat(s.opts.fileSystem(), name[:i])
		if err != nil {
			return "", "", false
		}
		if member = strings.Trim(path.Clean(slashed[i:]), "/"); !info.IsDir() {
			return name[:i], member, info.Mode().IsRegular() && member != ""
		}
	}
	return "", "", false
}

// stream yields standard input or a named pipe, or its members if it is an archive.
// It waits for the first bytes.
func (s *source) stream(name string, r io.ReadCloser) bool {
	defer r.Close()
	in, err := newInput(s.opts.interruptible(r), s.opts.Limits)
	if err != nil {
		return s.fault(name, err)
	}
	defer in.close()
	in.context = s.opts.Context
	if kind := in.archive(); kind != noArchive {
		return s.archive(name, in, kind, "")
	}
	return s.yield(File{Name: name, opts: s.opts, in: in}, nil)
}

// file yields a file, or the members of an archive: all of them, or those selected.
// Faults of an argument are found when it is read.
func (s *source) file(name, selected string) bool {
	kind, size, err := s.examine(name)
	switch {
	case err == errExcluded:
		return true
	case kind != noArchive:
		return s.open(name, kind, selected)
	case selected != "":
		return s.fault(name+"/"+selected, errors.New("the file above it is not an archive"))
	case err != nil && !s.explicit:
		s.opts.count(size)
		return s.unrecognised(name, err)
	}
	if all := clientFiles(name); all != "" && s.isOfClient(name) && s.otherClients(name, all) {
		return s.fault(name, fmt.Errorf("%w: cat %s | leadline check -", errOneClient, all))
	}
	s.found++
	return s.yield(File{Name: name, opts: s.opts}, nil)
}

// clientFile matches the file with the operations of one client, as reports of etcd's
// robustness tests have them.
var clientFile = regexp.MustCompile(`^(.*?)client-?[0-9]+((?:/operations)?\.jsonl?(?:\.gz|\.zst)?)$`)

// clientFiles returns a pattern for the files of all clients if name is one of them,
// and "" otherwise.
func clientFiles(name string) string {
	if !strings.Contains(name, "client") {
		return ""
	}
	m := clientFile.FindStringSubmatch(path.Clean(filepath.ToSlash(name)))
	if m == nil {
		return ""
	}
	return m[1] + "client*" + m[2]
}

// otherClients reports whether several files match the pattern of clientFiles.
func (s *source) otherClients(name, all string) bool {
	if all == s.clients {
		return true
	}
	name, below, n := path.Clean(filepath.ToSlash(name)), "", 0
	if strings.HasSuffix(path.Dir(all), "client*") {
		name, below = path.Dir(name), "/"+path.Base(name)
	}
	entries, _ := fs.ReadDir(s.opts.fileSystem(), path.Dir(name)) // an error will recur when the file is read
	for _, e := range entries {
		if other := path.Join(path.Dir(name), e.Name()) + below; clientFiles(other) == all {
			if _, err := fs.Stat(s.opts.fileSystem(), other); err == nil {
				n++
			}
		}
	}
	if n > 1 {
		s.clients = all
	}
	return n > 1
}

// isOfClient reports whether a file has operations that are read without a mapping.
func (s *source) isOfClient(name string) bool {
	f, err := s.opts.fileSystem().Open(name)
	if err != nil || s.opts.Map != "" {
		return false
	}
	defer f.Close()
	in, err := newInput(f, s.opts.Limits)
	if err != nil {
		return false
	}
	defer in.close()
	format, err := in.detect()
	return err == nil && format.Name == etcdReportName
}

var errOneClient = errors.New("it has the operations of one client; those of all clients are one history")

// open yields the members of an archive.
func (s *source) open(name string, kind archive, selected string) bool {
	open := s.opts.openFile
	if kind == zipArchive { // bytes are counted member by member
		open = s.opts.fileSystem().Open
	}
	r, err := open(name)
	if err != nil {
		return s.fault(name, err)
	}
	defer r.Close()
	in, err := newInput(r, s.opts.Limits)
	if err != nil {
		return s.fault(name, err)
	}
	defer in.close()
	in.context = s.opts.Context
	return s.archive(name, in, kind, selected)
}

// examine returns the kind of archive that a file is, and its size. For a file of a
// directory, it returns an error if the file holds no histories.
func (s *source) examine(name string) (kind archive, size int64, err error) {
	info, err := fs.Stat(s.opts.fileSystem(), name) // follows symbolic links
	switch {
	case err != nil:
		return noArchive, 0, err
	case info.IsDir():
		return noArchive, 0, errDirectoryLink
	case !info.Mode().IsRegular():
		return noArchive, 0, errNotRegular
	case s.excludes(info):
		return noArchive, 0, errExcluded
	}
	f, err := s.opts.fileSystem().Open(name)
	if err != nil {
		return noArchive, 0, err
	}
	defer f.Close()
	in, err := newInput(f, s.opts.Limits)
	if err != nil {
		return noArchive, info.Size(), err
	}
	defer in.close()
	if kind = in.archive(); kind == noArchive && !s.explicit && s.opts.Format == "" && s.opts.Map == "" {
		_, err = in.detect()
	}
	return kind, info.Size(), err
}

// excludes reports whether a file or a directory below the current path is left out.
func (s *source) excludes(info fs.FileInfo) bool {
	return !s.explicit && s.opts.Exclude != nil && s.opts.Exclude(info)
}

var (
	errExcluded      = errors.New("left out, as Options.Exclude says")
	errNotRegular    = errors.New("not a regular file")
	errDirectoryLink = errors.New("a link to a directory, which is not followed; name it as an argument")
)

// directory yields the files below a directory.
func (s *source) directory(dir string) bool {
	found, goOn := s.found, true
	s.explicit = false
	// The error is always nil, because the function handles all errors.
	_ = fs.WalkDir(s.opts.fileSystem(), dir, func(name string, entry fs.DirEntry, err error) error {
		if s.opts.FS == nil {
			name = filepath.Clean(name)
		}
		switch {
		case err != nil:
			goOn = s.fault(name, err)
		case !entry.IsDir():
			goOn = s.file(name, "")
		case s.opts.Exclude != nil:
			if info, err := entry.Info(); err == nil && s.excludes(info) {
				return fs.SkipDir
			}
		}
		if !goOn {
			return fs.SkipAll
		}
		return nil
	})
	if s.found == found && goOn {
		goOn = s.fault(dir, errors.New("the directory holds no histories"))
	}
	return goOn
}

// fileError turns err, which may name the path, into a SyntaxError about path.
func fileError(path string, err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		err = e.Err
	case *SyntaxError:
		return &SyntaxError{File: path, Line: e.Line, Msg: e.Msg, Err: e.Err}
	}
	return &SyntaxError{File: path, Msg: err.Error(), Err: err}
}
