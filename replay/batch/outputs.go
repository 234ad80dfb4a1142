package batch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/files"
)

// An Output is a file that a command writes, as a WholeFile or otherwise.
type Output struct {
	Name string // what messages call it, as --junit
	File string
	// IsJournal is set if the command checks itself that the file, if it exists, is its own.
	IsJournal bool
}

// CheckOutputs returns an error if an output is an input, or another output, since the
// command would destroy what it has. It also does if an output replaces a file with
// histories of a directory that is read. Devices may be named more than once. read is how the
// command reads its inputs.
func CheckOutputs(outputs []Output, inputs []string, read codec.Options) error {
	for i, o := range outputs {
		part := PartName(o.File)
		for _, input := range inputs {
			switch {
			case isSameFile(o.File, input) || isSameFile(part, input):
				return fmt.Errorf("%s would overwrite the input %s", o.Name, input)
			case !o.IsJournal && isBelow(o.File, input) && holdsHistories(o.File, read):
				return fmt.Errorf("%s would overwrite %s, which is one of the files in %s with histories", o.Name, o.File, input)
			}
		}
		for _, other := range outputs[:i] {
			if isSameFile(o.File, other.File) || isSameFile(part, other.File) || isSameFile(o.File, PartName(other.File)) {
				return fmt.Errorf("%s and %s name the same file, %s", other.Name, o.Name, o.File)
			}
		}
	}
	return nil
}

// IsOutput returns a function for codec.Options.Exclude. It reports whether a file is one of
// the outputs, or one of the open files, such as standard output.
func IsOutput(outputs []Output, open ...fs.File) func(fs.FileInfo) bool {
	var infos []fs.FileInfo
	for _, o := range outputs {
		for _, name := range []string{o.File, PartName(o.File)} {
			if info, err := os.Stat(name); err == nil {
				infos = append(infos, info)
			}
		}
	}
	for _, file := range open {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			infos = append(infos, info)
		}
	}
	return func(info fs.FileInfo) bool {
		return slices.ContainsFunc(infos, func(o fs.FileInfo) bool { return os.SameFile(o, info) })
	}
}

// isSameFile reports whether two names are of one regular file, which may not exist yet.
func isSameFile(a, b string) bool {
	one, err := os.Stat(a)
	two, err2 := os.Stat(b)
	if err == nil && err2 == nil {
		return one.Mode().IsRegular() && os.SameFile(one, two)
	}
	if err == nil || err2 == nil {
		return false
	}
	a, err = filepath.Abs(a)
	b, err2 = filepath.Abs(b)
	return err == nil && err2 == nil && a == b
}

// isBelow reports whether a file exists and is below a directory.
func isBelow(file, dir string) bool {
	file, err := filepath.EvalSymlinks(file)
	dir, err2 := filepath.EvalSymlinks(dir)
	if err != nil || err2 != nil {
		return false
	}
	file, err = filepath.Abs(file)
	dir, err2 = filepath.Abs(dir)
	if err != nil || err2 != nil {
		return false
	}
	relative, err := filepath.Rel(dir, file)
	return err == nil && relative != "." && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator))
}

// holdsHistories reports whether a file has histories, with or without the format and
// the mapping of read.
func holdsHistories(file string, read codec.Options) bool {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return false
	}
	for _, o := range []codec.Options{{}, read} {
		for f, err := range codec.Files([]string{file}, o) {
			if err != nil {
				continue
			}
			for _, err := range f.Histories() {
				// A report is not a history for a format that a flag names.
				if err == nil || o.Format == "" && o.Map == "" && (!errors.Is(err, codec.ErrUnknownFormat) || errors.Is(err, codec.ErrNoHeader)) && !errors.Is(err, files.ErrEmpty) {
					return true
				}
				break
			}
		}
	}
	return false
}
