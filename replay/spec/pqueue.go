package spec

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A priorityQueue removes its smallest value first, or its largest. Values are
// their own priorities: ints in numeric order, strings in byte order, ints
// before strings. The order of equal values is not visible, so the state is the
// number of each.
type priorityQueue struct {
	count   ordered[value, int]
	n       int
	largest bool
}

func (q *priorityQueue) clone() *priorityQueue {
	return &priorityQueue{q.count.clone(), q.n, q.largest}
}

func (q *priorityQueue) appendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(q.count.length()))
	for p := range q.count.all() {
		dst = binary.AppendUvarint(p.key.AppendKey(dst), uint64(p.val))
	}
	return dst
}

func (q *priorityQueue) appendText(dst []byte) []byte {
	counts := q.count.all()
	if q.largest {
		counts = q.count.backward()
	}
	return appendCounts(dst, "[]", counts)
}

func (q *priorityQueue) length() int { return q.n }

func (q *priorityQueue) clear() {
	q.count.clear()
	q.n = 0
}

// next returns the value to be removed with its count, or nil.
func (q *priorityQueue) next() *pair[value, int] {
	if q.largest {
		return q.count.last()
	}
	return q.count.first()
}

// priorities returns an error for a priority that is a number, but not an int. Codecs read
// some of these numbers as strings, which would be ordered by their bytes.
func priorities(op *history.Operation) error {
	for i, v := range op.Args {
		if isLongNumber(v) {
			return fmt.Errorf("argument %d of %s: %v is a number, but not a 64-bit integer", i+1, op.Method, v)
		}
	}
	if isLongNumber(op.Result) {
		return fmt.Errorf("result of %s: %v is a number, but not a 64-bit integer", op.Method, op.Result)
	}
	return nil
}

// isLongNumber reports whether v is a string with an integer of more than 64 bits, or
// with a decimal fraction.
func isLongNumber(v value) bool {
	if v.Kind() != history.String {
		return false
	}
	digits, frac, fraction := strings.Cut(strings.TrimPrefix(v.Text(), "-"), ".")
	if digits == "" || fraction && frac == "" || strings.Trim(digits+frac, "0123456789") != "" {
		return false
	}
	_, err := strconv.ParseInt(v.Text(), 10, 64)
	return err != nil
}

var priorityQueueTable = newTable([]method[*priorityQueue]{
	{"insert|add|push|enqueue|enq(value: int|string)", func(q *priorityQueue, args []value) value {
		p, _ := q.count.getOrAdd(args[0])
		*p++
		q.n++
		return history.NoValue
	}, inserts},
	{"poll|pop|dequeue|deq() -> null|int|string", func(q *priorityQueue, _ []value) value {
		p := q.next()
		if p == nil {
			return history.NullValue
		}
		q.n--
		v := p.key
		if p.val--; p.val == 0 {
			q.count.remove(v)
		}
		return v
	}, removes | failsNull},
	{"peek|top() -> null|int|string", func(q *priorityQueue, _ []value) value {
		if p := q.next(); p != nil {
			return p.key
		}
		return history.NullValue
	}, peeks},
}, sizeMethods[*priorityQueue]())

var priorityQueueEntry = entry{"priority-queue", "[:min|:max]",
	"removes the smallest value first, or the largest; null when empty",
	&priorityQueueTable.signatures, newPriorityQueue, []string{
		`Values are their own priorities: ints in numeric order, then strings by their bytes.`,
		`A string that is a number with a fraction, or of more than 64 bits, is refused.`,
	}}

func newPriorityQueue(args []value) (replay.Spec, error) {
	const texts = kinds(1) << history.String
	order, err := optional("priority-queue", args, "order", texts, history.StringValue("min"))
	if err != nil {
		return nil, err
	}
	if o := order.Text(); o != "min" && o != "max" {
		return nil, badArgument("priority-queue", "order", "min or max", order)
	}
	discipline := replay.Smallest
	if order.Text() == "max" {
		discipline = replay.Largest
	}
	return &specification[*priorityQueue]{name: "priority-queue", args: args, table: priorityQueueTable, discipline: discipline, order: priorities, fresh: func() *priorityQueue {
		return &priorityQueue{largest: discipline == replay.Largest}
	}}, nil
}
