package schedule

import (
	"reflect"
)

// Receive is v, ok := <-ch for a channel of any element type, whose code is not instrumented:
// it receives what a method has returned a channel for.
func Receive(ch reflect.Value) (v reflect.Value, ok bool) {
	if !Active() {
		return ch.Recv()
	}
	r := &reception{ch: ch}
	Step(Write, ch.UnsafePointer())
	for !r.take() {
		Wait(Write, ch.UnsafePointer(), r, "chan receive")
	}
	return r.v, r.ok
}

// A reception is a receive of Receive.
type reception struct {
	ch   reflect.Value
	v    reflect.Value
	ok   bool
	done bool
}

// A sending is a *channel.
type sending interface {
	pending() bool
	next() (v reflect.Value, ok, done bool)
}

// state returns the state of the channel, or nil if no instrumented code has used it.
func (r *reception) state() sending {
	if channelsEpoch != Epoch() {
		return nil
	}
	s, _ := channels[r.ch.UnsafePointer()].(sending)
	return s
}

// Ready reports whether something can be received. It receives what a goroutine sends that
// is not scheduled.
func (r *reception) Ready() bool {
	if s := r.state(); r.done || s != nil && s.pending() || r.ch.Len() > 0 {
		return true
	}
	r.v, r.ok = r.ch.TryRecv()
	r.done = r.v.IsValid()
	return r.done
}

// take receives if it need not wait.
func (r *reception) take() bool {
	if s := r.state(); s != nil && !r.done {
		r.v, r.ok, r.done = s.next()
	}
	if !r.done {
		r.v, r.ok = r.ch.TryRecv()
		r.done = r.v.IsValid()
	}
	return r.done
}

func (c *channel[T]) pending() bool {
	return c.closed || len(c.stash) > 0 || first(c.senders, nil) >= 0
}

// next takes a value that is not in the buffer of the real channel.
func (c *channel[T]) next() (v reflect.Value, ok, done bool) {
	if len(c.stash) > 0 {
		v = reflect.ValueOf(&c.stash[0]).Elem()
		c.stash = c.stash[1:]
		return v, true, true
	}
	if i := first(c.senders, nil); i >= 0 && !c.closed {
		s := c.senders[i]
		s.group.chosen = s.index
		return reflect.ValueOf(&s.v).Elem(), true, true
	}
	return v, false, false
}
