package codec

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// encodeViolat writes h as Violat would: one object on one line. It refuses what Violat
// cannot express, and a result that would be read as another one.
func encodeViolat(w io.Writer, h *history.History) error {
	e := violatEncoder{h: h}
	e.object()
	if e.err != nil {
		return fmt.Errorf("format %s cannot carry %w", violatName, e.err)
	}
	_, err := w.Write(e.buf)
	return err
}

type violatEncoder struct {
	h   *history.History
	buf []byte
	err error
}

// refuse records the first thing that cannot be carried.
func (e *violatEncoder) refuse(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

func (e *violatEncoder) raw(s string) { e.buf = append(e.buf, s...) }

func (e *violatEncoder) text(s string) {
	if !utf8.ValidString(s) {
		e.refuse("%q, which is not UTF-8", s)
	}
	e.buf = appendText(e.buf, s)
}

func (e *violatEncoder) object() {
	h := e.h
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Happened {
			e.refuse("the mark that pending operation %v happened", op.ID())
		}
	}
	if len(h.Ops) == 0 {
		e.refuse("a history in which nothing happened")
	}
	if len(h.Edges) > 0 {
		e.refuse("order edges")
	}
	e.raw(`{"schema":{"class":`)
	class := h.Model
	if !strings.Contains(class, ".") || strings.HasPrefix(class, violatPackage) {
		class = violatPackage + class
	}
	e.text(class)
	e.raw(`,"arguments":`)
	e.arguments(h.ModelArgs)
	e.sequences()
	e.raw(`,"order":[]},"events":[`)
	e.events()
	e.raw("]}\n")
}

func (e *violatEncoder) sequences() {
	e.raw(`,"sequences":[`)
	members := make([][]int, len(e.h.Processes))
	for i := range e.h.Ops {
		p := e.h.Ops[i].Process
		members[p] = append(members[p], i)
	}
	for p, ops := range members {
		e.comma(p > 0)
		e.raw(`{"index":`)
		e.identifier(e.h.Processes[p])
		e.raw(`,"invocations":[`)
		for k, i := range ops {
			e.comma(k > 0)
			e.invocation(&e.h.Ops[i])
		}
		e.raw("]}")
	}
	e.raw("]")
}

// events writes calls and returns in the order of their positions.
func (e *violatEncoder) events() {
	for k, ev := range eventsOf(e.h) {
		op := &e.h.Ops[ev.op]
		e.comma(k > 0)
		if ev.ret {
			e.raw(`{"kind":"return","sid":`)
		} else {
			e.raw(`{"kind":"call","sid":`)
		}
		e.identifier(e.h.Processes[op.Process])
		e.raw(`,"invocation":`)
		e.invocation(op)
		if ev.ret && op.Result.Kind() != history.None {
			e.raw(`,"value":`)
			e.result(op)
		}
		e.raw("}")
	}
}

func (e *violatEncoder) comma(needed bool) {
	if needed {
		e.raw(",")
	}
}

func (e *violatEncoder) identifier(v history.Value) {
	if v.Kind() == history.String {
		e.text(v.Text())
		return
	}
	e.buf = strconv.AppendInt(e.buf, v.Int(), 10)
}

// invocation writes an operation with its method. An overload is identified by
// the number of its parameters and by whether they are collections.
func (e *violatEncoder) invocation(op *history.Operation) {
	e.raw(`{"id":`)
	e.identifier(op.ID())
	e.raw(`,"method":{"name":`)
	e.text(op.Method)
	e.raw(`,"parameters":[`)
	for i, a := range op.Args {
		e.comma(i > 0)
		switch a.Kind() {
		case history.List:
			e.raw(`{"type":["java.lang.Object"]}`)
		case history.Map:
			e.raw(`{"type":{"java.lang.Object":"java.lang.Object"}}`)
		default:
			e.raw(`{"type":"java.lang.Object"}`)
		}
	}
	e.raw(`],"void":`)
	e.buf = strconv.AppendBool(e.buf, op.Result.Kind() == history.None)
	e.raw(`},"arguments":`)
	e.arguments(op.Args)
	e.raw("}")
}

func (e *violatEncoder) arguments(vs []history.Value) { e.argument(history.ListValue(vs...)) }

// argument writes a value that plain JSON can express.
func (e *violatEncoder) argument(v history.Value) {
	var ok bool
	if e.buf, ok = appendPlain(e.buf, v); !ok {
		e.refuse("%s", describe(v))
	}
}

// result writes a result as a string, if that is read as the same result.
func (e *violatEncoder) result(op *history.Operation) {
	v := op.Result
	switch v.Kind() {
	case history.Float:
		e.argument(v)
		return
	case history.Null, history.Bool, history.Int:
		e.text(v.String())
		return
	case history.Exception, history.String:
		if back, ok := violatResult(history.StringValue(v.Text())); ok && back.Equal(v) {
			e.text(v.Text())
			return
		}
	}
	e.refuse("%s as a result (of operation %v)", describe(v), op.ID())
}

func describe(v history.Value) string {
	switch v.Kind() {
	case history.Unknown:
		return "an unknown value"
	case history.None:
		return "no value"
	case history.Null:
		return "null"
	}
	return fmt.Sprintf("the %s %v", v.Kind(), v)
}
