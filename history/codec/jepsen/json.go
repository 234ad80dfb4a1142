package jepsen

import (
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// JSON has Jepsen's events as JSON.
var JSON = decode.Format{
	Name:        JSONName,
	Single:      true,
	Description: "Jepsen's events as JSON: objects with process, type, f and value, in a list or one after another",
	Sniff:       decode.SniffKeys("process", "type", "f"),
	Open: func(s *decode.Stream) decode.Reader {
		return &jsonEvents{stream: s, objects: s.Objects(), scan: scan.Scanner{Pool: s.Pool, Wide: true}}
	},
}

// jsonEvents reads one stream, which is one history.
type jsonEvents struct {
	stream  *decode.Stream
	objects *decode.ObjectReader
	scan    scan.Scanner
	words   *wordHistory
}

// Next implements decode.Reader.
func (d *jsonEvents) Next() (line int, err error) {
	text, line, err := d.objects.Next()
	if err != nil {
		return line, err
	}
	d.scan.Reset(text)
	record := d.scan.Value(false)
	if d.scan.End(); d.scan.Failed() {
		return line, decode.Fault(d.scan.Fault)
	}
	if d.words == nil {
		d.words = newWordHistory(d.stream, EDNName, line)
	}
	if !d.words.b.Failed() {
		d.event(record, line)
	}
	return line, nil
}

// event adds the event that an object is.
func (d *jsonEvents) event(record history.Value, line int) {
	ev := wordEvent{process: scan.Member(record, "process"), line: line, index: scan.Member(record, "index"), time: scan.Member(record, "time"),
		value: scan.Member(record, "value"), f: strings.TrimPrefix(scan.Member(record, "f").Text(), ":")}
	typ := strings.TrimPrefix(scan.Member(record, "type").Text(), ":")
	if ev.value.Kind() == history.None {
		ev.value = history.NullValue
	}
	known := false
	ev.typ, known = eventType(typ)
	switch {
	case strings.TrimPrefix(ev.process.Text(), ":") == "nemesis":
		d.words.b.Idle = true
	case !known:
		d.words.b.Errorf(line, `type is "invoke", "ok", "fail" or "info", not %q`, scan.Clip([]byte(typ)))
	case ev.process.Kind() != history.Int && ev.process.Kind() != history.String:
		d.words.b.Errorf(line, "process is an integer or a string, not %v", ev.process)
	case ev.f == "":
		d.words.b.Errorf(line, "f is a string, not %v", scan.Member(record, "f"))
	default:
		d.words.events.add(&ev)
	}
}
