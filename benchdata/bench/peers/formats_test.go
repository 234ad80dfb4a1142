package peers_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay/simulate"
)

// A foreignFormat writes simulated histories as other programs do. leadline only reads
// these formats.
type foreignFormat struct {
	name      string
	workloads []simulate.Workload
	write     func(text *bytes.Buffer, h *history.History)
	mapping   string // of records
}

func foreignFormats() []foreignFormat {
	kv, queue := simulate.Workload{Model: "kv"}, simulate.Workload{Model: "queue"}
	stack, set := simulate.Workload{Model: "stack"}, simulate.Workload{Model: "set"}
	plain := simulate.Workload{Model: "queue", Mix: simulate.Mix{Insert: 4, Remove: 4}} // Jepsen has no peek
	return []foreignFormat{
		{name: "polylin", workloads: []simulate.Workload{queue, stack, set}, write: writePolylin},
		{name: "kv", workloads: []simulate.Workload{kv}, write: writeKV},
		{name: "jepsen", workloads: []simulate.Workload{kv, plain}, write: writeJepsen},
		{name: "jsonl", workloads: []simulate.Workload{queue, set, kv}, write: writeJSONLines,
			mapping: "process = client\nop = id\ntype = event\nf = method\nargs = args\nresult = result\nmodel = "},
	}
}

// options says how leadline reads a history of the model.
func (f *foreignFormat) options(model string) codec.Options {
	if f.mapping == "" {
		return codec.Options{Format: f.name}
	}
	return codec.Options{Map: f.mapping + model}
}

// eachEvent calls do for the invocations and responses of a history in their order.
func eachEvent(h *history.History, do func(op *history.Operation, ret bool)) {
	events := make([]int, 2*len(h.Ops)) // by position: 2*op, and one more for a response
	for i := range h.Ops {
		events[h.Ops[i].Call], events[h.Ops[i].Return] = 2*i, 2*i+1
	}
	for _, e := range events {
		do(&h.Ops[e/2], e%2 == 1)
	}
}

// polylinMethods are PolyLin's names of methods, by model and method.
var polylinMethods = map[string]map[string]string{
	"queue": {"enqueue": "enq", "dequeue": "deq", "peek": "peek"},
	"stack": {"push": "push", "pop": "pop", "peek": "peek"},
	"set":   {"add": "insert", "remove": "remove", "contains": "contains"},
}

// writePolylin writes lines of method, value, start and end; of a set, with the result.
func writePolylin(text *bytes.Buffer, h *history.History) {
	fmt.Fprintf(text, "# %s\n", h.Model)
	for i := range h.Ops {
		op := &h.Ops[i]
		value := op.Result.String()
		switch {
		case h.Model == "set":
			value = op.Args[0].String() + map[bool]string{false: " 0", true: " 1"}[op.Result.Bool()]
		case len(op.Args) > 0:
			value = op.Args[0].String()
		case op.Result.Kind() == history.Null:
			value = "-1"
		}
		fmt.Fprintf(text, "%s %s %d %d\n", polylinMethods[h.Model][op.Method], value, op.Call, op.Return)
	}
}

// edn returns a value in EDN.
func edn(v history.Value) string {
	if k := v.Kind(); k == history.None || k == history.Null {
		return "nil"
	}
	return v.String()
}

// writeKV writes a key-value log in EDN, as porcupine's test data are.
func writeKV(text *bytes.Buffer, h *history.History) {
	eachEvent(h, func(op *history.Operation, ret bool) {
		value := edn(history.NoValue)
		switch {
		case op.Method == "put":
			value = edn(op.Args[1])
		case ret:
			value = edn(op.Result)
		}
		fmt.Fprintf(text, "{:process %d, :type %s, :f :%s, :key %s, :value %s}\n", op.Process, ednType(ret), op.Method, edn(op.Args[0]), value)
	})
}

func ednType(ret bool) string {
	if ret {
		return ":ok"
	}
	return ":invoke"
}

// writeJepsen writes a history of Jepsen in EDN: of a key-value store as independent
// registers. A dequeue that finds nothing fails.
func writeJepsen(text *bytes.Buffer, h *history.History) {
	eachEvent(h, func(op *history.Operation, ret bool) {
		f, typ, value := op.Method, ednType(ret), edn(history.NoValue)
		switch {
		case f == "put":
			f, value = "write", fmt.Sprintf("[%s %s]", edn(op.Args[0]), edn(op.Args[1]))
		case f == "get" && ret:
			f, value = "read", fmt.Sprintf("[%s %s]", edn(op.Args[0]), edn(op.Result))
		case f == "get":
			f, value = "read", fmt.Sprintf("[%s nil]", edn(op.Args[0]))
		case len(op.Args) > 0:
			value = edn(op.Args[0])
		case ret && op.Result.Kind() == history.Null:
			typ = ":fail"
		case ret:
			value = edn(op.Result)
		}
		fmt.Fprintf(text, "{:process %d, :type %s, :f :%s, :value %s}\n", op.Process, typ, f, value)
	})
}

// writeJSONLines writes a record of each start and finish.
func writeJSONLines(text *bytes.Buffer, h *history.History) {
	eachEvent(h, func(op *history.Operation, ret bool) {
		fmt.Fprintf(text, `{"client":%d,"id":%v,"event":`, op.Process, op.ID())
		switch {
		case !ret:
			args := make([]string, len(op.Args))
			for i, a := range op.Args {
				args[i] = a.String()
			}
			fmt.Fprintf(text, `"invoke","method":%q,"args":[%s]}`, op.Method, strings.Join(args, ","))
		case op.Result.Kind() == history.None:
			text.WriteString(`"ok"}`)
		default:
			fmt.Fprintf(text, `"ok","result":%v}`, op.Result)
		}
		text.WriteByte('\n')
	})
}

// read reads the one history of a text.
func read(tb testing.TB, text []byte, o codec.Options) *history.History {
	tb.Helper()
	var read *history.History
	for h, err := range codec.Decode(bytes.NewReader(text), "test", o) {
		if err != nil {
			tb.Fatal(err)
		}
		read = h
	}
	return read
}

// TestForeignFormats: what the writers write are the operations of the history, and its
// model.
func TestForeignFormats(t *testing.T) {
	operations := func(h *history.History) (list []string) {
		for i := range h.Ops {
			op := &h.Ops[i]
			list = append(list, fmt.Sprint(op.Call, op.Return, op.Method, op.Args, edn(op.Result))) // null is nothing
		}
		slices.Sort(list)
		return list
	}
	for _, f := range foreignFormats() {
		for _, w := range f.workloads {
			w.Ops, w.Seed = 300, 1
			h, err := w.History()
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			f.write(&text, h)
			got := read(t, text.Bytes(), f.options(w.Model))
			want := operations(h)
			if f.name == "jepsen" && w.Model == "queue" {
				if got.Model != w.Model || len(got.Ops) == 0 || len(got.Ops) > len(want) { // those that failed are left out
					t.Errorf("%s/%s: model %s, %d operations of %d", f.name, w.Model, got.Model, len(got.Ops), len(want))
				}
				continue
			}
			if got.Model != w.Model || !slices.Equal(operations(got), want) {
				t.Errorf("%s/%s: model %s, other operations in\n%s", f.name, w.Model, got.Model, text.Bytes()[:min(500, text.Len())])
			}
		}
	}
}

// BenchmarkRead reads histories in leadline's own format and in those of other programs.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		if testing.Short() && n > 10_000 {
			continue
		}
		bench := func(name string, w simulate.Workload, o codec.Options, write func(*bytes.Buffer, *history.History)) {
			b.Run(fmt.Sprintf("format=%s/type=%s/n=%d", name, w.Model, n), func(b *testing.B) {
				w.Ops, w.Threads, w.Seed = n, 16, 1
				h, err := w.History()
				if err != nil {
					b.Fatal(err)
				}
				var text bytes.Buffer
				write(&text, h)
				b.SetBytes(int64(text.Len()))
				b.ReportAllocs()
				for b.Loop() {
					read(b, text.Bytes(), o)
				}
			})
		}
		native := func(text *bytes.Buffer, h *history.History) {
			if err := codec.Encode(text, h); err != nil {
				b.Fatal(err)
			}
		}
		for _, model := range []string{"queue", "stack", "set", "kv"} {
			bench("native", simulate.Workload{Model: model}, codec.Options{}, native)
		}
		for _, f := range foreignFormats() {
			for _, w := range f.workloads {
				bench(f.name, w, f.options(w.Model), f.write)
			}
		}
	}
}
