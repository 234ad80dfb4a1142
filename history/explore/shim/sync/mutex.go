package sync

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
)

const (
	read  = schedule.Read
	write = schedule.Write
)

// A Locker is sync.Locker.
type Locker = sync.Locker

// used is whether the present execution has used a primitive. What an execution has done to
// it, because it was aborted or forgot to undo it, is undone at the end.
type used bool

// mark has the state reset at the end.
func (u *used) mark(state interface{ Reset() }) {
	if !*u {
		*u = true
		schedule.AtEnd(state)
	}
}

// A Mutex replaces sync.Mutex. In a scheduled execution, too, the real one
// is locked, so that code outside of it is excluded.
type Mutex struct {
	real sync.Mutex
	used used
	held atomic.Bool // by a thread of the execution
	hold schedule.Hold
}

// Lock locks m.
func (m *Mutex) Lock() {
	if !schedule.Active() {
		m.real.Lock()
		return
	}
	for {
		schedule.Wait(write, unsafe.Pointer(m), (*mutexLock)(m), "sync.Mutex.Lock")
		if m.try() {
			return
		}
	}
}

// TryLock locks m if it is free.
func (m *Mutex) TryLock() bool {
	if !schedule.Active() {
		return m.real.TryLock()
	}
	schedule.Step(write, unsafe.Pointer(m))
	return tried(m.try())
}

// Unlock unlocks m.
func (m *Mutex) Unlock() {
	schedule.Step(write, unsafe.Pointer(m))
	schedule.Note("sync.Mutex.Unlock")
	if !m.held.Swap(false) && schedule.Active() && m.real.TryLock() {
		m.real.Unlock()
		schedule.Fail("sync: unlock of unlocked mutex")
	}
	m.real.Unlock()
}

func (m *Mutex) try() bool {
	if !m.real.TryLock() {
		return false
	}
	m.used.mark((*mutexLock)(m))
	m.held.Store(true)
	m.hold = schedule.Holding()
	return true
}

// tried marks a failed attempt as a read.
func tried(ok bool) bool {
	if !ok {
		schedule.Failed()
	}
	if schedule.Traced() {
		if ok {
			schedule.Note("locked")
		} else {
			schedule.Note("not locked")
		}
	}
	return ok
}

type mutexLock Mutex

// Holders implements schedule.Held.
func (w *mutexLock) Holders() []schedule.Hold {
	if !w.held.Load() {
		return nil
	}
	return []schedule.Hold{w.hold}
}

func (w *mutexLock) Ready() bool {
	if w.held.Load() || !w.real.TryLock() { // or held outside
		return false
	}
	w.real.Unlock()
	return true
}

func (w *mutexLock) Reset() {
	if w.used = false; w.held.Swap(false) {
		w.real.Unlock()
	}
}

// An RWMutex replaces sync.RWMutex. As there, a writer that waits keeps
// new readers out.
type RWMutex struct {
	real   sync.RWMutex
	inside *rwState // of the execution, or nil before its first use
}

// rwState is who has locked an RWMutex in the execution.
type rwState struct {
	writer int
	writes schedule.Hold   // of the writer, also of one that waits for readers
	reads  []schedule.Hold // of the readers
	unsure bool            // a thread has unlocked for another one, so that reads may be others
}

// enter returns the state in the execution.
func (rw *RWMutex) enter() *rwState {
	if rw.inside == nil {
		rw.inside = &rwState{}
		schedule.AtEnd((*rwLock)(rw))
	}
	return rw.inside
}

// now returns the state, also of one that the program has overwritten while it was in use.
func (rw *RWMutex) now() *rwState {
	if rw.inside == nil {
		return &rwState{}
	}
	return rw.inside
}

// Values of rwState.writer.
const (
	noWriter = iota
	pendingWriter
	activeWriter
)

// Lock locks rw for writing.
func (rw *RWMutex) Lock() {
	if !schedule.Active() {
		rw.real.Lock()
		return
	}
	s := rw.enter()
	schedule.Wait(write, unsafe.Pointer(rw), (*rwArrive)(rw), "sync.RWMutex.Lock")
	s.writer, s.writes = pendingWriter, schedule.Holding()
	for !rw.real.TryLock() {
		schedule.Wait(write, unsafe.Pointer(rw), (*rwLock)(rw), "sync.RWMutex.Lock")
	}
	s.writer = activeWriter
}

// TryLock locks rw for writing if it is free.
func (rw *RWMutex) TryLock() bool {
	if !schedule.Active() {
		return rw.real.TryLock()
	}
	schedule.Step(write, unsafe.Pointer(rw))
	s := rw.enter()
	ok := s.writer == noWriter && rw.real.TryLock()
	if ok {
		s.writer, s.writes = activeWriter, schedule.Holding()
	}
	return tried(ok)
}

// Unlock undoes a Lock.
func (rw *RWMutex) Unlock() {
	schedule.Step(write, unsafe.Pointer(rw))
	schedule.Note("sync.RWMutex.Unlock")
	if schedule.Active() {
		switch s := rw.enter(); {
		case s.writer == activeWriter:
			s.writer = noWriter
		case !rw.lockedOutside():
			schedule.Fail("sync: Unlock of unlocked RWMutex")
		}
	}
	rw.real.Unlock()
}

// RLock locks rw for reading.
func (rw *RWMutex) RLock() {
	if !schedule.Active() {
		rw.real.RLock()
		return
	}
	for {
		rw.enter()
		schedule.Wait(write, unsafe.Pointer(rw), (*rwRLock)(rw), "sync.RWMutex.RLock")
		if rw.tryRLock() {
			return
		}
	}
}

// TryRLock locks rw for reading if no writer has or awaits it.
func (rw *RWMutex) TryRLock() bool {
	if !schedule.Active() {
		return rw.real.TryRLock()
	}
	schedule.Step(write, unsafe.Pointer(rw))
	return tried(rw.tryRLock())
}

func (rw *RWMutex) tryRLock() bool {
	s := rw.enter()
	if s.writer != noWriter || !rw.real.TryRLock() {
		return false
	}
	s.reads = append(s.reads, schedule.Holding())
	return true
}

// RUnlock undoes an RLock.
func (rw *RWMutex) RUnlock() {
	schedule.Step(write, unsafe.Pointer(rw))
	schedule.Note("sync.RWMutex.RUnlock")
	if schedule.Active() {
		s := rw.enter()
		if len(s.reads) == 0 && !rw.readOutside() {
			schedule.Fail("sync: RUnlock of unlocked RWMutex")
		}
		s.unread()
	}
	rw.real.RUnlock()
}

// unread removes one of the readers. It is unknown which one if another thread unlocks.
func (s *rwState) unread() {
	n := slices.IndexFunc(s.reads, func(h schedule.Hold) bool { return h.Thread == schedule.Self() })
	if n < 0 {
		n, s.unsure = len(s.reads)-1, true
	}
	if n >= 0 {
		s.reads = slices.Delete(s.reads, n, n+1)
	}
}

// lockedOutside and readOutside report whether code outside of the execution
// holds the real lock, given that the execution does not.
func (rw *RWMutex) lockedOutside() bool {
	if len(rw.now().reads) > 0 {
		return false
	}
	free := rw.real.TryRLock()
	if free {
		rw.real.RUnlock()
	}
	return !free
}

func (rw *RWMutex) readOutside() bool {
	if rw.now().writer == activeWriter {
		return false
	}
	free := rw.real.TryLock()
	if free {
		rw.real.Unlock()
	}
	return !free
}

// RLocker returns a Locker that locks rw for reading.
func (rw *RWMutex) RLocker() Locker { return (*rlocker)(rw) }

type rlocker RWMutex

func (r *rlocker) Lock()   { (*RWMutex)(r).RLock() }
func (r *rlocker) Unlock() { (*RWMutex)(r).RUnlock() }

type rwArrive RWMutex // waits for other writers

func (w *rwArrive) Holders() []schedule.Hold { return (*RWMutex)(w).now().byWriter() }
func (w *rwArrive) Ready() bool              { return (*RWMutex)(w).now().writer == noWriter }

// byWriter returns the writer that keeps others out.
func (s *rwState) byWriter() []schedule.Hold {
	if s.writer == noWriter {
		return nil
	}
	h := s.writes
	h.Queued = s.writer == pendingWriter
	return []schedule.Hold{h}
}

type rwLock RWMutex // waits for readers

func (w *rwLock) Holders() []schedule.Hold {
	s := (*RWMutex)(w).now()
	if s.unsure {
		return nil
	}
	return s.reads
}

func (w *rwLock) Ready() bool {
	if len((*RWMutex)(w).now().reads) > 0 || !w.real.TryLock() {
		return false
	}
	w.real.Unlock()
	return true
}

func (w *rwLock) Reset() {
	s := (*RWMutex)(w).now()
	for range s.reads {
		w.real.RUnlock()
	}
	if s.writer == activeWriter {
		w.real.Unlock()
	}
	*s, w.inside = rwState{}, nil // a copy of the lock may share it
}

type rwRLock RWMutex // waits for writers

func (w *rwRLock) Holders() []schedule.Hold { return (*RWMutex)(w).now().byWriter() }

func (w *rwRLock) Ready() bool {
	switch s := (*RWMutex)(w).now(); {
	case s.writer != noWriter:
		return false
	case len(s.reads) > 0:
		return true
	case !w.real.TryRLock():
		return false
	}
	w.real.RUnlock()
	return true
}
