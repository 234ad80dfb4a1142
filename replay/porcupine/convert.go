package leadline

import (
	"cmp"
	"fmt"
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
	index := c.indices(len(ops), func(i int) string { return c.keyOf(&ops[i]) })
	unknown := len(ops)
	parts := model.Partition(ops)
	for p, part := range parts {
		for i := range part {
			op := &part[i]
			number, found := index.take(c.keyOf(op))
			if !found { // the partition made it
				number = unknown
				unknown++
			}
			c.add(number, p, op)
		}
	}
	c.arrange()
	return c, nil
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
	at := c.positions(events, parts)
	used := map[int]bool{}
	for p, part := range parts {
		open := map[int]int{} // identifier -> place of its call in the part
		done := map[int]bool{}
		for i := range part {
			ev := &part[i]
			call, isOpen := open[ev.Id]
			switch {
			case ev.Kind == porcupine.CallEvent && (isOpen || done[ev.Id]):
				return nil, fmt.Errorf("operation %d is called twice", ev.Id)
			case ev.Kind == porcupine.CallEvent:
				open[ev.Id] = i
				continue
			case done[ev.Id]:
				return nil, fmt.Errorf("operation %d returns twice", ev.Id)
			case !isOpen:
				return nil, fmt.Errorf("operation %d returns without having been called", ev.Id)
			}
			delete(open, ev.Id)
			done[ev.Id] = true
			id := history.IntValue(int64(ev.Id))
			if used[ev.Id] {
				id = history.StringValue(fmt.Sprintf("%d of part %d", ev.Id, p))
			}
			used[ev.Id] = true
			c.ops = append(c.ops, recorded{id: id, number: int(at[p][call]), part: p, client: part[call].ClientId,
				input: part[call].Value, output: ev.Value, call: at[p][call], ret: at[p][i]})
		}
		for i := range part {
			if call, isOpen := open[part[i].Id]; isOpen && call == i {
				return nil, fmt.Errorf("operation %d does not return", part[i].Id)
			}
		}
	}
	c.arrange()
	return c, nil
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
	number        int // orders operations with equal time stamps
	part, client  int
	input, output any
	call, ret     int64
	place         int32 // index in the history, which build sets
}

// A converter makes a history and the specification for it.
type converter struct {
	spec     *specification
	order    history.Order
	contents contents
	scratch  []byte
	ops      []recorded
}

func newConverter(model porcupine.Model, order history.Order) (*converter, error) {
	spec, err := newSpecification(model)
	return &converter{spec: spec, order: order}, err
}

// add adds an operation. number is its index in the caller's slice, or a larger number if
// the partition made the operation.
func (c *converter) add(number, part int, op *porcupine.Operation) {
	c.ops = append(c.ops, recorded{id: history.IntValue(int64(number)), number: number, part: part, client: op.ClientId,
		input: op.Input, output: op.Output, call: op.Call, ret: op.Return})
}

// key returns the encoded contents of values.
func (c *converter) key(values ...any) string {
	c.scratch = c.scratch[:0]
	for _, v := range values {
		c.scratch = c.contents.append(c.scratch, v)
	}
	return string(c.scratch)
}

func (c *converter) keyOf(op *porcupine.Operation) string {
	return c.key(op.ClientId, op.Call, op.Return, op.Input, op.Output)
}

// indices are the places of elements with the same content, in order.
type indices map[string][]int

func (c *converter) indices(n int, key func(i int) string) indices {
	x := indices{}
	for i := range n {
		k := key(i)
		x[k] = append(x[k], i)
	}
	return x
}

// take removes and returns the first place with the content.
func (x indices) take(key string) (int, bool) {
	list := x[key]
	if len(list) == 0 {
		return 0, false
	}
	x[key] = list[1:]
	return list[0], true
}

// positions returns the positions of the events of each part. If the partition keeps the
// events in order, they are the positions in the whole history. Otherwise the parts follow
// one another. That does not change verdicts, because each part is checked by itself.
func (c *converter) positions(events []porcupine.Event, parts [][]porcupine.Event) [][]int64 {
	keyOf := func(ev *porcupine.Event) string { return c.key(ev.ClientId, bool(ev.Kind), ev.Id, ev.Value) }
	index := c.indices(len(events), func(i int) string { return keyOf(&events[i]) })
	at := make([][]int64, len(parts))
	inOrder := true
	for p, part := range parts {
		at[p] = make([]int64, len(part))
		for i := range part {
			place, found := index.take(keyOf(&part[i]))
			inOrder = inOrder && found && (i == 0 || int64(place) > at[p][i-1])
			at[p][i] = int64(place)
		}
	}
	if inOrder {
		return at
	}
	next := int64(0)
	for p := range at {
		for i := range at[p] {
			at[p][i] = next
			next++
		}
	}
	return at
}

// arrange sorts the operations by number and renumbers the parts by their first
// operations. The model may return its parts in any order, because it may use a map.
func (c *converter) arrange() {
	slices.SortStableFunc(c.ops, func(a, b recorded) int { return cmp.Compare(a.number, b.number) })
	number := map[int]int{}
	for i := range c.ops {
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
		at  int64
		op  int
		ret int // 1 for a return
	}
	events := make([]event, 0, 2*len(c.ops))
	for i := range c.ops {
		events = append(events, event{c.ops[i].call, i, 0}, event{c.ops[i].ret, i, 1})
	}
	slices.SortFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), a.ret-b.ret, cmp.Compare(c.ops[a.op].number, c.ops[b.op].number))
	})
	names := c.names()
	b := history.NewBuilder(history.Header{Model: c.spec.Name(), Order: c.order, Tie: history.Closed})
	b.Expect(len(c.ops))
	free := map[int][]int{} // client -> its processes without an open operation; the last is used next
	processes := map[int]int{}
	process := make([]int, len(c.ops))
	place := int32(0)
	for _, e := range events {
		op, name := &c.ops[e.op], &names[e.op]
		idle := free[op.client]
		if e.ret == 1 {
			free[op.client] = append(idle, process[e.op])
			b.Add(&history.Event{Type: history.OK, Op: op.id, Result: name.result, At: e.at})
			continue
		}
		op.place = place
		place++
		if last := len(idle) - 1; last >= 0 {
			process[e.op], free[op.client] = idle[last], idle[:last]
		} else {
			process[e.op] = processes[op.client]
			processes[op.client]++
		}
		b.Add(&history.Event{Type: history.Invoke, Op: op.id, Process: processName(op.client, process[e.op]), Method: name.method, Args: name.args, At: e.at})
	}
	h, err := b.Build()
	if err != nil {
		return nil, nil, err
	}
	return h, c.spec, nil
}

// processName is the name of a process of a client. A client has several if its
// operations overlap.
func processName(client, process int) history.Value {
	if process == 0 {
		return history.IntValue(int64(client))
	}
	return history.StringValue(fmt.Sprintf("%d#%d", client, process+1))
}
