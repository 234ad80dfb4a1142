package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
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
var reserved = []string{"seed", "output", "o", "save", "histories", "from", "declared", "list", "child"}

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
		for _, a := range args {
			name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
			if strings.HasPrefix(a, "-") && slices.Contains(reserved, name) {
				return statusOK, badUsage("%s cannot be used in a cluster", a)
			}
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
		parts := func(yield func(*part) bool) {
			for i := range f.seeds {
				seed := strconv.FormatUint(f.first+uint64(i), 10)
				one := &task{Stress: append(slices.Clone(args), "--seed", seed)}
				if !yield(&part{task: one, key: one.key(), items: []item{{name: seed}}}) {
					return
				}
			}
		}
		err := c.each(ctx, parts, func(p *part, r *result) error {
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
