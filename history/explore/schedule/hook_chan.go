package schedule

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// Channels are still real channels, since code that is not instrumented may fill or
// close them. Operations of a buffered channel use its real buffer if they need not block.
// An unbuffered channel has a list of the threads that wait at it, as in the runtime. With Limits.Test, so does
// a buffered one: the first that waits gets the place or the value, and no other one can come before it.

// channel is the state of one channel in an execution.
type channel[T any] struct {
	closed   bool
	selected bool        // a select has the channel
	waiting  [2][]*Op[T] // operations of each side that arrived at the channel and wait, in order
	timer    bool
}

// The sides of a channel.
const (
	receives = iota
	sends
)

// channels has the *channel of each channel. The keys keep the channels from being freed.
var channels = map[unsafe.Pointer]any{}

// known returns the state of the channel at p in the current execution.
func known[T any](p unsafe.Pointer) *channel[T] {
	c, _ := channels[p].(*channel[T])
	if c == nil {
		c = new(channel[T])
		channels[p] = c
	}
	return c
}

// address returns the address of a channel or map.
func address[T any](x T) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&x)) }

// A Case is a case of a select, an *Op.
type Case interface {
	channel() unsafe.Pointer
	unbuffered() bool
	prepare(g *group, index int)
	arrive()     // at an unbuffered channel: a partner may carry the case out
	ready() bool // it need not wait; it may have been carried out
	run() bool   // carries it out; false if it is not ready any longer
	isClosed() bool
	real() reflect.SelectCase
	took(v reflect.Value, ok bool)
}

// A group is a thread at one channel operation or at a select.
type group struct {
	chosen int // the case that was carried out, -1 before
	cases  []Case
	one    [1]Case
}

// Ready reports whether a case was carried out or can be.
func (g *group) Ready() bool {
	for i := 0; i < len(g.cases) && g.chosen < 0; i++ {
		if g.cases[i].ready() {
			return true
		}
	}
	return g.chosen >= 0
}

// choose carries out one of the cases that are ready, if there are any.
func (g *group) choose() bool {
	if len(g.cases) == 1 {
		if c := g.cases[0]; g.chosen < 0 && c.ready() && g.chosen < 0 && c.run() {
			g.chosen = 0
		}
		return g.chosen >= 0
	}
	var ready []int
	for i := 0; i < len(g.cases) && g.chosen < 0; i++ {
		if g.cases[i].ready() {
			ready = append(ready, i)
		}
	}
	for g.chosen < 0 && len(ready) > 0 {
		n := 0
		if len(ready) > 1 {
			n = Choose(len(ready))
		}
		i := ready[n]
		if g.cases[i].run() {
			g.chosen = i
			break
		}
		ready = append(ready[:n], ready[n+1:]...)
	}
	return g.chosen >= 0
}

// wait blocks until one of the cases is carried out.
func (g *group) wait(addr unsafe.Pointer, what string) {
	kind := Read // a partner writes
	for _, c := range g.cases {
		c.arrive()
		if !c.unbuffered() {
			kind = Write
		}
	}
	for {
		Wait(kind, addr, g, what)
		if g.choose() {
			return
		}
	}
}

// single carries out an operation outside of a select.
func single(c Case, g *group, what string) {
	g.chosen, g.one[0] = -1, c
	g.cases = g.one[:]
	c.prepare(g, 0)
	p := c.channel()
	switch {
	case p == nil:
		what += " (nil chan)"
	case c.unbuffered() || the.test:
		if Step(Write, p); g.choose() {
			return
		}
	}
	g.wait(p, what)
}

// Select carries out one of the cases and returns its index, or -1 if none is
// ready and the statement has a default. Among several that are ready it chooses.
func Select(hasDefault bool, cases ...Case) int {
	if !Active() {
		return realSelect(hasDefault, cases)
	}
	g := &group{chosen: -1, cases: cases}
	var addr unsafe.Pointer
	count := 0
	for i, c := range cases {
		c.prepare(g, i)
		if p := c.channel(); p != nil && (count == 0 || p != addr) {
			addr = p
			count++
		}
	}
	if count != 1 {
		addr = nil // conflicts with every access
	}
	if count > 0 {
		Step(Write, addr)
	}
	switch {
	case g.choose():
	case hasDefault:
		if count > 0 {
			Failed()
		}
		return -1
	case len(cases) == 0:
		Block()
	default:
		plural := "s"
		if len(cases) == 1 {
			plural = ""
		}
		g.wait(addr, fmt.Sprintf("select (%d case%s)", len(cases), plural))
	}
	return g.chosen
}

func realSelect(hasDefault bool, cases []Case) int {
	list := make([]reflect.SelectCase, len(cases), len(cases)+1)
	for i, c := range cases {
		list[i] = c.real()
	}
	if hasDefault {
		list = append(list, reflect.SelectCase{Dir: reflect.SelectDefault})
	}
	i, v, ok := reflect.Select(list)
	if i == len(cases) {
		return -1
	}
	cases[i].took(v, ok)
	return i
}

// Block is a select without cases.
func Block() {
	if !Active() {
		select {}
	}
	Wait(Read, nil, &group{chosen: -1}, "select (no cases)")
}

// An Op is an operation of a channel, alone or as a case of a select.
type Op[T any] struct {
	ch    chan T // only one side is used
	side  int
	v     T
	ok    bool
	known *channel[T]
	group *group
	index int
	own   group // if it is alone
}

func newOp[T any](side int, ch unsafe.Pointer, v T) *Op[T] {
	return &Op[T]{ch: *(*chan T)(unsafe.Pointer(&ch)), side: side, v: v}
}

// A Sender is a channel to send to.
type Sender[T any] struct{ ch chan<- T }

// To returns the sending side of a channel.
func To[T any](ch chan<- T) Sender[T] { return Sender[T]{ch} }

// Send is ch <- v.
func (s Sender[T]) Send(v T) {
	if !Active() {
		s.ch <- v
		return
	}
	op := s.Case(v)
	single(op, &op.own, "chan send")
}

// Case is case ch <- v of a select.
func (s Sender[T]) Case(v T) *Op[T] { return newOp(sends, address(s.ch), v) }

// RecvCase is case <-ch of a select.
func RecvCase[T any](ch <-chan T) *Op[T] {
	var zero T
	return newOp(receives, address(ch), zero)
}

// Value returns what the case received.
func (o *Op[T]) Value() T { return o.v }

// Value2 returns what the case received, and false if the channel is closed.
func (o *Op[T]) Value2() (T, bool) { return o.v, o.ok }

func (o *Op[T]) channel() unsafe.Pointer { return address(o.ch) }
func (o *Op[T]) unbuffered() bool        { return cap(o.ch) == 0 }

func (o *Op[T]) prepare(g *group, index int) {
	o.group, o.index = g, index
	if o.ch != nil {
		o.known = known[T](address(o.ch))
		o.known.selected = o.known.selected || len(g.cases) > 1
	}
}

func (o *Op[T]) arrive() {
	if o.ch == nil || cap(o.ch) > 0 && !the.test {
		return
	}
	list := o.known.waiting[o.side]
	kept := slices.DeleteFunc(list, func(other *Op[T]) bool { return other.group.chosen >= 0 })
	o.known.waiting[o.side] = append(kept, o)
}

// partner returns the first operation that waits on the other side, or nil. A select is not its
// own partner, and one that waited when another of its channels was closed has been released by that.
func (o *Op[T]) partner() *Op[T] {
	for _, other := range o.known.waiting[1-o.side] {
		if other.group != o.group && other.group.chosen < 0 && !slices.ContainsFunc(other.group.cases, Case.isClosed) {
			return other
		}
	}
	return nil
}

func (o *Op[T]) isClosed() bool { return o.ch != nil && o.known.closed }

// try carries the operation out with the real channel if that need not wait. It recovers
// the panic of a closed channel, because the calling thread may not be the sender.
func (o *Op[T]) try() (done bool) {
	if o.side == receives {
		select {
		case o.v, o.ok = <-o.ch:
			o.known.closed = o.known.closed || !o.ok
			return true
		default:
			return false
		}
	}
	defer func() {
		if recover() != nil {
			o.known.closed = true
		}
	}()
	select {
	case o.ch <- o.v:
		return true
	default:
		return false
	}
}

func (o *Op[T]) ready() bool {
	switch {
	case o.ch == nil:
		return false
	case o.known.closed, o.partner() != nil, o.side == sends && len(o.ch) < cap(o.ch), o.side == receives && len(o.ch) > 0:
		return true
	}
	done := o.try() // with a goroutine that is not scheduled
	if done && !o.known.closed {
		o.group.chosen = o.index
	}
	return done || o.known.closed
}

func (o *Op[T]) run() bool {
	if o.side == sends && Traced() {
		NoteValue("sends ", o.v)
	}
	switch p := o.partner(); {
	case p == nil || o.known.closed: // those that wait at a closed channel panic
		done := o.try()
		if o.side == sends && o.known.closed {
			o.ch <- o.v // panics
		}
		if !done {
			return false
		}
	case o.side == sends:
		p.v, p.ok, p.group.chosen = o.v, true, p.index
	case cap(o.ch) > 0: // the value of the sender follows those in the buffer
		if !o.try() || !p.try() {
			return false
		}
		p.group.chosen = p.index
	default:
		o.v, o.ok, p.group.chosen = p.v, true, p.index
	}
	if o.side == receives && Traced() {
		if o.ok {
			NoteValue("receives ", o.v)
		} else {
			Note("closed")
		}
	}
	return true
}

func (o *Op[T]) real() reflect.SelectCase {
	c := reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(o.ch)}
	if o.side == sends {
		c.Dir, c.Send = reflect.SelectSend, reflect.ValueOf(&o.v).Elem()
	}
	return c
}

func (o *Op[T]) took(v reflect.Value, ok bool) {
	if o.ok = ok; ok {
		reflect.ValueOf(&o.v).Elem().Set(v)
	}
}

// Recv is <-ch.
func Recv[T any](ch <-chan T) T {
	if !Active() {
		return <-ch
	}
	r := RecvCase(ch)
	single(r, &r.own, "chan receive")
	return r.v
}

// Recv2 is v, ok := <-ch.
func Recv2[T any](ch <-chan T) (T, bool) {
	if !Active() {
		v, ok := <-ch
		return v, ok
	}
	r := RecvCase(ch)
	single(r, &r.own, "chan receive")
	return r.v, r.ok
}

// Close is close(ch).
func Close[T any](ch chan<- T) {
	if !Active() || ch == nil {
		close(ch)
		return
	}
	p := address(ch)
	Step(Write, p)
	c := known[T](p)
	if c.selected {
		Step(Write, nil) // it may release a select, which also waits at other channels
	}
	close(ch)
	c.closed = true
}

// Len is len(ch).
func Len[T any](ch <-chan T) int {
	if ch == nil || !Active() {
		return len(ch)
	}
	p := address(ch)
	if known[T](p).timer {
		return 0
	}
	Step(Read, p)
	return len(ch)
}

// Cap is cap(ch).
func Cap[T any](ch <-chan T) int {
	if ch != nil && Active() && known[T](address(ch)).timer {
		return 0
	}
	return cap(ch)
}

// HideBuffer makes Len and Cap of the channel 0, as for the channel of a timer.
func HideBuffer[T any](ch chan T) {
	if Active() {
		known[T](address(ch)).timer = true
	}
}

// LenSend is len(ch) of a channel that can only be sent to.
func LenSend[T any](ch chan<- T) int {
	if ch != nil {
		Step(Read, address(ch))
	}
	return len(ch)
}

// A ChanRange iterates over a channel.
type ChanRange[T any] struct{ ch <-chan T }

// RangeChan replaces the range clause over a channel:
//
//	for it, v := schedule.RangeChan(ch); it.Next(&v); { ... }
func RangeChan[T any](ch <-chan T) (*ChanRange[T], T) {
	var zero T
	return &ChanRange[T]{ch}, zero
}

// Next receives into v, which may be nil; false if the channel is closed.
func (c *ChanRange[T]) Next(v *T) bool {
	x, ok := Recv2(c.ch)
	if ok && v != nil {
		*v = x
	}
	return ok
}
