package composed

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// calculate is calculateVal of Figures 3, 7 and 12.
func calculate(key int) int { return 2 * key }

const key = 7

// increment is Figure 1, from OpenJDK.
func increment(m Map) any {
	for {
		i, ok := m.Load(key)
		if !ok {
			if _, loaded := m.LoadOrStore(key, 1); !loaded {
				Point(m)
				return nil
			}
		} else if m.CompareAndSwap(key, i, i.(int)+1) {
			Point(m)
			return nil
		}
	}
}

// removeAttribute is Figure 2a without the lock, from Apache Tomcat 6.
func removeAttribute(m Map) any {
	_, found := m.Load("A")
	if !found {
		return nil
	}
	v, _ := m.Load("A")
	m.LoadAndDelete("A")
	return v
}

// removeAttributeFixed is Figure 2c.
func removeAttributeFixed(m Map) any {
	v, ok := m.Load("A")
	Point(m)
	if ok {
		v, _ = m.LoadAndDelete("A")
		Point(m)
	}
	return v
}

// putOnce is Figure 8.
func putOnce(m Map) any {
	_, ok := m.Load(key)
	Point(m)
	if !ok {
		m.Store(key, 2)
		Point(m)
	}
	return nil
}

// The methods compute are those of Figure 12.

func compute1(m Map) any {
	v := any(calculate(key))
	if old, loaded := m.LoadOrStore(key, v); loaded {
		v = old
	}
	Point(m)
	return v
}

func compute2(m Map) any {
	v, ok := m.Load(key)
	Point(m)
	if !ok {
		v = calculate(key)
		if old, loaded := m.LoadOrStore(key, v); loaded {
			v = old
		}
		Point(m)
	}
	return v
}

func compute3(m Map) any {
	m.LoadOrStore(key, calculate(key))
	v, _ := m.Load(key)
	return v
}

func compute4(m Map) any {
	if _, ok := m.Load(key); !ok {
		m.LoadOrStore(key, calculate(key))
	}
	v, _ := m.Load(key)
	return v
}

func compute5(m Map) any {
	v, ok := m.Load(key)
	if !ok {
		v = calculate(key)
		m.LoadOrStore(key, v)
	}
	return v
}

// compute6 has containsKey, which is a Load here. It has the operations of
// compute4, as in the paper.
func compute6(m Map) any {
	contains := func(key any) bool { _, ok := m.Load(key); return ok }
	if !contains(key) {
		m.LoadOrStore(key, calculate(key))
	}
	v, _ := m.Load(key)
	return v
}

// A future is a computation, as of java.util.concurrent.FutureTask.
type future struct {
	calculate func() int
	result    int
	done      bool
	cancelled bool
}

var errCancelled = errors.New("cancelled")

func (f *future) run() {
	if !f.cancelled && !f.done {
		f.result, f.done = f.calculate(), true
	}
}

func (f *future) get() (int, error) {
	if f.cancelled {
		return 0, errCancelled
	}
	if !f.done {
		panic("get of a future that never runs")
	}
	return f.result, nil
}

func compute7(m Map) any {
	for {
		f, ok := m.Load(key)
		if !ok {
			task := &future{calculate: func() int { return calculate(key) }}
			if f, ok = m.LoadOrStore(key, task); !ok {
				f = task
				task.run()
			}
		}
		v, err := f.(*future).get()
		if err == nil {
			return v
		}
		m.CompareAndDelete(key, f)
	}
}

func futures() []any {
	return []any{&future{result: 12, done: true}, &future{cancelled: true}}
}

func notSuccessful(v any) bool { return !v.(*future).done }

// A figure is a method of the paper with its verdict.
type figure struct {
	name   string
	method func(Map) any
	o      Options
	atomic bool
}

var figures = []figure{
	{"Figure 1", increment, Options{}, true},
	{"Figure 2a", removeAttribute, Options{}, false},
	{"Figure 2c", removeAttributeFixed, Options{}, true},
	{"Figure 8", putOnce, Options{}, false},
	{"Figure 12 i", compute1, Options{}, true},
	{"Figure 12 ii", compute2, Options{}, true},
	{"Figure 12 iii", compute3, Options{}, false},
	{"Figure 12 iv", compute4, Options{}, false},
	{"Figure 12 v", compute5, Options{}, false},
	{"Figure 12 vi", compute6, Options{}, false},
	{"Figure 12 vii", compute7, Options{Values: futures}, false},
	{"Figure 12 vii, futures known", compute7, Options{Values: futures, Missing: notSuccessful}, true},
}

// TestPaper: every method has the verdict of the paper, without linearization
// points. Those that are atomic are explored up to the bound; the others have an
// execution that can be repeated. The package documentation has the numbers. The largest are
// explored up to a lower bound without -full.
func TestPaper(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		t.Run(f.name, func(t *testing.T) {
			method := func(m Map) any { return f.method(struct{ Map }{m}) }
			o, ops := f.o, DefaultOps
			smaller := !*full && (f.name == "Figure 1" || f.name == "Figure 12 vii, futures known")
			if smaller {
				ops--
				o.Ops = ops
			}
			r := explored(t, method, o)
			if f.atomic {
				if r.Violation != nil || r.Ops != ops || r.Undecided > 0 {
					t.Errorf("%+v", r)
				}
				row := fmt.Sprintf("//\t%-30s%10d\n", f.name, r.Executions)
				if !smaller && !strings.Contains(string(doc), row) {
					t.Errorf("doc.go should have the row\n%s", row)
				}
				return
			}
			if r.Violation == nil {
				t.Fatal("no violation")
			}
			t.Log(r.Violation)
			o.Replay = r.Violation.Replay
			again := explored(t, method, o)
			if again.Violation == nil || again.Executions != 1 {
				t.Fatalf("the execution cannot be repeated: %v", again)
			}
			if first, second := r.Violation.String(), again.Violation.String(); first != second || !strings.Contains(first, "returns ") {
				t.Errorf("the repeated execution is another one:\n%s\n%s", first, second)
			}
		})
	}
}
