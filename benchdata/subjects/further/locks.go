package further

import (
	"errors"
	"io"
	"time"

	"github.com/asaskevich/EventBus"
	"github.com/juju/ratelimit"
	"github.com/pion/transport/v3/packetio"
	"github.com/smallnest/ringbuffer"
	"github.com/sony/gobreaker/v2"
	"github.com/zeromicro/go-zero/core/syncx"
	"go.etcd.io/etcd/pkg/v3/wait"
	"golang.org/x/time/rate"
)

// RateLimiter is a Limiter of golang.org/x/time/rate. Its clock does not move.
type RateLimiter struct{ l *rate.Limiter }

// NewRateLimiter returns a limiter with a burst of two.
func NewRateLimiter() *RateLimiter { return &RateLimiter{rate.NewLimiter(1, 2)} }

func (l *RateLimiter) AllowN(n int) bool { return l.l.AllowN(noon, n) }
func (l *RateLimiter) Burst() int        { return l.l.Burst() }
func (l *RateLimiter) Limit() float64    { return float64(l.l.Limit()) }
func (l *RateLimiter) SetBurstAt(n int)  { l.l.SetBurstAt(noon, n) }
func (l *RateLimiter) SetLimitAt(n int)  { l.l.SetLimitAt(noon, rate.Limit(n)) }
func (l *RateLimiter) TokensAt() float64 { return l.l.TokensAt(noon) }

// ReserveN returns the delay in seconds, or false.
func (l *RateLimiter) ReserveN(n int) (float64, bool) {
	r := l.l.ReserveN(noon, n)
	if !r.OK() {
		return 0, false
	}
	return r.DelayFrom(noon).Seconds(), true
}

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// Sometimes is a Sometimes of golang.org/x/time/rate that runs the first two.
type Sometimes struct{ s rate.Sometimes }

func NewSometimes() *Sometimes { return &Sometimes{rate.Sometimes{First: 2}} }

// Do returns whether the function was run.
func (s *Sometimes) Do() (ran bool) {
	s.s.Do(func() { ran = true })
	return ran
}

// Bucket is a Bucket of github.com/juju/ratelimit. Its clock does not move.
type Bucket struct{ *ratelimit.Bucket }

// NewBucket returns a bucket with room for two tokens.
func NewBucket() *Bucket {
	return &Bucket{ratelimit.NewBucketWithClock(time.Second, 2, still{})}
}

type still struct{}

func (still) Now() time.Time      { return noon }
func (still) Sleep(time.Duration) {}

// TakeMaxDuration waits for up to a second.
func (b *Bucket) TakeMaxDuration(count int64) (time.Duration, bool) {
	return b.Bucket.TakeMaxDuration(count, time.Second)
}

// Breaker is a CircuitBreaker of github.com/sony/gobreaker/v2 that two consecutive
// failures trip, for an hour.
type Breaker struct {
	b *gobreaker.CircuitBreaker[int]
}

func NewBreaker() *Breaker {
	return &Breaker{gobreaker.NewCircuitBreaker[int](gobreaker.Settings{
		Timeout:     time.Hour,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures == 2 },
	})}
}

var errFailed = errors.New("failed")

// Execute runs a function that fails or returns 1.
func (b *Breaker) Execute(fail bool) (int, error) {
	return b.b.Execute(func() (int, error) {
		if fail {
			return 0, errFailed
		}
		return 1, nil
	})
}

func (b *Breaker) Counts() gobreaker.Counts { return b.b.Counts() }
func (b *Breaker) State() string            { return b.b.State().String() }

// TimeList is a TimeList of go.etcd.io/etcd/pkg/v3/wait.
type TimeList struct{ l wait.WaitTime }

func NewTimeList() *TimeList { return &TimeList{wait.NewTimeList()} }

func (l *TimeList) Trigger(deadline int) { l.l.Trigger(uint64(deadline)) }

// Wait returns whether the channel is closed when it is returned.
func (l *TimeList) Wait(deadline int) bool {
	select {
	case <-l.l.Wait(uint64(deadline)):
		return true
	default:
		return false
	}
}

// ResourceManager is a ResourceManager of github.com/zeromicro/go-zero/core/syncx.
type ResourceManager struct{ m *syncx.ResourceManager }

func NewResourceManager() *ResourceManager { return &ResourceManager{syncx.NewResourceManager()} }

// A resource is a number.
type resource int

func (resource) Close() error { return nil }

// GetResource returns the resource of the key; it creates value if there is none.
func (m *ResourceManager) GetResource(key string, value int) (int, error) {
	r, err := m.m.GetResource(key, func() (io.Closer, error) { return resource(value), nil })
	return int(r.(resource)), err
}

func (m *ResourceManager) Inject(key string, value int) { m.m.Inject(key, resource(value)) }

// ManagedResource is a ManagedResource of github.com/zeromicro/go-zero/core/syncx.
// It generates 1, 2 and so on.
type ManagedResource struct{ r *syncx.ManagedResource }

func NewManagedResource() *ManagedResource {
	n := 0
	return &ManagedResource{syncx.NewManagedResource(func() any { n++; return n }, func(a, b any) bool { return a == b })}
}

func (r *ManagedResource) Take() any        { return r.r.Take() }
func (r *ManagedResource) MarkBroken(n int) { r.r.MarkBroken(n) }

// RefResource is a RefResource of github.com/zeromicro/go-zero/core/syncx.
type RefResource struct{ *syncx.RefResource }

func NewRefResource() *RefResource { return &RefResource{syncx.NewRefResource(func() {})} }

// Bus is a Bus of github.com/asaskevich/EventBus. Its callbacks count their
// calls for the Publish that makes them.
type Bus struct{ b EventBus.Bus }

func NewBus() *Bus { return &Bus{EventBus.New()} }

func (b *Bus) HasCallback(topic string) bool    { return b.b.HasCallback(topic) }
func (b *Bus) Subscribe(topic string) error     { return b.b.Subscribe(topic, count) }
func (b *Bus) SubscribeOnce(topic string) error { return b.b.SubscribeOnce(topic, count) }
func (b *Bus) Unsubscribe(topic string) error   { return b.b.Unsubscribe(topic, count) }

func count(calls *int) { *calls++ }

// Publish returns how many callbacks it calls.
func (b *Bus) Publish(topic string) int {
	calls := 0
	b.b.Publish(topic, &calls)
	return calls
}

// PacketBuffer is a Buffer of github.com/pion/transport/v3/packetio. Packets are
// strings.
type PacketBuffer struct{ b *packetio.Buffer }

func NewPacketBuffer() *PacketBuffer {
	b := packetio.NewBuffer()
	b.SetLimitCount(2)
	return &PacketBuffer{b}
}

func (b *PacketBuffer) Close() error                { return b.b.Close() }
func (b *PacketBuffer) Count() int                  { return b.b.Count() }
func (b *PacketBuffer) SetLimitCount(limit int)     { b.b.SetLimitCount(limit) }
func (b *PacketBuffer) Size() int                   { return b.b.Size() }
func (b *PacketBuffer) Write(p string) (int, error) { return b.b.Write([]byte(p)) }

// Read returns the packet; it waits for one.
func (b *PacketBuffer) Read() (any, error) {
	p := make([]byte, 8)
	n, err := b.b.Read(p)
	return string(p[:n]), err
}

// ByteRing is a RingBuffer of github.com/smallnest/ringbuffer, with room for two
// bytes. Its methods that wait for others do not wait, since it is not blocking.
type ByteRing struct{ b *ringbuffer.RingBuffer }

func NewByteRing() *ByteRing { return &ByteRing{ringbuffer.New(2)} }

func (b *ByteRing) Bytes() []byte           { return b.b.Bytes(nil) }
func (b *ByteRing) Free() int               { return b.b.Free() }
func (b *ByteRing) IsEmpty() bool           { return b.b.IsEmpty() }
func (b *ByteRing) IsFull() bool            { return b.b.IsFull() }
func (b *ByteRing) Length() int             { return b.b.Length() }
func (b *ByteRing) ReadByte() (byte, error) { return b.b.ReadByte() }
func (b *ByteRing) Reset()                  { b.b.Reset() }
func (b *ByteRing) WriteByte(c byte) error  { return b.b.WriteByte(c) }

// TryWrite writes c twice.
func (b *ByteRing) TryWrite(c byte) (int, error) { return b.b.TryWrite([]byte{c, c}) }

// TryRead reads up to two bytes.
func (b *ByteRing) TryRead() ([]byte, error) {
	p := make([]byte, 2)
	n, err := b.b.TryRead(p)
	return p[:n], err
}
