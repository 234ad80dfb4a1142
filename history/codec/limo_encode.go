package codec

import (
	"bytes"
	"io"
	"slices"
	"strconv"

	"github.com/leadline/leadline/history"
)

// encodeLimo writes h with its processes in brackets.
func encodeLimo(w io.Writer, h *history.History) error {
	if err := checkPlain(limoName, h); err != nil {
		return err
	}
	i := slices.IndexFunc(limoObjects, func(o lineObject) bool { return o.model == h.Model })
	if i < 0 {
		return refusal(limoName, "a history of the model %s", modelText(h))
	}
	object := &limoObjects[i]
	buf := append(append([]byte("# @object "), object.name...), '\n')
	for _, ev := range eventsOf(h) {
		var err error
		if buf, err = appendLimoLine(buf, h, object, ev); err != nil {
			return err
		}
	}
	c := carrier{format: limoName, method: object.canonical, processes: true,
		decode: func(text []byte) (*history.History, error) { return only(decodeLimo, text) }}
	return c.write(w, h, buf)
}

func appendLimoLine(buf []byte, h *history.History, object *lineObject, ev plainEvent) ([]byte, error) {
	op := &h.Ops[ev.op]
	m := object.forMethod(op.Method)
	if m == nil {
		return buf, refusal(limoName, "the method %s of %s", op.Method, h.Model)
	}
	process := h.Processes[op.Process]
	name := process.Text()
	if process.Kind() == history.Int {
		name = strconv.FormatInt(process.Int(), 10)
	}
	if name == "" || bytes.ContainsAny([]byte(name), " \t\r\n[]") {
		return buf, refusal(limoName, "the process %q", name)
	}
	buf = append(append(append(buf, '['), name...), ']')
	value := history.NoValue
	if ev.ret {
		buf = append(buf, " return"...)
		value = op.Result
	} else {
		buf = append(append(buf, " call "...), m.names[0]...)
		if len(op.Args) > 0 {
			value = op.Args[0]
		}
	}
	text := limoText(value)
	if back, fault := limoValue([]byte(text)); fault != "" || !back.Equal(value) {
		return buf, refusal(limoName, "%s (of operation %v)", describe(value), op.ID())
	}
	if text != "" {
		buf = append(append(buf, ' '), text...)
	}
	return append(buf, '\n'), nil
}

func limoText(v history.Value) string {
	switch v.Kind() {
	case history.Null:
		return "empty"
	case history.Int:
		return strconv.FormatInt(v.Int(), 10)
	case history.String:
		return v.Text()
	}
	return ""
}
