package worker

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// variable is set in the environment of workers. It has the name of what they serve.
const variable = "LEADLINE_WORKER"

// name is read before anything can change the environment.
var name = os.Getenv(variable)

// Name returns the Name of the Program by which this process was started as a worker, or
// "" if it is not one.
func Name() string { return name }

// The kinds of frames.
const (
	frameMessage = 'm'
	frameAlive   = 'a' // only resets the watchdog
	frameDone    = 'd' // the last one
	frameError   = 'e' // the last one: why it cannot go on
	frameMemory  = 'x' // the last one: it uses too much memory
)

// maxFrame is far more than any message has. What is longer was not written by a Conn.
const maxFrame = 1 << 30

// writeFrame writes a frame at once, so that a crash cuts it as seldom as possible.
func writeFrame(w io.Writer, kind byte, text []byte) error {
	frame := append(make([]byte, 5, 5+len(text)), text...)
	frame[0] = kind
	binary.BigEndian.PutUint32(frame[1:], uint32(len(text)))
	_, err := w.Write(frame)
	return err
}

func readFrame(r io.Reader) (kind byte, text []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	length := binary.BigEndian.Uint32(head[1:])
	if length > maxFrame {
		return 0, nil, fmt.Errorf("a message of %d bytes", length)
	}
	text = make([]byte, length)
	_, err = io.ReadFull(r, text)
	return head[0], text, err
}

// A Conn is a worker's connection with its supervisor.
type Conn struct {
	requests chan []byte
	mu       sync.Mutex // orders frames
	out      io.Writer
	beat     atomic.Int64 // when Alive has sent a frame
}

// Receive reads the next message. It returns io.EOF if there will be none.
func (c *Conn) Receive(v any) error {
	text, ok := <-c.requests
	if !ok {
		return io.EOF
	}
	return json.Unmarshal(text, v)
}

// Send sends a message. The supervisor may be gone; then the context of Serve is done.
func (c *Conn) Send(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		c.write(frameError, []byte(err.Error()))
		os.Exit(2)
	}
	c.write(frameMessage, text)
}

// Alive resets the watchdog of the supervisor.
func (c *Conn) Alive() {
	now, before := time.Now().UnixNano(), c.beat.Load()
	if now-before >= int64(time.Second) && c.beat.CompareAndSwap(before, now) {
		c.write(frameAlive, nil)
	}
}

func (c *Conn) write(kind byte, text []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = writeFrame(c.out, kind, text)
}

// Serve connects a worker with its supervisor and calls do, whose context is done when
// the supervisor is interrupted or has exited. It returns the exit status. An error of do
// is reported to the supervisor.
func Serve(do func(context.Context, *Conn) error) (status int) {
	if Name() == "" {
		fmt.Fprintln(os.Stderr, "this program runs only as a worker of another one")
		return 2
	}
	signal.Ignore(os.Interrupt, syscall.SIGTERM) // a terminal sends them to all processes
	requests, responses := attached()
	os.Unsetenv(variable)
	os.Unsetenv(memoryVariable)
	debug.SetMaxStack(int(debug.SetMemoryLimit(-1) / 8)) // an endless recursion is a crash with a stack
	c := &Conn{requests: make(chan []byte, 64), out: responses}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		defer close(c.requests)
		for {
			kind, text, err := readFrame(requests)
			if err != nil || kind != frameMessage {
				cancel()
				time.AfterFunc(2*grace, func() { os.Exit(2) }) // nobody may be left to kill it
				return
			}
			select {
			case c.requests <- text:
			case <-ctx.Done():
			}
		}
	}()
	go c.watchMemory()
	if err := do(ctx, c); err != nil {
		c.write(frameError, []byte(err.Error()))
		return 2
	}
	c.write(frameDone, nil)
	return 0
}

const memoryVariable = "GOMEMLIMIT"

// watchMemory ends the process if it uses more memory than GOMEMLIMIT allows, even after
// a garbage collection.
func (c *Conn) watchMemory() {
	limit := debug.SetMemoryLimit(-1)
	for ; ; time.Sleep(memoryPause) {
		if memoryUsed() <= limit {
			continue
		}
		if debug.FreeOSMemory(); memoryUsed() > limit {
			c.write(frameMemory, fmt.Appendf(nil, "uses more than %d MiB of memory", limit>>20))
			os.Exit(2)
		}
	}
}

const memoryPause = 50 * time.Millisecond

func memoryUsed() int64 {
	const total, released = "/memory/classes/total:bytes", "/memory/classes/heap/released:bytes"
	samples := []metrics.Sample{{Name: total}, {Name: released}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}
