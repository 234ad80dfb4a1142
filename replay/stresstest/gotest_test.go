package stresstest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A module of a user. Comments name the lines that failures have to be reported
// at.
const userTest = `package shop

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"example.com/depot"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/record"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/stresstest"
)

// Objects of TestSchedules and TestUnlocked consist of the same packages as those of
// TestPart, so that one program is built for all.
type inventory struct {
	_  [0]depot.Counter
	mu sync.Mutex
	n  int
}

func newInventory() *inventory { return &inventory{} }

func (i *inventory) Put()  { i.mu.Lock(); defer i.mu.Unlock(); i.n++ }
func (i *inventory) Count() int { i.mu.Lock(); defer i.mu.Unlock(); return i.n }
func (i *inventory) Take() bool {
	if i.Count() == 0 {
		return false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.n--
	return true
}
func (i *inventory) Each(odd) {}

type odd interface{ odd() }


// The time is for violations that a busy machine shows late: a test ends with one.
var options = stresstest.Options{Threads: true, Effort: stress.Effort{Time: 5 * time.Minute, Program: 2 * time.Millisecond}}

func TestType(t *testing.T) {
	stresstest.Test(t, newInventory, options) // Type
}

func TestClass(t *testing.T) {
	r, err := stress.Reflect(newInventory, stress.ReflectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	stresstest.TestClass(t, r.Class, options) // Class
}

func TestStrict(t *testing.T) {
	o := options
	o.Strict, o.Programs = true, []string{"{ Put() } || { Count() }"}
	stresstest.Test(t, newInventory, o) // Strict
}

func TestPasses(t *testing.T) {
	o := options
	o.Programs = []string{"{ Put() } || { Count() }"}
	stresstest.Test(t, newInventory, o)
}

func TestSchedules(t *testing.T) {
	o := options
	o.Threads, o.Programs = false, []string{"{ Put() } || { Count() }"}
	stresstest.Test(t, leaving(newInventory), o)
	o.Programs = nil
	stresstest.Test(t, leaving(newInventory), o) // Schedules
}

// leaving makes objects that threads do not judge, so that schedules find the violations.
func leaving[T any](newObject func() T) func() T {
	return func() T {
		go func() { select {} }()
		return newObject()
	}
}

type unlocked struct {
	_ [0]depot.Counter
	n int
}

func (u *unlocked) Inc() int { u.n++; return u.n }

func TestUnlocked(t *testing.T) {
	o := options
	o.Threads, o.Exhaustive = false, true // few programs, first without plain loads and stores
	o.Bounds = stress.Bounds{MinInvocations: 2, MaxInvocations: 2}
	stresstest.Test(t, leaving(func() *unlocked { return &unlocked{} }), o) // Unlocked
}

type asker struct {
	_ [0]depot.Counter
	n int
}

func (a *asker) Ask() bool {
	c := make(chan bool)
	go func() { c <- true }()
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestLeak(t *testing.T) {
	o := options
	o.Threads, o.Programs = false, []string{"{ Ask() }"}
	stresstest.Test(t, func() *asker { return &asker{} }, o) // Leak
}

type visits struct {
	mu sync.Mutex
	n  interface{ Inc() int64; Get() int64 }
}

func (v *visits) Inc() int64 { return v.n.Inc() }
func (v *visits) Get() int64 { v.mu.Lock(); defer v.mu.Unlock(); return v.n.Get() }

func TestPart(t *testing.T) {
	o := options
	o.Threads = false
	stresstest.Test(t, func() *visits { return &visits{n: &depot.Counter{}} }, o) // Part
}

func TestReplay(t *testing.T) {
	o := options
	o.Threads = false
	stresstest.Replay(t, func() *unlocked { return &unlocked{} }, o, "{ Inc() } || { Inc() }", "0^ 1^") // Replay
}

type locked struct {
	mu sync.Mutex
	n  int
}

func (u *locked) Inc() int { u.mu.Lock(); defer u.mu.Unlock(); u.n++; return u.n }

func TestReplayPasses(t *testing.T) {
	o := options
	o.Threads = false
	stresstest.Replay(t, func() *locked { return &locked{} }, o, "{ Inc() } || { Inc() }", "0^ 1^ 0^ 1^")
}

func twoReads(t *testing.T) *history.History {
	m := record.NewMemory(record.Options{})
	p, q := m.Process(), m.Process()
	p.Call("getAndIncrement")
	q.Call("getAndIncrement")
	p.ReturnInt(0)
	q.ReturnInt(0)
	h, err := m.History()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHistory(t *testing.T) {
	counter, err := spec.Parse("counter:0")
	if err != nil {
		t.Fatal(err)
	}
	stresstest.Check(t, twoReads(t), counter, stresstest.CheckOptions{}) // History
}

func TestOwn(t *testing.T) {
	t.Run("a b", func(t *testing.T) {
		mark, _ := os.OpenFile("runs", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		fmt.Fprintln(mark, "ran")
		mark.Close()
		own := &replay.Model[int64]{Label: "counter", // as a bundled one
			Next: func(n int64, _ replay.Invocation) []replay.Step[int64] {
				return []replay.Step[int64]{{Result: history.IntValue(n), Next: n + 1}}
			},
			Key: func(dst []byte, n int64) []byte { return fmt.Append(dst, n) },
		}
		stresstest.Check(t, twoReads(t), own, stresstest.CheckOptions{}) // Own
	})
}
`

// A module of others, of an old version of Go, that the user's module requires.
const depotModule = "module example.com/depot\n\ngo 1.16\n"

const depotSource = `package depot

import "sync/atomic"

type Counter struct{ n int64 }

func (c *Counter) Inc() int64 {
	n := atomic.LoadInt64(&c.n) + 1
	atomic.StoreInt64(&c.n, n)
	return n
}

func (c *Counter) Get() int64 { return atomic.LoadInt64(&c.n) }
`

var full = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")

// TestUser runs go test in a module of a user: failures are reported at the
// user's lines, the histories stay, and the commands that are printed work.
func TestUser(t *testing.T) {
	t.Parallel() // it waits for other processes
	if !*full {
		t.Skip("builds a user's module many times: with -full")
	}
	dir := userModule(t)
	fails := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = dir, withoutDWARF()
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != 1 {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
		return string(out)
	}
	program := filepath.Join(dir, "shop.test")
	out := fails("go", "test", "-count=1", "-o", program)
	for i, line := range strings.Split(userTest, "\n") {
		_, name, ok := strings.Cut(line, ") // ")
		if !ok {
			continue
		}
		what := map[string]string{"Type": "shop.inventory is not atomic: ", "Class": "shop.inventory is not atomic: ", "Schedules": "shop.inventory is not atomic: ",
			"Unlocked": "shop.unlocked is not atomic: ", "Replay": "shop.unlocked has no synchronisation: no call has a lock, an atomic operation or a channel: { Inc() } || { Inc() }", "Leak": "shop.asker.Ask leaks a goroutine: { Ask() }", "Part": "shop.visits is not atomic: { Inc() } || { Inc() }",
			"Strict":  "stress: these methods of shop.inventory are not tested: Each (parameter of type shop.odd",
			"History": "the history is not linearizable; 2 of 2 operations overlapped", "Own": "the history is not linearizable"}[name]
		if want := fmt.Sprintf("shop_test.go:%d: %s", i+1, what); what == "" || !strings.Contains(out, want) {
			t.Errorf("no %q", want)
		}
	}
	if !strings.Contains(out, "\nTestPasses: stress: shop.inventory: left out: Each: parameter of type shop.odd") {
		t.Error("what TestPasses leaves out is not seen")
	}
	for _, name := range []string{"TestType", "TestClass", "TestSchedules", "TestUnlocked", "TestLeak", "TestPart", "TestReplay", "TestHistory", "TestOwn_a_b"} {
		relative := filepath.Join("testdata", "leadline", name+".jsonl")
		absolute := filepath.Join(dir, relative)
		page := strings.Replace(relative, ".jsonl", ".html", 1)
		for _, file := range []string{absolute, filepath.Join(dir, page)} {
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
		}
		for _, want := range []string{"The history is in " + relative + "\n", "and for a browser in " + page + "\n", "which are in " + filepath.Dir(absolute) + "\n"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q", want)
			}
		}
	}
	for _, name := range []string{"TestType_test.go: a Go test without leadline, which fails in 3 of 3 runs", "TestSchedules_schedule_test.go: a Go test that replays the schedule"} {
		if !strings.Contains(out, name) {
			t.Errorf("no %q", name)
		}
	}
	if strings.Contains(out, "--- FAIL: TestReplayPasses") {
		t.Error("TestReplayPasses fails")
	}
	commands := regexp.MustCompile(`To explain it: (.*) (\S+)\n`).FindAllStringSubmatch(out, -1)
	if len(commands) != 7 {
		t.Fatalf("commands %q", commands)
	}
	// They differ only in the file, and several files can be explained at once.
	command := commands[0][1]
	for _, c := range commands {
		if command += " " + c[2]; c[1] != commands[0][1] {
			t.Errorf("%q begins in another way than %q", c[0], commands[0][0])
		}
	}
	if got, status := shell(t, command); status != 1 || strings.Count(got, "Not linearizable: ") != len(commands) {
		t.Errorf("%s: status %d\n%s", command, status, got)
	}
	again := regexp.MustCompile(`To check again: (.*)\n`).FindStringSubmatch(out)
	if again == nil {
		t.Fatal("no command for the user's specification")
	}
	if got, status := shell(t, again[1]); status != 1 || !strings.Contains(got, "--- FAIL: TestOwn/a_b") || strings.Contains(got, "TestType") {
		t.Errorf("%s: status %d\n%s", again[1], status, got)
	}
	if runs, err := os.ReadFile(filepath.Join(dir, "runs")); err != nil || string(runs) != "ran\nran\n" {
		t.Errorf("it ran %q, %v", runs, err)
	}
	// Each step has its place, and the saved schedule comes first.
	got, unlocked, _ := strings.Cut(fails(program, "-test.run", "TestSchedules|TestUnlocked"), "--- FAIL: TestUnlocked")
	if !regexp.MustCompile(`The schedule is [0-9 ^]+:\n(.*\n)+.* write \S*shop_test.go:\d+`).MatchString(got) ||
		!strings.Contains(got, "stress: shop.inventory: 1 program, ") {
		t.Errorf("with a saved schedule:\n%s", got)
	}
	if !strings.Contains(unlocked, "stress: shop.unlocked: 1 program, ") {
		t.Errorf("with a saved schedule of plain loads and stores:\n%s", unlocked)
	}
	if out := fails(program, "-test.run", "TestHistory", "-test.artifacts", "-test.outputdir", t.TempDir()); strings.Contains(out, savedDir) || !strings.Contains(out, "_artifacts") {
		t.Errorf("with -artifacts:\n%s", out)
	}
	if t.Failed() {
		t.Logf("go test wrote:\n%s", out)
	}
}

// userModule writes the module, which gets leadline from this directory.
func userModule(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module "+modulePath, "module example.com/shop", 1)
	text += fmt.Sprintf("\nrequire (\n\t%s v0.0.0\n\texample.com/depot v0.0.0\n)\n\nreplace %[1]s => %s\n\nreplace example.com/depot => ./depot\n", modulePath, root)
	if err := os.Mkdir(filepath.Join(dir, "depot"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"go.mod": text, "go.sum": string(sum), "shop_test.go": userTest, "depot/go.mod": depotModule, "depot/depot.go": depotSource} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// withoutDWARF returns an environment in which programs link faster.
func withoutDWARF() []string {
	return append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -ldflags=-w")
}

// shell runs a command as a user would paste it, in a directory without a module
// and without an installed leadline.
func shell(t *testing.T, command string) (out string, status int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = t.TempDir(), withoutDWARF()
	text, _ := cmd.CombinedOutput()
	return string(text), cmd.ProcessState.ExitCode()
}
