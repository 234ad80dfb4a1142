package java

import (
	"encoding/binary"
	"iter"
	"math"
	"slices"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// An intHeap is the state of a PriorityBlockingQueue of Integers: a binary heap
// in an array. Every position in it matters, since iteration, toArray and
// toString show the array.
type intHeap struct{ heap []int32 }

func (h *intHeap) Clone() *intHeap {
	return &intHeap{append(make([]int32, 0, len(h.heap)+1), h.heap...)}
}

func (h *intHeap) AppendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(h.heap)))
	for _, e := range h.heap {
		dst = binary.AppendVarint(dst, int64(e))
	}
	return dst
}

// AppendText appends the array, whose first element is the next to be removed.
func (h *intHeap) AppendText(dst []byte) []byte {
	return table.AppendEach(dst, "[]", ", ", h.All(), appendInt)
}

func (h *intHeap) Len() int { return len(h.heap) }

func (h *intHeap) At(i int) int32 { return h.heap[i] }

func (h *intHeap) All() iter.Seq[int32] { return slices.Values(h.heap) }

func (h *intHeap) remainingCapacity() int { return math.MaxInt32 }

// up moves the element at i before all of its ancestors that are larger.
func (h *intHeap) up(i int) {
	e := h.heap[i]
	for i > 0 {
		parent := (i - 1) / 2
		if e >= h.heap[parent] {
			break
		}
		h.heap[i] = h.heap[parent]
		i = parent
	}
	h.heap[i] = e
}

// down moves the element at i below smaller descendants, along the smaller
// child; if the children are equal, along the left one.
func (h *intHeap) down(i int) {
	e, n := h.heap[i], len(h.heap)
	for 2*i+1 < n {
		child := 2*i + 1
		if child+1 < n && h.heap[child+1] < h.heap[child] {
			child++
		}
		if e <= h.heap[child] {
			break
		}
		h.heap[i] = h.heap[child]
		i = child
	}
	h.heap[i] = e
}

func (h *intHeap) offer(e int32) bool {
	h.heap = append(h.heap, e)
	h.up(len(h.heap) - 1)
	return true
}

// removeAt replaces element i by the last element. That may come from another
// branch, and then may be smaller than its new ancestors.
func (h *intHeap) RemoveAt(i int) {
	n := len(h.heap) - 1
	moved := h.heap[n]
	h.heap = h.heap[:n]
	if i < n {
		h.heap[i] = moved
		h.down(i)
		h.up(i)
	}
}

// filter keeps the order of the array and then makes it a heap, from the last
// parent to the root.
func (h *intHeap) Filter(keep func(int32) bool) bool {
	n := len(h.heap)
	h.heap = slices.DeleteFunc(h.heap, func(e int32) bool { return !keep(e) })
	if len(h.heap) == n {
		return false
	}
	for i := len(h.heap)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
	return true
}

func (h *intHeap) Clear() { h.heap = nil }

var priorityBlockingQueueTable = javaTable(
	javaQueueMethods(table.Updates, addAllInTurn[*intHeap]),
	collectionMethods[*intHeap](notFound),
	blockingMethods[*intHeap](table.Updates),
)

var priorityBlockingQueueEntry = table.Entry{Name: "PriorityBlockingQueue", Args: "[:capacity]",
	Doc:     "java.util.concurrent.PriorityBlockingQueue of JDK 17, holding ints",
	Methods: &priorityBlockingQueueTable.Signatures,
	Make:    newPriorityBlockingQueue,
}

// newPriorityBlockingQueue takes the constructor's initial capacity, which is
// never visible.
func newPriorityBlockingQueue(args []value) (table.Made, error) {
	if _, err := capacityOf(args, "initial capacity"); err != nil {
		return nil, err
	}
	return &table.Specification[*intHeap]{Table: priorityBlockingQueueTable, Discipline: replay.Smallest,
		Fresh: func() *intHeap { return &intHeap{} }}, nil
}
