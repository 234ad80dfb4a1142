package inside

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	std "testing"
	"time"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/testing"
	"github.com/leadline/leadline/history/explore/worker"
)

// Name returns the name of the worker that explores a test, or one call of stresstest.Explore in it.
func Name(test string, call int) string { return fmt.Sprintf("explore %d %s", call, test) }

// Test runs a test once, or if this process was started to explore it, does that and ends the process.
func Test(t *std.T, f func(*testing.T)) {
	if worker.Name() == Name(t.Name(), 0) {
		os.Exit(Serve(t.Name(), f))
	}
	of, ended := testing.New(t.Name(), ""), make(chan struct{})
	go func() {
		defer close(ended)
		of.Body(f)
	}()
	<-ended
	t.Log(of.Logged())
	switch {
	case of.Failed():
		t.Fail()
	case of.Skipped():
		t.SkipNow()
	}
}

// Serve answers the Job of a process that was started to explore a test, and returns its exit status.
func Serve(name string, f func(*testing.T)) (status int) {
	return worker.Serve(func(ctx context.Context, c *worker.Conn) error {
		var job Job
		if err := c.Receive(&job); err != nil {
			return err
		}
		// After all that init and TestMain have seen, and with the same minutes and seconds in each process.
		schedule.Epoch = time.Now().Truncate(time.Hour).Add(time.Hour).UnixNano()
		x := newRunner(ctx, name, f, job, c.Alive)
		x.known = goroutines()
		go x.watch(func(why string) {
			c.Send(&Report{Test: name, Executions: x.beats.Load(), Complete: -1, Refused: why})
			os.Exit(0)
		})
		if job.Replay == nil {
			x.explore()
		} else if err := x.replay(*job.Replay); err != nil {
			return err
		}
		c.Send(x.report)
		return nil
	})
}

// Limits of the real time of an execution that does not end: the first while a goroutine waits for something that
// the scheduler does not know, and the second while it runs.
const (
	waitsFor = 3 * time.Second
	runsFor  = 30 * time.Second
)

// watch calls refuse if an execution does not end, since a call blocks that the scheduler does not see.
func (x *runner) watch(refuse func(why string)) {
	buf := make([]byte, 1<<20)
	last, since, blocked := int64(-1), time.Now(), ""
	for ; ; time.Sleep(waitsFor / 2) {
		now := x.beats.Load()
		if now != last {
			last, since, blocked = now, time.Now(), ""
			continue
		}
		call := reached(string(buf[:runtime.Stack(buf, true)]))
		switch {
		case call == "" && time.Since(since) > runsFor:
			refuse(fmt.Sprintf("an execution takes more than %v: perhaps a loop without any step, or an iter.Pull that waits", runsFor))
		case call != "" && call == blocked && time.Since(since) > waitsFor:
			refuse(call)
		}
		blocked = call
	}
}

// goroutines returns the stacks of all goroutines by their numbers.
func goroutines() map[string]string {
	buf := make([]byte, 1<<20)
	list := map[string]string{}
	for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if fields := strings.Fields(g); len(fields) > 1 {
			list[fields[1]] = g
		}
	}
	return list
}

// strangers returns who has started goroutines during executions, apart from threads: the library, or packages that are
// not instrumented.
func (x *runner) strangers() (list []string) {
	for id, g := range goroutines() {
		if x.known[id] != "" || strings.Contains(g, "/history/explore/") || strings.Contains(g, "iter.Pull") {
			continue
		}
		function, _, _ := strings.Cut(strings.TrimSpace(g[strings.Index(g, "\n")+1:]), "\n")
		if _, by, ok := strings.Cut(g, "\ncreated by "); ok {
			function, _, _ = strings.Cut(by, "\n")
			function, _, _ = strings.Cut(function, " in goroutine")
		}
		if !strings.HasPrefix(function, "runtime.") {
			list = append(list, function)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// header matches the first line of a goroutine in a dump: its state is in brackets.
var header = regexp.MustCompile(`^goroutine \d+ (?:gp=\S+ m=\S+ (?:mp=\S+ )?)?\[([^\],]*)`)

// reached returns the call by which the thread that runs waits, or "" if it does not wait. Other threads are
// coroutines.
func reached(dump string) string {
	for _, g := range strings.Split(dump, "\n\n") {
		m := header.FindStringSubmatch(g)
		if m == nil || m[1] == "coroutine" || m[1] == "running" || m[1] == "runnable" || !strings.Contains(g, "schedule.(*thread).runBody") {
			continue
		}
		call := "a call"
		lines := strings.Split(g, "\n")
		for i := 1; i+1 < len(lines); i += 2 {
			function, place := lines[i], strings.TrimSpace(lines[i+1])
			if n := strings.LastIndex(function, "("); n > 0 {
				function = function[:n]
			}
			place, _, _ = strings.Cut(place, " ")
			switch {
			case strings.Contains(function, "/history/explore/"):
			case isStandard(place):
				if !strings.HasPrefix(function, "runtime.") && !strings.HasPrefix(function, "internal/") && !strings.HasPrefix(function, "syscall.") {
					call = function // the outermost one of the library
				}
			case call == "reflect.Select":
				return fmt.Sprintf("%s, which is not instrumented, waits, called at %s", call, place)
			default:
				return fmt.Sprintf("%s waits for the world outside [%s], called at %s", call, m[1], place)
			}
		}
		return fmt.Sprintf("%s waits for the world outside [%s]", call, m[1])
	}
	return ""
}

// library is the directory of the standard library, as in stacks of this program. It is "" if that was built with -trimpath.
var library = sync.OnceValue(func() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(strings.Cut).Pointer()).FileLine(reflect.ValueOf(strings.Cut).Pointer())
	dir, _ := strings.CutSuffix(filepath.ToSlash(file), "strings/strings.go")
	return dir
})

// isStandard reports whether a file is one of the standard library.
func isStandard(file string) bool {
	if dir := library(); dir != "" {
		return strings.HasPrefix(file, dir)
	}
	first, _, more := strings.Cut(file, "/")
	return more && first != "" && !strings.Contains(first, ".")
}
