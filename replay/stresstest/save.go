package stresstest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// savedDir is where histories are saved by default, in the directory of the
// package under test. The go command ignores it.
const savedDir = "testdata/leadline"

// save writes the history of a failed test to a file. It returns lines with the
// file's name and a command about it. The header names the specification, unless
// own is true: then it is the user's own.
func save(t TB, h *history.History, own bool, dir string) string {
	file := filepath.Join(directory(t, dir), names.next(t)+".jsonl")
	if err := writeHistory(file, h); err != nil {
		return fmt.Sprintf("The history could not be saved: %v\n", err)
	}
	absolute, err := filepath.Abs(file)
	if err != nil {
		absolute = file
	}
	text := fmt.Sprintf("The history is in %s\n", file)
	if absolute != file {
		text += fmt.Sprintf("which is %s\n", absolute)
	}
	if !own {
		return text + fmt.Sprintf("To explain it: %s %s %s\n", program(), explainCommand, shellQuote(absolute))
	}
	return text + fmt.Sprintf("The command leadline does not have its specification. To check again: %s\n", rerun(t))
}

func writeHistory(file string, h *history.History) error {
	var b bytes.Buffer
	native, _ := codec.Lookup("native")
	if err := native.Encode(&b, h); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}

// directory returns the directory for histories: the given one, that of the
// artifacts under go test -artifacts, or savedDir. Without that flag, the
// directory of the artifacts does not survive the test.
func directory(t TB, dir string) string {
	if dir != "" {
		return dir
	}
	a, ok := t.(interface{ ArtifactDir() string })
	if f := flag.Lookup("test.artifacts"); ok && f != nil && f.Value.String() == "true" {
		return a.ArtifactDir()
	}
	return filepath.FromSlash(savedDir)
}

// maxSaved is how many histories of one test are kept. The last of them is
// overwritten by those that follow.
const maxSaved = 10

// fileNames numbers the histories that each test saves. A test that runs again
// begins anew.
type fileNames struct {
	sync.Mutex
	saved map[string]*savedBy
}

type savedBy struct {
	test  TB
	count int
}

var names = fileNames{saved: map[string]*savedBy{}}

// next returns the name of the test's next file, without its extension.
func (n *fileNames) next(t TB) string {
	n.Lock()
	defer n.Unlock()
	name := strings.Map(func(c rune) rune {
		if c < ' ' || strings.ContainsRune("/\\ :*?\"<>|", c) {
			return '_'
		}
		return c
	}, t.Name())
	s := n.saved[name]
	if s == nil || s.test != t {
		s = &savedBy{test: t}
		n.saved[name] = s
	}
	if s.count = min(s.count+1, maxSaved); s.count > 1 {
		name += fmt.Sprintf("-%d", s.count)
	}
	return name
}

// bundled returns the name and the arguments of a bundled specification.
func bundled(s replay.Spec) (name string, args []history.Value, ok bool) {
	_, trusted := s.(replay.Trusted)
	text, ok := s.(fmt.Stringer)
	if !trusted || !ok {
		return "", nil, false
	}
	name, args, err := spec.ParseName(text.String())
	return name, args, err == nil
}

// explainCommand is the subcommand that explains a violation.
const explainCommand = "check"

const modulePath = "github.com/leadline/leadline"

// program returns how a shell calls leadline here: by its name if that is
// installed, else by the Go tool. The Go tool gets the version, or the directory,
// of the sources that this package was compiled from: the module under test need
// not require what the command imports.
func program() string {
	if _, err := exec.LookPath("leadline"); err == nil {
		return "leadline"
	}
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if m := versioned.FindStringSubmatch(filepath.ToSlash(root)); m != nil {
		return "go run " + modulePath + "/cmd/leadline@" + m[1]
	}
	if _, err := os.Stat(filepath.Join(root, "cmd", "leadline")); err == nil && filepath.IsAbs(root) {
		return "go run -C " + shellQuote(root) + " ./cmd/leadline"
	}
	return "go run " + modulePath + "/cmd/leadline@latest"
}

// versioned matches the directory of the module in the module cache.
var versioned = regexp.MustCompile(regexp.QuoteMeta(modulePath) + `@(v[^/]+)$`)

// rerun returns the command that runs the test again.
func rerun(t TB) string {
	var patterns []string
	for _, part := range strings.Split(t.Name(), "/") {
		patterns = append(patterns, "^"+regexp.QuoteMeta(part)+"$")
	}
	where := ""
	if dir, err := os.Getwd(); err == nil {
		where = "-C " + shellQuote(dir) + " "
	}
	return "go test " + where + "-run " + shellQuote(strings.Join(patterns, "/"))
}

// shellQuote quotes text for a shell if necessary.
func shellQuote(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\n'\"\\|&;<>()[]{}$`*?!#~^") {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
