package codec

import (
	"fmt"
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
	return os.Open(f.Name)
}

// Files yields the files that paths name, in their order: a path is a file,
// a directory, whose files follow in the order of their names and
// recursively, or "-" for standard input. In a directory, what is no regular
// file or of no known format is passed over and told to opts.Skipped; a
// directory in which nothing is left is an error. A path that names nothing
// is an error, and the next path follows.
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
// wants no more.
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
			return give(File{Name: path}, fileError(path, err))
		case entry.IsDir():
			return nil
		}
		if err := recognise(path, opts); err != nil {
			if opts.Skipped != nil {
				opts.Skipped(path, err)
			}
			return nil
		}
		found++
		return give(File{path, opts}, nil)
	})
	if found == 0 && goOn {
		goOn = yield(File{Name: dir}, &SyntaxError{File: dir, Msg: "the directory holds no histories"})
	}
	return goOn
}

// recognise reports why a file of a directory is passed over.
func recognise(path string, opts Options) error {
	info, err := os.Stat(path) // follows symbolic links
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("not a regular file")
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
