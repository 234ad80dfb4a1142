package schedule

import (
	"reflect"
	"unsafe"
)

// Receive is v, ok := <-ch for a channel of any element type, whose code is not instrumented:
// it receives what a method has returned a channel for.
func Receive(ch reflect.Value) (v reflect.Value, ok bool) {
	if !Active() {
		return ch.Recv()
	}
	r := &reception{ch: ch}
	for Step(Write, ch.UnsafePointer()); ; Wait(Write, ch.UnsafePointer(), r, "chan receive") {
		switch ready := r.Ready(); {
		case r.v.IsValid():
			return r.v, r.ok
		case ready:
			return r.state().receive(ch.UnsafePointer())
		}
	}
}

// A reception is a receive of Receive, until instrumented code uses the channel.
type reception struct {
	ch, v reflect.Value
	ok    bool
}

// A receiver is a *channel.
type receiver interface {
	receive(ch unsafe.Pointer) (reflect.Value, bool)
}

// state returns the state of the channel, or nil if no instrumented code has used it.
func (r *reception) state() receiver {
	c, _ := channels[r.ch.UnsafePointer()].(receiver)
	return c
}

// Ready reports whether the channel is used. It receives what other code sends.
func (r *reception) Ready() bool {
	if !r.v.IsValid() && r.state() == nil {
		r.v, r.ok = r.ch.TryRecv()
	}
	return r.v.IsValid() || r.state() != nil
}

func (c *channel[T]) receive(ch unsafe.Pointer) (reflect.Value, bool) {
	v, ok := Recv2(*(*<-chan T)(unsafe.Pointer(&ch)))
	return reflect.ValueOf(&v).Elem(), ok
}
