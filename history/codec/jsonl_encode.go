package codec

import (
	"io"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// encodeJSONL writes h as a stream of starts and finishes. The first record
// names the model.
func encodeJSONL(w io.Writer, h *history.History) error {
	if err := checkPlain(jsonlName, h); err != nil {
		return err
	}
	buf := []byte{}
	for i, ev := range eventsOf(h) {
		op, ok := &h.Ops[ev.op], true
		buf = append(buf, '{')
		if i == 0 && h.Model != "" {
			buf, ok = appendPlain(append(buf, `"model":`...), history.StringValue(h.Model))
			if len(h.ModelArgs) > 0 && ok {
				buf, ok = appendPlain(append(buf, `,"model_args":`...), history.ListValue(h.ModelArgs...))
			}
			buf = append(buf, ',')
		}
		if !ok {
			return refusal(jsonlName, "the model %s", modelText(h))
		}
		if buf, ok = appendUnion(append(buf, `"event":`...), op, ev.ret); !ok {
			return refusal(jsonlName, "%v (operation %v), whose result has a kind of its own or is unknown", op, op.ID())
		}
		process := h.Processes[op.Process]
		if !utf8.ValidString(process.Text()) || !utf8.ValidString(op.ID().Text()) {
			return refusal(jsonlName, "the names of %v, which are not UTF-8", op)
		}
		buf = AppendValue(append(buf, `,"client_id":`...), process)
		buf = AppendValue(append(buf, `,"op_id":`...), op.ID())
		buf = append(buf, "}\n"...)
	}
	c := carrier{format: jsonlName, processes: true,
		decode: func(text []byte) (*history.History, error) { return only(decodeJSONL, text) }}
	return c.write(w, h, buf)
}

// appendUnion appends a start or a finish.
func appendUnion(buf []byte, op *history.Operation, ret bool) ([]byte, bool) {
	ok := true
	if !ret {
		if buf, ok = appendPlain(append(buf, `{"Start":{`...), history.StringValue(op.Method)); !ok {
			return buf, false
		}
		buf, ok = appendPlain(append(buf, ':'), history.ListValue(op.Args...))
		return append(buf, "}}"...), ok
	}
	switch op.Result.Kind() {
	case history.None:
		return append(buf, `{"Finish":"Ok"}`...), true
	case history.Exception:
		buf, ok = appendPlain(append(buf, `{"Finish":{"Exception":`...), history.StringValue(op.Result.Text()))
	default:
		buf, ok = appendPlain(append(buf, `{"Finish":{"Ok":`...), op.Result)
	}
	return append(buf, "}}"...), ok
}
