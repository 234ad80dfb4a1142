package records

import (
	"fmt"
	"strconv"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
)

// A pairing finds which operation a response ends, and gives operations identifiers that
// differ. Clients may use the identifiers of others, and their own ones again.
type pairing struct {
	open map[valueKey]openOperations // by identifier, or by process if there is none
	next int64
	last map[valueKey]int // the number in the last identifier that was made from one
}

// openOperations are those with the same identifier, each of another process.
type openOperations struct {
	isFirst bool
	first   openOperation
	more    map[valueKey]openOperation // by process
}

type openOperation struct{ process, id history.Value }

func (o *openOperations) add(op openOperation) {
	switch {
	case !o.isFirst:
		o.isFirst, o.first = true, op
	case o.more == nil:
		o.more = map[valueKey]openOperation{}
		fallthrough
	default:
		o.more[keyOf(op.process)] = op
	}
}

// has reports whether the process has one of the operations.
func (o *openOperations) has(process history.Value) bool {
	_, ok := o.more[keyOf(process)]
	return ok || o.isFirst && o.first.process.Equal(process)
}

func (o *openOperations) count() int {
	if o.isFirst {
		return 1 + len(o.more)
	}
	return len(o.more)
}

// take removes the operation of a process, or the only one if the process is None.
func (o *openOperations) take(process history.Value) (op openOperation, ok bool) {
	anyone := process.Kind() == history.None
	if o.isFirst && (anyone || o.first.process.Equal(process)) {
		o.isFirst = false
		return o.first, true
	}
	key := keyOf(process)
	if anyone {
		for key = range o.more {
		}
	}
	if op, ok = o.more[key]; ok {
		delete(o.more, key)
	}
	return op, ok
}

// A valueKey is an integer or a string as a key of a map.
type valueKey struct {
	text      string
	number    int64
	isText    bool
	isProcess bool // it stands for an identifier that a process does not give
}

func keyOf(v history.Value) valueKey {
	return valueKey{text: v.Text(), number: v.Int(), isText: v.Kind() == history.String}
}

// identify replaces the identifier of an event, or returns a fault. Events come in their
// order. An event need not have an identifier if its process has one operation at a time.
func (p *pairing) identify(b *decode.History, ev *history.Event) (fault string) {
	if p.open == nil {
		p.open = map[valueKey]openOperations{}
	}
	given := ev.Op.Kind() != history.None
	key := keyOf(ev.Op)
	if !given {
		key = keyOf(ev.Process)
		key.isProcess = true
	}
	open := p.open[key]
	if ev.Type == history.Invoke {
		switch {
		case !open.has(ev.Process):
		case given:
			return fmt.Sprintf("process %v invokes operation %v again while that is still open", ev.Process, ev.Op)
		default:
			return fmt.Sprintf("process %v invokes an operation while its last one is still open; give op if it has several", ev.Process)
		}
		ev.Op = p.unusedID(b, ev.Op)
		open.add(openOperation{ev.Process, ev.Op})
		p.open[key] = open
		return ""
	}
	if n := open.count(); n > 1 && ev.Process.Kind() == history.None {
		return fmt.Sprintf("response of operation %v without its process, while %d processes have such an operation", ev.Op, n)
	}
	op, ok := open.take(ev.Process)
	switch {
	case ok && open.count() == 0:
		ev.Op = op.id
		delete(p.open, key)
	case ok:
		ev.Op = op.id
		p.open[key] = open
	case !given:
		return fmt.Sprintf("response of process %v, which has no open operation", ev.Process)
	}
	return "" // the Builder reports a response without an open operation
}

// crash forgets the open operations of processes, or of all if there are none.
func (p *pairing) crash(processes []history.Value) {
	if len(processes) == 0 {
		clear(p.open)
	}
	for _, process := range processes {
		for key, open := range p.open {
			if _, ok := open.take(process); ok {
				p.open[key] = open
			}
		}
	}
}

// unusedID returns the identifier, or one with a number if an operation has it already. For
// None it returns another number each time.
func (p *pairing) unusedID(b *decode.History, id history.Value) history.Value {
	if id.Kind() == history.None {
		for {
			p.next++
			if id = history.IntValue(p.next - 1); !invoked(b, id) {
				return id
			}
		}
	}
	if !invoked(b, id) {
		return id
	}
	if p.last == nil {
		p.last = map[valueKey]int{}
	}
	key, text := keyOf(id), id.Text()
	if id.Kind() == history.Int {
		text = strconv.FormatInt(id.Int(), 10)
	}
	for n := max(p.last[key], 1) + 1; ; n++ {
		if id = history.StringValue(text + "#" + strconv.Itoa(n)); !invoked(b, id) {
			p.last[key] = n
			return id
		}
	}
}

func invoked(b *decode.History, id history.Value) bool {
	op, _ := b.Invoked(id)
	return op != nil
}
