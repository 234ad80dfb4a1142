package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/leadline/leadline/benchdata/subjects/internal/list"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/instrument"
	"github.com/leadline/leadline/history/stress/subject"
)

// controls are objects without violations, by their names in the table.
var controls = []struct{ title, name string }{
	{"map under a mutex", own + "map"},
	{"stack of Treiber", own + "stack"},
	{"queue of Michael and Scott", own + "queue"},
	{"copy of sync.Map", copied},
	{"buffered channel", own + "blocking-channel"},
	{"bounded queue that waits", own + "blocking-queue"},
	{"three locks, in order", "locks-ordered"},
}

// copied is the name of the copy of sync.Map.
const copied = "hashtriemap"

// locks are objects of three locks, each with the flags of a line of subjects.txt. A
// violation takes three threads.
var locks = []list.Object{
	lockObject("locks-ordered", "github.com/leadline/leadline/benchdata/subjects.NewLocks(true)"),
	lockObject("locks-circular", "github.com/leadline/leadline/benchdata/subjects.NewLocks(false)"),
}

func lockObject(name, constructor string) list.Object {
	return list.Object{Name: name, Constructor: constructor, Reflect: stress.ReflectOptions{Name: name, ReadOnly: []string{}}, Values: 3, Sequences: 3}
}

// control explores a control for so much processor time. Nothing should be found.
func (t *tester) control(ctx context.Context, title, name string, most time.Duration) error {
	o := list.Object{Name: name}
	for _, l := range locks {
		if l.Name == name {
			o = l
		}
	}
	p := t.scheduled(name)
	if name == copied {
		program, err := t.buildCopy(ctx)
		if err != nil {
			return err
		}
		p = &processes{program: program}
		o.Reflect = stress.ReflectOptions{Name: "sync.Map", ReadOnly: []string{"Load"}, Exclude: []string{"All", "Range"}}
	}
	r, err := t.explore(ctx, p, &o, most, false, title)
	if err != nil {
		return fmt.Errorf("%s: %w", title, err)
	}
	r.Kind, r.Object = "control", title
	t.results.set(r)
	return nil
}

// twin explores a broken object until there is a violation.
func (t *tester) twin(ctx context.Context, o *list.Object, name string) error {
	r, err := t.explore(ctx, t.scheduled(name), o, t.most, true, name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r.Kind, r.Object = "twin", strings.TrimPrefix(name, own)
	t.results.set(r)
	return nil
}

func (t *tester) twins(ctx context.Context) error {
	for _, s := range subject.All() {
		if s.Broken {
			if err := t.twin(ctx, &list.Object{}, own+s.Class.Name); err != nil {
				return err
			}
		}
	}
	return t.twin(ctx, &locks[1], locks[1].Name)
}

// explore searches for violations, up to the first if it is to stop there.
func (t *tester) explore(ctx context.Context, p *processes, o *list.Object, most time.Duration, stop bool, title string) (*explored, error) {
	done, end := context.WithCancel(ctx)
	defer end()
	r := &explored{}
	spent := time.Duration(0)
	report, err := p.search(done, o, 0, most, func(f *stress.Finding) {
		r.Violations = append(r.Violations, fmt.Sprintf("%s: %s (%d preemptions, %d delays)", f.Program, f.Outcome, f.Scheduled.Preemptions, f.Scheduled.Delays))
		if stop && spent == 0 {
			spent = p.spent()
			end()
		}
	})
	if err != nil {
		return nil, err
	}
	if spent == 0 {
		spent = p.spent()
	}
	r.count(report, spent)
	t.say("%-30s %d violations, %d programs, %d executions, %.2f s %s", title, len(r.Violations), r.Programs, r.Executions, spent.Seconds(), strings.Join(r.Violations, "; "))
	return r, nil
}

// count adds what a search reports.
func (r *explored) count(report *stress.Report, spent time.Duration) {
	r.Programs, r.Executions, r.Spent, r.Crashes = report.Programs, report.Executions, spent, len(report.Crashes)
	if e := report.Explored; e != nil {
		r.Complete, r.Steps, r.Cut, r.Undecided, r.Diverging, r.Blocked = e.Complete, e.Steps, e.Cut, e.Undecided, e.Diverging, e.Blocked
	}
}

// copyChanges make a package of its own of internal/sync's HashTrieMap, of which
// sync.Map consists. Two keys share the first level of the trie.
var copyChanges = []struct{ from, to string }{
	{"package sync\n", "package hashtriemap\n"},
	{"\t\"internal/abi\"\n\t\"internal/goarch\"\n", "\t\"sync\"\n"},
	{"initMu   Mutex", "initMu   sync.Mutex"},
	{"\n\tmu       Mutex", "\n\tmu       sync.Mutex"},
	{"\tvar m map[K]V\n\tmapType := abi.TypeOf(m).MapType()\n", ""},
	{"mapType.Hasher", "func(p unsafe.Pointer, _ uintptr) uintptr { return uintptr(any(*(*K)(p)).(int)) << 56 }"},
	{"mapType.Elem.Equal", "func(a, b unsafe.Pointer) bool { return any(*(*V)(a)) == any(*(*V)(b)) }"},
	{"uintptr(runtime_rand())", "0"},
	{"\n//go:linkname runtime_rand runtime.rand\nfunc runtime_rand() uint64\n", ""},
	{"goarch.PtrSize", "(4 << (^uintptr(0) >> 63))"},
	{"abi.NoEscape(", "("},
}

const copyMain = `package main

import (
	"os"

	"control/hashtriemap"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay/stresstest"
)

type Map = hashtriemap.HashTrieMap[int, int]

func main() {
	os.Exit(stress.ServeLike(new(Map), func() any { return new(Map) }, stresstest.Checker(nil), os.Stdin, os.Stdout))
}
`

// buildCopy builds the program that tests a copy of sync.Map's code, in a module of
// its own.
func (t *tester) buildCopy(ctx context.Context) (program string, err error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src", "internal", "sync", "hashtriemap.go"))
	if err != nil {
		return "", err
	}
	for _, c := range copyChanges {
		if !bytes.Contains(text, []byte(c.from)) {
			return "", fmt.Errorf("hashtriemap.go of %s does not contain %q", runtime.Version(), c.from)
		}
		text = bytes.ReplaceAll(text, []byte(c.from), []byte(c.to))
	}
	top, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	module, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(top, "go.sum"))
	if err != nil {
		return "", err
	}
	_, requires, ok := bytes.Cut(module, []byte("\n"))
	if !ok {
		return "", errors.New("go.mod has one line")
	}
	dir := filepath.Join(t.dir, "copy")
	for name, text := range map[string][]byte{
		"go.mod": fmt.Appendf(nil, "module control\n%s\nrequire github.com/leadline/leadline v0.0.0\n\nreplace github.com/leadline/leadline => %s\n", requires, top),
		"go.sum": sums, "main.go": []byte(copyMain), "hashtriemap/hashtriemap.go": text,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return "", err
		}
	}
	copies, err := instrument.Build(ctx, instrument.Options{Dir: dir, Packages: []string{"control/hashtriemap"}})
	if err != nil {
		return "", err
	}
	flags, err := copies.WithOverlay(filepath.Join(dir, "overlay.json"), nil)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "control"), goBuild(ctx, dir, copies, append([]string{"-o", "control"}, append(flags, ".")...))
}
