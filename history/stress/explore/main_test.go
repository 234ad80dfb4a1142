package explore_test

import (
	"context"
	"flag"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
)

var full = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")

func init() { explore.CheckerForTests = stresstest.Checker(nil) }

// TestMain makes the test's program one that Supervise can start.
func TestMain(m *testing.M) {
	switch child := worker.Name(); child {
	case "":
		_ = flag.Set("test.parallel", strconv.Itoa(runtime.GOMAXPROCS(0)+1)) // one waits for seconds
		os.Exit(m.Run())
	case "rope":
		os.Exit(stress.ServeLike(newRope(), func() any { return newRope() }, nil, explore.New))
	case "stuck":
		os.Exit(stress.Serve(stuck(), stresstest.Checker(nil), explore.New))
	case "hits", "differs", "once":
		if started := os.Getenv("STRESS_TEST_STARTED"); started != "" && os.Mkdir(started, 0o755) != nil {
			os.Exit(1) // it is the second
		}
		os.Exit(stress.Serve(hitsClass(child == "differs"), stresstest.Checker(nil), explore.New))
	default:
		os.Exit(1)
	}
}

// patience is the time for what ends sooner by itself, however busy the
// machine is.
const patience = 5 * time.Minute

// searchUntil searches with schedules in this process.
func searchUntil(ctx context.Context, c *stress.Class, o stress.Options) (*stress.Report, error) {
	o.Checker, o.Executor = stresstest.Checker(nil), explore.New
	return stress.Search(ctx, c, o)
}

func search(c *stress.Class, o stress.Options) (*stress.Report, error) {
	return searchUntil(context.Background(), c, o)
}

// child returns the test's program as the worker that explores the schedules of a class.
func child(name string) worker.Program {
	return worker.Program{Path: os.Args[0], Name: name, Schedules: true}
}

// isViolation checks that a text has one history, which is not linearizable.
func isViolation(t *testing.T, text string) {
	t.Helper()
	n := 0
	for h, err := range codec.Decode(strings.NewReader(text), "found", codec.Options{}) {
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		n++
		if bad, err := stresstest.Checker(nil).Violates(t.Context(), h, nil); !bad || err != nil {
			t.Errorf("violates %v, %v:\n%s", bad, err, text)
		}
	}
	if n != 1 {
		t.Errorf("%d histories in\n%s", n, text)
	}
}

// nullary is a method without parameters.
func nullary[T any](name string, f func(T) history.Value) *stress.Method {
	return &stress.Method{Name: name, Core: true, Prepare: func([]history.Value) stress.Call {
		return func(object any) history.Value { return f(object.(T)) }
	}}
}
