package batch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A WholeFile is a file that is there as a whole or not at all: it is written to
// PartName(name), which Finish renames, so that a process that is killed leaves what was
// there before. A device or a pipe is written as it is.
type WholeFile struct {
	*os.File
	name string // "": Finish renames nothing
}

// PartName returns where the content of a file is until it is complete.
func PartName(name string) string { return name + ".part" }

// CreateWhole begins to write a file.
func CreateWhole(name string) (*WholeFile, error) {
	if strings.HasPrefix(name, "/dev/") { // /dev/stdout may be a regular file, which is not ours to replace
		file, err := os.Create(name)
		return &WholeFile{file, ""}, err
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target // which a rename would not replace
	}
	mode := fs.FileMode(0o666)
	switch info, err := os.Stat(name); {
	case err == nil && info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("is a directory")}
	case err == nil && !info.Mode().IsRegular():
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		return &WholeFile{file, ""}, err
	case err == nil:
		mode = info.Mode().Perm()
	}
	file, err := os.OpenFile(PartName(name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	var path *fs.PathError
	if errors.As(err, &path) {
		path.Path = name // which the user knows
	}
	return &WholeFile{file, name}, err
}

// Finish completes the file, unless err is not nil, which it returns.
func (f *WholeFile) Finish(err error) error {
	if err = errors.Join(err, f.Close()); err != nil || f.name == "" {
		return err
	}
	return os.Rename(PartName(f.name), f.name)
}

// WriteWhole writes a file.
func WriteWhole(name string, text []byte) error {
	file, err := CreateWhole(name)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return file.Finish(err)
}
