package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A note is the message of these tests.
type note struct {
	Text string
	N    int
}

// workers are what the program of the test serves. All send what they were sent first.
var workers = map[string]func(context.Context, *Conn) error{
	"echo": func(_ context.Context, c *Conn) error {
		for {
			var n note
			if err := c.Receive(&n); err != nil {
				return err
			}
			if c.Send(n); n.Text == "last" {
				return nil
			}
		}
	},
	"refuses": func(context.Context, *Conn) error { return errors.New("not this one") },
	"loud": func(_ context.Context, c *Conn) error {
		for _, text := range []string{"m\x00\x00\x00\x02{}", "d\x00\x00\x00\x00", "panic: not the end\n\ngoroutine 1 [running]:\n"} {
			_, _ = os.Stdout.WriteString(text)
			_, _ = os.Stderr.WriteString(text)
		}
		return nil
	},
	"many": func(_ context.Context, c *Conn) error {
		for n := range 100_000 {
			c.Send(note{N: n})
		}
		panic("after the last")
	},
	"exits": func(context.Context, *Conn) error { os.Exit(3); return nil },
	"exits 2": func(context.Context, *Conn) error {
		os.Stderr.WriteString("fatal error: mine\n")
		os.Exit(2)
		return nil
	},
	"panics": func(context.Context, *Conn) error { panic("at last") },
	"panics loudly": func(context.Context, *Conn) error {
		fmt.Fprint(os.Stderr, "fatal error: another\n\ngoroutine 7 [running]:\n", strings.Repeat("and more\n", 1<<18))
		go func() { panic("at last") }()
		select {}
	},
	"overflows": func(context.Context, *Conn) error { return errors.New(fmt.Sprint(overflow(1))) },
	"is killed": func(context.Context, *Conn) error {
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	},
	"never ends": func(context.Context, *Conn) error { time.Sleep(time.Hour); return nil },
	"ignores signals": func(context.Context, *Conn) error {
		signal.Ignore() // all of them
		time.Sleep(time.Hour)
		return nil
	},
	"lives": func(_ context.Context, c *Conn) error {
		var n note
		err := c.Receive(&n)
		for begun := time.Now(); time.Since(begun) < time.Duration(n.N); time.Sleep(time.Millisecond) {
			c.Alive()
		}
		return err
	},
	"grows": func(context.Context, *Conn) error {
		for list := []string{}; ; list = append(list, strings.Repeat("x", 1<<20)) {
			time.Sleep(time.Millisecond)
		}
	},
	"litters": func(context.Context, *Conn) error {
		for range 1000 {
			litter = []byte(strings.Repeat("x", 1<<20))
		}
		return nil
	},
	"is interrupted": func(ctx context.Context, c *Conn) error {
		<-ctx.Done()
		c.Send(note{Text: "until then"})
		return nil
	},
	"parent": func(ctx context.Context, c *Conn) error {
		p, err := Start(ctx, Program{Path: os.Args[0], Name: "orphan"}, Guard{})
		if err == nil {
			err = p.Send(note{})
		}
		if err == nil {
			select {}
		}
		return err
	},
	"orphan": func(context.Context, *Conn) error { return hang() },
}

var litter []byte

//lint:ignore SA5007 it uses up the stack
func overflow(n int) int { return overflow(n+1) + 1 }

// initialized panics before Serve if the worker is to.
var initialized = func() bool {
	if Name() == "panics at once" {
		fmt.Fprint(os.Stderr, "fatal error: another\n\ngoroutine 7 [running]:\n", strings.Repeat("and more\n", 1<<16), "\n")
		panic("in an initialization")
	}
	if Name() == "hangs at once" || Name() == "below" {
		if Name() != "below" {
			below := exec.Command(os.Args[0])
			below.Env, below.Stdout, below.Stderr = append(os.Environ(), variable+"=below"), os.Stdout, os.Stderr
			_ = below.Start()
		}
		panic(hang())
	}
	return Name() != ""
}()

// hang never returns once it is connected with the test.
func hang() error {
	conn, err := net.Dial("tcp", os.Getenv("WORKER_TEST_ADDRESS"))
	if err == nil {
		_, err = conn.Write([]byte("I am here"))
		time.Sleep(time.Hour)
	}
	return err
}

func TestMain(m *testing.M) {
	if !initialized {
		os.Exit(m.Run())
	}
	os.Exit(Serve(func(ctx context.Context, c *Conn) error {
		if Name() != "echo" {
			var n note
			if err := c.Receive(&n); err != nil {
				return err
			}
			c.Send(n)
		}
		return workers[Name()](ctx, c)
	}))
}

func start(t *testing.T, ctx context.Context, name string, o Guard) *Process {
	t.Helper()
	p, err := Start(ctx, Program{Path: os.Args[0], Name: name}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// exchange sends a message and receives it.
func exchange(t *testing.T, p *Process, n note) {
	t.Helper()
	if err := p.Send(n); err != nil {
		t.Fatal(err)
	}
	var same note
	if err := p.Receive(&same); err != nil || same != n {
		t.Fatalf("%.100q, %d, %v", same.Text, same.N, err)
	}
}

func TestEcho(t *testing.T) {
	p := start(t, t.Context(), "echo", Guard{})
	exchange(t, p, note{N: 1})
	exchange(t, p, note{Text: strings.Repeat("long ", 1<<21)})
	exchange(t, p, note{Text: "last"})
	for range 2 {
		if err := p.Receive(nil); err != io.EOF {
			t.Error(err)
		}
	}
}

// TestDeath: whatever ends a worker, what it has sent before is received, and the cause is
// known.
func TestDeath(t *testing.T) {
	for _, test := range []struct {
		name  string
		cause Cause
		text  string
		stack string
	}{
		{"exits", Exited, "exit status 3", ""},
		{"exits 2", Exited, "fatal error: mine", ""},
		{"panics", Crashed, "panic: at last", "worker.init"},
		{"panics loudly", Crashed, "panic: at last", "worker.init"},
		{"overflows", Crashed, "fatal error: stack overflow", "worker.overflow"},
		{"panics at once", Crashed, "panic: in an initialization", "worker.init"},
		{"is killed", Killed, "signal: killed", ""},
		{"never ends", Silent, "SIGQUIT: quit", "time.Sleep"},
		{"ignores signals", Silent, "signal: killed", ""},
		{"closes", Exited, "exit status 2", ""},
		{"closes its connection", Silent, "signal: killed", ""},
		{"leaves others", Exited, "exit status 3", ""},
		{"leaves others at once", Exited, "exit status 3", ""},
		{"grows", Memory, "uses more than 64 MiB of memory", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // they wait for other processes
			var o Guard
			if test.cause == Silent && test.name != "closes its connection" {
				o.Silence = 2 * time.Second
			}
			if test.cause == Memory {
				o.Memory = 64 << 20
			}
			if workers[test.name] == nil && test.name != "panics at once" {
				t.Skip("the system has no such worker")
			}
			p := start(t, t.Context(), test.name, o)
			p.SetSilence(time.Minute) // of the start
			if test.name != "panics at once" {
				exchange(t, p, note{Text: "a finding"})
			}
			p.SetSilence(o.Silence)
			err := p.Receive(&note{})
			d, ok := err.(*Death)
			if !ok || d.Cause != test.cause || d.Text != test.text || !strings.Contains(strings.Join(d.Stacks, "\n"), test.stack) || (test.stack == "") != (d.Stacks == nil) {
				t.Errorf("%+v", err)
			}
			if err == nil || err.Error() == "" {
				t.Error(err)
			}
		})
	}
}

// TestLast: a worker that returns is done, whatever it has written; and its error is
// received.
func TestLast(t *testing.T) {
	for name, last := range map[string]string{"loud": "EOF", "litters": "EOF", "refuses": "not this one"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, t.Context(), name, Guard{Memory: 128 << 20})
			exchange(t, p, note{})
			if err := p.Receive(&note{}); err == nil || err.Error() != last {
				t.Error(err)
			}
		})
	}
}

// TestAlive: a worker that only says that it lives is not silent.
func TestAlive(t *testing.T) {
	t.Parallel()
	err := errors.New("not yet")
	for silence := 2 * time.Second; err != io.EOF && silence < time.Minute; silence *= 4 { // a busy machine may stop it for seconds
		p := start(t, t.Context(), "lives", Guard{})
		exchange(t, p, note{})
		p.SetSilence(silence)
		if err := p.Send(note{N: int(silence * 3 / 2)}); err != nil {
			t.Fatal(err)
		}
		err = p.Receive(&note{})
	}
	if err != io.EOF {
		t.Error(err)
	}
}

// TestMany: nothing is lost that was sent before a crash.
func TestMany(t *testing.T) {
	p := start(t, t.Context(), "many", Guard{})
	exchange(t, p, note{})
	for n := range 100_000 {
		var m note
		if err := p.Receive(&m); err != nil || m.N != n {
			t.Fatal(n, m, err)
		}
	}
	if err := p.Receive(&note{}); err == nil || !strings.Contains(err.Error(), "after the last") {
		t.Error(err)
	}
}

// TestInterrupt: a worker may report when its supervisor is interrupted, and is killed if
// it does not end.
func TestInterrupt(t *testing.T) {
	for _, name := range []string{"is interrupted", "ignores signals"} {
		ctx, cancel := context.WithCancel(t.Context())
		p := start(t, ctx, name, Guard{})
		exchange(t, p, note{})
		_ = p.cmd.Process.Signal(os.Interrupt) // as a terminal does
		cancel()
		var n note
		err := p.Receive(&n)
		if reports := name == "is interrupted"; reports != (err == nil && n.Text == "until then") {
			t.Errorf("%s: %+v, %v", name, n, err)
		} else if reports {
			err = p.Receive(&n)
		}
		if d, ok := err.(*Death); ok && d.Cause != Interrupted || !ok && err != io.EOF {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := start(t, ctx, "is interrupted", Guard{}).Receive(&note{}); err == nil {
		t.Error("a worker has started after an interrupt")
	}
}

// A visitor is a connection that a process has until it ends.
type visitor struct{ net.Conn }

// visitors returns what accepts them, and the environment of processes that are to come.
func visitors(t *testing.T) (accept func() visitor, env []string) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { l.Close() })
	return func() visitor {
		t.Helper()
		c, err := l.Accept()
		if err == nil {
			_, err = c.Read(make([]byte, 100))
		}
		if err != nil {
			t.Fatal(err)
		}
		return visitor{c}
	}, []string{"WORKER_TEST_ADDRESS=" + l.Addr().String()}
}

// ended waits until the process has ended.
func (v visitor) ended(t *testing.T) {
	t.Helper()
	if _, err := io.Copy(io.Discard, v); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Error(err)
	}
}

// TestOrphan: a worker ends with its supervisor, whatever ends that.
func TestOrphan(t *testing.T) {
	t.Parallel() // it waits for other processes
	accept, env := visitors(t)
	p, err := Start(t.Context(), Program{Path: os.Args[0], Name: "parent", Env: env}, Guard{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	exchange(t, p, note{})
	orphan := accept()
	_ = p.cmd.Process.Kill()
	orphan.ended(t)
}

// TestHangingInit: a package that hangs before it reads anything is found out, though its
// message is too long for a pipe, and an interrupt ends it. What it has started ends, too.
func TestHangingInit(t *testing.T) {
	for name, cause := range map[string]Cause{"watchdog": Silent, "interrupt": Interrupted} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits for other processes
			accept, env := visitors(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p, err := Start(ctx, Program{Path: os.Args[0], Name: "hangs at once", Env: env}, Guard{})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			both := []visitor{accept(), accept()}
			if cause == Silent {
				p.SetSilence(time.Second)
			} else {
				time.AfterFunc(100*time.Millisecond, cancel)
			}
			if err := p.Send(note{Text: strings.Repeat("long ", 1<<20)}); err == nil {
				t.Error("it was sent")
			}
			if d, ok := p.Receive(&note{}).(*Death); !ok || d.Cause != cause {
				t.Errorf("%+v", d)
			}
			for _, v := range both {
				v.ended(t)
			}
		})
	}
}

func TestNoProgram(t *testing.T) {
	for _, program := range []Program{{Path: "no such program", Name: "x"}, {Path: os.Args[0]}} {
		if _, err := Start(t.Context(), program, Guard{}); err == nil {
			t.Errorf("%+v has started", program)
		}
	}
}

// TestClose: it ends a worker in any state, more than once.
func TestClose(t *testing.T) {
	for _, name := range []string{"many", "ignores signals", "exits"} {
		p := start(t, t.Context(), name, Guard{})
		if name != "many" {
			exchange(t, p, note{})
		}
		p.Close()
		p.Close()
		if p.cmd.ProcessState == nil {
			t.Error("it has not ended")
		}
	}
}
