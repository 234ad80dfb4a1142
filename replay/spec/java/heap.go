package java

import (
	"container/heap"
	"encoding/binary"
	"iter"
	"math"
	"slices"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// An intHeap is the state of a PriorityBlockingQueue of Integers: a binary heap
// in an array. Every position in it matters, since iteration, toArray and
// toString show the array. Package heap moves elements exactly as the class of JDK 17 does.
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

func (h *intHeap) Element(i int) value { return javaInt(h.heap[i]) }

func (h *intHeap) All() iter.Seq[int32] { return slices.Values(h.heap) }

func (h *intHeap) remainingCapacity() int { return math.MaxInt32 }

func (h *intHeap) Less(i, j int) bool { return h.heap[i] < h.heap[j] }
func (h *intHeap) Swap(i, j int)      { h.heap[i], h.heap[j] = h.heap[j], h.heap[i] }

// Push and Pop are for package heap.
func (h *intHeap) Push(e any) { h.heap = append(h.heap, e.(int32)) }

func (h *intHeap) Pop() any {
	n := len(h.heap) - 1
	e := h.heap[n]
	h.heap = h.heap[:n]
	return e
}

func (h *intHeap) offer(e int32) bool {
	heap.Push(h, e)
	return true
}

func (h *intHeap) RemoveAt(i int) { heap.Remove(h, i) }

// Filter keeps the order of the array and then makes it a heap.
func (h *intHeap) Filter(keep func(int32) bool) bool {
	n := len(h.heap)
	h.heap = slices.DeleteFunc(h.heap, func(e int32) bool { return !keep(e) })
	if len(h.heap) == n {
		return false
	}
	heap.Init(h)
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
