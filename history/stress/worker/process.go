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

// DefaultMemory is the most bytes that a worker uses unless Options have another number.
const DefaultMemory = 512 << 20

// A Program is what runs as a worker.
type Program struct {
	Path string   // of the executable
	Args []string // after its name
	Dir  string   // where it runs; "" is the working directory
	Env  []string // in addition to the environment
	Name string   // what it serves; not ""
}

// Options are those of Start. The zero value is useful.
type Options struct {
	// Silence is how long the worker may send nothing; 0 is as long as it likes. See
	// also Process.SetSilence.
	Silence time.Duration
	Memory  int64     // at most; 0 is DefaultMemory
	Stderr  io.Writer // receives what the worker writes to its standard error, too
}

// A Process is a worker that was started. One goroutine at a time may use it.
type Process struct {
	cmd      *exec.Cmd
	requests *os.File
	frames   chan frame
	stderr   *tail
	crash    chan string // receives the runtime's message when the process has ended
	exited   chan struct{}
	closed   chan struct{}
	silence  atomic.Int64
	watchdog *time.Timer
	silent   atomic.Bool
	heard    atomic.Bool // it has sent something
	last     error       // of Receive
	once     sync.Once
	ctx      context.Context
	stop     func() bool // no longer waits for ctx
}

type frame struct {
	kind byte
	text []byte
	err  error // it is the last
}

// Start starts a worker. It ends when ctx does, or with Close, which has to be called.
func Start(ctx context.Context, program Program, o Options) (*Process, error) {
	p := &Process{stderr: &tail{also: o.Stderr}, frames: make(chan frame, 1<<16), crash: make(chan string, 1),
		exited: make(chan struct{}), closed: make(chan struct{}), ctx: ctx}
	p.cmd = exec.Command(program.Path, program.Args...)
	p.cmd.Dir, p.cmd.Stderr, p.cmd.WaitDelay = program.Dir, p.stderr, time.Second
	p.cmd.Env = append(append(os.Environ(), program.Env...), variable+"="+program.Name,
		memoryVariable+"="+strconv.FormatInt(cmp.Or(o.Memory, DefaultMemory), 10))
	lead(p.cmd)
	var files []*os.File
	pipe := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err == nil {
			files = append(files, r, w)
		}
		return r, w
	}
	theirRequests, requests := pipe()
	responses, theirResponses := pipe()
	crash, theirCrash := pipe()
	err := errors.New("no more files")
	if len(files) == 6 {
		attach(p.cmd, theirRequests, theirResponses, theirCrash)
		err = p.cmd.Start()
	}
	if err != nil {
		for _, f := range files {
			f.Close()
		}
		return nil, fmt.Errorf("starting %s: %w", program.Path, err)
	}
	for _, f := range []*os.File{theirRequests, theirResponses, theirCrash} {
		f.Close()
	}
	p.requests = requests
	p.silence.Store(int64(o.Silence))
	p.watchdog = time.AfterFunc(max(o.Silence, time.Hour), p.bark)
	p.pet()
	from, of := &pipeReader{responses}, &pipeReader{crash}
	go p.wait(from, of)
	go p.read(from)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(of, maxCrash))
		p.crash <- string(text)
		_, _ = io.Copy(io.Discard, of)
		of.Close()
	}()
	p.stop = context.AfterFunc(ctx, func() {
		p.requests.Close()
		if !p.heard.Load() {
			_ = Kill(p.cmd)
		}
		time.AfterFunc(grace, p.kill)
	})
	return p, nil
}

// SetSilence replaces Options.Silence.
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
func (p *Process) wait(pipes ...*pipeReader) {
	_ = p.cmd.Wait() // see ProcessState
	p.watchdog.Stop()
	_ = Kill(p.cmd)
	p.requests.Close()
	close(p.exited)
	for _, r := range pipes {
		r.exited()
	}
}

// read reads the frames of the worker.
func (p *Process) read(responses *pipeReader) {
	defer responses.Close()
	in := bufio.NewReader(responses)
	for {
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
		p.last = &Death{Cause: Memory, Text: string(f.text)}
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

// A pipeReader reads what a process has written to a pipe until it has ended. A process
// that it has started may hold the other end open for ever.
type pipeReader struct{ *os.File }

// exited ends a Read once nothing is left to read.
func (r *pipeReader) exited() {
	if r.SetReadDeadline(time.Now()) != nil { // the system has no deadlines of pipes
		time.AfterFunc(time.Second, func() { r.Close() })
	}
}

func (r *pipeReader) Read(b []byte) (int, error) {
	n, err := r.File.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		// What the process has written is there, and is read at once.
		_ = r.SetReadDeadline(time.Now().Add(time.Second))
		n, err = r.File.Read(b)
	}
	return n, err
}
