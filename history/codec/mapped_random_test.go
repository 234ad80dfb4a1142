package codec

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
)

// A logged operation is an operation of a service as its log may have it.
type logged struct {
	process, call, ret int // ret is -1 without an end
	key, method        string
	value              string // in JSON
	status             string
}

// loggedHistory returns operations on a key-value store with many equal stamps. If
// all processes follow one another, shared is true.
func loggedHistory(r *rand.Rand, shared bool) []logged {
	values := []string{"7", "-3", "9007199254740993", "9223372036854775807", "true", `"007"`, `"1e5"`, `"x y"`, `" x"`, `"a\"b,c\td=e|f;"`, `"é"`, `"two\nlines"`}
	values = values[r.IntN(4) : 4+r.IntN(8)]
	var ops []logged
	for p := range 1 + r.IntN(3) {
		now := r.IntN(3)
		for range 1 + r.IntN(3) {
			o := logged{process: p, key: []string{"a", "b.c"}[r.IntN(2)], method: []string{"put", "get"}[r.IntN(2)],
				value: values[r.IntN(len(values))], status: []string{"ok", "ok", "ok", "found", "timeout", "refused"}[r.IntN(6)]}
			if o.method == "get" && r.IntN(3) == 0 {
				o.status, o.value = "notfound", "null"
			}
			o.call = now
			now += r.IntN(4)
			o.ret = now
			ops = append(ops, o)
			if o.status == "timeout" {
				if ops[len(ops)-1].ret = -1; shared {
					break
				}
			}
			if now += r.IntN(3); now == o.call {
				now++ // else only the order of the file could say which came first
			}
		}
	}
	return ops
}

// loggedNative renders operations in leadline's own format.
func loggedNative(ops []logged, shared bool) string {
	var b strings.Builder
	b.WriteString(`{"leadline":1,"order":"stamp","model":"kv"}` + "\n")
	for i, o := range ops {
		process := i
		if shared {
			process = o.process
		}
		args := strconv.Quote(o.key)
		if o.method == "put" {
			args += "," + o.value
		}
		fmt.Fprintf(&b, `{"process":%d,"op":%d,"type":"invoke","method":%q,"args":[%s],"at":%d}`+"\n", process, i, o.method, args, o.call)
		switch {
		case o.status == "timeout":
		case o.status == "refused":
			fmt.Fprintf(&b, `{"op":%d,"type":"fail","at":%d}`+"\n", i, o.ret)
		case o.method == "get":
			fmt.Fprintf(&b, `{"op":%d,"type":"ok","result":%s,"at":%d}`+"\n", i, o.value, o.ret)
		default:
			fmt.Fprintf(&b, `{"op":%d,"type":"ok","at":%d}`+"\n", i, o.ret)
		}
	}
	return b.String()
}

// stampText writes a stamp in one of several ways, all of the same style.
func stampText(r *rand.Rand, style, n int) string {
	switch style {
	case 0:
		return strconv.Itoa(n)
	case 1: // 1.7e9 and so many 10^-8ths
		return fmt.Sprintf([]string{"1.7000000000000%04de9", "1700000000.0000%04d", "1700000000.0000%04d00", "17000000000000%04de-8"}[r.IntN(4)], n)
	}
	at := time.Unix(1_700_000_000, int64(n)*250_000_000).In(time.FixedZone("", []int{0, 7200, -12600}[r.IntN(3)]))
	return at.Format([]string{time.RFC3339Nano, "2006-01-02T15:04:05.000Z07:00", "2006-01-02 15:04:05.000000000Z07:00", "2006-01-02T15:04:05,00-07:00"}[r.IntN(4)])
}

// loggedRecords renders operations as a log of the kind, and returns the mapping for it.
func loggedRecords(r *rand.Rand, ops []logged, kind string, shared bool) (mapping, text string) {
	style, whole, both := r.IntN(3), r.IntN(2) == 0, r.IntN(2) == 0
	ended := `{"ok":"ok","found":"ok","notfound":"ok","timeout":"info","refused":"fail"}[st ?? ""]`
	mapping = "op=id,f=do,model=kv"
	if shared {
		mapping += ",process=who"
	}
	if both {
		mapping += `,args=[on, do == "put" ? val ?? nil : nil],result=val ?? nil`
	} else {
		mapping += ",args=[on, arg ?? nil],result=res ?? nil"
	}
	type row = map[string]string
	var rows []row
	quote := strconv.Quote
	for i, o := range ops {
		id, who, call := strconv.Itoa(i), quote("w"+strconv.Itoa(o.process)), stampText(r, style, o.call)
		begin := row{"id": id, "who": who, "do": quote(o.method), "on": quote(o.key)}
		end := row{"id": id, "st": quote(o.status)}
		value := "val"
		if !both && o.method == "put" {
			value = "arg"
		} else if !both {
			value = "res"
		}
		switch {
		case o.method == "put":
			begin[value] = o.value
		case o.status == "ok" || o.status == "found":
			end[value] = o.value
		}
		if style == 2 {
			call = quote(call)
		}
		if o.ret >= 0 {
			if end["t1"] = stampText(r, style, o.ret); style == 2 {
				end["t1"] = quote(end["t1"])
			}
		}
		if begin["t0"] = call; whole {
			for name, text := range end {
				begin[name] = text
			}
			rows = append(rows, begin)
			continue
		}
		begin["ev"], end["ev"] = `"start"`, `"end"`
		begin["t"], end["t"] = call, end["t1"]
		delete(begin, "t0")
		delete(end, "t1")
		if rows = append(rows, begin); o.ret >= 0 {
			rows = append(rows, end)
		}
	}
	stamp := []string{"%s", `ns(%s, "s")`, "ns(%s)"}[style]
	if whole {
		mapping += fmt.Sprintf(",call="+stamp+",return=(t1 ?? nil) == nil ? nil : "+stamp+",outcome=", "t0", "t1") + ended
	} else {
		mapping += fmt.Sprintf(",at="+stamp, "t") + `,type=ev == "start" ? "invoke" : ` + ended
	}
	r.Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
	names := []string{"ev", "who", "id", "do", "on", "val", "arg", "res", "st", "t", "t0", "t1"}
	var b bytes.Buffer
	plain := func(text string) string {
		if s, err := strconv.Unquote(text); err == nil {
			return s
		}
		return text
	}
	switch kind {
	case "csv", "tsv":
		w := csv.NewWriter(&b)
		if w.UseCRLF = r.IntN(2) == 0; kind == "tsv" {
			w.Comma = '\t'
		}
		_ = w.Write(names)
		for _, row := range rows {
			var cells []string
			for _, name := range names {
				cells = append(cells, plain(row[name]))
			}
			_ = w.Write(cells)
		}
		w.Flush()
		text = []string{"", "\ufeff"}[r.IntN(2)] + b.String()
	default:
		for i, row := range rows {
			var fields []string
			for _, name := range names {
				switch {
				case row[name] == "" && (kind == "logfmt" || r.IntN(2) == 0):
				case kind == "logfmt" && strings.HasPrefix(row[name], `"`):
					fields = append(fields, name+"="+quote(plain(row[name])))
				case kind == "logfmt":
					fields = append(fields, name+"="+row[name])
				case row[name] == "":
					if name != "res" && name != "val" && name != "arg" && name != "do" && name != "who" && name != "on" && name != "st" {
						fields = append(fields, quote(name)+":null")
					}
				default:
					fields = append(fields, quote(name)+":"+row[name])
				}
			}
			switch {
			case kind == "logfmt":
				b.WriteString(strings.Join(fields, " ") + "\n")
			case kind == "list":
				b.WriteString([]string{"[", ",\n"}[min(i, 1)] + "{" + strings.Join(fields, ", ") + "}")
			default:
				b.WriteString("{" + strings.Join(fields, ",") + "}\n")
			}
		}
		if text = b.String(); kind == "list" {
			text += "]"
		}
	}
	return mapping, text
}

// verdictText describes all that the verdict on a history of a key-value store depends
// on: its operations, by identifier, and their order.
func verdictText(h *history.History) string {
	n := len(h.Ops)
	byID := make([]int, n)
	before := make([][]bool, n)
	for i := range n {
		byID[i], before[i] = i, make([]bool, n)
		for k := range n {
			before[i][k] = !h.Ops[i].Pending() && h.Ops[i].Return < h.Ops[k].Call
		}
	}
	for _, e := range h.Edges {
		if int(e.From) < n && int(e.To) < n {
			before[e.From][e.To] = true
		}
	}
	for via := range n {
		for i := range n {
			for k := range n {
				before[i][k] = before[i][k] || before[i][via] && before[via][k]
			}
		}
	}
	slices.SortFunc(byID, func(i, k int) int { return h.Ops[i].ID().Compare(h.Ops[k].ID()) })
	var b strings.Builder
	for _, i := range byID {
		op := &h.Ops[i]
		fmt.Fprintf(&b, "%v %v %v", op.ID(), op.Method, op.Args)
		if !op.Pending() {
			fmt.Fprintf(&b, " %v %v", op.Result.Kind(), op.Result)
		}
		for _, k := range byID {
			if before[k][i] {
				fmt.Fprintf(&b, " after %v", h.Ops[k].ID())
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestMappedRandom: logs of a service, of every kind and shape and with stamps in
// several notations, are read as the same histories as in the native format.
func TestMappedRandom(t *testing.T) {
	t.Parallel()
	r := random(t)
	n := 2_000
	if *full {
		n *= 2
	}
	if testing.Short() { // as under the race detector
		n /= 10
	}
	for range n {
		shared := r.IntN(2) == 0
		ops := loggedHistory(r, shared)
		kind := []string{"csv", "tsv", "logfmt", "list", "lines"}[r.IntN(5)]
		mapping, text := loggedRecords(r, ops, kind, shared)
		want, err := only([]byte(loggedNative(ops, shared)))
		if err != nil {
			t.Fatal(err)
		}
		got := (*history.History)(nil)
		for h, err := range Decode(strings.NewReader(text), "in", Options{Map: mapping}) {
			if err != nil {
				t.Fatalf("%v\nin %s by %s\n%s", err, kind, mapping, text)
			}
			got = h
		}
		for i := range got.Ops { // what puts return is left out later
			if op := &got.Ops[i]; op.Method == "put" && !op.Pending() {
				op.Result = history.NoValue
			}
		}
		if g, w := verdictText(got), verdictText(want); g != w {
			t.Fatalf("%s by %s\n%s\ngot\n%s\nwant\n%s", kind, mapping, text, g, w)
		}
	}
}
