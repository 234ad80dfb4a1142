package porcupine

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Operations returns the history of the operations, and the model as a
// specification for it, for decide.Check and the other packages of leadline.
// Identifiers of operations are their indices in ops.
func Operations(model porcupine.Model, ops []porcupine.Operation) (*history.History, replay.Spec, error) {
	c, err := fromOperations(model, ops)
	if err != nil {
		return nil, nil, err
	}
	return c.build()
}

func fromOperations(model porcupine.Model, ops []porcupine.Operation) (c *converter, err error) {
	defer recovered("converting operations", &err)
	if c, err = newConverter(model, history.StampOrder); err != nil {
		return nil, err
	}
	for i := range ops {
		if op := &ops[i]; op.Return < op.Call {
			return nil, fmt.Errorf("operation %d returns at %d, before its call at %d", i, op.Return, op.Call)
		}
	}
	if model.Partition == nil {
		for i := range ops {
			c.add(i, 0, &ops[i])
		}
		c.arrange()
		return c, nil
	}
	indices := map[porcupine.Operation][]int{}
	for i := range ops {
		key := knownBy(ops[i])
		indices[key] = append(indices[key], i)
	}
	added := len(ops)
	for p, part := range model.Partition(ops) {
		for i := range part {
			key := knownBy(part[i])
			if list := indices[key]; len(list) > 0 {
				indices[key] = list[1:]
				c.add(list[0], p, &part[i])
				continue
			}
			c.add(added, p, &part[i]) // the partition made it
			added++
		}
	}
	c.arrange()
	return c, nil
}

// knownBy returns what identifies an operation in the parts of a partition: all but the
// metadata, and values that cannot be compared.
func knownBy(op porcupine.Operation) porcupine.Operation {
	op.Metadata = nil
	if !reflect.ValueOf(op.Input).Comparable() {
		op.Input = nil
	}
	if !reflect.ValueOf(op.Output).Comparable() {
		op.Output = nil
	}
	return op
}

// Events returns the history of the events, and the model as a specification for
// it, as Operations does. Operations have the identifiers of their events.
//
// Errors are a call or a return without the other, and an identifier that is used
// twice. A partition may use an identifier once in each of its elements.
func Events(model porcupine.Model, events []porcupine.Event) (*history.History, replay.Spec, error) {
	c, err := fromEvents(model, events)
	if err != nil {
		return nil, nil, err
	}
	return c.build()
}

func fromEvents(model porcupine.Model, events []porcupine.Event) (c *converter, err error) {
	defer recovered("converting events", &err)
	if c, err = newConverter(model, history.FileOrder); err != nil {
		return nil, err
	}
	parts := [][]porcupine.Event{events}
	if model.PartitionEvent != nil {
		parts = model.PartitionEvent(events)
	}
	places := map[eventKey]int64{}
	for i, ev := range events {
		places[eventKey{ev.Id, ev.Kind}] = int64(i)
	}
	used := map[int]bool{}
	for p, part := range parts {
		if err := c.addEvents(p, part, positions(part, places), used); err != nil {
			return nil, err
		}
	}
	c.arrange()
	return c, nil
}

// addEvents adds the operations of a part, whose events are at the given positions. used
// are the identifiers of other parts.
func (c *converter) addEvents(p int, part []porcupine.Event, at []int64, used map[int]bool) error {
	const returned = -1
	calls := map[int]int{} // identifier -> place of its call in the part, or returned
	for i := range part {
		ev := &part[i]
		call, called := calls[ev.Id]
		switch {
		case ev.Kind == porcupine.CallEvent && called:
			return fmt.Errorf("operation %d is called twice", ev.Id)
		case ev.Kind == porcupine.CallEvent:
			calls[ev.Id] = i
			continue
		case !called:
			return fmt.Errorf("operation %d returns without having been called", ev.Id)
		case call == returned:
			return fmt.Errorf("operation %d returns twice", ev.Id)
		}
		calls[ev.Id] = returned
		id := history.IntValue(int64(ev.Id))
		if used[ev.Id] {
			id = history.StringValue(fmt.Sprintf("%d of part %d", ev.Id, p))
		}
		used[ev.Id] = true
		c.ops = append(c.ops, &recorded{id: id, part: p, client: part[call].ClientId,
			input: part[call].Value, output: ev.Value, call: at[call], ret: at[i]})
	}
	for i := range part {
		if calls[part[i].Id] == i {
			return fmt.Errorf("operation %d does not return", part[i].Id)
		}
	}
	return nil
}

// An eventKey identifies an event.
type eventKey struct {
	id   int
	kind porcupine.EventKind
}

// positions returns the positions of the events of a part in the whole history. If a
// partition has changed identifiers or the order, they are those in the part. That does not
// change verdicts, because each part is checked by itself.
func positions(part []porcupine.Event, places map[eventKey]int64) []int64 {
	whole, own := make([]int64, len(part)), make([]int64, len(part))
	ordered := true
	for i, ev := range part {
		place, found := places[eventKey{ev.Id, ev.Kind}]
		ordered = ordered && found && (i == 0 || place > whole[i-1])
		whole[i], own[i] = place, int64(i)
	}
	if ordered {
		return whole
	}
	return own
}

// recovered turns a panic of a function of the model into an error.
func recovered(doing string, err *error) {
	if value := recover(); value != nil {
		*err = fmt.Errorf("%s: the model panicked: %v", doing, value)
	}
}

// A recorded operation is an operation of the caller that becomes part of a history.
type recorded struct {
	id            history.Value
	part, client  int
	input, output any
	call, ret     int64
	version       history.Version
	from, to      int64 // call and ret, narrowed by versions
}

// A converter makes a history and the specification for it.
type converter struct {
	spec     *specification
	order    history.Order
	contents contents
	ops      []*recorded // in the order of their calls, as in the history
	// contradicts is set if versions contradict real time, so that porcupine's search is of no use.
	contradicts bool
}

func newConverter(model porcupine.Model, order history.Order) (*converter, error) {
	spec, err := newSpecification(model)
	return &converter{spec: spec, order: order}, err
}

// add adds an operation. number is its index in the caller's slice, or a larger number if
// the partition made the operation.
func (c *converter) add(number, part int, op *porcupine.Operation) {
	c.ops = append(c.ops, &recorded{id: history.IntValue(int64(number)), part: part, client: op.ClientId,
		input: op.Input, output: op.Output, call: op.Call, ret: op.Return})
}

// arrange sorts the operations by call and renumbers the parts by their first operations.
// The model may return its parts in any order, because it may use a map.
func (c *converter) arrange() {
	slices.SortStableFunc(c.ops, func(a, b *recorded) int { return cmp.Or(cmp.Compare(a.call, b.call), a.id.Compare(b.id)) })
	number := map[int]int{}
	for i := range c.ops {
		c.ops[i].from, c.ops[i].to = c.ops[i].call, c.ops[i].ret
		part, seen := number[c.ops[i].part]
		if !seen {
			part = len(number)
			number[c.ops[i].part] = part
			c.spec.parts = append(c.spec.parts, fmt.Sprintf("part %d", part))
		}
		c.ops[i].part = part
	}
}

// build puts the events in order and returns the history with its specification.
// A call precedes a return at the same time, so that intervals are closed. This also
// holds for operations of one client, which then belong to two processes.
func (c *converter) build() (*history.History, replay.Spec, error) {
	type event struct {
		op     int
		at     int64
		isCall bool
	}
	var events []event // calls first, then in the order of time
	for i, op := range c.ops {
		events = append(events, event{i, op.call, true})
	}
	for i, op := range c.ops {
		events = append(events, event{i, op.ret, false})
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })

	names := c.names()
	b := history.NewBuilder(history.Header{Model: c.spec.Name(), Order: c.order, Tie: history.Closed})
	b.Expect(len(c.ops))
	idle := map[int][]history.Value{} // client -> its processes without an open operation; the last is used next
	processes := map[int]int{}        // client -> the number of its processes
	process := make([]history.Value, len(c.ops))
	for _, e := range events {
		op, name := c.ops[e.op], &names[e.op]
		list := idle[op.client]
		switch {
		case !e.isCall:
			idle[op.client] = append(list, process[e.op])
			b.Add(&history.Event{Type: history.OK, Op: op.id, Result: name.result, Version: op.version, At: op.ret})
			continue
		case len(list) > 0:
			process[e.op], idle[op.client] = list[len(list)-1], list[:len(list)-1]
		default:
			processes[op.client]++
			process[e.op] = processName(op.client, processes[op.client])
		}
		b.Add(&history.Event{Type: history.Invoke, Op: op.id, Process: process[e.op], Method: name.method, Args: name.args, At: op.call})
	}
	h, err := b.Build()
	return h, c.spec, err
}

// processName is the name of a process of a client, from 1. A client has several if its
// operations overlap.
func processName(client, process int) history.Value {
	if process == 1 {
		return history.IntValue(int64(client))
	}
	return history.StringValue(fmt.Sprintf("%d#%d", client, process))
}
