package history

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// Durability says what an operation that is open when its object crashes may do.
type Durability uint8

const (
	// UnknownDurability: nobody has said it. A history with a crash is refused then, since the
	// verdict may depend on it.
	UnknownDurability Durability = iota
	// Strict: it takes effect before the crash, or never (strict linearizability: Aguilera and
	// Frolund 2003). It is what a store promises that is in the memory of one program: a write
	// that comes back later is a fault.
	Strict
	// Durable: it may also take effect later, so it is pending (durable linearizability:
	// Izraelevitz, Mendes and Scott 2016).
	Durable
)

var durabilityNames = [...]string{"", "strict", "durable"}

func (d Durability) String() string {
	if int(d) < len(durabilityNames) {
		return durabilityNames[d]
	}
	return fmt.Sprintf("durability %d", uint8(d))
}

// ParseDurability returns the Durability called name: strict or durable.
func ParseDurability(name string) (Durability, error) {
	for d := Strict; d <= Durable; d++ {
		if durabilityNames[d] == name {
			return d, nil
		}
	}
	return 0, fmt.Errorf("durability is strict or durable, not %q", name)
}

// A rawCrash is an event of type Crash.
type rawCrash struct {
	processes []Value // nil: all
	at        int64
	line      int
}

// crash adds an event of type Crash, after the events so far or, under StampOrder, at its stamp.
func (b *Builder) crash(ev *Event) {
	c := rawCrash{ev.Args, ev.At, ev.Line}
	if b.h.Order == StampOrder || len(b.crashes) == 0 { // in file order, the first one is for a message
		b.crashes = append(b.crashes, c)
	}
	if b.h.Order == StampOrder {
		return
	}
	var left []int32 // operations of processes that go on
	end := func(i int32) {
		switch op := &b.ops[i]; {
		case !op.Pending() || op.dropped:
		case !b.ends(&c, op):
			left = append(left, i)
		case b.endAtCrash(op):
			op.Return = b.events
			b.events++ // so that each has a position
		}
	}
	for _, i := range b.uncrashed {
		end(i)
	}
	for i := b.crashed; i < len(b.ops); i++ {
		end(int32(i))
	}
	b.uncrashed, b.crashed = left, len(b.ops)
}

// ends reports whether a crash ends the operations of a process.
func (b *Builder) ends(crash *rawCrash, op *Operation) bool {
	return len(crash.processes) == 0 || slices.ContainsFunc(crash.processes, b.processes.names[op.Process].Equal)
}

// endAtCrash ends an operation whose outcome is unknown. It reports whether the operation takes
// effect by then, or never.
func (b *Builder) endAtCrash(op *Operation) bool {
	op.ended = Info
	op.Crashed = b.h.Durability == Strict
	return op.Crashed
}

// checkCrashes refuses crashes if nothing says what they mean.
func (b *Builder) checkCrashes() {
	if len(b.crashes) > 0 && b.h.Durability == UnknownDurability {
		b.Errorf(b.crashes[0].line, "a crash, and nothing says what operations that are open then may do: "+
			`durability is "strict" if they take effect before the crash or never, and "durable" if they may also do so later`)
	}
}

// firstCrash returns the first crash after the invocation of an operation that ends its process,
// or nil. Under StampOrder only.
func (b *Builder) firstCrash(i int32) *rawCrash {
	at := b.timing.calls[i]
	first := sort.Search(len(b.crashes), func(k int) bool { return b.crashes[k].at > at })
	for k := first; k < len(b.crashes); k++ {
		if b.ends(&b.crashes[k], &b.ops[i]) {
			return &b.crashes[k]
		}
	}
	return nil
}

// stopAtCrashes ends the processes of operations that are open at a crash, as an unknown outcome
// does. Under StampOrder only.
func (b *Builder) stopAtCrashes() {
	slices.SortStableFunc(b.crashes, func(x, y rawCrash) int { return cmp.Compare(x.at, y.at) })
	for i := range b.ops {
		if op := &b.ops[i]; op.Pending() && op.ended == Invoke {
			if c := b.firstCrash(int32(i)); c != nil {
				op.ended, b.timing.returns[i] = Info, c.at
			}
		}
	}
}

// endAtCrashes ends the operations whose outcome is unknown at the first crash. Under StampOrder
// only.
func (b *Builder) endAtCrashes() {
	for i := range b.ops {
		op := &b.ops[i]
		if !op.Pending() || op.dropped {
			continue
		}
		if c := b.firstCrash(int32(i)); c != nil && b.endAtCrash(op) {
			op.Return, b.timing.returns[i] = NoReturn-1, c.at // arrange gives it a position
			b.timing.returned = append(b.timing.returned, int32(i))
		}
	}
}

// closeGaps numbers the events of a history in file order anew: an operation whose unknown outcome
// was an event, and that then ended at a crash, has three.
func (b *Builder) closeGaps() {
	number := make([]int32, b.events+1) // by position; then how many events come before it
	for i := range b.ops {
		op := &b.ops[i]
		if number[op.Call] = 1; !op.Pending() {
			number[op.Return] = 1
		}
	}
	sum := int32(0)
	for at, n := range number {
		number[at], sum = sum, sum+n
	}
	for i := range b.ops {
		op := &b.ops[i]
		if op.Call = number[op.Call]; !op.Pending() {
			op.Return = number[op.Return]
		}
	}
}
