package subject

import (
	"sync"
	"sync/atomic"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A bank has accounts between which money goes back and forth.
type bank interface {
	transfer(from, to int) bool
	balance(account int) int
	total() int
}

// A bank has so many accounts with so much money each; account numbers are
// taken modulo the first.
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

// A lockedBank changes accounts under its lock only; they are atomic for
// those that look without it.
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
