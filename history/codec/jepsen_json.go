package codec

import (
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/leadline/leadline/history"
)

const jepsenJSONName = "jepsen-json"

// decodeJepsenJSON reads Jepsen's events as JSON.
func decodeJepsenJSON(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
	return func(yield func(*history.History, error) bool) {
		lim := lim.fill()
		d := &jepsenJSON{out: output{file: file, yield: yield}, objects: objectStream{objects: newObjectReader(r, lim)}}
		d.scan.pool, d.scan.wide = borrow(&d.objects.objects.window), true
		d.run(lim)
		d.scan.pool.release(&d.objects.objects.window)
	}
}

// A jepsenJSON decodes one stream, which is one history.
type jepsenJSON struct {
	out     output
	objects objectStream
	scan    scanner
	words   *wordHistory
}

func (d *jepsenJSON) run(lim Limits) {
	for held := int64(0); ; {
		text, line, err := d.objects.next()
		if err == nil {
			held += int64(len(text))
			memory := d.scan.pool.made
			if d.words != nil {
				memory += d.words.bytes()
			}
			if over := lim.exceeded(held, memory); over != nil {
				err = &end{err: over, file: true}
			}
		}
		if err == nil {
			err = d.event(text, line)
		}
		if err == nil {
			continue
		}
		var e *end
		errors.As(err, &e)
		if d.words != nil && (e.err == io.EOF || d.words.b.Faults() > 0) {
			d.words.finish()
			d.out.build(d.words.b, d.words.line)
		}
		switch {
		case e.err == io.EOF:
		case e.file:
			d.out.broken(line, e.err)
		default:
			d.out.fault(line, "%v", e.err)
		}
		return
	}
}

// event reads one object.
func (d *jepsenJSON) event(text []byte, line int) error {
	d.scan.reset(text)
	record := d.scan.value(false)
	if d.scan.end(); d.scan.failed() {
		return &end{err: errors.New(d.scan.fault)}
	}
	if d.words == nil {
		d.words = newWordHistory(d.out.file, jepsenName, line)
	}
	if d.words.b.Failed() {
		return nil
	}
	ev := wordEvent{process: memberOf(record, "process"), line: line, index: memberOf(record, "index"), time: memberOf(record, "time"),
		value: memberOf(record, "value"), f: strings.TrimPrefix(memberOf(record, "f").Text(), ":")}
	typ := strings.TrimPrefix(memberOf(record, "type").Text(), ":")
	if ev.value.Kind() == history.None {
		ev.value = history.NullValue
	}
	known := false
	ev.typ, known = jepsenType(typ)
	switch {
	case strings.TrimPrefix(ev.process.Text(), ":") == "nemesis":
		return nil
	case !known:
		d.words.b.Errorf(line, `type is "invoke", "ok", "fail" or "info", not %q`, clip([]byte(typ)))
	case ev.process.Kind() != history.Int && ev.process.Kind() != history.String:
		d.words.b.Errorf(line, "process is an integer or a string, not %v", ev.process)
	case ev.f == "":
		d.words.b.Errorf(line, "f is a string, not %v", memberOf(record, "f"))
	default:
		d.words.events.add(&ev)
	}
	return nil
}
