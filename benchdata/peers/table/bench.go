package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/benchdata/peers"
	"github.com/leadline/leadline/replay"
)

// Exit statuses of leadline check that are not errors.
const (
	statusNot     = 1
	statusUnknown = 3
)

// A bench measures rows.
type bench struct {
	options
	ctx  context.Context // when done, the running child is stopped
	self string          // this program
	dir  string          // directory for files
	log  io.Writer
}

// newBench builds leadline, unless a program is given.
func newBench(ctx context.Context, o *options, log io.Writer) (*bench, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "leadline-table")
	if err != nil {
		return nil, err
	}
	b := &bench{*o, ctx, self, dir, log}
	if b.leadline == "" {
		b.leadline = filepath.Join(dir, "leadline")
		build := exec.Command("go", "build", "-o", b.leadline, "./cmd/leadline")
		if build.Dir, err = repository(); err == nil {
			var output []byte
			if output, err = build.CombinedOutput(); err != nil {
				err = fmt.Errorf("building leadline: %w\n%s", err, output)
			}
		}
	}
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// repository returns the directory of leadline's own module.
func repository() (string, error) {
	const module = "github.com/leadline/leadline"
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("finding the module %s (run in the directory benchdata/peers): %w", module, err)
	}
	return string(bytes.TrimSpace(dir)), nil
}

func (b *bench) close() error { return os.RemoveAll(b.dir) }

// row measures one row.
func (b *bench) row(r *row) error {
	if r.source != "" {
		return b.recorded(r)
	}
	file := filepath.Join(b.dir, "history.jsonl")
	defer os.Remove(file)
	args := append([]string{"record", "--output", file}, strings.Fields(r.workload.String())...)
	if _, _, err := start(b.ctx, limits{time.Hour, 1 << 40}, b.leadline, args...); err != nil {
		return err
	}
	if r.format != "" {
		return b.inFormat(r, file)
	}
	var ours, theirs []cost
	hopeless := r.sound != nil && r.sound.porcupine.stopped != ""
	for turn := range b.repeat {
		both := []func() error{
			func() error { return b.run(&ours, b.leadline, "check", file) },
			func() error { return b.run(&theirs, b.self, porcupineCommand, file) },
		}
		switch {
		case hopeless:
			both = both[:1]
		case turn%2 == 1:
			slices.Reverse(both)
		}
		for _, one := range both {
			if err := one(); err != nil {
				return err
			}
		}
		r.leadline = last(ours)
		if err := agree("leadline", r.truth(), r.leadline); err != nil {
			return err
		}
		if hopeless {
			continue
		}
		r.porcupine = last(theirs)
		if err := agree("porcupine", r.truth(), r.porcupine); err != nil {
			return err
		}
		r.ratios = append(r.ratios, float64(r.porcupine.cpu)/float64(max(r.leadline.cpu, 1)))
	}
	r.leadline, r.porcupine = median(ours), median(theirs)
	return nil
}

// inFormat measures leadline on the history in file, and on the same in another
// format.
func (b *bench) inFormat(r *row, file string) error {
	other := filepath.Join(b.dir, "converted")
	defer os.Remove(other)
	var err error
	if r.bytes, err = b.convert(r.format, file, other); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	r.nativeBytes = info.Size()
	var ours, theirs []cost
	for turn := range b.repeat {
		for k := range 2 {
			var err error
			if (turn+k)%2 == 0 {
				err = b.run(&ours, b.leadline, "check", file)
			} else { // Violat's files are one line
				err = b.run(&theirs, b.leadline, "check", "--max-line", "0", other)
			}
			if err != nil {
				return err
			}
		}
		r.native, r.leadline = last(ours), last(theirs)
		if err := errors.Join(agree("leadline", r.truth(), r.native), agree("leadline, reading "+r.format, r.truth(), r.leadline)); err != nil {
			return err
		}
		r.ratios = append(r.ratios, float64(r.leadline.cpu)/float64(max(r.native.cpu, 1)))
	}
	r.native, r.leadline = median(ours), median(theirs)
	return nil
}

// convert writes file in a format to the file called to, and returns its size. This
// program does not hold the text: a child starts with the memory of its parent.
func (b *bench) convert(format, file, to string) (size int64, err error) {
	f, err := os.Create(to)
	if err != nil {
		return 0, err
	}
	var message strings.Builder
	c := exec.CommandContext(b.ctx, b.leadline, "convert", "--to", format, file)
	c.Stdout, c.Stderr = f, &message
	if err = c.Run(); err != nil {
		err = fmt.Errorf("converting to %s: %w: %s", format, err, message.String())
	}
	info, statErr := f.Stat()
	if err = errors.Join(err, statErr, f.Close()); err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func last(runs []cost) cost { return runs[len(runs)-1] }

// truth is the known verdict of a simulated history.
func (r *row) truth() replay.Answer {
	if len(r.workload.Faults) > 0 {
		return replay.NotLinearizable
	}
	return replay.Linearizable
}

// recorded measures histories that were not simulated, in this process. It runs
// last: see start.
func (b *bench) recorded(r *row) (err error) {
	var all []peers.Question
	if r.source == "etcd" {
		dir := b.etcd
		if dir == "" {
			root, err := repository()
			if err != nil {
				return err
			}
			dir = filepath.Join(root, "..", "shared", "histories", "etcd")
		}
		if _, err := os.Stat(dir); err != nil {
			r.skipped = "not found: " + dir
			return nil
		}
		all, err = peers.Logs(dir)
	} else {
		all, err = peers.Small()
	}
	if err != nil {
		return err
	}
	r.histories = len(all)
	for _, q := range all {
		r.ops += len(q.History.Ops)
	}
	var ours, theirs []cost
	for range b.repeat {
		t, err := peers.Race(all, replay.Options{})
		if err != nil {
			return err
		}
		ours, theirs = append(ours, cost{cpu: t.Leadline}), append(theirs, cost{cpu: t.Porcupine})
		r.ratios = append(r.ratios, t.Ratio())
	}
	r.leadline, r.porcupine = median(ours), median(theirs)
	return nil
}

// run adds another run. A checker that was stopped once is not started again,
// since that gives no new figures.
func (b *bench) run(runs *[]cost, name string, args ...string) error {
	if n := len(*runs); n > 0 && (*runs)[n-1].stopped != "" {
		return nil
	}
	c, output, err := start(b.ctx, b.limits, name, args...)
	if err != nil {
		return err
	}
	c.answers = answers(output)
	*runs = append(*runs, c)
	return nil
}

// answers returns the verdicts that a checker has printed.
func answers(output []byte) (found []string) {
	lines := bufio.NewScanner(bytes.NewReader(output))
	for lines.Scan() {
		word, _, _ := strings.Cut(lines.Text(), " ")
		for _, a := range []replay.Answer{replay.Undecided, replay.Linearizable, replay.NotLinearizable} {
			if word == a.String() {
				found = append(found, word)
			}
		}
	}
	return found
}

// agree returns an error if a verdict differs from the truth. Since this is
// checked for both, their verdicts agree.
func agree(checker string, truth replay.Answer, c cost) error {
	switch {
	case c.stopped != "":
	case len(c.answers) != 1:
		return fmt.Errorf("%s gave %d verdicts on one history", checker, len(c.answers))
	case c.answers[0] != truth.String() && c.answers[0] != replay.Undecided.String():
		return fmt.Errorf("%s reports %s, but the history is %v", checker, c.answers[0], truth)
	}
	return nil
}
