package codec

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
)

// TestEventWriter: events with or without identifiers and stamps are read as they were
// written.
func TestEventWriter(t *testing.T) {
	one, two := history.IntValue(1), history.StringValue("two")
	var b bytes.Buffer
	w := NewEventWriter(&b, history.Header{ID: "h", Model: "queue", ModelArgs: []history.Value{one}})
	w.Comment("two lines\nin one")
	for _, ev := range []history.Event{
		{Process: one, Method: "enqueue", Args: []history.Value{one}, At: 5},
		{Process: two, Method: "dequeue"},
		{Type: history.OK, Process: two, Result: one},
		{Type: history.Info, Process: one},
		{Process: two, Method: "peek"},
		{Type: history.OK, Process: two, Result: history.UnknownValue},
		{Process: two, Method: "peek"},
		{Type: history.Fail, Process: two},
	} {
		if err := w.Write(&ev); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	const want = `{"leadline":1,"history":"h","model":"queue","args":[1]}
# two lines in one
{"process":1,"type":"invoke","method":"enqueue","args":[1]}
{"process":"two","type":"invoke","method":"dequeue"}
{"process":"two","type":"ok","result":1}
{"process":1,"type":"info"}
{"process":"two","type":"invoke","method":"peek"}
{"process":"two","type":"ok","unknown":true}
{"process":"two","type":"invoke","method":"peek"}
{"process":"two","type":"fail"}
`
	if b.String() != want {
		t.Fatalf("written is\n%s", b.String())
	}
	for h, err := range Decode(&b, "stream", Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(h.Ops) != 3 || h.Pending() != 1 || h.Dropped != 1 || h.Ops[2].Result.Kind() != history.Unknown {
			t.Errorf("read back are %v", h.Ops)
		}
	}

	b.Reset()
	w = NewEventWriter(&b, history.Header{Order: history.StampOrder})
	if err := errors.Join(w.Write(&history.Event{Process: one, Op: two, At: -7, Method: "read"}), w.Flush()); err != nil {
		t.Fatal(err)
	}
	if want := `{"process":1,"op":"two","at":-7,"type":"invoke","method":"read"}`; !strings.Contains(b.String(), want) {
		t.Errorf("written is\n%s", b.String())
	}
}

type brokenWriter struct {
	calls  int
	silent bool // writes less than it should without an error
}

func (w *brokenWriter) Write(b []byte) (int, error) {
	if w.calls++; w.silent {
		return len(b) / 2, nil
	}
	return 0, io.ErrShortWrite
}

// TestEventWriterErrors: the first error persists, and nothing is written after it.
func TestEventWriterErrors(t *testing.T) {
	ev := history.Event{Process: history.IntValue(1), Method: "read"}
	for _, broken := range []*brokenWriter{{}, {silent: true}} {
		w := NewEventWriter(broken, history.Header{})
		var err error
		for i := 0; err == nil && i < 10_000; i++ {
			err = w.Write(&ev)
		}
		if !errors.Is(err, io.ErrShortWrite) || !errors.Is(w.Write(&ev), err) || !errors.Is(w.Flush(), err) || broken.calls != 1 {
			t.Errorf("error %v after %d calls", err, broken.calls)
		}
	}

	var b bytes.Buffer
	w := NewEventWriter(&b, history.Header{})
	ev.Method = "\xff"
	if err := w.Write(&ev); err == nil || !strings.Contains(err.Error(), "not UTF-8") || w.Flush() == nil || b.Len() > 0 {
		t.Errorf("error %v, %d bytes written", err, b.Len())
	}
	if w := NewEventWriter(&b, history.Header{Model: "\xff"}); w.Flush() == nil {
		t.Error("a model that is not UTF-8 is written")
	}
}
