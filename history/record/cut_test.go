package record

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
)

// manual returns a Recorder without a goroutine.
func manual(order Order, buffer int) (*Recorder, *bytes.Buffer) {
	b := &bytes.Buffer{}
	o := Options{Order: order, Buffer: buffer}
	s, err := newTextSink(b, o)
	if err != nil {
		panic(err)
	}
	return newRecorder(s, o), b
}

// TestGap: an event whose stamp is drawn but which is not published yet blocks
// all later events, and nothing else does.
func TestGap(t *testing.T) {
	r, b := manual(Stamps, 0)
	p, q, idle := r.Process(), r.Process(), r.Process()
	idle.Call("get") // and never returns
	p.Call("get")
	e := p.response()
	at := p.stamp()
	q.Call("get")
	q.ReturnInt(1)
	r.collect()
	if err := r.sink.flush(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != 3 || strings.Contains(b.String(), `"result":1`) {
		t.Fatalf("written past the gap:\n%s", b)
	}
	flushed := make(chan error)
	go func() { flushed <- r.Flush() }()
	select {
	case <-flushed:
		t.Fatal("Flush did not wait for an event that is being stored")
	case <-time.After(10 * time.Millisecond):
	}
	e.at, e.typ = at, history.OK
	p.publish()
	if err := <-flushed; err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if !strings.Contains(b.String(), fmt.Sprintf(`"at":%d,`, i)) {
			t.Fatalf("stamp %d is missing:\n%s", i, b)
		}
	}
}

// response returns the slot for a response.
func (p *Process) response() *event {
	p.state = idle
	return &p.ring[p.count&p.mask]
}

// TestEpoch: an event that is being stored delays the end of its epoch. An
// event that began after the end is not in it.
func TestEpoch(t *testing.T) {
	r, b := manual(ProgramOrder, 0)
	p, q := r.Process(), r.Process()
	p.Call("get")
	place := &p.ring[p.count&p.mask]
	at := p.stamp()
	flushed := make(chan error)
	go func() { flushed <- r.Flush() }()
	for r.epoch.n.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	q.Call("get") // of epoch 1
	select {
	case <-flushed:
		t.Fatal("Flush did not wait for an event that is being stored")
	case <-time.After(10 * time.Millisecond):
	}
	place.at, place.typ, p.state = at, history.OK, idle
	p.publish()
	if err := <-flushed; err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.Count(text, `"at":0`) != 2 || strings.Contains(text, `"process":1`) ||
		!strings.HasSuffix(text, "# epoch 0 is complete\n") {
		t.Fatalf("the first epoch is\n%s", text)
	}
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, `{"process":1,"op":1,"at":1,`) {
		t.Fatalf("the second epoch is missing:\n%s", text)
	}
}

// TestStop: an operation that is not recorded because the recording has ended
// may influence results of open operations. Those are not written.
func TestStop(t *testing.T) {
	for _, order := range []Order{Stamps, ProgramOrder} {
		r, b := manual(order, 4)
		r.options.Full = Stop
		p, q := r.Process(), r.Process()
		q.begin("get") // it has seen that recording goes on
		for range 3 {
			p.CallInts("put", 9)
			p.Return(history.NoValue)
		}
		q.ring[0].at = q.stamp()
		q.publish()
		q.ReturnInt(9)
		if err := r.Close(); err != ErrFull {
			t.Errorf("Close returns %v", err)
		}
		if text := b.String(); strings.Contains(text, "get") || strings.Count(text, `"ok"`) != 2 {
			t.Errorf("order %d: the file has\n%s", order, text)
		}
	}
}

// TestClosedProcesses: a closed process is removed.
func TestClosedProcesses(t *testing.T) {
	r, _ := manual(Stamps, 0)
	for i := range 1000 {
		p := r.Process()
		p.CallInts("get", i)
		if i%2 == 0 {
			p.ReturnInt(i)
		}
		p.Close()
		if i%100 == 0 {
			if err := r.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(r.list()); n != 0 || r.ops != 1000 {
		t.Errorf("%d processes are left after %d operations", n, r.ops)
	}
}

// TestNoAllocation: recording allocates nothing.
func TestNoAllocation(t *testing.T) {
	for _, order := range []Order{Stamps, ProgramOrder} {
		r, _ := manual(order, 1<<14)
		p := r.Process()
		args := []history.Value{history.IntValue(1)}
		for name, f := range map[string]func(){
			"Call": func() { p.Call("clear"); p.Return(history.NoValue) },
			"three arguments": func() {
				p.Call("cas", history.IntValue(300), history.IntValue(400), history.IntValue(500))
				p.ReturnBool(true)
			},
			"integers": func() { p.CallInts("cas", 1000, 2000, 3000); p.ReturnInt(5000) },
			"unknown":  func() { p.CallInts("get", 1); p.Unknown() },
			"failed":   func() { p.CallInts("get", 1); p.Fail() },
			"Do": func() {
				n := int64(0)
				_, _ = p.Do("get", args, func() (history.Value, error) { n++; return history.IntValue(n), nil })
			},
		} {
			if n := testing.AllocsPerRun(1000, f); n != 0 {
				t.Errorf("order %d, %s: %v allocations", order, name, n)
			}
			if err := r.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestBufferSize(t *testing.T) {
	for n, want := range map[int]int{0: 1024, 1: 4, 4: 4, 5: 8, 63: 64, 64: 64, 65: 128, 1025: 2048} {
		if got := (Options{Buffer: n}).bufferSize(); got != want {
			t.Errorf("a buffer of %d gets %d", n, got)
		}
	}
}
