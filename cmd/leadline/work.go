package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// maxJobs bounds --jobs. More jobs than processors are of no use.
const maxJobs = 1 << 10

var (
	errJobs    = errors.New("--jobs must be 1 to 1024")
	errTimeout = errors.New("--timeout must not be negative")
)

// A collector decides when garbage is collected. Checking a long history makes little
// garbage, and marking a million operations again and again would take a quarter of the
// time. So the first collection waits until the process is larger than its input
// explains. From then on garbage is collected as usual.
//
// At all times the runtime collects as hard as it must to stay below the limit. If that
// is not enough, the engines give up.
type collector struct {
	mu      sync.Mutex
	limit   int64 // in bytes
	first   int64 // size of the process, in bytes, at which the first collection begins
	waiting bool  // for the first collection
	restore func()
}

const (
	// firstCollection is the size of the process at the first collection, in
	// bytes, if its input is small.
	firstCollection = 16 << 20
	// roomForInput bounds how much larger it is if the input is large. Files of other
	// formats can be much larger than their operations.
	roomForInput = 384 << 20
	// usualGarbage bounds the garbage, in percent of the memory in use.
	usualGarbage = 100
)

func newCollector(limit int64) *collector {
	c := &collector{limit: limit, first: min(limit, firstCollection), waiting: true}
	percent, bytes := debug.SetGCPercent(percentFor(c.first)), debug.SetMemoryLimit(limit)
	c.restore = func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(bytes) }
	// The first collection finds that nothing refers to this slice.
	runtime.AddCleanup(&[]*collector{c}, (*collector).begun, c)
	return c
}

// begun ends the waiting after the first collection.
func (c *collector) begun() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting {
		c.waiting = false
		debug.SetGCPercent(usualGarbage)
	}
}

// percentFor returns the percentage with which the first collection begins at a size in
// bytes: with 100 percent, it begins at 4 MiB.
func percentFor(first int64) int { return int(first >> 20 * 100 / 4) }

// reading makes room for an input, given its size in bytes.
func (c *collector) reading(input int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// The operations take about as much memory as their text, and so do the monitors.
	// The search takes more.
	if wanted := min(c.limit, firstCollection+min(3*input, roomForInput)); c.waiting && wanted > c.first {
		c.first = wanted
		debug.SetGCPercent(percentFor(wanted))
	}
}

// stop restores the settings of the runtime.
func (c *collector) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = false
	c.restore()
}

// A progress counts the histories, or other things, that are done. On a terminal it is
// a line that changes at most five times a second. Elsewhere it is silent.
type progress struct {
	mu      sync.Mutex
	w       io.Writer // nil: silent
	n       int
	last    time.Time
	visible bool
	begun   time.Time // if the line moves by itself
	what    string    // what is counted
	pace    *pace     // has more to print; or nil
}

// progressEvery is the time between two changes of the line.
const progressEvery = 200 * time.Millisecond

func newProgress(w io.Writer) *progress {
	if terminal(w) == nil {
		return &progress{}
	}
	return &progress{w: w, last: time.Now(), what: "histories"}
}

// measure adds the rate and the remaining time, given the files that paths name.
func (p *progress) measure(ctx context.Context, paths []string) {
	p.pace = &pace{}
	go p.pace.measure(ctx, paths)
}

// result counts a result.
func (p *progress) result(r *result) {
	if p.pace != nil {
		p.pace.add(r, time.Now())
	}
	p.step()
}

func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	if p.w == nil || time.Since(p.last) < progressEvery {
		return
	}
	p.print()
}

func (p *progress) print() {
	p.last = time.Now()
	text := fmt.Sprintf("%d %s", p.n, p.what)
	if !p.begun.IsZero() {
		text += fmt.Sprintf(", %v", time.Since(p.begun).Truncate(time.Second))
	}
	if p.pace != nil {
		text = p.pace.text(p.last)
	}
	p.visible = true
	fmt.Fprintf(p.w, "\r\033[K%s", text)
}

// above returns a writer to w, the same terminal, that removes the line before it writes. It
// should be given whole lines.
func (p *progress) above(w io.Writer) io.Writer { return aboveProgress{w, p} }

type aboveProgress struct {
	io.Writer
	p *progress
}

func (a aboveProgress) Write(text []byte) (int, error) {
	a.p.clear()
	return a.Writer.Write(text)
}

// clear removes the line from the terminal, before something else is written.
func (p *progress) clear() { p.hide(func() {}) }

// hide removes the line and calls f, which writes something else.
func (p *progress) hide(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.visible {
		fmt.Fprint(p.w, "\r\033[K")
		p.visible = false
	}
	f()
}

// move adds the time to the line, which moves until stop is called: a proof or a build counts nothing.
// Stop removes it.
func (p *progress) move() (stop func()) {
	if p.w == nil {
		return func() {}
	}
	p.begun = time.Now()
	moves := true
	go func() {
		for more := true; more; {
			time.Sleep(progressEvery)
			p.hide(func() {
				if more = moves; more {
					p.print()
				}
			})
		}
	}()
	return func() { p.hide(func() { moves = false }) }
}
