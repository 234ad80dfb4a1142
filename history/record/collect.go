package record

import (
	"runtime"
	"slices"
	"time"

	"github.com/leadline/leadline/history"
)

// run is the goroutine of the writer.
func (r *Recorder) run() {
	var tick <-chan time.Time
	if every := r.options.FlushEvery; every >= 0 {
		if every == 0 {
			every = standardFlush
		}
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		flush := false
		select {
		case <-r.done:
			return
		case <-r.wake:
		case <-tick:
			flush = true
		}
		r.mu.Lock()
		if !r.closed && !r.broken {
			r.round(flush)
		}
		r.mu.Unlock()
	}
}

func (r *Recorder) wakeWriter() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// round takes all events that were published before it, which form a consistent
// cut, from their buffers.
func (r *Recorder) round(flush bool) {
	if r.options.Order == ProgramOrder {
		r.collectEpoch()
	} else {
		// A process that has drawn a stamp publishes its event soon: nothing in
		// between can block.
		cut := min(r.stamps.n.Load(), r.limit.Load())
		for tries := 0; r.next < cut && !r.broken; tries++ {
			if r.collect(); r.next < cut {
				pause(tries)
			}
		}
	}
	r.makeRoom()
	if !r.broken {
		r.check(r.noteInFile())
	}
	if flush && !r.broken {
		r.check(r.sink.flush())
	}
}

// check reports whether writing succeeded. If it failed, check ends the
// recording.
func (r *Recorder) check(err error) bool {
	if err == nil {
		return true
	}
	r.broken = true
	r.fail(err)
	return false
}

// pause yields to processes that are in the middle of an event.
func pause(tries int) {
	if tries < 20 {
		runtime.Gosched()
		return
	}
	time.Sleep(50 * time.Microsecond)
}

// collect writes the available events from stamp r.next on, up to the first
// missing stamp. It takes time linear in the available events.
func (r *Recorder) collect() {
	processes := r.list()
	for i, p := range processes {
		filled := p.head.Load() >> 1
		for k := p.taken; k < filled; k++ {
			place := int(p.ring[k&p.mask].at - r.next)
			if place >= len(r.owner) {
				r.owner = append(r.owner, make([]int32, place+1-len(r.owner))...)
			}
			r.owner[place] = int32(i) + 1
		}
	}
	limit := r.limit.Load() // after reading the heads, see stop
	for _, owner := range r.owner {
		if owner == 0 || r.next >= limit {
			break
		}
		if !r.put(processes[owner-1]) {
			break
		}
		r.next++
	}
	clear(r.owner)
	r.owner = r.owner[:0]
	r.makeRoom()
}

// collectEpoch ends the epoch and writes all its events.
func (r *Recorder) collectEpoch() {
	epoch := r.epoch.n.Add(1) - 1
	processes := r.list()
	filled := make([]uint64, len(processes))
	for i, p := range processes {
		head := p.head.Load()
		// The epoch of an event that is being stored is unknown. Any later
		// event belongs to the new epoch.
		for tries, first := 0, head; head == first && head&1 != 0; tries++ {
			pause(tries)
			head = p.head.Load()
		}
		filled[i] = head >> 1
	}
	last := min(epoch, r.limit.Load()-1) // after reading the heads, see stop
	some := false
	for i, p := range processes {
		for p.taken < filled[i] && p.ring[p.taken&p.mask].at <= last {
			if !r.put(p) {
				return
			}
			some = true
		}
	}
	if some {
		r.check(r.sink.epoch(last))
	}
}

// put writes the next event of p, and reports whether that succeeded.
func (r *Recorder) put(p *Process) bool {
	e := &p.ring[p.taken&p.mask]
	p.taken++
	ev := &r.event
	*ev = history.Event{Type: e.typ, At: e.at}
	switch {
	case e.typ == history.Invoke:
		if p.retired {
			p.number, p.retired = r.names.Add(1)-1, false
		}
		p.op = r.ops
		r.ops++
		ev.Method, ev.Args = e.method, e.arguments()
	case e.typ == history.Crash:
		return r.check(r.sink.event(ev))
	case e.typ == history.OK:
		if ev.Result = e.args[0]; e.n == versioned {
			ev.Version = history.VersionOf(e.args[1].Int())
		}
	case e.typ == history.Info:
		p.retired = true
	}
	ev.Process, ev.Op = history.IntValue(p.number), history.IntValue(p.op)
	return r.check(r.sink.event(ev))
}

// makeRoom frees the slots of written events for their processes, and removes
// closed processes.
func (r *Recorder) makeRoom() {
	done := false
	for _, p := range r.list() {
		if p.tail.Load() != p.taken {
			p.tail.Store(p.taken)
		}
		if p.waiting.Load() && p.waiting.CompareAndSwap(true, false) {
			select {
			case p.room <- struct{}{}:
			default:
			}
		}
		done = done || p.over()
	}
	if done {
		r.listMu.Lock()
		r.processes = slices.DeleteFunc(slices.Clone(r.processes), (*Process).over)
		r.listMu.Unlock()
	}
}

// over reports whether p is closed and all of its events have been taken.
func (p *Process) over() bool { return p.closed.Load() && p.head.Load() == p.taken<<1 }

// noteInFile writes the first misuse to the file, once.
func (r *Recorder) noteInFile() error {
	r.errMu.Lock()
	misuse := r.misuse
	if r.noted {
		misuse = nil
	}
	r.noted = r.misuse != nil
	r.errMu.Unlock()
	if misuse == nil {
		return nil
	}
	return r.sink.comment(misuse.Error())
}
