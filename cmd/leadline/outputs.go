package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// An outputFile is a file that a flag names, to be written. Its name is "" without the flag.
type outputFile struct{ flag, name string }

// checkOutputs reports an output that is one of the inputs, or another output: the command
// would destroy what it has. Devices may be named more than once.
func checkOutputs(inputs []string, outputs ...outputFile) error {
	for i, o := range outputs {
		if o.name == "" || o.name == "-" {
			continue
		}
		for _, in := range inputs {
			if isSameFile(o.name, in) {
				return fmt.Errorf("%s would overwrite the input %s", o.flag, in)
			}
		}
		for _, other := range outputs[:i] {
			if isSameFile(o.name, other.name) {
				return fmt.Errorf("%s and %s name the same file, %s", other.flag, o.flag, o.name)
			}
		}
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
	if err == nil || err2 == nil || b == "" {
		return false
	}
	a, err = filepath.Abs(a)
	b, err2 = filepath.Abs(b)
	return err == nil && err2 == nil && a == b
}
