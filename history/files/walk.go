package files

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"path"
	"path/filepath"
	"strings"

	"github.com/leadline/leadline/history"
)

// Walk yields the files that paths name, in their order. A path is one of:
//   - a file;
//   - a directory, whose files follow in the order of their names, recursively;
//   - an archive, which is like a directory: its members follow in the archive's order;
//   - a file or directory in an archive, as in logs.tar.zst/run7/a.jsonl;
//   - "-" for standard input.
//
// Archives are tar, plain or compressed, and zip in a plain file, recognised by their content.
// An archive in an archive is an error.
//
// A file that cannot be read or is not regular is an error; one that a path names is only
// opened when it is read. Links to files are followed, links to directories are not. A path
// that does not exist, or in which all files are skipped, is an error; the next path follows.
// The errors are *history.Error.
func Walk(paths []string, opts Options) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		s := &source{opts: &opts, yield: yield}
		for _, path := range paths {
			if !s.path(path) {
				return
			}
		}
	}
}

// ErrSkip is what Options.Look returns for a file that is to be left out.
var ErrSkip = errors.New("left out")

// A source yields files. Its methods report false if the caller stopped.
type source struct {
	opts     *Options
	yield    func(File, error) bool
	found    int  // files and faults
	explicit bool // the current path is an argument, not a file of a directory
}

func (s *source) fault(name string, err error) bool {
	s.found++
	return s.yield(File{Name: name}, fault(name, err))
}

// refused leaves out a file that Options.Look refused with err, or reports it as a fault.
func (s *source) refused(name string, err error) bool {
	return err == ErrSkip || s.fault(name, err)
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
	in, err := Open(s.opts.Context, r, s.opts.Limits)
	if err != nil {
		return s.fault(name, err)
	}
	in.lent = true
	defer in.close()
	if kind := in.archive(); kind != noArchive {
		return s.archive(name, in, kind, "")
	}
	return s.yield(File{Name: name, opts: s.opts, in: in}, nil)
}

// file yields a file, or the members of an archive: all of them, or those selected.
// Faults of an argument are found when it is read.
func (s *source) file(name, selected string) bool {
	e := s.examine(name)
	switch {
	case e.err == errExcluded:
		return true
	case e.kind != noArchive:
		return s.open(name, e.kind, selected)
	case selected != "":
		return s.fault(name+"/"+selected, errors.New("the file above it is not an archive"))
	case e.refused != nil:
		s.opts.count(e.size)
		return s.refused(name, e.refused)
	case e.err != nil && !s.explicit:
		s.opts.count(e.size)
		return s.fault(name, e.err)
	}
	s.found++
	return s.yield(File{Name: name, opts: s.opts}, nil)
}

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
	in, err := decompress(NewInput(r), s.opts.Limits)
	if err != nil {
		return s.fault(name, err)
	}
	defer in.close()
	in.context = s.opts.Context
	return s.archive(name, in, kind, selected)
}

// An examined is what the beginning of a file shows.
type examined struct {
	kind    archive
	size    int64
	refused error // by Options.Look
	err     error // why it cannot be read
}

func (s *source) examine(name string) examined {
	info, err := fs.Stat(s.opts.fileSystem(), name) // follows symbolic links
	switch {
	case err != nil:
		return examined{err: err}
	case info.IsDir():
		return examined{err: errDirectoryLink}
	case !info.Mode().IsRegular():
		return examined{err: errNotRegular}
	case s.excludes(info):
		return examined{err: errExcluded}
	}
	f, err := s.opts.fileSystem().Open(name)
	if err != nil {
		return examined{err: err}
	}
	defer f.Close()
	e := examined{size: info.Size()}
	in, err := decompress(NewInput(f), s.opts.Limits)
	if err != nil {
		e.err = err
		return e
	}
	defer in.close()
	if e.kind = in.archive(); e.kind == noArchive {
		e.refused = s.opts.look(Found{Name: name, Input: in, Argument: s.explicit})
	}
	return e
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

// fault turns err, which may name the path, into an error about path.
func fault(path string, err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		err = e.Err
	case *history.Error:
		return &history.Error{File: path, Line: e.Line, Msg: e.Msg, Err: e.Err}
	}
	return &history.Error{File: path, Msg: err.Error(), Err: err}
}
