package tables

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

// A Trial is a history as evidence about methods: its calls of methods that are
// not core, and whether it is linearizable.
type Trial struct {
	class     string
	history   string // its name
	untrusted []string
	answer    replay.Answer
	program   string
	outcome   string
	ops       int
}

// Try decides the history and records what it shows about methods. The errors
// are those of decide.Check.
func Try(ctx context.Context, h *history.History, spec replay.Spec) (Trial, error) {
	t := Trial{class: spec.Name(), history: h.ID, ops: len(h.Ops)}
	if err := replay.Check(h, spec); err != nil {
		return t, err
	}
	for i := range h.Ops {
		if m := signature(&h.Ops[i]); !isCore(t.class, m) {
			t.untrusted = append(t.untrusted, m)
		}
	}
	v, err := decide.Check(ctx, h, spec, replay.Options{})
	if err != nil {
		return t, fmt.Errorf("trying history %q: %w", h.ID, err)
	}
	t.answer = v.Answer
	if t.answer == replay.NotLinearizable {
		t.program, t.outcome = programOf(h)
	}
	return t, nil
}

// signature returns the method with its number of arguments, to distinguish overloads:
// remove/0, remove/1.
func signature(op *history.Operation) string { return fmt.Sprintf("%s/%d", op.Method, len(op.Args)) }

// programOf writes the program of a history in Violat's notation, one sequence
// per process, and the results of its calls.
func programOf(h *history.History) (program, outcome string) {
	calls, results := make([][]string, len(h.Processes)), make([][]string, len(h.Processes))
	for i := range h.Ops {
		op := &h.Ops[i]
		args := make([]string, len(op.Args))
		for k, a := range op.Args {
			args[k] = a.String()
		}
		calls[op.Process] = append(calls[op.Process], op.Method+"("+strings.Join(args, ", ")+")")
		result := op.Result.String()
		switch op.Result.Kind() {
		case history.None:
			result = "_"
		case history.String:
			result = op.Result.Text()
		}
		results[op.Process] = append(results[op.Process], result)
	}
	join := func(parts [][]string) string {
		sequences := make([]string, len(parts))
		for p, part := range parts {
			sequences[p] = "{ " + strings.Join(part, "; ") + " }"
		}
		return strings.Join(sequences, " || ")
	}
	return join(calls), join(results)
}

// A Blame collects trials by class and method, following "Exposing Non-Atomic Methods of
// Concurrent Objects". Core methods are trusted. So if a history is not linearizable and
// has exactly one call of a method that is not core, that method is not atomic. With
// several such calls, each of them may be the reason: a broken mutator can show in a later
// read that is correct in itself. The zero value is empty.
type Blame struct {
	methods map[[2]string]*charge // class, method
	// executions counts the executions of each method's programs.
	executions map[[2]string]int
}

// A charge is the evidence against a method.
type charge struct {
	histories int // histories in which it is the only call that is not core
	bad       int // those that are not linearizable
	suspected int // histories that are not linearizable but have other such calls
	example   *Trial
}

// Effort records the amount of testing, from lines of class, method, programs and
// executions, separated by tabs. More fields may follow. Lines that begin with #
// are comments.
func (b *Blame) Effort(lines string) error {
	b.executions = map[[2]string]int{}
	for n, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		fields := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") || fields[0] == "class" {
			continue
		}
		if len(fields) < 4 {
			return fmt.Errorf("line %d: %d fields instead of class, method, programs, executions", n+1, len(fields))
		}
		executions, err := strconv.Atoi(fields[3])
		if err != nil {
			return fmt.Errorf("line %d: executions: %q is not a number", n+1, fields[3])
		}
		b.executions[[2]string{fields[0], fields[1]}] = executions
		b.charge(fields[0], fields[1])
	}
	return nil
}

func (b *Blame) charge(class, method string) *charge {
	key := [2]string{class, method}
	if b.methods == nil {
		b.methods = map[[2]string]*charge{}
	}
	if b.methods[key] == nil {
		b.methods[key] = &charge{}
	}
	return b.methods[key]
}

// Add adds a trial. Among the histories that show that a method is not atomic,
// it keeps the first one with the shortest program.
func (b *Blame) Add(t Trial) {
	for i, m := range t.untrusted {
		if slices.Contains(t.untrusted[:i], m) {
			continue
		}
		c := b.charge(t.class, m)
		bad := t.answer == replay.NotLinearizable
		switch {
		case len(t.untrusted) == 1:
			c.histories++
			if bad {
				c.bad++
				if c.example == nil || t.ops < c.example.ops {
					c.example = &t
				}
			}
		case bad:
			c.suspected++
		}
	}
}

// Table lists the findings about methods with their evidence.
func (b *Blame) Table(paper bool) *Table {
	t := &Table{ID: "blame", Title: "Methods that are not atomic, given that the core methods are",
		Columns: []string{"class", "method", "finding", "histories", "not linearizable", "executions", "frequency", "program", "outcome", "history"}}
	if paper {
		t.Columns = append(t.Columns, "paper (JDK 8)", "difference")
	}
	for _, class := range b.classes() {
		row := []any{class, coreOf(class), "core", nil, nil, nil, nil, nil, nil, nil}
		if paper {
			row = append(row, "core", nil)
		}
		t.add(row...)
		for _, m := range b.methodsOf(class) {
			t.add(b.row(class, m, paper)...)
		}
	}
	t.notef("A method is non-atomic if it has a history that is not linearizable in which its one call is the only one that is not core. " +
		"Those not exposed may be atomic or not. Suspects are in histories that are not linearizable, but together with other such calls; " +
		"such a history exposes none of them.")
	if len(b.executions) > 0 {
		t.notef("Executions counts what was tried; of each method the corpus keeps ten histories at most, which are counted here.")
	}
	if paper {
		t.notef("Figure 6 of \"Exposing Non-Atomic Methods of Concurrent Objects\" is about JDK 8; it marks what was not exposed as atomic (?).")
	}
	return t
}

func (b *Blame) classes() []string {
	var names []string
	for key := range b.methods {
		if !slices.Contains(names, key[0]) {
			names = append(names, key[0])
		}
	}
	slices.Sort(names)
	return names
}

// methodsOf returns the non-atomic methods first, each group sorted by name.
func (b *Blame) methodsOf(class string) []string {
	var names []string
	for key := range b.methods {
		if key[0] == class {
			names = append(names, key[1])
		}
	}
	slices.SortFunc(names, func(x, y string) int {
		cx, cy := b.charge(class, x).bad > 0, b.charge(class, y).bad > 0
		if cx != cy {
			if cx {
				return -1
			}
			return 1
		}
		return strings.Compare(x, y)
	})
	return names
}

func (b *Blame) row(class, method string, paper bool) []any {
	c := b.charge(class, method)
	finding := "not exposed"
	switch {
	case c.bad > 0:
		finding = "non-atomic"
	case c.suspected > 0:
		finding = "suspect"
	}
	row := []any{class, method, finding, c.histories, c.bad, nil, nil, nil, nil, nil}
	if n, ok := b.executions[[2]string{class, method}]; ok {
		row[5] = n
	}
	if c.example != nil {
		row[6], row[7], row[8], row[9] = frequency(c.example.history), c.example.program, c.example.outcome, c.example.history
	}
	if paper {
		row = append(row, figure6(class, method), difference(class, method, c.bad > 0))
	}
	return row
}

// frequency is the last part of the names that Recorder.java gives: how often
// the history occurred in how many executions of its program.
func frequency(name string) any {
	times, executions, ok := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], "of")
	if !ok {
		return nil
	}
	a, err := strconv.Atoi(times)
	b, err2 := strconv.Atoi(executions)
	if err != nil || err2 != nil {
		return nil
	}
	return pair{a, b, times + " / " + executions}
}
