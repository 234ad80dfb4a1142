package shim_test

import (
	"math"
	"testing"
	standard "time"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/atomic"
	"github.com/leadline/leadline/history/explore/shim/time"
)

// TestSleep: sleepers wake in the order of their times, which pass at once.
func TestSleep(t *testing.T) {
	before := standard.Now()
	check(t, outcomes(t, func(log func(...any)) []func() {
		sleep := func(d time.Duration) func() {
			return func() {
				start := time.Now()
				time.Sleep(d)
				slept := time.Since(start)
				log(d, slept >= d && slept < d+time.Second)
			}
		}
		return []func(){sleep(3 * time.Hour), sleep(time.Hour), sleep(2 * time.Hour)}
	}), "1h0m0s true, 2h0m0s true, 3h0m0s true")
	if standard.Since(before) > standard.Hour {
		t.Error("the real clock was used")
	}
}

func TestTimer(t *testing.T) {
	check(t, outcomes(t, func(log func(...any)) []func() {
		return []func(){func() {
			start := time.Now()
			log(schedule.Recv(time.After(time.Minute)).Sub(start).Round(time.Second))
			stopped := time.NewTimer(time.Hour)
			log(stopped.Stop(), stopped.Stop(), stopped.Reset(2*time.Hour), stopped.Reset(time.Second))
			schedule.Recv(stopped.C)
			log(time.Since(start).Round(time.Second), stopped.Stop())
			time.Sleep(3 * time.Hour) // nothing comes of the first Reset
			c := schedule.RecvCase(stopped.C)
			log(schedule.Select(true, c))
			unread := time.NewTimer(time.Second)
			time.Sleep(time.Minute)
			log(schedule.Len(unread.C), schedule.Cap(unread.C))
			log(unread.Stop(), schedule.Select(true, schedule.RecvCase(unread.C)))
		}}
	}), "1m0s, true false false true, 1m1s false, -1, 0 0, true -1")
}

func TestAfterFunc(t *testing.T) {
	check(t, outcomes(t, func(log func(...any)) []func() {
		var x atomic.Int32
		return []func(){func() {
			f := time.AfterFunc(time.Hour, func() { log("called"); x.Add(1) })
			time.AfterFunc(time.Minute, func() { log("not called") }).Stop()
			time.Sleep(2 * time.Hour)
			log(x.Load(), f.Stop(), f.Reset(time.Hour))
			time.Sleep(2 * time.Hour)
			log(x.Load())
		}}
	}), "called, 1 false false, called, 2")
}

// TestTicker: ticks that are not received are dropped, and do not keep a
// deadlock from being found.
func TestTicker(t *testing.T) {
	check(t, outcomes(t, func(log func(...any)) []func() {
		return []func(){func() {
			start := time.Now()
			k := time.NewTicker(time.Second)
			schedule.Recv(k.C)
			schedule.Recv(k.C)
			log(time.Since(start).Round(time.Second))
			time.Sleep(10*time.Second + time.Second/2)
			schedule.Recv(k.C)
			log(time.Since(start).Round(time.Second / 2))
			schedule.Recv(k.C)
			log(time.Since(start).Round(time.Second))
			k.Reset(time.Minute)
			schedule.Recv(k.C)
			log(time.Since(start).Round(time.Second))
			k.Stop()
			schedule.Block()
		}}
	}), "2s, 12.5s, 13s, 1m13s, waits: select (no cases)")
	check(t, outcomes(t, func(log func(...any)) []func() {
		return []func(){func() {
			time.Tick(time.Second)
			schedule.Block()
		}}
	}), "waits: select (no cases), waits: ticker")
}

// TestFarFuture: neither a time past the end of the clock nor a ticker that has to
// catch up with many ticks is a fault.
func TestFarFuture(t *testing.T) {
	check(t, outcomes(t, func(log func(...any)) []func() {
		return []func(){func() {
			k := time.NewTicker(1)
			time.Sleep(100 * 365 * 24 * time.Hour)
			schedule.Recv(k.C)
			schedule.Recv(k.C)
			k.Stop()
			far := time.NewTimer(math.MaxInt64)
			log(schedule.Select(true, schedule.RecvCase(far.C)), far.Stop())
		}}
	}), "-1 true")
}

// TestTimeout: a timeout and what it waits for may come in either order.
func TestTimeout(t *testing.T) {
	check(t, outcomes(t, func(log func(...any)) []func() {
		c := make(chan int)
		return []func(){
			func() {
				a, b := schedule.RecvCase(c), schedule.RecvCase(time.After(time.Second))
				log(schedule.Select(false, a, b))
			},
			func() {
				time.Sleep(time.Second)
				schedule.Select(true, schedule.To(c).Case(1))
			},
		}
	}), "0", "1")
}
