package explore_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/sync"
	"github.com/leadline/leadline/history/stress"
)

// Objects of these types depend on other objects: on one that is passed to them, which may be
// themselves, on variables that all share, or on a writer. The fault of each is missing if right is
// set. They are what the rewriter would make of objects with packages sync.

// A builder is like StringBuffer: Append reads the length of the other one before its text.
type builder struct {
	mu    sync.Mutex
	text  string
	right bool
}

func (b *builder) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text
}

func (b *builder) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = ""
}

func (b *builder) Append(other *builder) {
	n := len(other.String())
	text := ""
	switch {
	case !b.right:
		text = other.String()[:n]
	case b != other:
		text = other.String()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.right && b == other {
		text = b.text
	}
	b.text += text
}

// All registers share their names.
var (
	namesLock sync.Mutex
	names     = map[string]int{}
)

type register struct{ right bool }

// Register returns whether the name was new. It looks for that before it takes the lock.
func (r *register) Register(name string, n int) bool {
	namesLock.Lock()
	defer namesLock.Unlock()
	_, ok := names[name]
	if !r.right {
		namesLock.Unlock()
		namesLock.Lock()
	}
	if !ok {
		names[name] = n
	}
	return !ok
}

func (r *register) Lookup(name string) (int, bool) {
	namesLock.Lock()
	defer namesLock.Unlock()
	n, ok := names[name]
	return n, ok
}

func (r *register) Remove(name string) {
	namesLock.Lock()
	defer namesLock.Unlock()
	delete(names, name)
}

// All formatters share what they have formatted. No result shows that.
var (
	formatsLock sync.Mutex
	formats     = map[int]string{}
)

type formatter struct{ right bool }

func (f *formatter) Format(n int) string {
	if f.right {
		formatsLock.Lock()
		defer formatsLock.Unlock()
	}
	if s, ok := schedule.MapRead(formats)[n]; ok {
		return s
	}
	s := fmt.Sprint(n)
	schedule.MapOf(formats).At(n).Set(s)
	return s
}

// A logger has a writer, which may be nil.
type logger struct {
	mu    sync.Mutex
	w     io.Writer
	right bool
}

func (l *logger) SetOutput(w io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.w = w
}

func (l *logger) Discard() { l.SetOutput(nil) }

func (l *logger) Printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w == nil {
		return
	}
	if !l.right {
		l.mu.Unlock()
		l.mu.Lock()
	}
	fmt.Fprintf(l.w, format, args...)
}

// A spout writes to drains, an interface that only other types implement.
type spout struct {
	mu     sync.Mutex
	drains []drain
	right  bool
}

type drain interface{ Take(s string) int }

type memory struct{ lines []string }

func newMemory() *memory { return &memory{} }

func (m *memory) Take(s string) int {
	m.lines = append(m.lines, s)
	return len(m.lines)
}

func (s *spout) Add(d drain) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drains = append(s.drains, d)
}

func (s *spout) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drains = nil
}

func (s *spout) Pour(text string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.drains {
		if !s.right {
			s.mu.Unlock()
			s.mu.Lock()
		}
		n += s.drains[i].Take(text)
	}
	return n
}

func init() {
	schedule.Globals("github.com/leadline/leadline/history/stress/explore_test", &names, &formats)
}

// TestTwins finds the fault of each, and nothing in its twin.
func TestTwins(t *testing.T) {
	for _, c := range []struct {
		class func(right bool) *stress.Class
		seen  string // in a program, or what ends the process
	}{
		{func(right bool) *stress.Class {
			return classOf(t, func() *builder { return &builder{text: "ab", right: right} }, stress.ReflectOptions{})
		}, "Append(self)"},
		{func(right bool) *stress.Class {
			return classOf(t, func() *register { return &register{right} }, stress.ReflectOptions{})
		}, "Register"},
		{func(right bool) *stress.Class {
			return classOf(t, func() *formatter { return &formatter{right} }, stress.ReflectOptions{})
		}, "fatal error: concurrent map"},
		{func(right bool) *stress.Class {
			return classOf(t, func() *logger { return &logger{right: right} }, stress.ReflectOptions{})
		}, "SetOutput(w)"},
		{func(right bool) *stress.Class {
			return classOf(t, func() *spout { return &spout{right: right} }, stress.ReflectOptions{Makers: []any{newMemory}})
		}, "Add(newMemory)"},
	} {
		for _, right := range []bool{false, true} {
			class := c.class(right)
			g := stress.GeneratorOptions{Bounds: stress.Bounds{MaxInvocations: 3}, Seed: 1}
			programs, err := stress.Generate(class, g)
			if err != nil {
				t.Fatal(err)
			}
			o := stress.Options{GoOn: true}
			o.Effort.Time = patience
			for p := range programs {
				if text := p.String(); !slices.Contains(o.Programs, text) {
					o.Programs = append(o.Programs, text)
				}
				if len(o.Programs) == 24 {
					break
				}
			}
			r, err := search(class, o)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, f := range r.Findings {
				found = append(found, f.Program)
			}
			for _, crash := range r.Crashes {
				found = append(found, crash.What)
			}
			text := strings.Join(found, "\n")
			if right && text != "" || !right && !strings.Contains(text, c.seen) {
				t.Errorf("%s, right %v, found:\n%s", class.Name, right, text)
			}
			if len(r.Explored.Diverging) > 0 {
				t.Errorf("%s, right %v: earlier executions change later ones: %q", class.Name, right, r.Explored.Diverging)
			}
		}
	}
}
