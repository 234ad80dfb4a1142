package stress_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay/stresstest"
)

// A mortal is an object with a method that ends the process, also in a trial call.
type mortal struct {
	how string
	n   int
}

func (m *mortal) Get() int  { return m.n }
func (m *mortal) Set(n int) { m.n = n }

func (m *mortal) End() {
	if m.how == "exits" {
		syscall.Exit(0) // os.Exit sleeps under the race detector, and other goroutines go on
	}
	go m.burst()
	select {} // until then
}

func (m *mortal) burst() { panic("in a goroutine") }

// TestDeadlyTrial: a method that ends the process in a trial call is named, with what to do.
func TestDeadlyTrial(t *testing.T) {
	t.Parallel() // it waits for another process
	for how, what := range map[string]string{"exits": "exit status 0", "panics beside": "panic: in a goroutine"} {
		_, err := stress.Supervise(context.Background(), child(how), stress.Options{Effort: stress.Effort{Time: patience, Program: time.Millisecond}})
		if err == nil || !strings.Contains(err.Error(), "a trial call of ") || !strings.Contains(err.Error(), "End") || !strings.Contains(err.Error(), " ended the process: "+what+"; exclude") {
			t.Errorf("%s: %v", how, err)
		}
	}
}

// blocked makes a mortal when unblock is closed.
func blocked(unblock chan struct{}) func() *mortal {
	return func() *mortal {
		<-unblock
		return &mortal{}
	}
}

// TestBlockingConstructor: a constructor that blocks is an error, of Reflect and of the tests
// that use it.
func TestBlockingConstructor(t *testing.T) {
	defer stress.SetConstructorPause(stress.SetConstructorPause(time.Millisecond))
	unblock := make(chan struct{})
	defer close(unblock)
	const want = "the constructor has not returned"
	if _, err := stress.Reflect(blocked(unblock), stress.ReflectOptions{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	var failed errorList
	stresstest.Test(&failed, blocked(unblock), stress.Options{})
	c := &stress.Class{Name: "blocked", New: func() any { return blocked(unblock)() }, Methods: counterClass(false).Methods}
	stresstest.TestClass(&failed, c, stress.Options{})
	if len(failed) != 2 || !strings.Contains(failed[0], want) || !strings.Contains(failed[1], want) {
		t.Errorf("%q", failed)
	}
}

// TestBlockingLater: a constructor that blocks later, as it takes what is never given back, is
// an error, too.
func TestBlockingLater(t *testing.T) {
	defer stress.SetConstructorPause(stress.SetConstructorPause(time.Millisecond))
	for _, most := range []int{1, 300} {
		slots := make(chan bool, most)
		newObject := func() *mortal {
			slots <- true
			return &mortal{}
		}
		var failed errorList
		stresstest.Test(&failed, newObject, stress.Options{ReflectOptions: stress.ReflectOptions{Exclude: []string{"End"}}})
		if len(failed) != 1 || !strings.Contains(failed[0], "the constructor has not returned") {
			t.Errorf("%d: %q", most, failed)
		}
	}
	// Threads need more objects at a time than there are.
	slots := make(chan bool, 100)
	c := counterClass(false)
	made := c.New
	c.New = func() any { slots <- true; return made() }
	p, err := stress.Parse("{ increment() } || { increment() }", c)
	if err != nil {
		t.Fatal(err)
	}
	if run := stress.RunProgram(context.Background(), c, p, stress.RunOptions{Wait: time.Millisecond}); !slices.Equal(run.Waits, []string{"the constructor"}) {
		t.Errorf("waits: %q", run.Waits)
	}
}

// An errorList is a test that keeps its errors.
type errorList []string

func (*errorList) Helper()                             {}
func (*errorList) Name() string                        { return "Test" }
func (*errorList) Logf(string, ...any)                 {}
func (l *errorList) Errorf(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

// TestFailingConstructor: a constructor may end its test, or panic.
func TestFailingConstructor(t *testing.T) {
	ended := make(chan bool, 1)
	go func() {
		defer close(ended)
		_, _ = stress.Reflect(func() *mortal { runtime.Goexit(); return nil }, stress.ReflectOptions{})
		ended <- true
	}()
	if <-ended {
		t.Error("Reflect returned after runtime.Goexit")
	}
	defer func() {
		if text, _ := recover().(string); !strings.HasPrefix(text, "no object\n") || !strings.Contains(text, "TestFailingConstructor") {
			t.Errorf("the panic is %q", text)
		}
	}()
	_, _ = stress.Reflect(func() *mortal { panic("no object") }, stress.ReflectOptions{})
}
