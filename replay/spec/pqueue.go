package spec

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/container"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A priorityQueue removes its smallest value first, or its largest. Values are
// their own priorities: ints in numeric order, strings in byte order, ints
// before strings. The order of equal values is not visible, so the state is the
// number of each.
type priorityQueue struct {
	multiset
	largest bool
}

func (q *priorityQueue) Clone() *priorityQueue { return &priorityQueue{*q.multiset.Clone(), q.largest} }

func (q *priorityQueue) AppendText(dst []byte) []byte {
	counts := q.counts.All()
	if q.largest {
		counts = q.counts.Backward()
	}
	return table.AppendCounts(dst, "[]", counts)
}

// next returns the value to be removed with its count, or nil.
func (q *priorityQueue) next() *container.Pair[value, int] {
	if q.largest {
		return q.counts.Last()
	}
	return q.counts.First()
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

var priorityQueueTable = table.New([]table.Method[*priorityQueue]{
	table.Row("insert|add|push|enqueue|enq(value: int|string)", func(q *priorityQueue, args []value) value {
		q.add(args[0])
		return history.NoValue
	}, table.Inserts),
	table.Row("poll|pop|dequeue|deq() -> null|int|string", func(q *priorityQueue, _ []value) value {
		p := q.next()
		if p == nil {
			return history.NullValue
		}
		v := p.Key
		q.removeOne(v, &p.Val)
		return v
	}, table.Removes|table.FailsNull),
	table.Row("peek|top() -> null|int|string", func(q *priorityQueue, _ []value) value {
		if p := q.next(); p != nil {
			return p.Key
		}
		return history.NullValue
	}, table.Peeks),
}, sizeMethods[*priorityQueue]())

var priorityQueueEntry = table.Entry{Name: "priority-queue", Args: "[:min|:max]",
	Doc:     "removes the smallest value first, or the largest; null when empty",
	Methods: &priorityQueueTable.Signatures,
	Make:    newPriorityQueue,
	Notes: []string{
		`Values are their own priorities: ints in numeric order, then strings by their bytes.`,
		`A string that is a number with a fraction, or of more than 64 bits, is refused.`,
	},
}

func newPriorityQueue(args []value) (table.Made, error) {
	order, err := table.Optional(args, "order", table.KindOf(history.String), history.StringValue("min"))
	if err != nil {
		return nil, err
	}
	if o := order.Text(); o != "min" && o != "max" {
		return nil, table.BadArgument("order", "min or max", order)
	}
	discipline := replay.Smallest
	if order.Text() == "max" {
		discipline = replay.Largest
	}
	return &table.Specification[*priorityQueue]{Table: priorityQueueTable, Discipline: discipline, Order: priorities, Fresh: func() *priorityQueue {
		return &priorityQueue{largest: discipline == replay.Largest}
	}}, nil
}
