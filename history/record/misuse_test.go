package record_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/record"
	"github.com/leadline/leadline/replay"
)

// TestResponses: each of the four kinds of responses is recorded correctly.
func TestResponses(t *testing.T) {
	m := record.NewMemory(record.Options{Model: "kv", Classify: func(err error) (history.EventType, history.Value) {
		switch err {
		case io.EOF:
			return history.OK, history.ExceptionValue("EOF")
		case io.ErrClosedPipe:
			return history.Fail, history.NoValue
		}
		return history.Invoke, history.NoValue // no response: taken as Info
	}})
	p := m.Process()
	args := []history.Value{history.IntValue(1)}
	for _, err := range []error{nil, io.EOF, io.ErrClosedPipe, io.ErrNoProgress} {
		v, got := p.Do("get", args, func() (history.Value, error) { return history.IntValue(7), err })
		if v.Int() != 7 || got != err {
			t.Errorf("Do returns %v, %v", v, got)
		}
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = p.Do("get", args, func() (history.Value, error) { panic("lost") })
	}()
	p.CallInts("five", 1, 2, 3, 4, 5)
	p.ReturnBool(true)
	p.Call("four", history.IntValue(1), history.NullValue, history.NoValue, history.StringValue("x"))
	h, err := m.History()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range h.Ops {
		got = append(got, h.Processes[h.Ops[i].Process].String()+" "+h.Ops[i].String())
	}
	want := []string{"0 get(1): 7", "0 get(1): !EOF", "0 get(1): pending", "1 get(1): pending",
		"2 five(1, 2, 3, 4, 5): true", `2 four(1, null, none, "x"): pending`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || h.Dropped != 1 {
		t.Errorf("recorded, besides %d that did not happen:\n%s", h.Dropped, strings.Join(got, "\n"))
	}
}

// TestMisuse: misuse is reported and leaves a well-formed history.
func TestMisuse(t *testing.T) {
	for want, misuse := range map[string]func(p *record.Process){
		"a response without a Call": func(p *record.Process) { p.Return(history.NoValue) },
		"while an operation is open": func(p *record.Process) {
			p.Call("clear")
			p.Call("clear")
			p.Return(history.NoValue)
		},
		"without a method": func(p *record.Process) {
			p.Call("")
			p.Return(history.NoValue)
		},
		"a Call after the Close": func(p *record.Process) {
			p.Close()
			p.Call("clear")
			p.Return(history.NoValue)
		},
		"a response after the Close": func(p *record.Process) {
			p.Call("clear")
			p.Close()
			p.Fail()
		},
	} {
		var b bytes.Buffer
		r, err := record.New(&b, options())
		if err != nil {
			t.Fatal(err)
		}
		misuse(r.Process())
		p := r.Process()
		p.Call("clear")
		p.Return(history.NoValue)
		for range 2 {
			if err := r.Close(); !errors.Is(err, record.ErrMisuse) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error is %v", want, err)
			}
		}
		if text := b.String(); strings.Count(text, "# record: process handle 0: ") != 1 {
			t.Errorf("%s: no comment in the file:\n%s", want, text)
		}
		if got := verdict(t, decodeOne(t, &b)); got != replay.Linearizable {
			t.Errorf("%s: %v", want, got)
		}
	}
	m := record.NewMemory(options())
	m.Process().Fail()
	if _, err := m.History(); !errors.Is(err, record.ErrMisuse) {
		t.Errorf("History after misuse: %v", err)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []record.Options{{Order: 2}, {Compress: 3}, {Full: 2}, {Buffer: -1}, {Buffer: 1 << 30}, {Model: "\xff"}} {
		if _, err := record.New(io.Discard, o); err == nil {
			t.Errorf("no error for %+v", o)
		}
	}
	if _, err := record.NewMemory(record.Options{Buffer: -1}).History(); err == nil {
		t.Error("History reports no mistake in the options")
	}
}

// A limited writer fails after that many bytes.
type limited struct{ left int }

var errNoSpace = errors.New("no space left")

func (w *limited) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errNoSpace
	}
	return len(p), nil
}

// TestWriteError: a write error is reported, and blocks nobody.
func TestWriteError(t *testing.T) {
	if _, err := record.New(&limited{}, options()); !errors.Is(err, errNoSpace) {
		t.Errorf("New returns %v", err)
	}
	for _, full := range []record.Full{record.Block, record.Stop} {
		o := options()
		o.Buffer, o.Full = 2, full
		r, err := record.New(&limited{100_000}, o)
		if err != nil {
			t.Fatal(err)
		}
		useBy(newStore(false), 4, 5000, newRandom(t), r.Process)
		want := errNoSpace
		if full == record.Stop {
			want = record.ErrFull
		}
		if err := r.Flush(); !errors.Is(err, want) {
			t.Errorf("Flush returns %v", err)
		}
		if err := r.Close(); !errors.Is(err, want) || errors.Is(err, record.ErrMisuse) {
			t.Errorf("Close returns %v", err)
		}
	}
	r, err := record.New(io.Discard, options())
	if err != nil {
		t.Fatal(err)
	}
	p := r.Process()
	p.Call("\xff")
	p.Return(history.NoValue)
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("a method that is not UTF-8: %v", err)
	}
}

// TestNilWriter: a nil writer is an error.
func TestNilWriter(t *testing.T) {
	if _, err := record.New(nil, record.Options{Model: "queue"}); err == nil {
		t.Error("no error")
	}
}

// TestMemoryStops: a Memory that stopped returns what was recorded before.
func TestMemoryStops(t *testing.T) {
	m := record.NewMemory(record.Options{Model: "register", Full: record.Stop, Buffer: 2})
	p := m.Process()
	for i := 0; m.Err() == nil; i++ {
		p.CallInts("write", i)
		p.Return(history.NoValue)
	}
	h, err := m.History()
	if !errors.Is(err, record.ErrFull) || h == nil || len(h.Ops) == 0 {
		t.Fatalf("%v, %v", h, err)
	}
	if again, err := m.History(); again != h || !errors.Is(err, record.ErrFull) {
		t.Errorf("the second time: %v, %v", again, err)
	}
}

// shorting writes half of what it should, and reports no error.
type shorting struct{ rest int }

func (w *shorting) Write(b []byte) (int, error) {
	if w.rest--; w.rest < 0 {
		return len(b) / 2, nil
	}
	return len(b), nil
}

// TestShortWrite: a short write is an error, as for package bufio.
func TestShortWrite(t *testing.T) {
	for _, compress := range []record.Compression{record.None, record.Gzip, record.Zstd} {
		o := options()
		o.Compress = compress
		if _, err := record.New(&shorting{}, o); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("New, compression %v: %v", compress, err)
		}
		r, err := record.New(&shorting{1}, o)
		if err != nil {
			t.Fatal(err)
		}
		r.Process().Call("get")
		if err := r.Close(); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("Close, compression %v: %v", compress, err)
		}
	}
}
