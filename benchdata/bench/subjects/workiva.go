package subjects

import (
	"errors"
	"time"

	"github.com/Workiva/go-datastructures/queue"
)

// RingBuffer is a RingBuffer of github.com/Workiva/go-datastructures/queue.
type RingBuffer struct{ *queue.RingBuffer }

// NewRingBuffer returns a buffer that no program fills, so that Put does not
// block.
func NewRingBuffer() *RingBuffer { return &RingBuffer{queue.NewRingBuffer(16)} }

// NewSmallRingBuffer returns a buffer with room for two. Put blocks when it is
// full.
func NewSmallRingBuffer() *RingBuffer { return &RingBuffer{queue.NewRingBuffer(2)} }

// Poll waits for a nanosecond. Instead of ErrTimeout it returns false.
func (b *RingBuffer) Poll() (any, bool) {
	item, err := b.RingBuffer.Poll(time.Nanosecond)
	return item, !errors.Is(err, queue.ErrTimeout)
}

// WorkivaQueue is a Queue of github.com/Workiva/go-datastructures/queue.
type WorkivaQueue struct{ *queue.Queue }

func NewWorkivaQueue() *WorkivaQueue { return &WorkivaQueue{queue.New(4)} }

// Put adds one item.
func (q *WorkivaQueue) Put(item int) error { return q.Queue.Put(item) }

// PutAll is Put for several items.
func (q *WorkivaQueue) PutAll(items []any) error { return q.Queue.Put(items...) }

// TakeUntil takes the items before the first that equals stop.
func (q *WorkivaQueue) TakeUntil(stop int) ([]any, error) {
	return q.Queue.TakeUntil(func(item any) bool { return item != stop })
}

// TakeAll is TakeUntil with a function that never stops it.
func (q *WorkivaQueue) TakeAll() ([]any, error) {
	return q.Queue.TakeUntil(func(any) bool { return true })
}
