package time

import (
	"time"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
)

// Now returns the present time: in an execution, that of its own clock.
func Now() Time {
	if schedule.Active() {
		return at(schedule.Now())
	}
	return time.Now()
}

func at(clock int64) Time { return time.Unix(0, schedule.Epoch+clock) }

// Since returns the time since t.
func Since(t Time) Duration { return Now().Sub(t) }

// Until returns the time until t.
func Until(t Time) Duration { return t.Sub(Now()) }

// Sleep pauses the calling goroutine.
func Sleep(d Duration) {
	if !schedule.Active() {
		time.Sleep(d)
		return
	}
	schedule.Sleep(int64(d), "time.Sleep")
}

// A Timer replaces time.Timer.
type Timer struct {
	C <-chan Time
	t interface { // a *time.Timer if it was made outside of an execution, or else an *alarm
		Stop() bool
		Reset(d Duration) bool
	}
}

// NewTimer returns a timer that sends the time on its channel after d.
func NewTimer(d Duration) *Timer {
	if !schedule.Active() {
		t := time.NewTimer(d)
		return &Timer{t.C, t}
	}
	a := newAlarm(newChannel(), nil, 0, d)
	return &Timer{a.channel, a}
}

// AfterFunc calls f in a goroutine of its own after d.
func AfterFunc(d Duration, f func()) *Timer {
	if !schedule.Active() {
		return &Timer{nil, time.AfterFunc(d, func() { schedule.Outside(f) })}
	}
	return &Timer{nil, newAlarm(nil, f, 0, d)}
}

// After returns a channel on which the time is sent after d.
func After(d Duration) <-chan Time { return NewTimer(d).C }

// Stop stops the timer and reports whether it was running.
func (t *Timer) Stop() bool {
	if t.t == nil {
		panic("time: Stop called on uninitialized Timer")
	}
	return t.t.Stop()
}

// Reset makes the timer run for d and reports whether it was running.
func (t *Timer) Reset(d Duration) bool {
	if t.t == nil {
		panic("time: Reset called on uninitialized Timer")
	}
	return t.t.Reset(d)
}

// A Ticker replaces time.Ticker.
type Ticker struct {
	C     <-chan Time
	real  *time.Ticker // if it was made outside of an execution
	alarm *alarm
}

// NewTicker returns a ticker that sends the time on its channel every d.
func NewTicker(d Duration) *Ticker {
	if d <= 0 {
		panic("non-positive interval for NewTicker")
	}
	if !schedule.Active() {
		t := time.NewTicker(d)
		return &Ticker{C: t.C, real: t}
	}
	a := newAlarm(newChannel(), nil, d, d)
	return &Ticker{C: a.channel, alarm: a}
}

// Stop stops the ticker.
func (t *Ticker) Stop() {
	switch {
	case t.real != nil:
		t.real.Stop()
	case t.alarm != nil:
		t.alarm.Stop()
	}
}

// Reset stops the ticker and begins anew with period d.
func (t *Ticker) Reset(d Duration) {
	switch {
	case d <= 0:
		panic("non-positive interval for Ticker.Reset")
	case t.real != nil:
		t.real.Reset(d)
	case t.alarm == nil:
		panic("time: Reset called on uninitialized Ticker")
	default:
		t.alarm.Stop()
		t.alarm.period = int64(d)
		t.alarm.run(d)
	}
}

// Tick returns the channel of a new ticker.
func Tick(d Duration) <-chan Time {
	if d <= 0 {
		return nil
	}
	return NewTicker(d).C
}

// An alarm is a timer or ticker of an execution. A thread sleeps for it.
type alarm struct {
	channel chan Time
	f       func() // in place of a channel
	period  int64  // of a ticker

	running bool
	runs    int // how often it was started: earlier threads end
}

func newAlarm(channel chan Time, f func(), period, d Duration) *alarm {
	a := &alarm{channel: channel, f: f, period: int64(period)}
	a.run(d)
	return a
}

// newChannel returns a channel that seems to have no buffer.
func newChannel() chan Time {
	c := make(chan Time, 1)
	schedule.HideBuffer(c)
	return c
}

// address is what the steps of the alarm access: its channel, so that they
// conflict with receives.
func (a *alarm) address() unsafe.Pointer {
	if a.channel == nil {
		return unsafe.Pointer(a)
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&a.channel))
}

// Stop reports whether the alarm was running, or the time it sent was not
// received: it is not received any more.
func (a *alarm) Stop() bool {
	schedule.Step(schedule.Write, a.address())
	running := a.running
	a.running = false
	a.runs++
	select {
	case <-a.channel:
		running = running || a.period == 0
	default:
	}
	return running
}

// Reset stops the alarm and starts it again.
func (a *alarm) Reset(d Duration) bool {
	running := a.Stop()
	a.run(d)
	return running
}

// run starts the alarm. Outside of an execution its time never comes.
func (a *alarm) run(d Duration) {
	if !schedule.Active() {
		return
	}
	a.running = true
	a.runs++
	this, next := a.runs, schedule.After(int64(d))
	schedule.GoUnless(func() bool { return a.runs != this }, func() {
		for {
			schedule.SleepUntil(next, "timer")
			schedule.Step(schedule.Write, a.address())
			if a.runs != this {
				return
			}
			if a.period == 0 {
				a.running = false
			}
			if a.f != nil {
				a.f()
				return
			}
			select {
			case a.channel <- at(next):
			default:
			}
			if a.period == 0 {
				return
			}
			// Ticks are dropped until this one is received.
			schedule.Wait(schedule.Read, a.address(), &received{a, this}, "ticker")
			next += a.period * (1 + max(0, schedule.After(0)-next)/a.period)
		}
	})
}

type received struct {
	alarm *alarm
	run   int
}

func (r *received) Ready() bool { return len(r.alarm.channel) == 0 || r.alarm.runs != r.run }
