package worker

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// grace is how long processes have to end by themselves before they are killed.
const grace = 5 * time.Second

// DefaultMemory is the most bytes that a worker uses unless Guard have another number.
const DefaultMemory = 512 << 20

// A Program is what runs as a worker.
type Program struct {
	Path string   // of the executable
	Args []string // after its name
	Dir  string   // where it runs; "" is the working directory
	Env  []string // in addition to the environment
	Name string   // what it serves; not ""

	Schedules bool // it is instrumented: what it serves explores schedules
}

// A Guard says what a worker must not do. The zero value is useful.
type Guard struct {
	// Silence is how long the worker may send nothing; 0 is as long as it likes. See
	// also Process.SetSilence.
	Silence time.Duration
	Memory  int64 // at most; 0 is DefaultMemory
}

// A Process is a worker that was started. One goroutine at a time may use it.
type Process struct {
	cmd       *exec.Cmd
	requests  *os.File
	responses *os.File
	frames    chan frame
	stderr    tail
	exited    chan struct{}
	closed    chan struct{}
	silence   atomic.Int64
	watchdog  *time.Timer
	silent    atomic.Bool
	heard     atomic.Bool // it has sent something
	last      error       // of Receive
	once      sync.Once
	ctx       context.Context
	stop      func() bool // no longer waits for ctx
}

type frame struct {
	kind byte
	text []byte
	err  error // it is the last
}

// Start starts a worker. It ends when ctx does, or with Close, which has to be called.
func Start(ctx context.Context, program Program, o Guard) (*Process, error) {
	if program.Name == "" {
		return nil, errors.New("a worker has to have a name")
	}
	p := &Process{frames: make(chan frame, 1<<16), exited: make(chan struct{}), closed: make(chan struct{}), ctx: ctx}
	p.cmd = exec.Command(program.Path, program.Args...)
	p.cmd.Dir, p.cmd.Stderr, p.cmd.WaitDelay = program.Dir, &p.stderr, time.Second
	p.cmd.Env = append(append(os.Environ(), program.Env...), variable+"="+program.Name,
		memoryVariable+"="+strconv.FormatInt(cmp.Or(o.Memory, DefaultMemory), 10))
	lead(p.cmd)
	theirRequests, requests, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirRequests.Close()
	responses, theirResponses, err := os.Pipe()
	if err != nil {
		requests.Close()
		return nil, err
	}
	defer theirResponses.Close()
	attach(p.cmd, theirRequests, theirResponses)
	if err := p.cmd.Start(); err != nil {
		requests.Close()
		responses.Close()
		return nil, err
	}
	p.requests, p.responses = requests, responses
	p.watchdog = time.AfterFunc(time.Hour, p.bark)
	p.SetSilence(o.Silence)
	go p.wait()
	go p.read()
	p.stop = context.AfterFunc(ctx, func() {
		p.requests.Close()
		if !p.heard.Load() {
			p.kill()
		}
		time.AfterFunc(grace, p.kill)
	})
	return p, nil
}

// SetSilence replaces Guard.Silence.
func (p *Process) SetSilence(d time.Duration) {
	p.silence.Store(int64(d))
	p.pet()
}

// pet makes the watchdog wait again.
func (p *Process) pet() {
	if d := time.Duration(p.silence.Load()); d > 0 {
		p.watchdog.Reset(d)
	} else {
		p.watchdog.Stop()
	}
}

// bark ends a silent worker, with its stacks if it can write them.
func (p *Process) bark() {
	select {
	case <-p.exited: // its last messages have not been received
		return
	default:
	}
	p.silent.Store(true)
	if p.cmd.Process.Signal(syscall.SIGQUIT) != nil {
		p.kill()
	}
	time.AfterFunc(grace, p.kill)
}

func (p *Process) kill() {
	select {
	case <-p.exited:
	default:
		_ = Kill(p.cmd)
	}
}

// wait waits for the process, and kills what it has left.
func (p *Process) wait() {
	_ = p.cmd.Wait() // see ProcessState
	p.watchdog.Stop()
	_ = Kill(p.cmd)
	p.requests.Close()
	close(p.exited)
	if p.responses.SetReadDeadline(time.Now()) != nil { // the system has none for pipes
		time.AfterFunc(time.Second, func() { p.responses.Close() })
	}
}

// A drain reads the responses of a worker. A process that the worker has started may hold its
// other end open for ever. So once the worker has ended, a Read that finds nothing is the last.
type drain struct{ *os.File }

func (d drain) Read(b []byte) (int, error) {
	n, err := d.File.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = d.SetReadDeadline(time.Now().Add(time.Second)) // what is there is read at once
		n, err = d.File.Read(b)
	}
	return n, err
}

// read reads the frames of the worker.
func (p *Process) read() {
	defer p.responses.Close()
	for in := bufio.NewReader(drain{p.responses}); ; {
		kind, text, err := readFrame(in)
		if err == nil {
			p.heard.Store(true)
			p.pet()
		} else {
			p.afterLast()
		}
		if kind == frameAlive && err == nil {
			continue
		}
		select {
		case p.frames <- frame{kind, text, err}:
		case <-p.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// afterLast waits for the end of a process from which no frame can come any more. It may
// have closed its descriptors and go on.
func (p *Process) afterLast() {
	select {
	case <-p.exited:
	case <-time.After(grace):
		p.silent.Store(true)
		p.kill()
		<-p.exited
	}
}

// Send sends a message. An error means that the worker is ending; Receive returns why.
func (p *Process) Send(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	p.pet()
	return writeFrame(p.requests, frameMessage, text)
}

// Receive waits for the next message. Its error is io.EOF if the worker is done, a *Death
// if it has died, and otherwise what Serve's function returned.
func (p *Process) Receive(v any) error {
	if p.last != nil {
		return p.last
	}
	f := <-p.frames
	switch {
	case f.err != nil:
		p.last = p.death()
	case f.kind == frameMessage:
		if err := json.Unmarshal(f.text, v); err != nil {
			return fmt.Errorf("a worker sent %.100q: %w", f.text, err)
		}
		return nil
	case f.kind == frameDone:
		p.last = io.EOF
	case f.kind == frameError:
		p.last = errors.New(string(f.text))
	case f.kind == frameMemory:
		p.last = &Death{Memory, string(f.text), nil}
	default:
		p.last = fmt.Errorf("a worker sent a message of kind %q", f.kind)
	}
	return p.last
}

// Close kills the worker, if it has not ended, and what it has started.
func (p *Process) Close() {
	p.once.Do(func() { close(p.closed) })
	p.stop()
	p.kill()
	<-p.exited
}
