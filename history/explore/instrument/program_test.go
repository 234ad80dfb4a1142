package instrument

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var (
	seedFlag = flag.Uint64("seed", 0, "seed of the random program; 0: another one each time")
	full     = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
)

// program returns the files of the module of testdata/program, with a function
// random that a seed makes.
func program(t *testing.T, seed uint64) []string {
	t.Helper()
	files := []string{"old/go.mod", "module m/old\n\ngo 1.16\n", "random.go", randomProgram(seed)}
	for _, name := range []string{"main.go", "old/old.go"} {
		text, err := os.ReadFile(filepath.Join("testdata/program", name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, name, string(text))
	}
	return files
}

// requireOld makes a module require the module in its directory old.
func requireOld(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(text, "\nrequire m/old v0.0.0\n\nreplace m/old => ./old\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPrograms runs a program with and without instrumentation. It prints the
// same, outside of a scheduler.
func TestPrograms(t *testing.T) {
	t.Parallel()
	if !*full {
		t.Skip("builds programs: with -full")
	}
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	dir := newModule(t, program(t, seed)...)
	requireOld(t, dir)
	run := func(r *Copies) string {
		binary := filepath.Join(t.TempDir(), "program")
		if out, err := goBuild(t, dir, r, "build", "-o", binary, "."); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		out, err := exec.Command(binary).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	want := run(&Copies{})
	for _, part := range []string{"goroutines", "channels", "selects", "ranges", "plain", "locks", "clocks", "generics", "random"} {
		if !strings.Contains(want, "\n"+part+" ") && !strings.HasPrefix(want, part+" ") {
			t.Errorf("%s printed nothing:\n%s", part, want)
		}
	}
	for _, plain := range []bool{true, false} {
		r, err := Build(t.Context(), Target{Dir: dir, Packages: []string{".", "m/old"}, Plain: plain, Cache: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Split(run(r), "\n")
		for i, line := range strings.Split(want, "\n") {
			if i >= len(got) || got[i] != line {
				t.Fatalf("plain %v: line %d is %q, want %q", plain, i+1, got[min(i, len(got)-1)], line)
			}
		}
	}
}

// A writer writes a random program of statements on the variables of state.
type writer struct {
	*rand.Rand
	strings.Builder
	depth int
}

const randomHead = `package main

import "fmt"

type state struct {
	x, y  int
	next  *state
	list  [4]int
	slice []int
	m     map[int]int
	ch    chan int
}

var shared = &state{}

func newState() *state {
	s := &state{slice: make([]int, 4), m: map[int]int{}, ch: make(chan int, 3)}
	s.next = &state{slice: s.slice, m: map[int]int{1: 1}, ch: make(chan int, 3)}
	s.next.next = s
	return s
}

var calls int

// No expression changes what another one reads: their order is not specified.
func (s *state) get() *state { calls++; return s.next }
func (s state) sum() int     { return s.x + s.list[0] }
func (s *state) two() (int, bool) { s.x++; return s.x, s.x&1 == 0 }

func random() {
`

func randomProgram(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 0))}
	w.WriteString(randomHead)
	for i := range 12 {
		fmt.Fprintf(w, "\tf%d(newState())\n", i)
	}
	w.WriteString("\tfmt.Println(\"calls\", calls)\n}\n")
	for i := range 12 {
		fmt.Fprintf(w, "\nfunc f%d(s *state) {\n\ta, b, ok := 1, 2, false\n\tshared = newState()\n", i)
		for range 15 {
			w.statement()
		}
		fmt.Fprintf(w, "\tfmt.Println(\"random %d\", a, b, ok, s.x, s.y, s.list, s.slice, s.m, len(s.ch), s.next.x, s.next.y, s.next.m, len(s.next.ch), shared.x, shared.y, shared.m)\n}\n", i)
	}
	return w.String()
}

func (w *writer) pick(list ...string) string { return list[w.IntN(len(list))] }

// object returns a *state.
func (w *writer) object() string {
	if w.IntN(3) == 0 {
		return w.object() + w.pick(".next", ".get()")
	}
	return w.pick("s", "s", "shared")
}

// place returns an int variable.
func (w *writer) place() string {
	switch w.IntN(7) {
	case 0:
		return w.pick("a", "b")
	case 1:
		return w.object() + ".list[" + w.value() + "&3]"
	case 2:
		return w.object() + ".slice[" + w.value() + "&3]"
	case 3:
		return w.object() + ".m[" + w.value() + "&3]"
	default:
		return w.object() + w.pick(".x", ".y")
	}
}

// value returns an int expression.
func (w *writer) value() string {
	if w.depth > 3 {
		return w.pick("a", "b", "1", "s.x")
	}
	w.depth++
	defer func() { w.depth-- }()
	switch w.IntN(9) {
	case 0:
		return "(" + w.value() + w.pick("+", "-", "*", "^", "&") + w.value() + ")"
	case 1:
		return "len(" + w.object() + w.pick(".m", ".ch", ".list", ".slice[1:]") + ")"
	case 2:
		return w.object() + ".sum()"
	case 3:
		return "(" + w.value() + ">>(" + w.value() + "&3))"
	case 4:
		return "func() int { calls++; return " + w.value() + " }()"
	case 5:
		return fmt.Sprint(w.IntN(5))
	default:
		return w.place()
	}
}

func (w *writer) statement() {
	if w.depth > 2 {
		fmt.Fprintf(w, "\t%s = %s\n", w.place(), w.value())
		return
	}
	w.depth++
	defer func() { w.depth-- }()
	switch o := w.object(); w.IntN(14) {
	case 0:
		fmt.Fprintf(w, "\t%s = %s\n", w.place(), w.value())
	case 1:
		fmt.Fprintf(w, "\t%s %s %s\n", w.place(), w.pick("+=", "-=", "^=", "|="), w.value())
	case 2:
		fmt.Fprintf(w, "\t%s%s\n", w.place(), w.pick("++", "--"))
	case 3:
		fmt.Fprintf(w, "\t%s, %s = %s, %s\n", w.pick("a", "s.x", "s.next.x"), w.pick("b", "s.y", "s.next.y", "s.list[1]"), w.value(), w.value())
	case 4:
		fmt.Fprintf(w, "\t%s, %s = %s.m[%s&3]\n", w.pick("_", "a", "s.x", "s.next.list[a&3]"), w.pick("ok", "_"), o, w.value())
	case 5:
		fmt.Fprintf(w, "\t%s, ok = %s.two()\n", w.pick("b", "s.y", "s.next.list[b&3]"), o)
	case 6:
		fmt.Fprintf(w, "\tselect {\n\tcase %s.ch <- %s:\n", o, w.value())
		w.statement()
		w.WriteString("\tdefault:\n")
		w.statement()
		w.WriteString("\t}\n")
	case 7:
		fmt.Fprintf(w, "\tselect {\n\tcase %s, ok = <-%s.ch:\n", w.pick("a", "s.x", "s.next.list[a&3]"), o)
		w.statement()
		w.WriteString("\tdefault:\n\t}\n")
	case 8:
		fmt.Fprintf(w, "\tfor i := range 3 {\n\t\t%s += i\n", w.place())
		w.statement()
		w.WriteString("\t}\n")
	case 9:
		fmt.Fprintf(w, "\tfor k, v := range map[int]int{%d: %s} {\n\t\t%s += k - v\n\t}\n", w.IntN(5), w.value(), w.place())
	case 10:
		fmt.Fprintf(w, "\tif %s = %s; %s > %s {\n", w.pick("a", "s.x", "s.next.y"), w.value(), w.place(), w.value())
		w.statement()
		w.WriteString("\t} else {\n")
		w.statement()
		w.WriteString("\t}\n")
	case 11:
		fmt.Fprintf(w, "\tfunc() {\n\t\tdone := make(chan int)\n\t\tgo func(n int) { a = n; done <- %s; close(done) }(%s)\n\t\tfor v := range done {\n\t\t\tb += v\n\t\t}\n\t}()\n", w.value(), w.value())
	case 12:
		fmt.Fprintf(w, "\tswitch v := any(%s).(type) {\n\tcase int:\n\t\t%s -= v\n\t}\n", w.value(), w.place())
	case 13:
		fmt.Fprintf(w, "\tdelete(%s.m, %s&3)\n", o, w.value())
	}
}
