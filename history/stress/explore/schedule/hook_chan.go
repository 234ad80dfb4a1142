package schedule

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Channels are still real channels, since code that is not instrumented may fill or
// close them. Operations of a buffered channel use its real buffer if they need not block.
// An unbuffered channel has a list of the threads that wait at it, as in the runtime.

// channel is the state of one channel in an execution.
type channel[T any] struct {
	closed    bool
	senders   []*SendOp[T] // that arrived at an unbuffered channel, in order
	receivers []*RecvOp[T]
	stash     []T // received from a goroutine that is not scheduled
	timer     bool
}

var (
	channels      = map[unsafe.Pointer]any{} // the keys keep the channels from being freed
	channelsEpoch uint64
)

// known returns the state of the channel at p in the current execution.
func known[T any](p unsafe.Pointer) *channel[T] {
	if e := Epoch(); channelsEpoch != e {
		clear(channels)
		channelsEpoch = e
	}
	c, _ := channels[p].(*channel[T])
	if c == nil {
		c = new(channel[T])
		channels[p] = c
	}
	return c
}

// address returns the address of a channel or map.
func address[T any](x T) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&x)) }

// A Case is a case of a select: a *SendOp or a *RecvOp.
type Case interface {
	channel() unsafe.Pointer
	unbuffered() bool
	prepare(g *group, index int)
	arrive()     // at an unbuffered channel: a partner may carry the case out
	ready() bool // it need not wait; it may have been carried out
	run() bool   // carries it out; false if it is not ready any longer
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
	case c.unbuffered():
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
func (s Sender[T]) Case(v T) *SendOp[T] { return &SendOp[T]{ch: s.ch, v: v} }

// A SendOp is a send, alone or as a case of a select.
type SendOp[T any] struct {
	ch    chan<- T
	v     T
	known *channel[T]
	group *group
	index int
	own   group // if it is alone
}

func (s *SendOp[T]) channel() unsafe.Pointer { return address(s.ch) }
func (s *SendOp[T]) unbuffered() bool        { return cap(s.ch) == 0 }

func (s *SendOp[T]) prepare(g *group, index int) {
	s.group, s.index = g, index
	if s.ch != nil {
		s.known = known[T](address(s.ch))
	}
}

func (s *SendOp[T]) arrive() {
	if s.ch != nil && cap(s.ch) == 0 {
		s.known.senders = append(live(s.known.senders), s)
	}
}

func (s *SendOp[T]) owner() *group { return s.group }

// try sends to the real channel if that need not wait. It recovers the panic of a closed
// channel, because the calling thread may not be the sender.
func (s *SendOp[T]) try() (sent bool) {
	defer func() {
		if recover() != nil {
			s.known.closed = true
		}
	}()
	select {
	case s.ch <- s.v:
		return true
	default:
		return false
	}
}

func (s *SendOp[T]) ready() bool {
	switch {
	case s.ch == nil:
		return false
	case s.known.closed || len(s.ch) < cap(s.ch) || first(s.known.receivers, s.group) >= 0:
		return true
	case s.try(): // to a goroutine that is not scheduled
		s.group.chosen = s.index
		return true
	}
	return s.known.closed
}

func (s *SendOp[T]) run() bool {
	if Traced() {
		NoteValue("sends ", s.v)
	}
	k := s.known
	if k.closed {
		s.ch <- s.v // panics
	}
	if i := first(k.receivers, s.group); i >= 0 {
		r := k.receivers[i]
		r.v, r.ok = s.v, true
		r.group.chosen = r.index
		return true
	}
	sent := s.try()
	if k.closed {
		s.ch <- s.v
	}
	return sent
}

func (s *SendOp[T]) real() reflect.SelectCase {
	v := reflect.ValueOf(&s.v).Elem()
	return reflect.SelectCase{Dir: reflect.SelectSend, Chan: reflect.ValueOf(s.ch), Send: v}
}

func (s *SendOp[T]) took(reflect.Value, bool) {}

// live returns the operations that still wait.
func live[P interface{ owner() *group }](ops []P) []P {
	kept := ops[:0]
	for _, o := range ops {
		if o.owner().chosen < 0 {
			kept = append(kept, o)
		}
	}
	clear(ops[len(kept):])
	return kept
}

// first returns the index of the first operation that waits and is not of
// group g, or -1: a select is not its own partner.
func first[P interface{ owner() *group }](ops []P, g *group) int {
	for i, o := range ops {
		if other := o.owner(); other != g && other.chosen < 0 {
			return i
		}
	}
	return -1
}

// A RecvOp is a receive, alone or as a case of a select.
type RecvOp[T any] struct {
	ch    <-chan T
	v     T
	ok    bool
	known *channel[T]
	group *group
	index int
	own   group // if it is alone
}

// RecvCase is case <-ch of a select.
func RecvCase[T any](ch <-chan T) *RecvOp[T] { return &RecvOp[T]{ch: ch} }

// Value returns what the case received.
func (r *RecvOp[T]) Value() T { return r.v }

// Value2 returns what the case received, and false if the channel is closed.
func (r *RecvOp[T]) Value2() (T, bool) { return r.v, r.ok }

func (r *RecvOp[T]) channel() unsafe.Pointer { return address(r.ch) }
func (r *RecvOp[T]) unbuffered() bool        { return cap(r.ch) == 0 }

func (r *RecvOp[T]) prepare(g *group, index int) {
	r.group, r.index = g, index
	if r.ch != nil {
		r.known = known[T](address(r.ch))
	}
}

func (r *RecvOp[T]) arrive() {
	if r.ch != nil && cap(r.ch) == 0 {
		r.known.receivers = append(live(r.known.receivers), r)
	}
}

func (r *RecvOp[T]) owner() *group { return r.group }

func (r *RecvOp[T]) ready() bool {
	if r.ch == nil {
		return false
	}
	k := r.known
	if k.closed || len(k.stash) > 0 || len(r.ch) > 0 || first(k.senders, r.group) >= 0 {
		return true
	}
	select { // from a goroutine that is not scheduled
	case v, ok := <-r.ch:
		if ok {
			k.stash = append(k.stash, v)
		} else {
			k.closed = true
		}
		return true
	default:
		return false
	}
}

func (r *RecvOp[T]) run() bool {
	if !r.take() {
		return false
	}
	if Traced() {
		if r.ok {
			NoteValue("receives ", r.v)
		} else {
			Note("closed")
		}
	}
	return true
}

func (r *RecvOp[T]) take() bool {
	k := r.known
	if len(k.stash) > 0 {
		r.v, r.ok = k.stash[0], true
		k.stash = k.stash[1:]
		return true
	}
	if i := first(k.senders, r.group); i >= 0 && !k.closed { // those left at a closed channel panic
		s := k.senders[i]
		r.v, r.ok = s.v, true
		s.group.chosen = s.index
		return true
	}
	select {
	case r.v, r.ok = <-r.ch:
		return true
	default:
		return false
	}
}

func (r *RecvOp[T]) real() reflect.SelectCase {
	return reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(r.ch)}
}

func (r *RecvOp[T]) took(v reflect.Value, ok bool) {
	if r.ok = ok; ok {
		reflect.ValueOf(&r.v).Elem().Set(v)
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
	close(ch)
	known[T](p).closed = true
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
	return len(ch) + len(known[T](p).stash)
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
