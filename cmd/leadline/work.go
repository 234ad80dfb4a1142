package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// maxJobs bounds --jobs; more than processors are of no use.
const maxJobs = 1 << 10

var errJobs = errors.New("--jobs must be 1 to 1024")

// A collector decides when garbage is collected. Checking a long history
// makes little garbage, and following the pointers of a million operations
// again and again would take a quarter of the time. So the first collection
// waits until the process is larger than its input calls for; from then on
// garbage is collected as usual, and while a long history is checked sooner.
//
// At all times the runtime collects as hard as it must to stay below the
// limit; what then still needs more is given up by the engines.
type collector struct {
	mu      sync.Mutex
	limit   int64 // in bytes
	first   int64 // when the process has so many bytes, the first collection begins
	waiting bool  // for it
	long    int   // histories at work that are long
	restore func()
}

const (
	// firstCollection is the size of the process at the first collection, in
	// bytes, if its input is small.
	firstCollection = 16 << 20
	// roomForInput is how much larger it is at most if the input is large. Text of
	// other formats is longer than the operations.
	roomForInput = 192 << 20
	// usualGarbage and soonGarbage are how much garbage there may be, in
	// percent of what is in use.
	usualGarbage, soonGarbage = 100, 30
)

func newCollector(limit int64) *collector {
	c := &collector{limit: limit, first: min(limit, firstCollection), waiting: true}
	percent, bytes := debug.SetGCPercent(-1), debug.SetMemoryLimit(c.first)
	c.restore = func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(bytes) }
	// The first collection finds this without use.
	runtime.AddCleanup(&[]*collector{c}, (*collector).begun, c)
	return c
}

// begun is called after the first collection.
func (c *collector) begun() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting {
		c.waiting = false
		debug.SetMemoryLimit(c.limit)
		c.adjust()
	}
}

// reading announces an input of so many bytes.
func (c *collector) reading(input int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// The operations take about as much as their text, and so do the monitors;
	// the search takes more.
	if wanted := min(c.limit, firstCollection+min(3*input, roomForInput)); c.waiting && wanted > c.first {
		c.first = wanted
		debug.SetMemoryLimit(wanted)
	}
}

// checking adds to the number of long histories at work.
func (c *collector) checking(more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.long += more
	if !c.waiting {
		c.adjust()
	}
}

func (c *collector) adjust() {
	if c.long > 0 {
		debug.SetGCPercent(soonGarbage)
	} else {
		debug.SetGCPercent(usualGarbage)
	}
}

// stop makes garbage be collected as it was before.
func (c *collector) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = false
	c.restore()
}

// A progress line counts the histories, or other things, that are done. On a terminal
// it changes at most five times a second. Elsewhere it is silent, or a line every ten
// seconds.
type progress struct {
	w       io.Writer // nil: silent
	n       int
	every   time.Duration
	last    time.Time
	lines   bool // instead of one line that changes
	visible bool
	what    string // is counted
	pace    *pace  // says more; or nil
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	if c, ok := w.(*checkedWriter); ok {
		w = c.w
	}
	f, ok := w.(*os.File)
	return ok && onTerminal(f)
}

func newProgress(w io.Writer) *progress {
	if !isTerminal(w) {
		return &progress{}
	}
	return &progress{w: w, every: 200 * time.Millisecond, last: time.Now(), what: "histories"}
}

// measure makes the progress line say how fast it goes and what remains of the files
// that paths name. Where w is not a terminal, it is printed there line by line.
func (p *progress) measure(ctx context.Context, w io.Writer, paths []string) {
	p.pace = &pace{}
	go p.pace.measure(ctx, paths)
	if p.w == nil {
		p.w, p.every, p.last, p.lines = w, 10*time.Second, time.Now(), true
	}
}

// result counts a result.
func (p *progress) result(r *result) {
	if p.pace != nil {
		p.pace.add(r, time.Now())
	}
	p.step()
}

// end prints the last line, or takes the line of a terminal away.
func (p *progress) end() {
	if p.lines {
		p.print()
	}
	p.clear()
}

func (p *progress) step() {
	p.n++
	if p.w == nil || time.Since(p.last) < p.every {
		return
	}
	p.print()
}

func (p *progress) print() {
	p.last = time.Now()
	text := fmt.Sprintf("%d %s", p.n, p.what)
	if p.pace != nil {
		text = p.pace.text(p.last)
	}
	if p.lines {
		fmt.Fprintf(p.w, "leadline: %s\n", text)
		return
	}
	p.visible = true
	fmt.Fprintf(p.w, "\r\033[K%s", text)
}

// clear takes the line away before something else is written.
func (p *progress) clear() {
	if p.visible {
		fmt.Fprint(p.w, "\r\033[K")
		p.visible = false
	}
}
