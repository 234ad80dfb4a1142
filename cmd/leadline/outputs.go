package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/files"
	"github.com/leadline/leadline/replay/batch"
	"github.com/spf13/pflag"
)

// addOutputs checks the flags that name files to write, and excludes these files from
// what is read. An output that is one of the inputs, or another output, is an error: the
// command would destroy what it has. So is one that replaces a history of a directory
// that is read. Devices may be named more than once. Only --output may be -, standard
// output.
func (in *input) addOutputs(flags *pflag.FlagSet, inputs []string, names ...string) error {
	var outputs []*pflag.Flag
	for _, name := range names {
		o := flags.Lookup(name)
		file := o.Value.String()
		switch {
		case !o.Changed || file == "-" && name == "output":
			continue
		case file == "" || file == "-":
			return fmt.Errorf("--%s needs the name of a file, not %q", name, file)
		}
		part := batch.PartName(file)
		for _, input := range inputs {
			switch {
			case isSameFile(file, input) || isSameFile(part, input):
				return fmt.Errorf("--%s would overwrite the input %s", name, input)
			case name != "resume" && isBelow(file, input) && in.holdsHistories(file):
				return fmt.Errorf("--%s would overwrite %s, which is one of the files in %s with histories", name, file, input)
			}
		}
		for _, other := range outputs {
			if of := other.Value.String(); isSameFile(file, of) || isSameFile(part, of) || isSameFile(file, batch.PartName(of)) {
				return fmt.Errorf("--%s and --%s name the same file, %s", other.Name, name, file)
			}
		}
		outputs = append(outputs, o)
		in.outputs = append(in.outputs, file, part)
	}
	return nil
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
// the mapping of the flags.
func (in *input) holdsHistories(file string) bool {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return false
	}
	for _, o := range []codec.Options{{}, in.Options} {
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

// written returns a function that reports whether a file or directory is one that the
// command writes: one of outputs, or where standard output and standard error go.
func written(s streams, outputs []string) func(fs.FileInfo) bool {
	var infos []fs.FileInfo
	for _, name := range outputs {
		if info, err := os.Stat(name); err == nil {
			infos = append(infos, info)
		}
	}
	out := s.out
	if checked, ok := out.(*output.Writer); ok {
		out = checked.W
	}
	for _, w := range []io.Writer{out, s.err} {
		if file, ok := w.(fs.File); ok {
			if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
				infos = append(infos, info)
			}
		}
	}
	return func(info fs.FileInfo) bool {
		return slices.ContainsFunc(infos, func(o fs.FileInfo) bool { return os.SameFile(o, info) })
	}
}
