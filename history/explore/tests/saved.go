package tests

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/tests/inside"
)

// Saved is the schedule of a fault, in a file beside the test.
type Saved struct {
	Package, Test string
	Run           string // see Options
	Call          int    // of stresstest.Explore in the test, or 0
	inside.Bounds
	Plain    bool
	Schedule string
	Fault    *inside.Fault // nil if it was read
}

// FirstLine is the first line of a saved file.
const FirstLine = "# leadline explore: a schedule under which a Go test has a fault"

// fits reports whether a search with the options could find the schedule.
func (s *Saved) fits(o *Options) bool {
	return s.Run == o.subtests() && s.Plain == o.Plain && (s.Ticks < 0 || o.Timers == inside.Anytime)
}

// fileName returns the name of the file of a test, in the directory of its package.
func fileName(test string, call int) string {
	name := "explore-" + SafeName(test)
	if call > 0 {
		name += "-" + strconv.Itoa(call)
	}
	return filepath.Join("testdata", "leadline", name+".txt")
}

// SafeName returns the name of a test as a part of the name of a file.
func SafeName(test string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || strings.ContainsRune("/\\ :*?\"<>|", c) {
			return '_'
		}
		return c
	}, test)
}

// write writes the schedule, what was wrong, and its steps as comments.
func (s *Saved) write(file string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n# %s: %s\npackage: %s\ntest: %s\nrun: %s\ncall: %d\nticks: %d\nmax-steps: %d\nplain: %v\nschedule: %s\n", FirstLine, s.Fault.Kind, oneLine(s.Fault.Text), s.Package, s.Test, s.Run, s.Call, s.Ticks, s.MaxSteps, s.Plain, s.Schedule)
	var steps bytes.Buffer
	_ = explore.WriteSteps(&steps, s.Fault.Trace) // to memory
	for line := range bytes.Lines(steps.Bytes()) {
		b.WriteString("# " + string(line))
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// IsSaved reports whether a file begins as those that Explore saves do.
func IsSaved(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	line, _ := bufio.NewReader(f).ReadString('\n') // a shorter one is another
	return strings.TrimSpace(line) == FirstLine
}

// ReadSaved reads a file that Explore has saved.
func ReadSaved(file string) (*Saved, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s, n := &Saved{}, 0
	for line := range strings.Lines(string(text)) {
		n++
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "":
			continue
		case key == "package":
			s.Package = value
		case key == "test":
			s.Test = value
		case key == "run" || key == "run:":
			s.Run = value
		case key == "call":
			s.Call, err = strconv.Atoi(value)
		case key == "ticks":
			s.Ticks, err = strconv.Atoi(value)
		case key == "max-steps":
			s.MaxSteps, err = strconv.Atoi(value)
		case key == "plain":
			s.Plain, err = strconv.ParseBool(value)
		case key == "schedule" || key == "schedule:":
			_, err = schedule.ParseSchedule(value)
			s.Schedule = value
		default:
			err = fmt.Errorf("%q is not a line of a saved schedule", strings.TrimSpace(line))
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	if s.Package == "" || s.Test == "" {
		return nil, fmt.Errorf("%s:1: it names no package and test", file)
	}
	return s, nil
}
