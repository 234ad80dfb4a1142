// Package list reads lists of objects, such as subjects.txt, and writes Go source that
// constructs them.
//
// Each line has the flags of leadline stress for an object:
//
//	--name queue --new example.com/queue.New[int](8) --core Put,Get --read-only Len
//
// Source returns a file for these that sets the variable derivers of its package:
//
//	package main
//
//	import (
//		"github.com/leadline/leadline/benchdata/subjects/internal/list"
//		p0 "example.com/queue"
//	)
//
//	func init() {
//		derivers = map[string]list.Deriver{
//			"queue": list.Like(list.Must(p0.New[int](8)), func() any { return list.Must(p0.New[int](8)) }),
//		}
//	}
package list

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history/stress"
)

// An Object is a line of a list.
type Object struct {
	Name        string
	Constructor string // example.com/queue.New[int](8)
	Reflect     stress.ReflectOptions
	Values      int      // 0: as by default
	Sequences   int      // 0: as by default
	Flags       []string // all of the line
}

// Read reads a list. Empty lines and those that begin with # do not count. Errors begin
// with file:line.
func Read(file string) ([]Object, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []Object
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		o, err := parse(words)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
		all = append(all, o)
	}
	return all, nil
}

func parse(words []string) (o Object, err error) {
	o.Flags = words
	for i := 0; i < len(words); i += 2 {
		if i+1 == len(words) {
			return o, fmt.Errorf("%s has no value", words[i])
		}
		value, list := words[i+1], strings.Split(words[i+1], ",")
		if strings.ContainsAny(value, `'"\`) {
			return o, fmt.Errorf("%s is quoted", value)
		}
		switch words[i] {
		case "--name":
			o.Name, o.Reflect.Name = value, value
		case "--new":
			o.Constructor = value
		case "--core":
			o.Reflect.Core = list
		case "--read-only":
			o.Reflect.ReadOnly = list
		case "--weak":
			o.Reflect.Weak = list
		case "--exclude":
			o.Reflect.Exclude = list
		case "--values":
			o.Values, err = strconv.Atoi(value)
		case "--sequences":
			o.Sequences, err = strconv.Atoi(value)
		default:
			return o, errors.New("unknown flag " + words[i])
		}
		if err != nil {
			return o, fmt.Errorf("%s: %w", words[i], err)
		}
	}
	if o.Name == "" || o.Constructor == "" {
		return o, errors.New("--name or --new is missing")
	}
	return o, nil
}

// BuildLeadline builds leadline from the repository, with the directory of the lists as
// the working directory. Remove deletes the program.
func BuildLeadline() (program string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "leadline-")
	if err != nil {
		return "", nil, err
	}
	program = filepath.Join(dir, "leadline")
	build := exec.Command("go", "build", "-o", program, "./cmd/leadline")
	build.Dir, build.Stderr = "../..", os.Stderr
	if err := build.Run(); err != nil {
		os.RemoveAll(dir)
		return "", nil, fmt.Errorf("building leadline: %w", err)
	}
	return program, func() { os.RemoveAll(dir) }, nil
}
