package stresstest

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/explore/tests"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/report"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/view"
)

// savedDir is where histories are saved by default, in the directory of the
// package under test. The go command ignores it.
const savedDir = "testdata/leadline"

// save writes the history of a failed test to a file, after the comments, and its page
// to another file. It returns the history with the lines of the file, and a text with both
// names and the next command to run. bundled reports whether the specification is a bundled
// one, which the header of the history names.
func save(t TB, item view.Item, comments string, bundled bool, dir string) (saved *history.History, text string) {
	file := fileName(t, dir, min(saves.next(t), maxSaved))
	page := strings.TrimSuffix(file, ".jsonl") + ".html"
	err := create(file, func(w io.Writer) error {
		_, err := io.WriteString(w, comments)
		return errors.Join(err, codec.Encode(w, item.History))
	})
	if err == nil {
		item.Name, item.History = filepath.Base(file), reread(file, item.History)
		err = create(page, func(w io.Writer) error { return view.Write(w, item) })
	}
	if err != nil {
		return item.History, fmt.Sprintf("The history could not be saved: %v; Options.Dir names another directory\n", err)
	}
	absolute, err := filepath.Abs(file)
	if err != nil {
		absolute = file
	}
	text = fmt.Sprintf("The history is in %s\nand for a browser in %s\n", file, page)
	if absolute != file {
		text += fmt.Sprintf("which are in %s\n", filepath.Dir(absolute))
	}
	if !bundled {
		return item.History, text + fmt.Sprintf("The command leadline does not have its specification. To check again: %s\n", rerun(t))
	}
	return item.History, text + fmt.Sprintf("To explain it: %s explain %s\n", Program(), report.ShellWord(absolute))
}

// create writes a file and makes its directory.
func create(file string, write func(w io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	return errors.Join(write(w), w.Flush(), f.Close())
}

// directory returns the directory for histories: dir if it is given, the directory of
// the artifacts under go test -artifacts, or savedDir. Without that flag, the
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

// maxSaved is how many histories of one test are kept. Further ones overwrite the last.
const maxSaved = 10

// A counter counts something of each test. If a test runs again, it is another TB.
type counter struct {
	sync.Mutex
	of map[TB]int
}

func (c *counter) next(t TB) int {
	c.Lock()
	defer c.Unlock()
	c.of[t]++
	return c.of[t]
}

// calls counts the calls of Test and TestClass, and saves the histories that were saved.
var calls, saves = counter{of: map[TB]int{}}, counter{of: map[TB]int{}}

// lastSaved returns the file that save has written last.
func lastSaved(t TB, dir string) string {
	saves.Lock()
	defer saves.Unlock()
	return fileName(t, dir, min(saves.of[t], maxSaved))
}

// fileName returns the name of the test's n-th file.
func fileName(t TB, dir string, n int) string {
	name := tests.SafeName(t.Name())
	if n > 1 {
		name += fmt.Sprintf("-%d", n)
	}
	return filepath.Join(directory(t, dir), name+".jsonl")
}

func isBundled(s replay.Spec) bool {
	_, _, ok := bundled(s)
	return ok
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

const modulePath = "github.com/leadline/leadline"

// Program returns the shell command that runs leadline in this directory: as a tool of the
// module if it is one, by its name if it is installed, or by "go run". The latter names the
// version, or the directory, of the sources that this package was compiled from, because the
// module under test need not require the imports of the command.
var Program = sync.OnceValue(func() string {
	if out, err := exec.Command("go", "list", "tool").Output(); err == nil && slices.Contains(strings.Fields(string(out)), modulePath+"/cmd/leadline") {
		return "go tool leadline"
	}
	if _, err := exec.LookPath("leadline"); err == nil {
		return "leadline"
	}
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if !filepath.IsAbs(root) { // compiled with -trimpath
		if out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", modulePath).Output(); err == nil {
			root = strings.TrimSpace(string(out))
		}
	}
	if m := versioned.FindStringSubmatch(filepath.ToSlash(root)); m != nil {
		return "go run " + modulePath + "/cmd/leadline@" + m[1]
	}
	if _, err := os.Stat(filepath.Join(root, "cmd", "leadline")); err != nil || !filepath.IsAbs(root) {
		return "go run " + modulePath + "/cmd/leadline@latest"
	}
	if here, err := os.Getwd(); err == nil && here == root {
		return "go run ./cmd/leadline" // with names of files as they are
	}
	return "go run -C " + report.ShellWord(root) + " ./cmd/leadline"
})

// versioned matches the directory of the module in the module cache.
var versioned = regexp.MustCompile(regexp.QuoteMeta(modulePath) + `@(v[^/]+)$`)

// testPattern returns the pattern of -run for the test.
func testPattern(t TB) string {
	var patterns []string
	for _, part := range strings.Split(t.Name(), "/") {
		patterns = append(patterns, "^"+regexp.QuoteMeta(part)+"$")
	}
	return strings.Join(patterns, "/")
}

// rerun returns the command that runs the test again.
func rerun(t TB) string {
	where := ""
	if dir, err := os.Getwd(); err == nil {
		where = "-C " + report.ShellWord(dir) + " "
	}
	return "go test " + where + "-run " + report.ShellWord(testPattern(t))
}
