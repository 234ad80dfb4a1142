package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// A progress line says on a terminal how many histories, or what else, are done, five times
// a second at most; elsewhere it is silent.
type progress struct {
	w       io.Writer // nil: silent
	n       int
	last    time.Time
	visible bool
	what    string // is counted
}

func newProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	if !ok {
		return &progress{}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return &progress{}
	}
	return &progress{w: w, last: time.Now(), what: "histories"}
}

func (p *progress) step() {
	p.n++
	if p.w == nil || time.Since(p.last) < 200*time.Millisecond {
		return
	}
	p.last, p.visible = time.Now(), true
	fmt.Fprintf(p.w, "\r%d %s", p.n, p.what)
}

// clear takes the line away before something else is written.
func (p *progress) clear() {
	if p.visible {
		fmt.Fprint(p.w, "\r\033[K")
		p.visible = false
	}
}
