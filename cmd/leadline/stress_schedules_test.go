package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay/report"
)

// stressed runs leadline stress and returns its status and all that it prints.
func stressed(args ...string) (status int, text string) {
	var out, errs bytes.Buffer
	status = run(append([]string{"stress"}, args...), strings.NewReader(""), &out, &errs)
	return status, out.String() + errs.String()
}

// replayed does the same with leadline replay.
func replayed(args ...string) (status int, text string) {
	var out, errs bytes.Buffer
	status = run(append([]string{"replay"}, args...), strings.NewReader(""), &out, &errs)
	return status, out.String() + errs.String()
}

// TestScheduleFlags: flags that do not fit are refused.
func TestScheduleFlags(t *testing.T) {
	saved := filepath.Join(t.TempDir(), "saved.jsonl")
	if err := os.WriteFile(saved, []byte("# schedule: 0 1\n{\"leadline\":1}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"stress --subject queue --threads --preemptions 2":    "--preemptions has no effect with --threads",
		"stress --subject queue --threads --plain":            "--plain has no effect with --threads",
		"stress --subject queue --preemptions -2":             "must be -1 or more",
		"stress --subject queue --time 0s":                    "--time must not be 0",
		"stress --subject queue --values 0":                   "--values must not be 0",
		"stress --subject queue --preemptions 0":              "--preemptions must not be 0",
		"stress --subject queue --program {get()} --values 3": "--values has no effect with --program",
		"replay --subject queue":                              "takes one saved file, or one schedule",
		"replay --subject queue nothing.jsonl":                "neither a file nor a schedule",
		"replay --subject queue 0^2":                          "needs one --program",
		"replay --subject queue --core x --program {get()} 0": "--core has no effect without --new",
		"replay " + saved:                                     saved + ":1: it has no program and schedule",
	} {
		var out, errs bytes.Buffer
		status := run(strings.Fields(args), strings.NewReader(""), &out, &errs)
		if text := errs.String(); status != statusBad || !strings.Contains(text, want) {
			t.Errorf("%s: status %d, %s", args, status, text)
		}
	}
}

// TestHostileReplay: a saved file names neither what is compiled nor what is read; the
// object on the command line must be the one that the file names.
func TestHostileReplay(t *testing.T) {
	built := runGoTool
	defer func() { runGoTool = built }()
	runGoTool = func(*exec.Cmd) ([]byte, error) {
		t.Error("something is compiled")
		return nil, errors.New("not here")
	}
	dir := t.TempDir()
	done := filepath.Join(dir, "done")
	write := func(object string) string {
		file := filepath.Join(dir, "saved.jsonl")
		if err := os.WriteFile(file, []byte("# object: "+object+"\n# program: { read() } || { write(1) }\n# schedule: 0 1\n"+oneRead), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	const hostile = `os/exec.Command("touch","DONE").CombinedOutput`
	evil := "--new " + report.ShellWord(strings.ReplaceAll(hostile, "DONE", done))
	for _, c := range []struct{ object, args, want string }{
		{evil, "", "name that object on the command line"},
		{evil, "--subject queue", `and the command line names "--subject queue"`},
		{evil, "--new example.com/queue.New", `and the command line names "--new example.com/queue.New"`},
		{"--new example.com/queue.New --instrument evil.com/a", "--new example.com/queue.New", "evil.com/a"},
		{"--new example.com/queue.New --plain", "--new example.com/queue.New", `--new example.com/queue.New --plain"`},
		{"--new example.com/queue.New", "--new example.com/queue.New --plain", `names "--new example.com/queue.New --plain"`},
		{"--new example.com/queue.New --weak Size", "--new example.com/queue.New", "--weak Size"},
		{"--subject queue", "", "name that object on the command line"},
		{"--subject queue", "--subject all", `names "--subject all"`},
		{"--subject queue", "--subject queue,stack", "name that object on the command line"},
		{"call 1 of TestQueue", "--subject queue", "a Go test replays its own"},
		{"", "--subject queue", "does not name the object"},
		{"   ", "--subject queue", "does not name the object"},
		{"--new 'x", "--subject queue", "does not name the object"},
		{"--new \x1b[2Jx\u009b", "--subject queue", `\x1b[2Jx\u009b`},
		{"--from " + os.DevNull, "", "a Go test replays its own"},
	} {
		args := append(strings.Fields(c.args), write(c.object))
		if status, text := replayed(args...); status != statusBad || !strings.Contains(text, c.want) || strings.ContainsAny(text, "\x1b\u009b") {
			t.Errorf("%q with %s: status %d, %s", c.object, c.args, status, text)
		}
	}
	damaged := filepath.Join(dir, "damaged.gz")
	if err := os.WriteFile(damaged, []byte("\x1f\x8b\x08"), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, text := replayed(damaged); status != statusBad || !strings.Contains(text, damaged+": the file is cut short") {
		t.Errorf("a file that cannot be read: status %d, %s", status, text)
	}
	if _, err := os.Stat(done); err == nil {
		t.Error("the file ran a program")
	}
}

// TestFirstGoTest: Go tests are made of the first violation; each other one has the command for them.
func TestFirstGoTest(t *testing.T) {
	f := &stressFlags{output: &flagkind.Choice{Value: "text"}, save: t.TempDir()}
	var out bytes.Buffer
	r := newStressReport(streams{out: &out}, f)
	o := &object{name: "queue", how: "--new example.com/queue.New", path: "example.com/queue"}
	for _, program := range []string{"{ Put(0) } || { Take() }", "{ Put(1) } || { Len() }"} {
		r.found(o, &stress.Finding{Program: program, Times: 1, Executions: 2, Cut: []string{"reduced further", "run on real threads"}})
	}
	if r.saved == nil || r.saved.Program != "{ Put(0) } || { Take() }" {
		t.Errorf("Go tests of %+v", r.saved)
	}
	const command = "  For a Go test: leadline stress --new example.com/queue.New --program '{ Put(1) } || { Len() }'\n"
	if text := out.String(); strings.Count(text, "For a Go test") != 1 || !strings.Contains(text, command) || strings.Count(text, "  cut short: not reduced further, not run on real threads\n") != 2 {
		t.Errorf("%s", text)
	}
}

func TestShellFields(t *testing.T) {
	for _, words := range [][]string{nil, {"a"}, {"a~b", "c"}, {"--new", "x.New[int](8)", "--core", "A,B"}, {"it's", "a b", "\\", "\"", "$x"}, {""}} {
		var quoted []string
		for _, w := range words {
			q := report.ShellWord(w)
			if w == "" {
				q = "''"
			}
			quoted = append(quoted, q)
		}
		if got, err := shellFields(strings.Join(quoted, " ")); err != nil || !slices.Equal(got, words) {
			t.Errorf("%q: %q, %v", quoted, got, err)
		}
	}
	if _, err := shellFields("'a"); err == nil {
		t.Error("a quote that does not end is read")
	}
}

// testSchedules explores schedules of types of a user's module, and replays what it
// saves.
func testSchedules(t *testing.T) {
	status, text := stressed("--new", "example.com/thing.NewBroken", "--exclude", "Watch", "--save", "explored", "--time", "5m", "--run", "2ms")
	if status != statusNot || !regexp.MustCompile(`(?s)\{ Increment\(\) \} \|\| \{ Increment\(\) \}\n.*1 preemption, 2 switches;.*seen on real threads: \d+ of \d+ .*saved as explored/example.com_thing.NewBroken-\d.jsonl`).MatchString(text) {
		t.Fatalf("status %d\n%s", status, text)
	}
	file := regexp.MustCompile(`(?s)1 preemption, 2 switches;.*?saved as (\S+)`).FindStringSubmatch(text)[1]
	status, first := replayed(file, "--new", "example.com/thing.NewBroken", "--exclude", "Watch")
	if status != statusNot || !strings.Contains(first, "/thing.go:16 <- 1") || !strings.Contains(first, "answered 1,1, which no order of the invocations explains") {
		t.Errorf("status %d\n%s", status, first)
	}
	command := regexp.MustCompile(`To replay: leadline replay (.*)`).FindStringSubmatch(text)
	args, err := shellFields(command[1])
	if err != nil {
		t.Fatal(err)
	}
	if status, again := replayed(args...); status != statusNot || again != first {
		t.Errorf("%s: status %d\n%s", command[1], status, again)
	}
	args[len(args)-1] = "0^2 1^9"
	if status, text := replayed(args...); status != statusBad || !strings.Contains(text, "2 of its 11 decisions fit") {
		t.Errorf("another schedule: status %d\n%s", status, text)
	}
	var out, errs bytes.Buffer
	if status := run([]string{"view", file, "-o", "page.html"}, strings.NewReader(""), &out, &errs); status != statusOK {
		t.Errorf("view: status %d, %s", status, &errs)
	}
	args[len(args)-1] = "0"
	if status, text := replayed(args...); status != statusOK || !strings.Contains(text, "answered 1,2\n") {
		t.Errorf("a schedule without preemption: status %d\n%s", status, text)
	}
	if status, text := stressed("--new", "example.com/thing.NewShared", "--program", "{ Increment() } || { Increment() }"); status != statusNot ||
		!strings.Contains(text, "answered 1,1 in ") { // each execution begins with the globals as they were
		t.Errorf("a shared object: status %d\n%s", status, text)
	}
	if status, text := stressed("--new", "example.com/thing.NewCell[int](0)", "--program", "{ Load(); Store(1) } || { Store(0); Load() }"); status != statusOK ||
		!strings.Contains(text, "1 program, complete to 3 preemptions") {
		t.Errorf("a correct object: status %d\n%s", status, text)
	}
	if status, text := stressed("--new", "example.com/thing.NewReused", "--preemptions", "2", "--time", "10m",
		"--program", "[ Push(0) ] { Push(0); Pop(); Pop() } || { Pop(); Push(0) }"); status != statusNot ||
		!strings.Contains(text, "; then plain loads and stores as steps, too:\n") || !strings.Contains(text, "To replay: leadline replay --new example.com/thing.NewReused --plain --program") {
		t.Errorf("a stack with a free list: status %d\n%s", status, text)
	}
	if status, text := stressed("--new", "example.com/thing.NewReused", "--preemptions", "1", "--time", "10m", "--output", "json",
		"--program", "{ Push(0) } || { Push(1) }"); status != statusOK || strings.Count(text, `"complete":[1,1]`) != 2 || !strings.Contains(text, `"before":[{"subject"`) {
		t.Errorf("two passes as JSON: status %d\n%s", status, text)
	}
	testFaults(t)
}

// testFaults finds a deadlock and a leak inside one call, and replays what it saves.
func testFaults(t *testing.T) {
	t.Helper()
	for _, c := range []struct{ method, says, fault, waiting string }{
		{"Run", "deadlocks by itself", "deadlock", `a goroutine that Run\(\) started at \S*/thing.go:\d+ \(thread \d\): sync.Mutex.Lock at \S+/thing.go:\d+, held by thread`},
		{"Ask", "leaks a goroutine", "leak", `a goroutine that Ask\(\) started at \S*/thing.go:\d+ \(thread \d\): chan send at \S+/thing.go:\d+`},
	} {
		const object = "example.com/thing.NewForked"
		status, text := stressed("--new", object, "--program", "{ "+c.method+"() }", "--save", "faults", "--run", "2ms")
		if status != statusNot || !strings.Contains(text, object+"."+c.method+" "+c.says+": { "+c.method+"() }\n") || !regexp.MustCompile(c.waiting).MatchString(text) {
			t.Errorf("%s: status %d\n%s", c.method, status, text)
		}
		file := "faults/" + object[:len("example.com")] + "_thing.NewForked-" + c.method + "-1.jsonl"
		if status, text := replayed(file, "--new", object); status != statusNot || !strings.Contains(text, ": a call "+c.says) || !regexp.MustCompile(c.waiting).MatchString(text) {
			t.Errorf("replay of %s: status %d\n%s", c.method, status, text)
		}
		if status, text := stressed("--new", object, "--program", "{ "+c.method+"() }", "--save", "", "-o", "json"); status != statusNot ||
			!strings.Contains(text, `"fault":"`+c.fault+`"`) || !strings.Contains(text, `"method":"`+c.method+`"`) {
			t.Errorf("%s as JSON: status %d\n%s", c.method, status, text)
		}
	}
}

// TestScheduledSubjects explores programs of bundled objects: broken ones have a
// violation with one preemption, correct ones have none.
func TestScheduledSubjects(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	t.Chdir(root)
	tests := []struct {
		broken, correct, program string
	}{
		{"counter-lost-update", "counter", "{ getAndIncrement() } || { getAndIncrement() }"},
		{"cas-register-broken", "cas-register", "{ write(1) } || { cas(0,0); read() }"},
		{"pair-torn", "pair", "{ write(1,0); write(0,1) } || { read() }"},
		{"ring-out-of-order", "ring", "{ peek() } || { enqueue(0) }"},
		{"queue-double-delivery", "queue", "{ dequeue() } || { enqueue(0); dequeue() }"},
		{"stack-stale-pop", "stack", "{ push(1); pop() } || { push(0); pop() }"},
		{"set-stale-size", "set", "{ add(1) } || { remove(1); size() }"},
		{"set-check-then-act", "set", "{ add(1) } || { add(1) }"},
		{"map-bulk", "map", "{ keys() } || { putAll({0=0,1=0}) }"},
		{"sharded-map-unlocked", "sharded-map", "{ put(0,0); put(1,0) } || { snapshot() }"},
		{"semaphore-missed-release", "semaphore", "{ release() } || { tryAcquire(); tryAcquire() }"},
		{"bank-unlocked-total", "bank", "{ total() } || { transfer(0,0) }"},
		{"blocking-queue-silent", "blocking-queue", "{ get() } || { put(0); put(0) }"},
		{"blocking-queue-hasty", "blocking-queue", "{ get() } || { put(0); get() }"},
	}
	f := &stressFlags{}
	if !*full {
		tests = tests[:2]
	}
	var list []object
	for _, test := range tests {
		list = append(list, object{name: test.broken}, object{name: test.correct})
	}
	if err := f.buildsOfSubjects(list); err != nil {
		t.Fatal(err)
	}
	defer list[0].cleanup()
	for i, o := range list {
		p := tests[i/2].program
		program, _, err := o.build(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		r, err := stress.Supervise(t.Context(), program, stress.Options{Preemptions: 2, Programs: []string{p}})
		if err != nil {
			t.Fatal(err)
		}
		if o.name == "set-check-then-act" && len(r.Findings) > 0 {
			v := r.Findings[0].Variations
			if v == nil || v.Untried == 0 && (len(v.Tried) != 4 || v.Pattern != "argument 1 of call 1 (add) = argument 1 of call 2 (add)") {
				t.Errorf("%s %s: variations %+v", o.name, p, v)
			}
		}
		e := r.Explored
		if broken := i%2 == 0; len(r.Findings) > 0 != broken || broken && r.Findings[0].Scheduled.Preemptions > 1 || !broken && (len(r.Account.Sizes) == 0 || len(r.Account.Sizes[0].Complete) != 3) ||
			e.Undecided+e.Cut > 0 || len(e.Diverging)+len(r.Crashes) > 0 {
			t.Errorf("%s %s: %d violations, crashes %v, %+v", o.name, p, len(r.Findings), r.Crashes, e)
		}
	}
}
