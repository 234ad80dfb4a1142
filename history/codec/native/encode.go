package native

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// Encode writes h in leadline's own format. That cannot carry names and methods
// that are not UTF-8, nor unknown values except whole results.
//
// A history that was ordered by stamps gets new stamps, with the same order of events.
// If an operation begins before the previous one of its process ends, which only a tie
// allows, both events and all between them get equal stamps.
func Encode(w io.Writer, h *history.History) error {
	if w == nil || h == nil {
		return errors.New("codec: the writer or the history is nil")
	}
	e := nativeEncoder{h: h}
	if err := e.check(); err != nil {
		return err
	}
	e.arrange()
	e.buf = appendHeader(e.buf, &h.Header)
	if len(e.events) == 0 {
		// Operations that failed leave no trace in h, but a history needs
		// an event.
		e.buf = append(e.buf, noneHappened...)
	}
	for i := range e.events {
		if e.event(&e.events[i]); len(e.buf) >= decode.Chunk {
			if err := e.flush(w); err != nil {
				return err
			}
		}
	}
	e.extras()
	return e.flush(w)
}

const noneHappened = `# no operation of this history happened
{"process":0,"op":0,"at":0,"type":"invoke","method":"failed"}
{"process":0,"op":0,"at":1,"type":"fail"}
`

type nativeEncoder struct {
	h      *history.History
	buf    []byte
	events []plainEvent
}

func (e *nativeEncoder) flush(w io.Writer) error {
	_, err := w.Write(e.buf)
	e.buf = e.buf[:0]
	return err
}

func (e *nativeEncoder) check() error {
	for _, text := range []string{e.h.ID, e.h.Model} {
		if !utf8.ValidString(text) {
			return fmt.Errorf("format %s cannot carry %q, which is not UTF-8", Name, text)
		}
	}
	if err := checkKnown(e.h.ModelArgs, history.NoValue); err != nil {
		return err
	}
	for i := range int32(len(e.h.Ops) + len(e.h.Ghosts)) {
		op := e.h.Operation(i)
		if err := checkKnown(op.Args, op.Result); err != nil {
			return err
		}
		for _, text := range []string{op.Method, op.ID().Text(), e.process(op).Text(), e.h.WaitsFor(i)} {
			if !utf8.ValidString(text) {
				return fmt.Errorf("format %s cannot carry %q, which is not UTF-8", Name, text)
			}
		}
	}
	return nil
}

// checkKnown refuses unknown values in arguments and inside other values. A whole
// result may be unknown.
func checkKnown(args []history.Value, result history.Value) error {
	if slices.ContainsFunc(args, history.Value.HoldsUnknown) || slices.ContainsFunc(result.List(), history.Value.HoldsUnknown) {
		return errors.New("format native cannot carry an unknown value that is not a result as a whole")
	}
	return nil
}

// process returns the name of the operation's process. A process of ghosts only has
// lost its name and gets a new one.
func (e *nativeEncoder) process(op *history.Operation) history.Value {
	if op.Process >= 0 {
		return e.h.Processes[op.Process]
	}
	for n := -1 - int(op.Process); ; n += len(e.h.Ghosts) {
		name := history.StringValue("ghost-" + strconv.Itoa(n))
		if !slices.ContainsFunc(e.h.Processes, name.Equal) {
			return name
		}
	}
}

// arrange lists the events in their order, with stamps if h had some.
func (e *nativeEncoder) arrange() {
	e.events = eventsIn(e.h, len(e.h.Ops)+len(e.h.Ghosts))
	if e.h.Order != history.StampOrder {
		return
	}
	tied := e.tiedUntil()
	at, until := int64(0), int32(-1)
	for i := range e.events {
		ev := &e.events[i]
		if ev.position > until {
			at = int64(i)
		}
		ev.at = at
		if !ev.ret {
			until = max(until, tied[ev.op])
		}
	}
}

// tiedUntil finds the operations that begin before the previous operation of their
// process ends, and returns where that one ends. With equal stamps, invocations are
// read before responses, so that the order of the events between stays the same.
func (e *nativeEncoder) tiedUntil() map[int32]int32 {
	tied := map[int32]int32{}
	for _, edge := range e.h.Edges {
		from, to := e.h.Operation(edge.From), e.h.Operation(edge.To)
		if from.Process == to.Process && !from.Pending() && to.Call < from.Return {
			tied[edge.To] = max(tied[edge.To], from.Return)
		}
	}
	return tied
}

// appendHeader appends a header line.
func appendHeader(b []byte, h *history.Header) []byte {
	b = append(b, `{"leadline":1`...)
	if h.ID != "" {
		b = scan.AppendText(append(b, `,"history":`...), h.ID)
	}
	if h.Model != "" {
		b = scan.AppendText(append(b, `,"model":`...), h.Model)
	}
	if len(h.ModelArgs) > 0 {
		b = scan.AppendList(append(b, `,"args":`...), h.ModelArgs)
	}
	if h.Tie != history.Closed {
		b = append(b, `,"tie":"half-open"`...)
	}
	if h.Order == history.StampOrder {
		b = append(b, `,"order":"stamp"`...)
	}
	if h.Durability != history.UnknownDurability {
		b = append(append(append(b, `,"durability":"`...), h.Durability.String()...), '"')
	}
	return append(b, "}\n"...)
}

func (e *nativeEncoder) event(ev *plainEvent) {
	op := e.h.Operation(ev.op)
	out := history.Event{Process: e.process(op), Op: op.ID(), At: ev.at}
	switch {
	case !ev.ret:
		out.Method, out.Args = op.Method, op.Args
	case int(ev.op) >= len(e.h.Ops):
		out.Type = history.Fail
	case op.Crashed:
		out = history.Event{Type: history.Crash, Args: []history.Value{out.Process}, At: out.At}
	case op.Waits:
		out.Type, out.For = history.Waits, e.h.WaitsFor(ev.op)
	default:
		out.Type, out.Result, out.Version = history.OK, op.Result, op.Version
	}
	e.buf = appendEvent(e.buf, &out, e.h.Order == history.StampOrder)
}

// appendEvent appends the line of an event, with its stamp if stamp is set. It leaves
// out a process or an identifier that is None.
func appendEvent(b []byte, ev *history.Event, stamp bool) []byte {
	b = append(b, '{')
	if ev.Process.Kind() != history.None {
		b = append(scan.AppendValue(append(b, `"process":`...), ev.Process), ',')
	}
	if ev.Op.Kind() != history.None {
		b = append(scan.AppendValue(append(b, `"op":`...), ev.Op), ',')
	}
	if stamp {
		b = append(strconv.AppendInt(append(b, `"at":`...), ev.At, 10), ',')
	}
	b = append(append(append(b, `"type":"`...), ev.Type.String()...), '"')
	switch ev.Type {
	case history.Invoke:
		b = scan.AppendText(append(b, `,"method":`...), ev.Method)
		if len(ev.Args) > 0 {
			b = scan.AppendList(append(b, `,"args":`...), ev.Args)
		}
	case history.Crash:
		if len(ev.Args) > 0 {
			b = scan.AppendList(append(b, `,"processes":`...), ev.Args)
		}
	case history.OK:
		b = appendResult(b, ev.Result)
		if n, ok := ev.Version.Number(); ok {
			b = strconv.AppendInt(append(b, `,"version":`...), n, 10)
		}
	case history.Waits:
		if ev.For != "" {
			b = scan.AppendText(append(b, `,"for":`...), ev.For)
		}
	}
	return append(b, "}\n"...)
}

func appendResult(b []byte, v history.Value) []byte {
	switch v.Kind() {
	case history.None:
		return b
	case history.Unknown:
		return append(b, `,"unknown":true`...)
	case history.Exception:
		if utf8.ValidString(v.Text()) {
			return scan.AppendText(append(b, `,"exception":`...), v.Text())
		}
	}
	return scan.AppendValue(append(b, `,"result":`...), v)
}

// extras writes edges and marks. It also writes edges that a tie implies, which does
// no harm, and leaves out marks that an edge implies.
func (e *nativeEncoder) extras() {
	implied := map[int32]bool{}
	for _, edge := range e.h.Edges {
		from, to := e.h.Operation(edge.From), e.h.Operation(edge.To)
		implied[edge.From] = true
		b := scan.AppendValue(append(e.buf, `{"edge":[`...), from.ID())
		b = scan.AppendValue(append(b, ','), to.ID())
		e.buf = append(b, "]}\n"...)
	}
	for i := range int32(len(e.h.Ops) + len(e.h.Ghosts)) {
		op := e.h.Operation(i)
		ghost := int(i) >= len(e.h.Ops)
		switch {
		case ghost && op.Pending():
			e.mark("did-not-happen", op.ID())
		case !ghost && op.Happened && !implied[i]:
			e.mark("happened", op.ID())
		}
	}
}

func (e *nativeEncoder) mark(what string, id history.Value) {
	b := scan.AppendText(append(e.buf, `{"mark":`...), what)
	b = scan.AppendValue(append(b, `,"op":`...), id)
	e.buf = append(b, "}\n"...)
}

// An EventWriter writes one history in leadline's own format, event by event, so that
// its memory does not grow. It does not check that the events form a history; reading
// them does.
type EventWriter struct {
	w     io.Writer
	buf   []byte
	stamp bool
	err   error // the first of any
}

// NewEventWriter returns a writer for a history with the header h. It writes lines to
// w in chunks; Flush writes the rest.
func NewEventWriter(w io.Writer, h history.Header) *EventWriter {
	e := &EventWriter{w: w, stamp: h.Order == history.StampOrder}
	e.err = checkKnown(h.ModelArgs, history.NoValue)
	if w == nil {
		e.err = errors.New("codec: the writer is nil")
	}
	for _, text := range []string{h.ID, h.Model} {
		e.checkText(text)
	}
	if e.err == nil {
		e.buf = appendHeader(make([]byte, 0, decode.Chunk+decode.Chunk/4), &h)
	}
	return e
}

// Comment writes a line that readers skip.
func (e *EventWriter) Comment(text string) {
	if e.checkText(text); e.err != nil {
		return
	}
	e.buf = append(e.buf, "# "...)
	for i := range len(text) {
		c := text[i]
		if c == '\n' || c == '\r' {
			c = ' '
		}
		e.buf = append(e.buf, c)
	}
	e.buf = append(e.buf, '\n')
}

// Write writes an event and does not retain it. After an error it only returns that
// error.
func (e *EventWriter) Write(ev *history.Event) error {
	e.checkText(ev.Method)
	e.checkText(ev.Process.Text())
	e.checkText(ev.Op.Text())
	e.checkText(ev.For)
	if e.err == nil {
		e.err = checkKnown(ev.Args, ev.Result)
	}
	if e.err != nil {
		return e.err
	}
	e.buf = appendEvent(e.buf, ev, e.stamp)
	if len(e.buf) >= decode.Chunk {
		return e.Flush()
	}
	return nil
}

// Flush writes all buffered lines, and returns the first error of the EventWriter.
func (e *EventWriter) Flush() error {
	if e.err == nil {
		n, err := e.w.Write(e.buf)
		if err == nil && n < len(e.buf) {
			err = io.ErrShortWrite
		}
		e.err, e.buf = err, e.buf[:0]
	}
	return e.err
}

func (e *EventWriter) checkText(text string) {
	if e.err == nil && !utf8.ValidString(text) {
		e.err = fmt.Errorf("format %s cannot carry %q, which is not UTF-8", Name, text)
	}
}

// A plainEvent is an invocation or a response of operation number op; from
// len(Ops) on, op counts ghosts.
type plainEvent struct {
	position int32
	op       int32
	ret      bool
	at       int64 // stamp, if the format has stamps
}

// eventsIn lists the events of the first n operations and ghosts.
func eventsIn(h *history.History, n int) []plainEvent {
	events := make([]plainEvent, 0, 2*n)
	for i := range int32(n) {
		op := h.Operation(i)
		events = append(events, plainEvent{position: op.Call, op: i})
		if op.Return != history.NoReturn {
			events = append(events, plainEvent{position: op.Return, op: i, ret: true})
		}
	}
	slices.SortFunc(events, func(x, y plainEvent) int { return int(x.position) - int(y.position) })
	return events
}
