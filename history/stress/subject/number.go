package subject

import (
	"sync"
	"sync/atomic"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A counter counts.
type counter interface {
	read() int
	add(delta int) (old int)
}

func counters() []*Subject {
	return subjects(model{name: "counter"}, []*stress.Method{
		nullary("read", readOnly, func(c counter) history.Value { return intValue(c.read()) }),
		nullary("increment", 0, func(c counter) history.Value { c.add(1); return history.NoValue }),
		nullary("decrement", 0, func(c counter) history.Value { c.add(-1); return history.NoValue }),
		unary("add", 0, func(c counter, delta int) history.Value { c.add(delta); return history.NoValue }),
		nullary("getAndIncrement", 0, func(c counter) history.Value { return intValue(c.add(1)) }),
	}, variant{
		name: "counter", doc: "an atomic counter",
		new: func() any { return &atomicCounter{} },
	}, variant{
		name: "counter-lost-update", doc: "a counter that loads, adds and stores",
		new: func() any { return &lossyCounter{} }, twin: "counter",
	})
}

type atomicCounter struct{ n atomic.Int64 }

func (c *atomicCounter) read() int         { return int(c.n.Load()) }
func (c *atomicCounter) add(delta int) int { return int(c.n.Add(int64(delta))) - delta }

// A lossyCounter loses an update that happens between its load and its store.
type lossyCounter struct{ n atomic.Int64 }

func (c *lossyCounter) read() int { return int(c.n.Load()) }

func (c *lossyCounter) add(delta int) int {
	old := c.n.Load()
	linger()
	c.n.Store(old + int64(delta))
	return int(old)
}

// A casRegister holds one number, initially 0.
type casRegister interface {
	read() int
	write(v int)
	cas(old, new int) bool
}

func registers() []*Subject {
	return subjects(model{"cas-register", []history.Value{history.IntValue(0)}}, []*stress.Method{
		nullary("read", core|readOnly, func(r casRegister) history.Value { return intValue(r.read()) }),
		unary("write", core, func(r casRegister, v int) history.Value { r.write(v); return history.NoValue }),
		binary("cas", core, func(r casRegister, old, new int) history.Value { return history.BoolValue(r.cas(old, new)) }),
	}, variant{
		name: "cas-register", doc: "an atomic register with compare-and-set",
		new: func() any { return &atomicRegister{} },
	}, variant{
		name: "cas-register-broken", doc: "a register that compares, then sets",
		new: func() any { return &hastyRegister{} }, twin: "cas-register",
	})
}

type atomicRegister struct{ v atomic.Int64 }

func (r *atomicRegister) read() int   { return int(r.v.Load()) }
func (r *atomicRegister) write(v int) { r.v.Store(int64(v)) }
func (r *atomicRegister) cas(old, new int) bool {
	return r.v.CompareAndSwap(int64(old), int64(new))
}

// A hastyRegister sets a value that may have changed since it was compared: two
// equal calls of cas succeed.
type hastyRegister struct{ atomicRegister }

func (r *hastyRegister) cas(old, new int) bool {
	if r.v.Load() != int64(old) {
		return false
	}
	linger()
	r.v.Store(int64(new))
	return true
}

// A pair holds two numbers that are written and read together.
type pair interface {
	write(x, y int)
	read() (x, y int)
}

func pairs() []*Subject {
	return subjects(model{}, []*stress.Method{
		binary("write", 0, func(p pair, x, y int) history.Value { p.write(x, y); return history.NoValue }),
		nullary("read", readOnly, func(p pair) history.Value {
			x, y := p.read()
			return history.ListValue(intValue(x), intValue(y))
		}),
	}, variant{
		name: "pair", doc: "two numbers, written and read under a lock",
		new: func() any { return &lockedPair{} },
	}, variant{
		name: "pair-torn", doc: "two numbers, each atomic, but not both",
		new: func() any { return &tornPair{} }, twin: "pair",
	})
}

type lockedPair struct {
	mu   sync.Mutex
	x, y int
}

func (p *lockedPair) write(x, y int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.x, p.y = x, y
}

func (p *lockedPair) read() (x, y int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.x, p.y
}

// A tornPair shows half of a write.
type tornPair struct{ x, y atomic.Int64 }

func (p *tornPair) write(x, y int) {
	p.x.Store(int64(x))
	linger()
	p.y.Store(int64(y))
}

func (p *tornPair) read() (x, y int) {
	x = int(p.x.Load())
	return x, int(p.y.Load())
}

// A semaphore has permits, initially one.
type semaphore interface {
	tryAcquire() bool
	release()
	available() int
}

// semaphores have no model: a mutex has only one permit.
func semaphores() []*Subject {
	return subjects(model{}, []*stress.Method{
		nullary("tryAcquire", 0, func(s semaphore) history.Value { return history.BoolValue(s.tryAcquire()) }),
		nullary("release", 0, func(s semaphore) history.Value { s.release(); return history.NoValue }),
		nullary("available", readOnly, func(s semaphore) history.Value { return intValue(s.available()) }),
	}, variant{
		name: "semaphore", doc: "a semaphore with atomic permits",
		new: func() any { return newAtomicSemaphore() },
	}, variant{
		name: "semaphore-missed-release", doc: "a semaphore that remembers being empty, and may go on to after a release",
		new: func() any { return &sleepySemaphore{atomicSemaphore: newAtomicSemaphore()} }, twin: "semaphore",
	})
}

type atomicSemaphore struct{ permits atomic.Int64 }

func newAtomicSemaphore() *atomicSemaphore {
	s := &atomicSemaphore{}
	s.permits.Store(1)
	return s
}

func (s *atomicSemaphore) tryAcquire() bool {
	_, ok := s.acquire()
	return ok
}

// acquire also returns how many permits are left.
func (s *atomicSemaphore) acquire() (left int64, ok bool) {
	for {
		n := s.permits.Load()
		if n == 0 {
			return 0, false
		}
		if s.permits.CompareAndSwap(n, n-1) {
			return n - 1, true
		}
	}
}

func (s *atomicSemaphore) release()       { s.permits.Add(1) }
func (s *atomicSemaphore) available() int { return int(s.permits.Load()) }

// A sleepySemaphore has a flag that there is no permit. The call that takes the last
// one sets it, and a release clears it. But the release may come before the call
// has set the flag: then the flag stays set although there is a permit, as with a
// missed wake-up.
type sleepySemaphore struct {
	*atomicSemaphore
	empty atomic.Bool
}

func (s *sleepySemaphore) tryAcquire() bool {
	if s.empty.Load() {
		return false
	}
	left, ok := s.acquire()
	if ok && left == 0 {
		linger()
		s.empty.Store(true)
	}
	return ok
}

func (s *sleepySemaphore) release() {
	s.atomicSemaphore.release()
	s.empty.Store(false)
}

// A bank has accounts and transfers money between them.
type bank interface {
	transfer(from, to int) bool
	balance(account int) int
	total() int
}

// A bank has bankAccounts accounts with bankMoney each. Account numbers are taken
// modulo bankAccounts.
const (
	bankAccounts = 4
	bankMoney    = 2
)

func banks() []*Subject {
	return subjects(model{}, []*stress.Method{
		binary("transfer", core, func(b bank, from, to int) history.Value { return history.BoolValue(b.transfer(from, to)) }),
		unary("balance", core|readOnly, func(b bank, account int) history.Value { return intValue(b.balance(account)) }),
		nullary("total", readOnly, func(b bank) history.Value { return intValue(b.total()) }),
	}, variant{
		name: "bank", doc: "accounts under a lock; a transfer moves 1 if it is there",
		new: func() any { return newLockedBank() },
	}, variant{
		name: "bank-unlocked-total", doc: "accounts under a lock, except for their total",
		new: func() any { return &strayBank{newLockedBank()} }, twin: "bank",
	})
}

// A lockedBank changes accounts only under its lock. They are atomic for the
// strayBank, which reads them without it.
type lockedBank struct {
	mu       sync.Mutex
	accounts [bankAccounts]atomic.Int64
}

func newLockedBank() *lockedBank {
	b := &lockedBank{}
	for i := range b.accounts {
		b.accounts[i].Store(bankMoney)
	}
	return b
}

func (b *lockedBank) account(i int) *atomic.Int64 { return &b.accounts[uint(i)%bankAccounts] }

func (b *lockedBank) transfer(from, to int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.account(from).Load() == 0 {
		return false
	}
	b.account(from).Add(-1)
	b.account(to).Add(1)
	return true
}

func (b *lockedBank) balance(account int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return int(b.account(account).Load())
}

func (b *lockedBank) total() (sum int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.accounts {
		sum += int(b.accounts[i].Load())
	}
	return sum
}

// A strayBank misses money that is transferred while it adds up, or counts it
// twice.
type strayBank struct{ *lockedBank }

func (b *strayBank) total() (sum int) {
	for i := range b.accounts {
		sum += int(b.accounts[i].Load())
		linger()
	}
	return sum
}
