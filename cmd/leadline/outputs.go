package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
)

// checkOutputs checks the flags that name files to write. An output that is one of
// the inputs, or another output, is an error: the command would destroy what it has.
// Devices may be named more than once. Only --output may be -, standard output.
func checkOutputs(flags *pflag.FlagSet, inputs []string, names ...string) error {
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
		for _, in := range inputs {
			if isSameFile(file, in) {
				return fmt.Errorf("--%s would overwrite the input %s", name, in)
			}
		}
		for _, other := range outputs {
			if isSameFile(file, other.Value.String()) {
				return fmt.Errorf("--%s and --%s name the same file, %s", other.Name, name, file)
			}
		}
		outputs = append(outputs, o)
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
