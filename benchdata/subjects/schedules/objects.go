package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/instrument"
)

// An object is a line of subjects.txt.
type object struct {
	name, constructor string
	reflect           stress.ReflectOptions
	values, sequences int // 0: as by default
}

// readObjects reads a file like subjects.txt.
func readObjects(file string) ([]object, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []object
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		o, err := parseObject(words)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
		all = append(all, o)
	}
	return all, nil
}

func parseObject(words []string) (o object, err error) {
	for i := 0; i < len(words); i += 2 {
		if i+1 == len(words) {
			return o, fmt.Errorf("%s has no value", words[i])
		}
		value, list := words[i+1], strings.Split(words[i+1], ",")
		switch words[i] {
		case "--name":
			o.name, o.reflect.Name = value, value
		case "--new":
			o.constructor = value
		case "--core":
			o.reflect.Core = list
		case "--read-only":
			o.reflect.ReadOnly = list
		case "--weak":
			o.reflect.Weak = list
		case "--exclude":
			o.reflect.Exclude = list
		case "--values":
			if o.values, err = strconv.Atoi(value); err != nil {
				return o, fmt.Errorf("--values: %w", err)
			}
		default:
			return o, fmt.Errorf("flag %s", words[i])
		}
	}
	if o.name == "" || o.constructor == "" {
		return o, errors.New("--name or --new is missing")
	}
	return o, nil
}

// splitConstructor splits example.com/a/b.New[int](8) into example.com/a/b and
// .New[int](8).
func splitConstructor(text string) (path, call string) {
	end := strings.IndexAny(text, "([")
	if end < 0 {
		end = len(text)
	}
	dot := strings.LastIndexByte(text[:end], '.')
	path, call = text[:dot], text[dot:]
	if !strings.HasSuffix(call, ")") {
		call += "()"
	}
	return path, call
}

// packagesOf returns the import paths of the constructors.
func packagesOf(all []object) []string {
	paths := map[string]bool{}
	for _, o := range all {
		path, _ := splitConstructor(o.constructor)
		paths[path] = true
	}
	return slices.Sorted(maps.Keys(paths))
}

// helpers of the file that source returns.
const helpers = `
func like[T any](_ T, newObject func() any) deriver {
	return func(o stress.ReflectOptions) (*stress.Reflected, error) {
		return stress.Reflect(func() T { return newObject().(T) }, o)
	}
}

// must takes all results of a constructor.
func must[T any](v T, err ...error) T {
	for _, e := range err {
		return stress.Must(v, e)
	}
	return v
}
`

// source returns a file of this package that fills constructors.
func source(all []object) ([]byte, error) {
	var text bytes.Buffer
	text.WriteString("package main\n\nimport (\n\t\"github.com/leadline/leadline/history/stress\"\n")
	names := map[string]string{}
	for i, path := range packagesOf(all) {
		names[path] = fmt.Sprintf("p%d", i)
		fmt.Fprintf(&text, "\t%s %q\n", names[path], path)
	}
	text.WriteString(")\n\nfunc init() {\n\tconstructors = map[string]deriver{\n")
	for _, o := range all {
		path, call := splitConstructor(o.constructor)
		call = "must(" + names[path] + call + ")"
		fmt.Fprintf(&text, "\t%q: like(%s, func() any { return %s }),\n", o.name, call, call)
	}
	text.WriteString("}\n}\n" + helpers)
	return format.Source(text.Bytes())
}

// bundled is the package of leadline's own objects.
const bundled = "github.com/leadline/leadline/history/stress/subject"

// libraries returns the packages to instrument: those of the constructors, what
// they import from modules of others, and the bundled objects.
func libraries(ctx context.Context, all []object) ([]string, error) {
	named := packagesOf(all)
	out, err := exec.CommandContext(ctx, "go", slices.Concat([]string{"list", "-f", `{{join .Imports "\n"}}`}, named)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	paths := append(named, bundled)
	for path := range strings.FieldsSeq(string(out)) {
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") && !strings.HasPrefix(path, "github.com/leadline/leadline/") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// build builds this command with the constructors, instrumented or not.
func build(ctx context.Context, dir string, all []object, instrumented bool) (program string, err error) {
	text, err := source(all)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "constructors.go")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return "", err
	}
	copies := &instrument.Result{}
	program = filepath.Join(dir, "threads")
	if instrumented {
		program = filepath.Join(dir, "schedules")
		packages, err := libraries(ctx, all)
		if err != nil {
			return "", err
		}
		if copies, err = instrument.Build(ctx, instrument.Options{Packages: packages}); err != nil {
			return "", err
		}
	}
	here, err := filepath.Abs("schedules")
	if err != nil {
		return "", err
	}
	flags, err := copies.WithOverlay(filepath.Join(dir, "overlay.json"), map[string]string{filepath.Join(here, "constructors.go"): file})
	if err != nil {
		return "", err
	}
	return program, goBuild(ctx, ".", copies, slices.Concat([]string{"-o", program}, flags, []string{"./schedules"}))
}

// goBuild runs go build in a directory.
func goBuild(ctx context.Context, dir string, copies *instrument.Result, args []string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"build"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), copies.Env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}
