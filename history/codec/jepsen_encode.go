package codec

import (
	"io"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// encodeJepsen writes h as a vector of operations, one to a line.
func encodeJepsen(w io.Writer, h *history.History) error {
	e := wordEncoder{format: jepsenName, h: h, open: "[", between: "\n ", end: "]\n"}
	return e.encode(w, dialectFor(h, false), decodeJepsen)
}

// encodeKV writes h as a key-value log, an operation to a line.
func encodeKV(w io.Writer, h *history.History) error {
	e := wordEncoder{format: kvName, h: h, keyed: true, between: "\n", end: "\n"}
	return e.encode(w, dialectFor(h, true), decodeKV)
}

// dialectFor returns the dialect in which h can be written, or nil.
func dialectFor(h *history.History, keyed bool) *dialect {
	known := append([]dialect{registerDialect, setDialect, counterDialect, independentDialect}, otherDialects...)
	if keyed {
		known = []dialect{keyValueDialect}
	}
	for i := range known {
		if known[i].model == h.Model || known[i].model == "cas-register" && h.Model == "register" {
			return &known[i]
		}
	}
	return nil
}

// A wordEncoder writes events in the manner of Jepsen.
type wordEncoder struct {
	format             string
	h                  *history.History
	keyed              bool // operations have a key of their own
	independent        bool // values are [key value]
	open, between, end string
	buf                []byte
}

func (e *wordEncoder) encode(w io.Writer, d *dialect, decode decoder) error {
	if err := checkPlain(e.format, e.h); err != nil {
		return err
	}
	if d == nil {
		return refusal(e.format, "a history of the model %s", modelText(e.h))
	}
	e.independent = !e.keyed && d.model == "kv"
	e.buf = append(e.buf, e.open...)
	for i, ev := range eventsOf(e.h) {
		if i > 0 {
			e.buf = append(e.buf, e.between...)
		}
		if err := e.event(d, ev); err != nil {
			return err
		}
	}
	e.buf = append(e.buf, e.end...)
	c := carrier{
		format: e.format, processes: true, method: d.canonical,
		decode: func(text []byte) (*history.History, error) { return only(decode, text) },
	}
	return c.write(w, e.h, e.buf)
}

// canonical returns the name under which a method is read again.
func (d *dialect) canonical(method string) string {
	if w := d.forMethod(method); w != nil {
		return w.method
	}
	return method
}

// event writes {:process 1, :type :ok, :f :read, :key "k", :value 3}.
func (e *wordEncoder) event(d *dialect, ev plainEvent) error {
	op := &e.h.Ops[ev.op]
	process := e.h.Processes[op.Process]
	if name := process.Text(); name == ":nemesis" || !utf8.ValidString(name) {
		return refusal(e.format, "the process %q", name)
	}
	p, err := partsOf(e.format, d, op, ev.ret, e.keyed || e.independent)
	if err == nil && ev.ret {
		err = checkResult(e.format, d, op)
	}
	if err != nil {
		return err
	}
	if e.independent {
		p.value = history.ListValue(p.key, p.value)
	}
	typ := ":invoke"
	if ev.ret {
		typ = ":ok"
	}
	e.buf, _ = appendEDN(append(e.buf, "{:process "...), process)
	e.buf = append(append(e.buf, ", :type "...), typ...)
	e.buf = append(append(e.buf, ", :f :"...), p.f...)
	ok := true
	if e.keyed {
		if e.buf, ok = appendEDN(append(e.buf, ", :key "...), p.key); !ok {
			return refusal(e.format, "%s as a key (of operation %v)", describe(p.key), op.ID())
		}
	}
	if e.buf, ok = appendEDN(append(e.buf, ", :value "...), p.value); !ok {
		return refusal(e.format, "%s (of operation %v)", describe(p.value), op.ID())
	}
	e.buf = append(e.buf, '}')
	return nil
}

// parts are what stands in an event besides its type and process.
type parts struct {
	f          string
	key, value history.Value
}

// partsOf returns what stands in the invocation or the completion of op.
func partsOf(format string, d *dialect, op *history.Operation, ret, keyed bool) (parts, error) {
	w := d.forMethod(op.Method)
	if w == nil {
		return parts{}, refusal(format, "the method %s of %s", op.Method, d.model)
	}
	p, args := parts{f: w.f, value: history.NullValue}, op.Args
	if keyed {
		if len(args) == 0 {
			return p, refusal(format, "%v, which has no key", op)
		}
		p.key, args = args[0], args[1:]
	}
	want := map[shape]int{blind: 1, silent: 1, compare: 2, transact: 1}[w.shape]
	if len(args) != want {
		return p, refusal(format, "%v, which has not %d arguments", op, want)
	}
	switch w.shape {
	case blind, silent:
		p.value = args[0]
	case compare:
		p.value = history.ListValue(args...)
	case transact:
		if p.value = keywords(args[0]); ret {
			p.value = keywords(op.Result)
		}
	case answer, listing:
		if ret {
			p.value = op.Result
		}
	}
	return p, nil
}

// checkResult refuses results that a completion of that word cannot have.
func checkResult(format string, d *dialect, op *history.Operation) error {
	k, ok := op.Result.Kind(), true
	shape := d.forMethod(op.Method).shape
	switch shape {
	case blind, plain:
		ok = k == history.None
	case silent:
		ok = k == history.Unknown
	case compare:
		ok = op.Result.Bool()
	default:
		ok = k != history.None && k != history.Unknown
	}
	if !ok || k == history.Exception {
		return refusal(format, "%s as a result (of operation %v, %s)", describe(op.Result), op.ID(), op.Method)
	}
	return nil
}

// keywords writes the f of the micro-operations of a transaction as keywords.
func keywords(v history.Value) history.Value {
	list := make([]history.Value, len(v.List()))
	for i, micro := range v.List() {
		m := append([]history.Value(nil), micro.List()...)
		if len(m) > 0 && m[0].Kind() == history.String {
			m[0] = history.StringValue(":" + m[0].Text())
		}
		list[i] = history.ListValue(m...)
	}
	return history.ListValue(list...)
}
