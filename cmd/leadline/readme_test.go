package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// readmeLines is how long the README may be: what a newcomer reads.
const readmeLines = 195

// A block is a fenced block of the README.
type block struct {
	language string
	lines    []string
}

func (b block) text() string { return strings.Join(b.lines, "\n") }

// readme returns the blocks of the README.
func readme(t *testing.T) (blocks []block) {
	t.Helper()
	text, err := os.ReadFile(root + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n > readmeLines {
		t.Errorf("the README has %d lines, more than %d", n, readmeLines)
	}
	inside, indent := false, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(strings.TrimPrefix(line, indent), "\n")
		before, language, fence := strings.Cut(line, "```")
		switch {
		case fence && !inside && strings.TrimSpace(before) == "":
			inside, indent = true, before
			blocks = append(blocks, block{language: language})
		case fence && inside:
			inside, indent = false, ""
		case inside:
			last := &blocks[len(blocks)-1]
			last.lines = append(last.lines, line)
		}
	}
	return blocks
}

// TestReadme runs the commands of the README that call leadline. What it shows below
// them is a part of what they print. The go commands are for TestReadmeTest and
// continuous integration.
func TestReadme(t *testing.T) {
	blocks := readme(t)
	t.Chdir(root)
	commands := 0
	for i, b := range blocks {
		if b.language != "sh" || strings.Contains(b.text(), "GOWORK") { // see TestReadmeCluster
			continue
		}
		var printed bytes.Buffer
		for line := range strings.Lines(strings.ReplaceAll(b.text(), "\\\n", "")) {
			line = strings.TrimSpace(line)
			words := words(line)
			if words[0] == "go" {
				known := []string{"go test ./...", "go install ./cmd/leadline", "go run ./cmd/leadline check benchdata/corpora/juc-labelled"}
				if !slices.Contains(known, line) {
					t.Errorf("no test runs the command %q", line)
				}
				if words[1] != "run" {
					continue
				}
				words = words[2:]
			}
			commands++
			var stderr bytes.Buffer
			if status := run(words[1:], strings.NewReader(""), &printed, &stderr); status > statusNot || stderr.Len() > 0 {
				t.Errorf("%s: status %d, %s", line, status, &stderr)
			}
		}
		if i+1 < len(blocks) && blocks[i+1].language == "text" && printed.Len() > 0 &&
			!strings.Contains(printed.String(), blocks[i+1].text()) {
			t.Errorf("%s\nprints\n%s\nthe README says\n%s", b.text(), &printed, blocks[i+1].text())
		}
	}
	if commands < 4 {
		t.Errorf("the README runs leadline %d times", commands)
	}
}

// TestReadmeCluster builds leadline-cluster by the commands of the README, which its
// documentation has, too. They leave the repository as it is.
func TestReadmeCluster(t *testing.T) {
	blocks := readme(t)
	i := slices.IndexFunc(blocks, func(b block) bool { return strings.Contains(b.text(), "go work init") })
	if i < 0 {
		t.Fatal("the README does not say how to build leadline-cluster")
	}
	doc, err := os.ReadFile(root + "/cmd/leadline-cluster/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if commands := "//\t" + strings.Join(blocks[i].lines, "\n//\t") + "\n"; !strings.Contains(string(doc), commands) {
		t.Errorf("doc.go of leadline-cluster does not have the lines\n%s", commands)
	}
	if !*full {
		t.Skip("fetches and builds NATS: with -full")
	}
	t.Chdir(root)
	t.Setenv("GOBIN", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	repository := func() (all string) {
		for _, name := range []string{"go.mod", "go.sum", "cmd/leadline-cluster/go.mod", "cmd/leadline-cluster/go.sum", "go.work", "go.work.sum"} {
			text, err := os.ReadFile(name)
			all += fmt.Sprintf("%s %s %t\n", name, text, err == nil)
		}
		return all
	}
	before := repository()
	if output, err := exec.Command("sh", "-ec", blocks[i].text()).CombinedOutput(); err != nil {
		t.Fatalf("%s\n%v\n%s", blocks[i].text(), err, output)
	}
	if after := repository(); after != before {
		t.Errorf("the commands have changed the repository:\n%s\nbefore:\n%s", after, before)
	}
	c := exec.Command(filepath.Join(os.Getenv("GOBIN"), "leadline-cluster"), "check", "cmd/leadline-cluster/testdata/example.jsonl")
	output, err := c.CombinedOutput()
	if c.ProcessState.ExitCode() != statusNot || !bytes.Contains(output, []byte(`"verdict":"not-linearizable"`)) {
		t.Errorf("%s: %v\n%s", c, err, output)
	}
}

// TestReadmeHistory: the history that the README shows is one.
func TestReadmeHistory(t *testing.T) {
	for _, b := range readme(t) {
		if b.language != "text" || !strings.HasPrefix(b.text(), `{"leadline"`) {
			continue
		}
		var stdout, stderr bytes.Buffer
		if status := run([]string{"check", "-"}, strings.NewReader(b.text()+"\n"), &stdout, &stderr); status != statusOK {
			t.Errorf("status %d, %s%s", status, &stdout, &stderr)
		}
		return
	}
	t.Error("the README does not show a history")
}

const testedStack = `package stack

import (
	"os"
	"runtime"
	"sync"
)

type Stack struct {
	mu     sync.Mutex
	values []int
}

func New() *Stack { return new(Stack) }

func (s *Stack) Push(v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values = append(s.values, v)
}

func (s *Stack) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.values)
}

var broken = os.Getenv("BROKEN") != ""

// Pop is atomic if the environment does not have BROKEN.
func (s *Stack) Pop() (int, bool) {
	if broken {
		return s.brokenPop()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.values)
	if n == 0 {
		return 0, false
	}
	v := s.values[n-1]
	s.values = s.values[:n-1]
	return v, true
}

// brokenPop reads the value before it takes the lock to remove it.
func (s *Stack) brokenPop() (int, bool) {
	s.mu.Lock()
	n := len(s.values)
	v := 0
	if n > 0 {
		v = s.values[n-1]
	}
	s.mu.Unlock()
	runtime.Gosched()
	s.mu.Lock()
	defer s.mu.Unlock()
	if n == 0 || len(s.values) == 0 {
		return 0, false
	}
	s.values = s.values[:len(s.values)-1]
	return v, true
}
`

// cloneCommand is the command for a module that uses a clone.
var cloneCommand = regexp.MustCompile("(?m)^`(go mod edit -replace [^`\n]+)`")

// TestReadmeTest compiles the test of the README in a module of its own, which the README's
// command prepares, and runs it: it fails for a stack with a Pop that is not atomic, and
// passes for the other.
func TestReadmeTest(t *testing.T) {
	t.Parallel()
	if !*full {
		t.Skip("builds and runs a module: with -full")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the command is for a Unix shell")
	}
	text, err := os.ReadFile(root + "/README.md")
	prepare := cloneCommand.FindSubmatch(text)
	if err != nil || prepare == nil {
		t.Fatalf("the README does not have a command for a clone: %v", err)
	}
	test := ""
	for _, b := range readme(t) {
		if b.language == "go" {
			test = b.text()
		}
	}
	clone, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	dir := filepath.Join(parent, "stack")
	if err := errors.Join(os.Symlink(clone, filepath.Join(parent, "leadline")), os.Mkdir(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The modules are in the module cache, checked against the project's go.sum.
	environment := append(os.Environ(), "GOFLAGS=-ldflags=-w", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off")
	command := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, environment
		output, err := cmd.CombinedOutput()
		return string(output), err
	}
	write("stack.go", testedStack)
	for _, line := range []string{"go mod init example.com/stack", string(prepare[1]) + " && go mod tidy", "", "go test -c -o stack.test", "go tool leadline version"} {
		if line == "" {
			write("stack_test.go", test+"\n") // the command does not need it
		} else if output, err := command("sh", "-c", line); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, output)
		}
	}
	program := filepath.Join(dir, "stack.test")
	if output, err := command(program, "-test.short"); err != nil {
		t.Errorf("the test of an atomic stack: %v\n%s", err, output)
	}
	environment = append(environment, "BROKEN=1")
	output, err := command(program) // which ends at a violation
	if err == nil || !strings.Contains(output, "stack_test.go:10: stack.Stack is not atomic: ") {
		t.Errorf("the test of a broken stack: %v\n%s", err, output)
	}
	runPrinted(t, dir, output, command, write)
}

// runPrinted runs commands and code that a failed test and leadline stress print, as they are.
func runPrinted(t *testing.T, dir, output string, command func(name string, args ...string) (string, error), write func(name, text string)) {
	t.Helper()
	find := func(pattern, output string) string {
		t.Helper()
		found := regexp.MustCompile(pattern).FindStringSubmatch(output)
		if found == nil {
			t.Fatalf("no %s in\n%s", pattern, output)
		}
		return found[1]
	}
	explain := find(`To explain it: (go tool leadline explain .*)`, output)
	if text, err := command("sh", "-c", explain); !strings.Contains(text, "Not linearizable: ") {
		t.Errorf("%s: %v\n%s", explain, err, text)
	}
	write("again_test.go", "package stack\n\nimport (\n\t\"testing\"\n\n\t\"github.com/leadline/leadline/replay/stresstest\"\n)\n\n"+
		"func TestAgain(t *testing.T) { stresstest.Test(t, New, "+find(`To reproduce: (.*)`, output)+") }\n\n"+
		"func TestSaved(t *testing.T) { stresstest.Replay(t, New, stresstest.Options{ReflectOptions: stresstest.ReflectOptions{Weak: []string{\"Len=weak\"}}}, \"{ Pop() } || { Pop() }\", \"0^1 1^1\") }\n")
	if text, err := command("go", "test", "-run", "^(TestAgain|TestSaved)$", "-v", "."); err == nil || !strings.Contains(text, "--- FAIL: TestAgain") {
		t.Errorf("the printed options: %v\n%s", err, text)
	}
	saved, _ := filepath.Glob(filepath.Join(dir, "testdata", "leadline", "*_test.go"))
	if len(saved) == 0 {
		t.Errorf("no saved test of\n%s", output)
	}
	for _, file := range saved {
		if text, err := command("go", "vet", file); err != nil {
			t.Errorf("%s does not compile where it lies: %v\n%s", file, err, text)
		}
	}
	output, _ = command("sh", "-c", "go tool leadline stress --new example.com/stack.New --time 3s") // status 1
	replay := find(`To replay: (go tool leadline .*)`, output)
	if text, err := command("sh", "-c", replay); err == nil || !strings.Contains(text, "no order of the invocations explains") {
		t.Errorf("%s: %v\n%s", replay, err, text)
	}
}
