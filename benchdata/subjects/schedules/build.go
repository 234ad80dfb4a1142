package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leadline/leadline/benchdata/subjects/internal/list"
	"github.com/leadline/leadline/history/stress/instrument"
)

// bundled is the package of leadline's own objects.
const bundled = "github.com/leadline/leadline/history/stress/subject"

// libraries returns the packages to instrument: those of the constructors, what
// they import from modules of others, and the bundled objects.
func libraries(ctx context.Context, all []list.Object) ([]string, error) {
	named := list.Packages(all)
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
func build(ctx context.Context, dir string, all []list.Object, instrumented bool) (program string, err error) {
	text, err := list.Source("main", "", all)
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
