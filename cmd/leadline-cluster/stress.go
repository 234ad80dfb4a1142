package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// stressFlags are the flags of leadline-cluster stress.
type stressFlags struct {
	clusterFlags
	seeds int
	first uint64
}

// reserved are the flags of leadline stress that are set by the cluster, or that read
// or write files.
var reserved = []string{"seed", "output", "o", "save", "histories", "from", "declared", "replay", "list", "child"}

// checkArguments returns an error if arguments for leadline stress use a reserved flag.
// Workers check them again: a task may come from anybody who can publish.
func checkArguments(args []string) error {
	for _, a := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if strings.HasPrefix(a, "-") && (slices.Contains(reserved, name) || strings.HasPrefix(a, "-o")) {
			return badUsage("%s cannot be used in a cluster", a)
		}
	}
	return nil
}

func setupStress(flags *pflag.FlagSet) func(context.Context, streams, []string) (int, error) {
	f := &stressFlags{}
	flags.IntVar(&f.seeds, "seeds", 100, "how many seeds")
	flags.Uint64Var(&f.first, "seed", 1, "the first seed")
	flags.StringVar(&f.leadline, "leadline", "leadline", "the `program` that workers on this machine run: a path or a name")
	f.declare(flags, 1)
	return func(ctx context.Context, s streams, args []string) (int, error) {
		if err := f.validate(flags); err != nil {
			return statusOK, err
		}
		if f.seeds < 1 || f.seeds > 1e6 {
			return statusOK, badUsage("--seeds must be 1 to 1000000")
		}
		if len(args) == 0 {
			return statusOK, badUsage("no arguments for leadline stress, as in -- --subject NAME")
		}
		if err := checkArguments(args); err != nil {
			return statusOK, err
		}
		if f.workers > 0 {
			if _, err := exec.LookPath(f.leadline); err != nil {
				return statusOK, err
			}
		}
		return f.run(ctx, s, args)
	}
}

func (f *stressFlags) run(ctx context.Context, s streams, args []string) (int, error) {
	return f.coordinate(ctx, s, stressKind, func(ctx context.Context, c *coordinator, t *table) (int, error) {
		status := statusOK
		out := bufio.NewWriter(s.out)
		sources, err := hashSources(ctx, f.leadline)
		if err != nil {
			return statusOK, err
		}
		parts := func(yield func(*part) bool) {
			for i := range f.seeds {
				seed := strconv.FormatUint(f.first+uint64(i), 10)
				one := &task{Stress: args, Seed: seed, Sources: sources}
				if !yield(&part{task: one, key: one.key(), items: []item{{name: seed}}}) {
					return
				}
			}
		}
		err = c.each(ctx, parts, func(p *part, r *result) error {
			one, lines := r.file(0)
			for _, e := range one.Entries {
				status = worse(status, e.Status.Exit())
				rest, ok := bytes.CutPrefix(lines[:e.Size], []byte("{"))
				if !ok {
					return fmt.Errorf("seed %s: the result is not JSON", p.items[0].name)
				}
				fmt.Fprintf(out, `{"seed":%s,%s`, p.items[0].name, rest)
				lines = lines[e.Size:]
			}
			return t.flush(out)
		})
		return status, errors.Join(err, out.Flush())
	})
}

// hashSources returns a hash of leadline's program, if it is on this machine, and of the
// Go files of the module in the working directory, if there is one. A result is not
// used for another program or for changed files.
func hashSources(ctx context.Context, leadline string) (string, error) {
	h := sha256.New()
	add := func(name string) error {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		size, err := io.Copy(h, file)
		fmt.Fprintf(h, " %s %d\n", name, size)
		return err
	}
	if program, err := exec.LookPath(leadline); err == nil {
		if err := add(program); err != nil {
			return "", err
		}
	}
	text, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	module := strings.TrimSpace(string(text))
	if err != nil || module == "" || module == os.DevNull {
		return hex.EncodeToString(h.Sum(nil)[:16]), ctx.Err()
	}
	err = filepath.WalkDir(filepath.Dir(module), func(name string, e fs.DirEntry, err error) error {
		switch ext := filepath.Ext(name); {
		case err != nil: // a file that cannot be read cannot be built either
			return nil
		case e.IsDir() && strings.HasPrefix(e.Name(), ".") && name != filepath.Dir(module):
			return fs.SkipDir
		case e.Type().IsRegular() && (ext == ".go" || ext == ".mod" || ext == ".sum"):
			return add(name)
		}
		return ctx.Err()
	})
	return hex.EncodeToString(h.Sum(nil)[:16]), err
}
