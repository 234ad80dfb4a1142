package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/history/explore/instrument"
	"github.com/leadline/leadline/history/explore/instrument/golist"
	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/replay/composed"
	"github.com/leadline/leadline/replay/composed/extract"
)

const composedProgram = `package main

import (
	"os"

	"github.com/leadline/leadline/replay/composed"
	p %q
)

func main() { os.Exit(composed.Serve(p.LeadlineComposed())) }
`

// checkSilence is how long a function may run without a step of the search.
var checkSilence = 20 * time.Second

// A checkedRecord is what --check found out about a function.
type checkedRecord struct {
	Verdict     string              `json:"verdict"` // violation, none or unknown
	Reason      *string             `json:"reason"`  // of unknown
	Call        *string             `json:"call"`
	Ops         int                 `json:"ops"`
	Preemptions int                 `json:"preemptions"`
	Executions  int64               `json:"executions"`
	Undecided   int64               `json:"undecided"`
	Waited      int64               `json:"waited"`
	Violation   *composed.Violation `json:"violation"`
}

func newCheckedRecord(c *composed.Report) *checkedRecord {
	r := &checkedRecord{"none", present(c.Reason), present(c.Call), c.Ops, c.Preemptions, c.Executions, c.Undecided, c.Waited, c.Violation}
	switch {
	case c.Violation != nil:
		r.Verdict = "violation"
	case c.Reason != "":
		r.Verdict = "unknown"
	}
	return r
}

// A composedCheck counts the functions that were checked, and prints what was found out.
type composedCheck struct {
	*composedFlags
	out     *bufio.Writer
	err     error
	verdict map[string]int
}

// explore checks the functions that can be called, package by package.
func (f *composedFlags) explore(ctx context.Context, s streams, found *extract.Result) int {
	c := &composedCheck{composedFlags: f, out: bufio.NewWriter(s.out), verdict: map[string]int{}}
	if len(found.Functions) > 0 && worker.Tool(ctx, "go", "list", "-m", ownModule).Run() != nil && ctx.Err() == nil {
		return fail(s, "composed", errors.New("--check needs a module that requires leadline: go get "+ownModule+"/replay/composed"))
	}
	programs, err := found.Programs()
	if err != nil {
		return s.failed("composed", err)
	}
	for _, fn := range found.Functions {
		if fn.Reason != "" {
			c.print(fn, &composed.Report{Reason: fn.Reason})
		}
	}
	for _, p := range programs {
		err := c.explorePackage(ctx, p)
		if ctx.Err() != nil {
			fmt.Fprintln(s.err, "leadline composed: interrupted")
			return statusUnknown
		}
		if err != nil {
			fmt.Fprintf(s.err, "leadline composed: %s: %v\n", p.Path, err)
			for _, fn := range p.Functions {
				c.print(fn, &composed.Report{Reason: "its package could not be built, or run, in the scheduler"})
			}
		}
	}
	if f.output.Value != "json" {
		if c.verdict["violation"] > 0 {
			fmt.Fprintln(c.out, "The environment is open: it uses a collection at any time, whatever locks the program holds.")
		}
		fmt.Fprintf(c.out, "%s: %d not atomic, %d without a violation, %d not checked\n",
			counted(len(found.Functions), "function", "functions"), c.verdict["violation"], c.verdict["none"], c.verdict["unknown"])
	}
	switch err := errors.Join(c.err, c.out.Flush()); {
	case err != nil:
		return s.failed("composed", err)
	case c.verdict["violation"] > 0:
		return stressStatus
	case c.verdict["unknown"] > 0:
		return statusUnknown
	}
	return statusOK
}

// explorePackage builds and runs the program of a package.
func (c *composedCheck) explorePackage(ctx context.Context, p *extract.Program) error {
	dir, err := os.MkdirTemp("", "leadline-composed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	work, program, file := filepath.Join(dir, "work"), filepath.Join(dir, "composed"), filepath.Join(dir, extract.SourceName)
	if err := errors.Join(os.Mkdir(work, 0o755), os.WriteFile(file, []byte(p.Source), 0o644)); err != nil {
		return err
	}
	place, err := filepath.Rel(root, p.Dir)
	inside := err == nil && filepath.IsLocal(place)
	if !inside {
		place = "."
	}
	compiling := false
	_, err = instrument.Compile(ctx, instrument.Target{Dir: root, Packages: []string{p.Path}, Parts: p.Parts}, func(copies *instrument.Copies) error {
		compiling = true
		if p.IsMain && inside {
			return compileIn(ctx, place, file, p.Source, copies, "build", "-o", program)
		}
		of := p.Dir
		if !inside { // a copy of its module replaces it
			flags, err := copies.WithOverlay(filepath.Join(dir, "overlay.json"), nil)
			if err != nil {
				return err
			}
			out, err := golist.Tool(ctx, root, slices.Concat([]string{"list", "-f", "{{.Dir}}"}, flags, []string{p.Path})...)
			if err != nil {
				return err
			}
			of = strings.TrimSpace(string(out))
		}
		copies.Overlay[filepath.Join(of, extract.SourceName)] = file
		return compileIn(ctx, filepath.Join(place, stressMain), filepath.Join(dir, "main.go"), fmt.Sprintf(composedProgram, p.Path), copies, "build", "-o", program)
	})
	switch {
	case err != nil && compiling:
		return err
	case err != nil:
		return errors.New(advise(ctx, []byte(err.Error())))
	}
	next := 0
	err = composed.CheckAll(ctx, worker.Program{Path: program, Dir: work, Name: "composed", Schedules: true}, checkSilence, len(p.Functions), func(i int, checked *composed.Report) {
		c.print(p.Functions[i], checked)
		next = i + 1
	})
	p.Functions = p.Functions[next:]
	return err
}

// print writes what was found out about a function.
func (c *composedCheck) print(f *extract.Function, checked *composed.Report) {
	r := newComposedRecord(f)
	r.Check = newCheckedRecord(checked)
	c.verdict[r.Check.Verdict]++
	if c.output.Value == "json" {
		c.err = errors.Join(c.err, writeJSON(c.out, r))
		return
	}
	fmt.Fprintf(c.out, "%v: %s: %s (%s): ", f.Position, f.Name, f.Collection, f.Type)
	switch {
	case checked.Violation != nil:
		fmt.Fprintf(c.out, "not atomic\n\n  %s\n\n%v\n", checked.Call, checked.Violation)
	case checked.Reason != "":
		fmt.Fprintf(c.out, "not checked: %s\n", strings.ReplaceAll(checked.Reason, "\n", "\n    "))
	default:
		fmt.Fprintf(c.out, "no violation in %s of %s, all with up to %s of the environment and %s", counted(int(checked.Executions), "execution", "executions"),
			checked.Call, counted(checked.Ops, "operation", "operations"), counted(checked.Preemptions, "preemption", "preemptions"))
		if n := checked.Undecided + checked.Waited; n > 0 {
			fmt.Fprintf(c.out, "; %d were not judged", n)
		}
		fmt.Fprintln(c.out)
	}
	c.err = errors.Join(c.err, c.out.Flush())
}
