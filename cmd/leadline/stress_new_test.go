package main

import (
	"bytes"
	"errors"
	"fmt"
	gobuild "go/build"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/stress"
)

func TestParseConstructor(t *testing.T) {
	for _, test := range []struct{ text, path, expression string }{
		{"example.com/queue.New", "example.com/queue", "p.New()"},
		{"example.com/queue.New(8)", "example.com/queue", "p.New(8)"},
		{"example.com/a.b/queue/v2.New[int,int](1.5)", "example.com/a.b/queue/v2", "p.New[int,int](1.5)"},
		{"gopkg.in/queue.v3.New", "gopkg.in/queue.v3", "p.New()"},
		{"&example.com/queue.Queue[int]{}", "example.com/queue", "&p.Queue[int]{}"},
		{"sync.NewCond[a/b]", "sync", "p.NewCond[a/b]()"},
	} {
		path, expression, err := parseConstructor(test.text)
		if err != nil || path != test.path || expression != test.expression {
			t.Errorf("%s: %q, %q, %v", test.text, path, expression, err)
		}
	}
	for _, text := range []string{"", "New", "example.com/queue", "example.com/queue.", ".(3)", "(3)"} {
		if path, expression, err := parseConstructor(text); err == nil {
			t.Errorf("%q: %q, %q", text, path, expression)
		}
	}
}

// TestOwnName: arguments of a constructor name its package as Go code does, or p.
func TestOwnName(t *testing.T) {
	defer func() { runGoTool = (*exec.Cmd).CombinedOutput }()
	source := ""
	runGoTool = func(cmd *exec.Cmd) ([]byte, error) {
		program := cmd.Args[slices.Index(cmd.Args, "-o")+1]
		text, err := os.ReadFile(filepath.Join(filepath.Dir(program), "main.go"))
		source = string(text)
		return nil, err
	}
	for _, test := range []struct{ constructor, expression string }{
		{"math/rand/v2.NewZipf(rand.New(rand.NewPCG(1, 2)), 2, 1, p.Uint64())", "p.NewZipf(p.New(p.NewPCG(1, 2)), 2, 1, p.Uint64())"},
		{"&container/ring.Ring{Value: ring.New(3).Len()}", "&p.Ring{Value: p.New(3).Len()}"},
		{`container/list.New("list.New", time.Second)`, `p.New("list.New", time.Second)`},
		{"container/list.New(", "p.New("},
	} {
		o, err := buildObject(t.Context(), test.constructor, stress.ReflectOptions{}, nil)
		if err != nil {
			t.Fatalf("%s: %v", test.constructor, err)
		}
		o.cleanup()
		if !strings.Contains(source, "any { return "+test.expression) {
			t.Errorf("%s: %s", test.constructor, source)
		}
	}
}

const thing = `package thing

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
)

type Counter struct{ n atomic.Int64 }

func NewBroken() *Counter { return &Counter{} }

func (c *Counter) Increment() int {
	n := c.n.Load() + 1
	c.n.Store(n)
	return int(n)
}

var shared Counter

func NewShared() *Counter { return &shared }

type remote interface{ odd() }

func (c *Counter) Watch(remote) {}

// A Reused is a stack of Treiber whose nodes a free list keeps: a Pop may be interrupted
// between its plain load of next and its compare-and-swap, and the node pushed again.
type Reused struct{ head, free atomic.Pointer[node] }

type node struct {
	value int
	next  *node
}

func NewReused() *Reused { return &Reused{} }

func (s *Reused) Push(v int) {
	n := take(&s.free)
	if n == nil {
		n = &node{}
	}
	n.value = v
	put(&s.head, n)
}

func (s *Reused) Pop() (int, bool) {
	n := take(&s.head)
	if n == nil {
		return 0, false
	}
	v := n.value
	put(&s.free, n)
	return v, true
}

func put(to *atomic.Pointer[node], n *node) {
	for {
		n.next = to.Load()
		if to.CompareAndSwap(n.next, n) {
			return
		}
	}
}

func take(from *atomic.Pointer[node]) *node {
	for {
		n := from.Load()
		if n == nil || from.CompareAndSwap(n, n.next) {
			return n
		}
	}
}

// Cell writes files, too.
type Cell[T any] struct {
	Counter
	v atomic.Value
}

func NewCell[T any](v T) (*Cell[T], error) {
	c := &Cell[T]{}
	c.v.Store(v)
	return c, nil
}

func (c *Cell[T]) Load() T               { return c.v.Load().(T) }
func (c *Cell[T]) Store(v T)             { c.v.Store(v) }
func (c *Cell[T]) Save(name string) bool { return os.WriteFile("saved-"+name, nil, 0o644) == nil }

// Fatal ends the process after many calls, from a goroutine of its own.
type Fatal struct{ n int }

var calls atomic.Int64

func NewFatal() *Fatal { return &Fatal{} }

func (f *Fatal) Boom() {
	if calls.Add(1) > 1000 {
		go func() { panic("boom") }()
		select {}
	}
}

// Inc of an Armed is not atomic, and Kick is.
type Armed struct {
	on atomic.Bool
	Counter
}

func NewArmed() *Armed { return &Armed{} }

func (a *Armed) Arm()  { a.on.Store(true) }
func (a *Armed) Kick() { a.on.Store(true) }
func (a *Armed) Inc() int {
	if a.on.Load() {
		return a.Increment()
	}
	return int(a.n.Add(1))
}
func (a *Armed) Size() int { return int(a.n.Load()) }

// Forked runs two goroutines that take two locks in both orders, or leaves one behind.
type Forked struct{ a, b sync.Mutex }

func NewForked() *Forked { return &Forked{} }

func (f *Forked) Run() {
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); f.a.Lock(); f.b.Lock(); f.b.Unlock(); f.a.Unlock() }()
	go func() { defer wg.Done(); f.b.Lock(); f.a.Lock(); f.a.Unlock(); f.b.Unlock() }()
	wg.Wait()
}

func (f *Forked) Ask() bool {
	c := make(chan bool)
	go func() { c <- true }()
	select {
	case v := <-c:
		return v
	default:
		return false
	}
}

func NewNothing() (*Counter, error) { return nil, errors.New("no") }
`

// built has the programs that runOnce has built, by all that they are built from.
var built = map[string][]byte{}

// runOnce runs a command of the Go tool that builds a program, or writes the program
// that an equal command has built. Equal commands differ only in the directory of the
// program, its source and the overlay.
func runOnce(cmd *exec.Cmd) ([]byte, error) {
	program := cmd.Args[slices.Index(cmd.Args, "-o")+1]
	dir := filepath.Dir(program)
	key := strings.ReplaceAll(fmt.Sprint(cmd.Dir, cmd.Env, cmd.Args), dir, "")
	for _, name := range []string{"overlay.json", "main.go", "safety_test.go", "stress_test.go"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		key += "\n" + strings.ReplaceAll(string(text), dir, "")
	}
	if binary, ok := built[key]; ok {
		return nil, os.WriteFile(program, binary, 0o755)
	}
	text, err := cmd.CombinedOutput()
	if err == nil {
		built[key], err = os.ReadFile(program)
	}
	return text, err
}

// A module of a user's tests its own types.
func TestStressNew(t *testing.T) {
	if !*full {
		t.Skip("builds programs: with -full")
	}
	// Leadline itself starts no child here: the programs are built.
	runGoTool = runOnce
	defer func() { runGoTool = (*exec.Cmd).CombinedOutput }()
	t.Chdir(thingModule(t))
	t.Run("threads", testThreads)
	t.Run("closed", testClosed)
	t.Run("schedules", testSchedules)
}

// testThreads tests types on threads, generic ones and constructors that return errors,
// too.
func testThreads(t *testing.T) {
	generic := `no method N`
	if slices.Contains(gobuild.Default.ReleaseTags, "go1.27") {
		generic = `method N of rand.Rand is left out: a generic method`
	}
	for _, test := range []struct {
		args   string
		status int
		out    string
	}{
		{"--new example.com/thing.NewBroken --exclude Watch --time 5m --run 5ms", statusNot, `(?m)^example.com/thing.NewBroken is not atomic: .*\{ Increment\(\)`},
		{"--new example.com/thing.NewBroken --exclude Watch --time 5m --run 5ms --save go.mod/found", statusBad, `could not be saved: mkdir go.mod: .*; --save names another directory`},
		{"--new example.com/thing.NewCell[int](0) --time 200ms --core Load --exclude Increment", statusOK, `(?m)^example.com/thing.NewCell\[int\]\(0\): [0-9]+ programs?, [1-9]`},
		{"--new example.com/thing.NewCell[int](thing.NewBroken().Increment()) --time 200ms --core Load --exclude Increment", statusOK, `: [0-9]+ programs?, [1-9]`},
		{"--new example.com/thing.NewFatal --time 1m", statusNot, `(?s)panic: boom: .*To reproduce: leadline stress --new example.com/thing.NewFatal ` +
			`--program '.* --run 1s.*thing.\(\*Fatal\).Boom.func1.*saved as found/example.com_thing.NewFatal-crash-1.txt`},
		{"--new example.com/thing.NewNothing --time 500ms", statusBad, `the constructor returns an error: no`},
		{"--new example.com/thing.NewShared --threads --program {Increment()}||{Increment()} --time 5m --run 5ms", statusUnknown, `nothing could be judged, as every program returned different results .*, such as \{ Increment`},
		{"--new example.com/thing.NewOther --time 500ms", statusBad, `(?m)--new example.com/thing.NewOther: undefined: thing.NewOther; see`},
		{"--new example.com/thing.NewCell[int](thing.NewOther()) --time 500ms", statusBad, `: undefined: thing.NewOther; see`},
		{"--new example.com/thing.NewBroken(1) --time 500ms", statusBad, `: too many arguments in call to thing.NewBroken\n\thave \(number\)`},
		{"--new example.com/other.New --time 500ms", statusBad, `example.com/other`},
		{"--new example.com/thing.NewBroken --time 1s --core Increment,Watch", statusBad, `core method Watch is left out: parameter of type thing.remote`},
		{"--new math/rand/v2.New(rand.NewPCG(1,2)) --time 1s --core N", statusBad, generic},
		{"--new example.com/thing.NewBroken --time 1s --core Watch", statusBad, `core method Watch is left out: parameter of type thing.remote`},
	} {
		var out, errs bytes.Buffer
		args := append([]string{"stress", "--save", "found"}, strings.Fields(test.args)...)
		status := run(args, strings.NewReader(""), &out, &errs)
		busy := status == statusUnknown && strings.Contains(out.String(), "no invocations overlapped")
		if status != test.status && !(busy && test.status == statusOK) {
			t.Errorf("%s: status %d, want %d\n%s%s", test.args, status, test.status, &out, &errs)
		}
		if !regexp.MustCompile(test.out).MatchString(out.String() + errs.String()) {
			t.Errorf("%s: nothing matches %s in\n%s%s", test.args, test.out, &out, &errs)
		}
	}
	if written, err := filepath.Glob("saved-*"); err != nil || len(written) > 0 {
		t.Errorf("methods wrote %q, %v", written, err)
	}
	// Threads find the violation, and so do schedules.
	if found, err := filepath.Glob("found/*NewBroken-*.jsonl"); err != nil || len(found) == 0 {
		t.Errorf("saved %q, %v", found, err)
	}
}

// testClosed: a reader that goes away ends the command, which leaves no directories behind.
func testClosed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	dir := t.TempDir()
	output, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	output.Close()
	cmd := exec.Command("leadline", "stress", "--new", "example.com/thing.NewBroken", "--time", "5m", "--run", "5ms", "--save", "found")
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	cmd.Stdout = write
	_ = cmd.Run() // the status tells
	write.Close()
	if status := cmd.ProcessState.ExitCode(); status != statusClosed {
		t.Errorf("status %d, want %d", status, statusClosed)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
}

// TestStressNeedsLeadline: a module that does not require leadline is told to, in a
// workspace, too, where the Go tool may complain about another module first.
func TestStressNeedsLeadline(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOWORK", "") // that of the directory
	dir := t.TempDir()
	for name, text := range map[string]string{
		"alone/go.mod":  "module example.com/alone\n\ngo 1.21\n",
		"alone/a.go":    "package alone\n\nfunc New() *int { return new(int) }\n",
		"work/go.work":  "go 1.21\n\nuse (\n\t./a\n\t./b\n)\n",
		"work/a/go.mod": "module example.com/a\n\ngo 1.21\n\nrequire example.com/b v0.0.0\n",
		"work/a/a.go":   "package a\n\nimport \"example.com/b\"\n\nfunc New() *b.B { return &b.B{} }\n",
		"work/b/go.mod": "module example.com/b\n\ngo 1.16\n",
		"work/b/b.go":   "package b\n\ntype B struct{}\n\nfunc (*B) Get() int { return 1 }\n",
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for where, constructor := range map[string]string{"alone": "example.com/alone.New", "work/a": "example.com/a.New"} {
		t.Chdir(filepath.Join(dir, where))
		for _, flags := range [][]string{nil, {"--threads"}} {
			var out, errs bytes.Buffer
			args := slices.Concat([]string{"stress", "--new", constructor}, flags)
			if status := run(args, strings.NewReader(""), &out, &errs); status != statusBad || !strings.Contains(errs.String(), "The module has to require leadline") {
				t.Errorf("%s, %v: status %d\n%s%s", where, args, status, &out, &errs)
			}
		}
	}
}

// A vendor directory has no package of leadline if the module imports none. The program
// is built without it then.
func TestStressVendor(t *testing.T) {
	t.Chdir(thingModule(t))
	if out, err := exec.Command("go", "mod", "vendor").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	source := fmt.Sprintf(stressProgram, "example.com/thing", "p.NewBroken()", "")
	if err := compile(t.Context(), filepath.Join(t.TempDir(), "main.go"), source, nil, "list", "-deps"); err != nil {
		t.Error(err)
	}
}

// TestFaultIn: the first message about the expression counts, without the place in a source
// that the user has not written.
func TestFaultIn(t *testing.T) {
	for messages, want := range map[string]string{
		"# m/leadline-stress-main\n/tmp/leadline-stress-1/main.go:12:29: undefined: p.Nw\n/tmp/leadline-stress-1/main.go:12:60: undefined: p.Nw\n": "--new m/q.Nw: undefined: q.Nw",
		"../with space/leadline-stress-1/main.go:12:2: too many\n\twant p.N":                                                                       "--new m/q.Nw: too many\n\twant q.N",
		"# m/q\nq/q.go:3:2: undefined: p.x":    "",
		"/tmp/leadline-stress-2/main.go:12: x": "",
	} {
		err := faultIn("/tmp/leadline-stress-1/main.go", []byte(messages))
		if err != nil {
			err = ofConstructor("m/q.Nw", fmt.Errorf("building: %w", err), func() string { return "q" })
		}
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q: %v, want %s", messages, err, want)
		}
	}
}

// thingModule writes a module of a user's and returns its directory.
func thingModule(t *testing.T) string {
	t.Helper()
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	needed := regexp.MustCompile(`github.com/(klauspost/compress|expr-lang/expr|clipperhouse/displaywidth|clipperhouse/uax29/v2) v\S+`).FindAll(mod, -1)
	sum, err := os.ReadFile(filepath.Join(top, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": fmt.Sprintf("module example.com/thing\n\ngo 1.26.0\n\nrequire (\n\tgithub.com/leadline/leadline v0.0.0\n\t%s // indirect\n)\n\n"+
			"replace github.com/leadline/leadline => %s\n", bytes.Join(needed, []byte(" // indirect\n\t")), top),
		"go.sum": string(sum), "thing.go": thing,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
