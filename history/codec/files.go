package codec

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/etcd"
	"github.com/leadline/leadline/history/files"
)

// A File is a file that Files found.
type File struct {
	files.File
	opts Options
}

// Histories decodes the file; see Decode. It opens the file as Input does.
func (f File) Histories() iter.Seq2[*history.History, error] {
	return func(yield func(*history.History, error) bool) {
		in, err := f.Input()
		if err != nil {
			yield(nil, inputError(f.Name, err))
			return
		}
		defer in.Close()
		decodeInput(in, f.Name, f.opts)(yield)
	}
}

// mostComments is how much of a file Comments reads.
const mostComments = 1 << 20

// Comments returns the lines that begin with '#' at the beginning of the file, as far as
// they are in its first megabyte. Histories reads them again: a pipe is opened once.
func (f File) Comments() string {
	in, err := f.Input()
	if err != nil {
		return "" // Histories reports it
	}
	defer in.Close()
	for at := 0; ; {
		text := in.Head()[at:]
		line := bytes.IndexByte(text, '\n') + 1
		switch {
		case line > 0 && text[0] == '#':
			at += line
		case len(text) > 0 && text[0] != '#' || in.Err() != nil || len(in.Head()) >= mostComments:
			return string(in.Head()[:at])
		default:
			in.Look()
		}
	}
}

// Files yields the files that paths name, as files.Walk does.
//
// In a directory or an archive, a file that has no known format is skipped and
// reported to opts.Skipped. A file that is empty is an error. With
// opts.Format set, every regular file of a directory is taken to have that format.
func Files(paths []string, opts Options) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		if err := opts.Check(); err != nil {
			yield(File{}, err)
			return
		}
		l := looker{opts: &opts}
		walk := files.Options{Limits: opts.Limits.Fill().Limits, Stdin: opts.Stdin, Context: opts.Context, FS: opts.FS,
			Exclude: opts.Exclude, Count: opts.Count, Look: l.look}
		for f, err := range files.Walk(paths, walk) {
			if !yield(File{f, opts}, err) {
				return
			}
		}
	}
}

// A looker says which files of a walk are decoded.
type looker struct {
	opts    *Options
	clients string // the last pattern that several files match; see clientFiles
}

// look implements Look of files.Options.
func (l *looker) look(f files.Found) error {
	all := clientFiles(f.Name)
	chosen := l.opts.Format != "" || f.Argument // the file is decoded, whatever it holds
	if l.opts.Map != "" || l.opts.Format != "" && f.Member || chosen && all == "" {
		return nil
	}
	format, err := detect(f.Input)
	switch {
	case err != nil && chosen:
		return nil // decoding reports it
	case err != nil && skips(err):
		if l.opts.Skipped != nil {
			l.opts.Skipped(f.Name, err)
		}
		return files.ErrSkip
	case err != nil:
		return err
	case all == "" || format.Name != etcd.ReportName:
		return nil
	case f.Member: // others may follow
		return fmt.Errorf("%w: unpack the archive and join its files", errOneClient)
	case l.otherClients(f, all):
		return fmt.Errorf("%w: cat %s | leadline check -", errOneClient, all)
	}
	return nil
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
func (l *looker) otherClients(f files.Found, all string) bool {
	if all == l.clients {
		return true
	}
	name, below, n := path.Clean(filepath.ToSlash(f.Name)), "", 0
	if strings.HasSuffix(path.Dir(all), "client*") {
		name, below = path.Dir(name), "/"+path.Base(name)
	}
	entries, _ := fs.ReadDir(f.FS, path.Dir(name)) // an error will recur when the file is read
	for _, e := range entries {
		if other := path.Join(path.Dir(name), e.Name()) + below; clientFiles(other) == all {
			if _, err := fs.Stat(f.FS, other); err == nil {
				n++
			}
		}
	}
	if n > 1 {
		l.clients = all
	}
	return n > 1
}

var errOneClient = errors.New("it has the operations of one client; those of all clients are one history")
