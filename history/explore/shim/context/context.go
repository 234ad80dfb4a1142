package context

import (
	"context"
	"fmt"
	"slices"
	standard "sync"
	"time"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/atomic"
	"github.com/leadline/leadline/history/explore/shim/sync"
	clock "github.com/leadline/leadline/history/explore/shim/time"
)

type (
	// A Context is context.Context.
	Context = context.Context
	// A CancelFunc is context.CancelFunc.
	CancelFunc = context.CancelFunc
	// A CancelCauseFunc is context.CancelCauseFunc.
	CancelCauseFunc = context.CancelCauseFunc
)

// The errors of contexts.
var (
	Canceled         = context.Canceled
	DeadlineExceeded = context.DeadlineExceeded
)

// Background returns context.Background.
func Background() Context { return context.Background() }

// TODO returns context.TODO.
func TODO() Context { return context.TODO() }

// WithValue returns a context with a value.
func WithValue(parent Context, key, val any) Context { return context.WithValue(parent, key, val) }

// WithoutCancel returns a context that is not canceled with its parent.
func WithoutCancel(parent Context) Context { return context.WithoutCancel(parent) }

// A cancelable is a context of an execution that can be canceled. Its lock is held while
// its children are canceled, so that calls of Err and other calls of cancel wait.
type cancelable struct {
	Context
	done     chan struct{}
	err      atomic.Value // an error
	deadline time.Time    // zero: that of the parent

	mu       sync.Mutex
	cause    error
	children []*cancelable
	timer    *clock.Timer
	f        func()      // of AfterFunc
	called   atomic.Bool // f was, or it is stopped
	leave    func() bool // a parent that is not cancelable

	// Code of others adds callbacks while it holds locks of its own. So that is not a
	// scheduling point.
	others    standard.Mutex
	callbacks []*func()
	over      bool // they were called
}

// self is the key for which a cancelable returns itself.
var self int

// cancelableOf returns the cancelable that decides when the context is done.
func cancelableOf(ctx Context) *cancelable {
	c, _ := ctx.Value(&self).(*cancelable)
	if c == nil || ctx.Done() != c.Done() {
		return nil // another implementation is in between
	}
	return c
}

func (c *cancelable) Value(key any) any {
	switch key {
	case &self:
		return c
	case realKey:
		return nil // one of the real package would be further away
	}
	return c.Context.Value(key)
}

// realKey is the key for which a cancelable context of the real package returns itself.
var realKey = func() (key any) {
	_ = context.Cause(asked{context.Background(), &key})
	return key
}()

// An asked context notes which key it is asked for.
type asked struct {
	Context
	key *any
}

func (asked) Err() error { return Canceled }

func (a asked) Value(key any) any {
	*a.key = key
	return nil
}

func (c *cancelable) Done() <-chan struct{} { return c.done }

func (c *cancelable) Err() error {
	err, _ := c.err.Load().(error)
	if err != nil {
		schedule.Recv(c.done)
	}
	return err
}

func (c *cancelable) Deadline() (time.Time, bool) {
	if c.deadline.IsZero() {
		return c.Context.Deadline()
	}
	return c.deadline, true
}

func (c *cancelable) String() string {
	name := fmt.Sprintf("%T", c.Context)
	if s, ok := c.Context.(fmt.Stringer); ok {
		name = s.String()
	}
	if c.deadline.IsZero() {
		return name + ".WithCancel"
	}
	return fmt.Sprintf("%s.WithDeadline(%v [%v])", name, c.deadline, clock.Until(c.deadline))
}

// AfterFunc adds a callback. The real package calls it for a context that is derived
// from this one. The callback is called as that of a child is there: before cancel returns.
func (c *cancelable) AfterFunc(f func()) (stop func() bool) {
	c.others.Lock()
	defer c.others.Unlock()
	if c.over {
		schedule.Go(f)
		return func() bool { return false }
	}
	c.callbacks = append(c.callbacks, &f)
	return func() bool {
		c.others.Lock()
		defer c.others.Unlock()
		n := len(c.callbacks)
		c.callbacks = slices.DeleteFunc(c.callbacks, func(other *func()) bool { return other == &f })
		return len(c.callbacks) < n
	}
}

// callBack calls the callbacks.
func (c *cancelable) callBack() {
	c.others.Lock()
	list := c.callbacks
	c.callbacks, c.over = nil, true
	c.others.Unlock()
	for _, f := range list {
		(*f)()
	}
}

// attach makes c a child of the parent, so that it is canceled with it.
func (c *cancelable) attach(parent Context) {
	if parent == nil {
		panic("cannot create context from nil parent")
	}
	c.Context, c.done = parent, make(chan struct{})
	done := parent.Done()
	if done == nil {
		return
	}
	follow := func() { c.cancel(false, parent.Err(), Cause(parent)) }
	if schedule.Select(true, schedule.RecvCase(done)) == 0 {
		follow()
		return
	}
	if p := cancelableOf(parent); p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if err, _ := p.err.Load().(error); err != nil {
			c.cancel(false, err, p.cause)
		} else {
			p.children = append(p.children, c)
		}
		return
	}
	if a, ok := parent.(interface{ AfterFunc(func()) func() bool }); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.leave = a.AfterFunc(follow)
		return
	}
	schedule.Go(func() {
		if schedule.Select(false, schedule.RecvCase(done), schedule.RecvCase(c.Done())) == 0 {
			follow()
		}
	})
}

// detach is for one that is canceled before its parent.
func (c *cancelable) detach() {
	if c.leave != nil {
		c.leave()
		return
	}
	if p := cancelableOf(c.Context); p != nil {
		p.mu.Lock()
		p.children = slices.DeleteFunc(p.children, func(child *cancelable) bool { return child == c })
		p.mu.Unlock()
	}
}

// cancel cancels c and its children, unless it is canceled already. Alone says that its
// parent is not.
func (c *cancelable) cancel(alone bool, err, cause error) {
	if cause == nil {
		cause = err
	}
	c.mu.Lock()
	if c.err.Load() != nil {
		c.mu.Unlock()
		return
	}
	c.err.Store(err)
	c.cause = cause
	schedule.Close(c.done)
	for len(c.children) > 0 {
		i := schedule.Choose(len(c.children))
		child := c.children[i]
		c.children = slices.Delete(c.children, i, i+1)
		child.cancel(false, err, cause)
	}
	c.callBack()
	if c.timer != nil {
		c.timer.Stop()
	}
	c.mu.Unlock()
	if alone {
		c.detach()
	}
	if c.f != nil && !c.called.Swap(true) {
		schedule.Go(c.f)
	}
}

// WithCancel returns a context that can be canceled.
func WithCancel(parent Context) (Context, CancelFunc) {
	if !schedule.Active() {
		return context.WithCancel(parent)
	}
	c := &cancelable{}
	c.attach(parent)
	return c, func() { c.cancel(true, Canceled, nil) }
}

// WithCancelCause returns a context that can be canceled for a cause.
func WithCancelCause(parent Context) (Context, CancelCauseFunc) {
	if !schedule.Active() {
		return context.WithCancelCause(parent)
	}
	c := &cancelable{}
	c.attach(parent)
	return c, func(cause error) { c.cancel(true, Canceled, cause) }
}

// WithDeadline returns a context that is canceled at a time.
func WithDeadline(parent Context, d time.Time) (Context, CancelFunc) {
	return WithDeadlineCause(parent, d, nil)
}

// WithDeadlineCause returns a context that is canceled for a cause at a time.
func WithDeadlineCause(parent Context, d time.Time, cause error) (Context, CancelFunc) {
	if !schedule.Active() {
		return context.WithDeadlineCause(parent, d, cause)
	}
	if parent != nil {
		if at, ok := parent.Deadline(); ok && at.Before(d) {
			return WithCancel(parent)
		}
	}
	c := &cancelable{deadline: d}
	c.attach(parent)
	late := func() { c.cancel(true, DeadlineExceeded, cause) }
	left := clock.Until(d)
	if left <= 0 {
		late()
	} else {
		c.mu.Lock()
		if c.err.Load() == nil {
			c.timer = clock.AfterFunc(left, late)
		}
		c.mu.Unlock()
	}
	return c, func() { c.cancel(true, Canceled, nil) }
}

// WithTimeout returns a context that is canceled after some time.
func WithTimeout(parent Context, timeout time.Duration) (Context, CancelFunc) {
	return WithDeadlineCause(parent, clock.Now().Add(timeout), nil)
}

// WithTimeoutCause returns a context that is canceled for a cause after some time.
func WithTimeoutCause(parent Context, timeout time.Duration, cause error) (Context, CancelFunc) {
	return WithDeadlineCause(parent, clock.Now().Add(timeout), cause)
}

// AfterFunc calls f in a goroutine of its own when the context is canceled.
func AfterFunc(ctx Context, f func()) (stop func() bool) {
	if !schedule.Active() {
		return context.AfterFunc(ctx, f)
	}
	c := &cancelable{f: f}
	c.attach(ctx)
	return func() bool {
		stopped := !c.called.Swap(true)
		if stopped {
			c.cancel(true, Canceled, nil)
		}
		return stopped
	}
}

// Cause returns why the context was canceled, or nil.
func Cause(ctx Context) error {
	c, _ := ctx.Value(&self).(*cancelable)
	if c == nil || ctx.Value(realKey) != nil {
		return context.Cause(ctx)
	}
	err := ctx.Err()
	if err == nil || c.err.Load() == nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cause
}
