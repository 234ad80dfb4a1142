package sync

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/leadline/leadline/history/stress/explore/schedule"
)

const (
	read  = schedule.Read
	write = schedule.Write
)

// A Locker is sync.Locker.
type Locker = sync.Locker

// owned marks a primitive that an execution acquired. What an execution still
// holds at its end, because it was aborted or forgot it, is released.
type owned struct {
	epoch  atomic.Uint64 // of that execution; 0: none
	holder atomic.Int32  // the thread
	call   atomic.Int32  // of the holder
}

// ours reports whether the present execution acquired it.
func (o *owned) ours() bool { return o.epoch.Load() == schedule.Epoch() }

// ended reports, once, whether it was acquired by an execution that is over.
func (o *owned) ended() bool {
	e := o.epoch.Load()
	return e != 0 && e != schedule.Epoch() && o.epoch.CompareAndSwap(e, 0)
}

func (o *owned) acquire() {
	o.epoch.Store(schedule.Epoch())
	o.holder.Store(int32(schedule.Self()))
	o.call.Store(schedule.Holding().Call)
}

// A Mutex replaces sync.Mutex. In a scheduled execution, too, the real one
// is locked, so that code outside of it is excluded.
type Mutex struct {
	real sync.Mutex
	by   owned
}

// Lock locks m.
func (m *Mutex) Lock() {
	if !schedule.Active() {
		m.release()
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
		m.release()
		return m.real.TryLock()
	}
	schedule.Step(write, unsafe.Pointer(m))
	return tried(m.try())
}

// Unlock unlocks m.
func (m *Mutex) Unlock() {
	schedule.Step(write, unsafe.Pointer(m))
	schedule.Note("sync.Mutex.Unlock")
	active := schedule.Active()
	if m.release() && !active {
		return
	}
	if m.by.epoch.Swap(0) == 0 && active && m.real.TryLock() {
		m.real.Unlock()
		panic("sync: unlock of unlocked mutex")
	}
	m.real.Unlock()
}

func (m *Mutex) try() bool {
	m.release()
	if !m.real.TryLock() {
		return false
	}
	m.by.acquire()
	return true
}

// release unlocks what an execution that is over left locked.
func (m *Mutex) release() bool {
	left := m.by.ended()
	if left {
		m.real.Unlock()
	}
	return left
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
	if !w.by.ours() {
		return nil
	}
	return []schedule.Hold{{Thread: int(w.by.holder.Load()), Call: w.by.call.Load()}}
}

func (w *mutexLock) Ready() bool {
	if w.by.epoch.Load() != 0 {
		return !w.by.ours()
	}
	if !w.real.TryLock() {
		return false // held outside
	}
	w.real.Unlock()
	return true
}

// An RWMutex replaces sync.RWMutex. As there, a writer that waits keeps
// new readers out.
type RWMutex struct {
	real    sync.RWMutex
	by      owned
	readers atomic.Int32 // read locks of the execution
	writer  atomic.Int32
	writes  schedule.Hold    // of the writer, also of one that waits for readers
	reads   *[]schedule.Hold // of the readers; nil if unknown
}

// Values of RWMutex.writer.
const (
	noWriter int32 = iota
	pendingWriter
	activeWriter
)

// Lock locks rw for writing.
func (rw *RWMutex) Lock() {
	if !schedule.Active() {
		rw.release()
		rw.real.Lock()
		return
	}
	schedule.Wait(write, unsafe.Pointer(rw), (*rwArrive)(rw), "sync.RWMutex.Lock")
	rw.enter()
	rw.writer.Store(pendingWriter)
	rw.writes = schedule.Holding()
	for !rw.real.TryLock() {
		schedule.Wait(write, unsafe.Pointer(rw), (*rwLock)(rw), "sync.RWMutex.Lock")
	}
	rw.writer.Store(activeWriter)
}

// TryLock locks rw for writing if it is free.
func (rw *RWMutex) TryLock() bool {
	if !schedule.Active() {
		rw.release()
		return rw.real.TryLock()
	}
	schedule.Step(write, unsafe.Pointer(rw))
	rw.enter()
	ok := rw.writer.Load() == noWriter && rw.real.TryLock()
	if ok {
		rw.writer.Store(activeWriter)
		rw.writes = schedule.Holding()
	}
	return tried(ok)
}

// Unlock undoes a Lock.
func (rw *RWMutex) Unlock() {
	schedule.Step(write, unsafe.Pointer(rw))
	schedule.Note("sync.RWMutex.Unlock")
	active := schedule.Active()
	if rw.release() && !active {
		return
	}
	if active && !rw.writer.CompareAndSwap(activeWriter, noWriter) && !rw.lockedOutside() {
		panic("sync: Unlock of unlocked RWMutex")
	}
	rw.real.Unlock()
}

// RLock locks rw for reading.
func (rw *RWMutex) RLock() {
	if !schedule.Active() {
		rw.release()
		rw.real.RLock()
		return
	}
	for {
		schedule.Wait(write, unsafe.Pointer(rw), (*rwRLock)(rw), "sync.RWMutex.RLock")
		if rw.tryRLock() {
			return
		}
	}
}

// TryRLock locks rw for reading if no writer has or awaits it.
func (rw *RWMutex) TryRLock() bool {
	if !schedule.Active() {
		rw.release()
		return rw.real.TryRLock()
	}
	schedule.Step(write, unsafe.Pointer(rw))
	return tried(rw.tryRLock())
}

func (rw *RWMutex) tryRLock() bool {
	rw.enter()
	if rw.writer.Load() != noWriter || !rw.real.TryRLock() {
		return false
	}
	rw.readers.Add(1)
	if rw.reads != nil {
		*rw.reads = append(*rw.reads, schedule.Holding())
	}
	return true
}

// RUnlock undoes an RLock.
func (rw *RWMutex) RUnlock() {
	schedule.Step(write, unsafe.Pointer(rw))
	schedule.Note("sync.RWMutex.RUnlock")
	active := schedule.Active()
	if rw.release() && !active {
		return
	}
	if active && rw.readers.Load() == 0 && !rw.readOutside() {
		panic("sync: RUnlock of unlocked RWMutex")
	}
	if active && rw.readers.Load() > 0 {
		rw.readers.Add(-1)
		rw.unread()
	}
	rw.real.RUnlock()
}

// unread removes one of the readers. It is unknown which one if another thread unlocks.
func (rw *RWMutex) unread() {
	if rw.reads == nil {
		return
	}
	n := slices.IndexFunc(*rw.reads, func(h schedule.Hold) bool { return h.Thread == schedule.Self() })
	if n < 0 {
		rw.reads = nil
		return
	}
	*rw.reads = slices.Delete(*rw.reads, n, n+1)
}

// lockedOutside and readOutside report whether code outside of the execution
// holds the real lock, given that the execution does not.
func (rw *RWMutex) lockedOutside() bool {
	if rw.readers.Load() > 0 || rw.real.TryRLock() {
		if rw.readers.Load() == 0 {
			rw.real.RUnlock()
		}
		return false
	}
	return true
}

func (rw *RWMutex) readOutside() bool {
	if rw.writer.Load() == activeWriter {
		return false
	}
	if rw.real.TryLock() {
		rw.real.Unlock()
		return false
	}
	return true
}

// RLocker returns a Locker that locks rw for reading.
func (rw *RWMutex) RLocker() Locker { return (*rlocker)(rw) }

type rlocker RWMutex

func (r *rlocker) Lock()   { (*RWMutex)(r).RLock() }
func (r *rlocker) Unlock() { (*RWMutex)(r).RUnlock() }

// enter marks rw as used by the present execution.
func (rw *RWMutex) enter() {
	rw.release()
	if !rw.by.ours() {
		rw.by.acquire()
		rw.reads = new([]schedule.Hold)
	}
}

// release undoes the locks that an execution left which is over.
func (rw *RWMutex) release() bool {
	if !rw.by.ended() {
		return false
	}
	for n := rw.readers.Swap(0); n > 0; n-- {
		rw.real.RUnlock()
	}
	if rw.writer.Swap(noWriter) == activeWriter {
		rw.real.Unlock()
	}
	return true
}

type rwArrive RWMutex // waits for other writers

func (w *rwArrive) Holders() []schedule.Hold { return (*RWMutex)(w).byWriter() }
func (w *rwRLock) Holders() []schedule.Hold  { return (*RWMutex)(w).byWriter() }
func (w *rwLock) Holders() []schedule.Hold {
	if w.reads == nil {
		return nil
	}
	return *w.reads
}

// byWriter returns the writer that keeps others out.
func (rw *RWMutex) byWriter() []schedule.Hold {
	if !rw.by.ours() || rw.writer.Load() == noWriter {
		return nil
	}
	return []schedule.Hold{rw.writes}
}

func (w *rwArrive) Ready() bool { return !w.by.ours() || w.writer.Load() == noWriter }

type rwLock RWMutex // waits for readers

func (w *rwLock) Ready() bool {
	if w.readers.Load() > 0 || !w.real.TryLock() {
		return false
	}
	w.real.Unlock()
	return true
}

type rwRLock RWMutex

func (w *rwRLock) Ready() bool {
	if w.by.ours() {
		if w.writer.Load() != noWriter {
			return false
		}
		if w.readers.Load() > 0 {
			return true
		}
	} else if w.by.epoch.Load() != 0 {
		return true
	}
	if !w.real.TryRLock() {
		return false
	}
	w.real.RUnlock()
	return true
}
