package codec

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/native"
)

var update = flag.Bool("update", false, "rewrite the golden files under testdata")

// TestGolden decodes the section "in" of each testdata/<format>/*.txtar and
// compares the result with the section "want". Valid histories are also encoded,
// decoded and encoded again.
func TestGolden(t *testing.T) {
	for _, format := range Formats() {
		files, err := filepath.Glob(filepath.Join("testdata", format.Name, "*.txtar"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no golden files for %s (%v)", format.Name, err)
		}
		for _, file := range files {
			t.Run(format.Name+"/"+filepath.Base(file), func(t *testing.T) { golden(t, format, file) })
		}
	}
}

func golden(t *testing.T, format Format, file string) {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	comment, sections := parseArchive(string(raw))
	text := inSection(sections)
	got := dump(format.Decode(strings.NewReader(text), "in", Limits{}))
	if *update {
		archive := comment + "-- in --\n" + sections["in"] + "-- want --\n" + got
		if err := os.WriteFile(file, []byte(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if got != sections["want"] {
		t.Errorf("%s: got\n%s\nwant\n%s", file, got, sections["want"])
	}
	roundTrip(t, format, []byte(text))
}

// goldenInputs returns the inputs of all golden files of a format.
func goldenInputs(t testing.TB, format string) []string {
	files, err := filepath.Glob(filepath.Join("testdata", format, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files for %s (%v)", format, err)
	}
	var inputs []string
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, sections := parseArchive(string(raw))
		inputs = append(inputs, inSection(sections))
	}
	return inputs
}

// inSection returns the section "in". If it must not end in a newline, it ends
// in the line "\ no newline".
func inSection(sections map[string]string) string {
	return strings.ReplaceAll(sections["in"], "\n\\ no newline\n", "")
}

// parseArchive splits a txtar archive.
func parseArchive(text string) (comment string, sections map[string]string) {
	sections = map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "-- ") && strings.HasSuffix(line, " --\n"):
			name = line[3 : len(line)-4]
		case name == "":
			comment += line
		default:
			sections[name] += line
		}
	}
	return comment, sections
}

// dump describes everything that a decoder yields.
func dump(seq iter.Seq2[*history.History, error]) string {
	var b strings.Builder
	for h, err := range seq {
		var errs *history.Errors
		switch {
		case errors.As(err, &errs):
			fmt.Fprintf(&b, "invalid history %q\n%v\n", errs.ID, err)
		case err != nil:
			fmt.Fprintf(&b, "error: %v\n", err)
		default:
			describeHistory(&b, h)
		}
	}
	return b.String()
}

func describeHistory(b *strings.Builder, h *history.History) {
	fmt.Fprintf(b, "history %q line %d format %s model %q %v tie %v order %v processes %v\n",
		h.ID, h.Line, h.Format, h.Model, h.ModelArgs, h.Tie, h.Order, h.Processes)
	if h.SortedBy != "" {
		fmt.Fprintf(b, "ordered by %s; warning: %s\n", h.SortedBy, h.Warning)
	}
	if h.Unterminated {
		fmt.Fprintf(b, "unterminated\n")
	}
	for i := range h.Ops {
		describeOperation(b, &h.Ops[i])
	}
	for i := range h.Ghosts {
		b.WriteString("ghost ")
		describeOperation(b, &h.Ghosts[i])
	}
	for _, e := range h.Edges {
		fmt.Fprintf(b, "edge %d -> %d\n", e.From, e.To)
	}
	if h.Dropped > 0 {
		fmt.Fprintf(b, "dropped %d\n", h.Dropped)
	}
}

func describeOperation(b *strings.Builder, op *history.Operation) {
	fmt.Fprintf(b, "%v process %d line %d call %d", op.ID(), op.Process, op.Line, op.Call)
	if !op.Pending() {
		fmt.Fprintf(b, " return %d", op.Return)
	}
	if op.Happened {
		b.WriteString(" happened")
	}
	if n, ok := op.Version.Number(); ok {
		fmt.Fprintf(b, " version %d", n)
	}
	fmt.Fprintf(b, ": %v", op)
	if !op.Pending() {
		fmt.Fprintf(b, " (%v)", op.Result.Kind())
	}
	b.WriteString("\n")
}

// roundTrip checks what must hold for any input: errors name a line, and histories are
// the same after being encoded and decoded again.
func roundTrip(t testing.TB, format Format, in []byte) {
	t.Helper()
	for h, err := range format.Decode(bytes.NewReader(in), "in", Limits{}) {
		if err != nil {
			checkLines(t, err)
			continue
		}
		again(t, h)
	}
}

func checkLines(t testing.TB, err error) {
	t.Helper()
	var errs *history.Errors
	var one *SyntaxError
	switch {
	case errors.As(err, &errs):
		if len(errs.List) == 0 || len(errs.List) > history.MaxErrors {
			t.Errorf("%d errors of one history", len(errs.List))
		}
		for _, e := range errs.List {
			if e.Line == 0 || e.Msg == "" {
				t.Errorf("error %q without a line or a message", e)
			}
		}
	case !errors.As(err, &one):
		t.Errorf("error %v of type %T", err, err)
	case one.Line == 0 || one.Msg == "":
		t.Errorf("error %q without a line or a message", one)
	}
}

// again encodes h, decodes that, and compares.
func again(t testing.TB, h *history.History) {
	t.Helper()
	var first, second bytes.Buffer
	if err := Encode(&first, h); err != nil {
		t.Fatal(err)
	}
	back, err := only(first.Bytes())
	if err != nil {
		t.Fatalf("decoding what was encoded: %v\n%s", err, first.Bytes())
	}
	if got, want := normal(back), normal(h); got != want {
		t.Fatalf("after encoding and decoding\n%s\nbefore\n%s\nencoded\n%s", got, want, first.Bytes())
	}
	if err := Encode(&second, back); err != nil {
		t.Fatalf("encoding again: %v", err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Fatalf("encoded first\n%s\nthen\n%s", first.Bytes(), second.Bytes())
	}
}

// only returns the history that a text in the native format has, if it is the only one.
func only(text []byte) (found *history.History, err error) {
	for h, err := range native.Format.Decode(bytes.NewReader(text), "again", Limits{}) {
		switch {
		case err != nil:
			return nil, err
		case found != nil:
			return nil, errors.New("several histories")
		}
		found = h
	}
	if found == nil {
		return nil, errors.New("no history")
	}
	return found, nil
}

// normal describes what must stay the same: everything except the file, the lines,
// the format and the dropped operations that left no trace. Only the order of the
// positions of events counts.
func normal(h *history.History) string {
	c := *h
	c.File, c.Line, c.Format, c.Unterminated, c.Warning, c.SortedBy = "", 0, "", false, "", ""
	c.Ops, c.Ghosts = slices.Clone(h.Ops), slices.Clone(h.Ghosts)
	c.Dropped = len(c.Ghosts)
	var positions []int32
	each := func(f func(op *history.Operation)) {
		for i := range c.Ops {
			f(&c.Ops[i])
		}
		for i := range c.Ghosts {
			f(&c.Ghosts[i])
		}
	}
	each(func(op *history.Operation) { positions = append(positions, op.Call, op.Return) })
	slices.Sort(positions)
	rank := func(p *int32) {
		if *p != history.NoReturn {
			at, _ := slices.BinarySearch(positions, *p)
			*p = int32(at)
		}
	}
	each(func(op *history.Operation) { op.Line = 0; rank(&op.Call); rank(&op.Return) })
	var b strings.Builder
	describeHistory(&b, &c)
	return b.String()
}
