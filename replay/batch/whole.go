package batch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A WholeFile is a file that is written completely or not at all. Its content is written
// to PartName(name), which Finish renames. So if the process is killed, an older file
// remains. A device or a pipe is written directly.
type WholeFile struct {
	*os.File
	name string // "": Finish renames nothing
}

// PartName returns the name of the file that has the content until it is complete.
func PartName(name string) string { return name + ".part" }

// CreateWhole begins to write a file.
func CreateWhole(name string) (*WholeFile, error) {
	if strings.HasPrefix(name, "/dev/") { // /dev/stdout may be a regular file, which must not be replaced
		file, err := os.Create(name)
		return &WholeFile{file, ""}, err
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target // a rename would replace the link, not its target
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
		path.Path = name // the name that the user gave
	}
	return &WholeFile{file, name}, err
}

// Finish completes the file if err is nil. Otherwise it returns err.
func (f *WholeFile) Finish(err error) error {
	if err = errors.Join(err, f.Close()); err != nil || f.name == "" {
		return err
	}
	return os.Rename(PartName(f.name), f.name)
}

// WriteWhole writes a file as a WholeFile.
func WriteWhole(name string, text []byte) error {
	file, err := CreateWhole(name)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return file.Finish(err)
}
