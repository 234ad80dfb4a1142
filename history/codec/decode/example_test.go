package decode_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// counterLog has lines CLIENT inc and CLIENT done of one counter.
var counterLog = decode.Format{
	Name:        "counter-log",
	Description: "CLIENT inc and CLIENT done, in a line each",
	Single:      true,
	Sniff: func(head []byte) decode.Guess {
		if bytes.Contains(head, []byte(" inc\n")) {
			return decode.Likely
		}
		return decode.Maybe
	},
	Open: func(s *decode.Stream) decode.Reader { return &counterReader{stream: s, lines: s.Lines()} },
}

type counterReader struct {
	stream *decode.Stream
	lines  *decode.LineReader
}

func (r *counterReader) Next() (line int, err error) {
	text, err := r.stream.TextLine(r.lines)
	if err != nil {
		return r.lines.Line, err
	}
	h := r.stream.History()
	if h == nil {
		h = r.stream.Begin(history.Header{Line: r.lines.Line, Model: "counter"})
	}
	client, verb := scan.CutWord(text)
	ev := history.Event{Process: r.stream.Pool.Text(client), Line: r.lines.Line}
	switch string(verb) {
	case "inc":
		ev.Method, ev.Args = "add", []history.Value{history.IntValue(1)}
	case "done":
		ev.Type = history.OK
	default:
		r.stream.Fault(r.lines.Line, "a line is CLIENT inc or CLIENT done, not %q", scan.Clip(text))
		return r.lines.Line, nil
	}
	h.Add(&ev)
	return r.lines.Line, nil
}

// A format of its own.
func Example() {
	for _, text := range []string{"a inc\nb inc\nb done\na done\n", "a inc\na stop\n"} {
		for h, err := range counterLog.Decode(strings.NewReader(text), "log", decode.Limits{}) {
			if err != nil {
				fmt.Println(err)
				continue
			}
			fmt.Printf("%s: %d operations of %v\n", h.Model, len(h.Ops), h.Processes)
		}
	}
	// Output:
	// counter: 2 operations of ["a" "b"]
	// log:2: a line is CLIENT inc or CLIENT done, not "a stop"
}
