package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/nats-io/nats.go"
)

// A table shows the workers and their rates: on a terminal in place, every second;
// elsewhere, if asked for, every ten seconds. It also says if there are no workers.
type table struct {
	w        io.Writer
	shown    bool
	terminal bool
	c        *coordinator
	done     chan struct{}

	mu      sync.Mutex
	workers map[string]*seen
	others  map[string]bool // workers that run another program
	warned  bool
	lines   int // on the terminal
}

// A seen worker has its last two messages.
type seen struct {
	last, before alive
	at, atBefore time.Time
}

func newTable(w io.Writer, wanted bool, c *coordinator) *table {
	t := &table{w: w, shown: wanted, c: c, workers: map[string]*seen{}, others: map[string]bool{}, done: make(chan struct{})}
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Name() != "null" {
			t.terminal, t.shown = true, true
		}
	}
	return t
}

// start begins to listen and to show.
func (t *table) start(ctx context.Context) error {
	_, err := t.c.queue.nc.Subscribe(aliveSubject+".*", func(m *nats.Msg) {
		var a alive
		if json.Unmarshal(m.Data, &a) == nil && a.Kind == t.c.queue.kind {
			t.heard(a, strings.HasSuffix(m.Subject, "."+t.c.queue.program), time.Now())
		}
	})
	if err != nil {
		return err
	}
	go func() {
		defer close(t.done)
		for n := 1; ; n++ {
			if pause(ctx, time.Second); ctx.Err() != nil {
				return
			}
			if n%10 == 0 {
				t.aside(t.warn)
			}
			if t.terminal || t.shown && n%10 == 0 {
				t.show()
			}
		}
	}()
	return nil
}

// warn says once that there are no workers.
func (t *table) warn() {
	if len(t.workers) > 0 || t.warned || t.c.unfinished() == 0 {
		return
	}
	t.warned = true
	others := ""
	if len(t.others) > 0 {
		others = fmt.Sprintf("; %d run another version of it", len(t.others))
	}
	_, _ = fmt.Fprintf(t.w, "leadline-cluster: waiting for workers that run this program%s\n", others) // it changes no result
}

// heard handles a message of a worker that runs this program, or another one.
func (t *table) heard(a alive, own bool, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !own {
		t.others[a.ID] = true
		return
	}
	w := t.workers[a.ID]
	if w == nil {
		w = &seen{last: a, at: now}
		t.workers[a.ID] = w
	}
	w.before, w.atBefore = w.last, w.at
	w.last, w.at = a, now
}

// stop shows the table for the last time.
func (t *table) stop() {
	if <-t.done; t.shown {
		t.show()
	}
}

// show writes the table, on a terminal in place of the last one. It ignores errors of
// writing, which change no result.
func (t *table) show() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clear()
	var text bytes.Buffer
	t.write(&text, time.Now())
	if t.terminal {
		t.lines = bytes.Count(text.Bytes(), []byte("\n"))
	}
	_, _ = t.w.Write(text.Bytes())
}

func (t *table) clear() {
	if t.lines > 0 {
		_, _ = fmt.Fprintf(t.w, "\x1b[%dA\x1b[J", t.lines) // up, and clear
		t.lines = 0
	}
}

// aside removes the table while it calls do, which writes something else. The table is
// shown again within a second.
func (t *table) aside(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clear()
	do()
}

// flush flushes results, which may go to the same terminal.
func (t *table) flush(out *bufio.Writer) (err error) {
	t.aside(func() { err = out.Flush() })
	return err
}

// lostAfter is the time without a message after which a worker counts as lost.
const lostAfter = 5 * time.Second

// write writes the table.
func (t *table) write(out io.Writer, now time.Time) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "worker\tbusy\tfiles\thistories\tper second\t\n")
	var ids []string
	for id := range t.workers {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, strings.Compare)
	var sum alive
	var rates float64
	for _, id := range ids {
		s := t.workers[id]
		rate, busy := s.rate(), fmt.Sprintf("%d of %d", s.last.Busy, s.last.Jobs)
		if now.Sub(s.at) > lostAfter {
			rate, busy = 0, "lost"
		} else {
			sum.Busy += s.last.Busy
			sum.Jobs += s.last.Jobs
		}
		sum.Files += s.last.Files
		sum.Histories += s.last.Histories
		rates += rate
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%.0f\t\n", id, busy, s.last.Files, s.last.Histories, rate)
	}
	fmt.Fprintf(w, "all\t%d of %d\t%d\t%d\t%.0f\t\n", sum.Busy, sum.Jobs, sum.Files, sum.Histories, rates)
	_ = w.Flush() // as above
	waiting := t.c.unfinished()
	fmt.Fprintf(out, "%d tasks done, %d waiting\n", t.c.done.Load(), waiting)
}

// rate returns the histories per second between the last two messages.
func (s *seen) rate() float64 {
	seconds := s.at.Sub(s.atBefore).Seconds()
	if seconds <= 0 {
		return 0
	}
	return float64(s.last.Histories-s.before.Histories) / seconds
}
