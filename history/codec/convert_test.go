package codec

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
)

var full = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")

func FuzzDecodeJepsen(f *testing.F)  { fuzzDecode(f, jepsenName) }
func FuzzDecodeKV(f *testing.F)      { fuzzDecode(f, kvName) }
func FuzzDecodeEtcd(f *testing.F)    { fuzzDecode(f, etcdName) }
func FuzzDecodePolylin(f *testing.F) { fuzzDecode(f, polylinName) }
func FuzzDecodeLimo(f *testing.F)    { fuzzDecode(f, limoName) }
func FuzzDecodeJsonl(f *testing.F)   { fuzzDecode(f, jsonlName) }

func TestDetectText(t *testing.T) {
	for in, want := range map[string]string{
		"; comment\n[{:process 0, :type :invoke, :f :read, :value nil}": "jepsen",
		"[[0 :invoke :read nil]": "jepsen", "[:nemesis :info :start nil]": "jepsen", "(\n(0 :ok :read 1)": "jepsen",
		"#jepsen.history.Op{:index 0, :process 1, :type :ok, :f :read}":                             "jepsen",
		"{:process 0, :type :invoke, :f :get, :key \"0\", :value nil}":                              "kv",
		"{:process :nemesis, :type :info, :f :start}\n{:process 0, :type :invoke, :f :get, :key 0}": "kv",
		"({:process :nemesis, :type :info, :key 0}, #a/b #c.D {:process 0, :type :invoke, :f :get":  "kv",
		"[{:process :nemesis, :type :info, :key 0}, #a/b #c.D {:process 0, :type :invoke, :f :get}": "jepsen",
		"[:nemesis :info :start nil]\n[:nemesis :info :end]\n{:process 0, :type :invoke, :key 0}":   "kv",
		"[:nemesis :info :start]\n[0 :invoke":                                                       "jepsen",
		"[{:process :nemesis, :type :info}]\n[{:process 0, :type :invoke, :key 0}]":                 "jepsen",
		"{:process :nemesis, :type :info, :f :start, :value #object[a.B 0x3e \"x\"]}":               "jepsen",
		"#a queue (bounded)\n{\"leadline\":1}":                                                      "native",
		"#a (queue) [bounded]\n#_ b\n#{c}\n#d.e {:f 1}\n{\"leadline\":1}":                           "native",
		"#see (it's \"a (b)\n# @object atomic-queue\n[1] call deq\n":                                "limo",
		"#see (the queue\n#queue\nenq 1 0 1\n":                                                      "polylin",
		"#a/b #_ {:c 1} #d [#e {:type :ok}]":                                                        "jepsen",
		"noise\nINFO  jepsen.util - 0\t:invoke\t:read\tnil\n":                                       "etcd",
		"0 :invoke :cas [0 1]\n": "etcd", "# stack\npush 1 1 2": "polylin", "#pqueue\n": "polylin", "# stacks\n": "",
		"# a\n\n# @object atomic-queue\n[1] call deq\n": "limo", "[1] call deq\n": "", "# c\n; d\n{:a 1}": "",
		`{"ClientId":0,"Input":{},"Call":1`: "jsonl", `{"event":{"Start":{}},"client_id":1,"op_id":2}`: "jsonl",
		` [ {"ClientId":0,"Input":{},"Call":1}]`: "jsonl", `[{"client":1}]`: "", "[": "", "[{": "", `[{"a`: "",
		`{"client":1}`: "", "hello\nworld\n": "",
	} {
		if f, _ := Detect([]byte(in)); f.Name != want {
			t.Errorf("%q: got %q, want %q", in, f.Name, want)
		}
	}
}

func TestMapping(t *testing.T) {
	const events = `{"who":"a","what":{"kind":"begin","name":"write"},"in":7,"t":5,"id":1}
{"who":"b","what":{"kind":"begin","name":"read"},"t":6,"id":2}
{"who":"a","what":{"kind":"end"},"t":6,"id":1}
{"who":"b","what":{"kind":"end"},"out":7,"t":9,"id":2}
`
	const plain = "process=who,type=what.kind,f=what.name,args=in,result=out"
	for _, test := range []struct{ in, mapping, want string }{
		{events, plain + ",model=register", `register none/file write(7) read(): 7`},
		{events, plain + ",op=id,at=t,tie=half-open", `none half-open/stamp write(7) read(): 7`},
		{events, plain + ",begin=x", "error"},
		{events, plain + ",ok=begin,invoke=end", "error"},
		{events, "process=who", "error"},
		{events, "process=who,type=what.kind,f=what.name,value=in,args=in", "error"},
		{`{"p":1,"t":"invoke","f":"cas","v":[1,2]}` + "\n" + `{"p":1,"t":"ok","f":"cas","v":[1,2]}`,
			"process=p,type=t,f=f,value=v", `cas-register none/file cas(1, 2): true`},
		{`{"f":"get","a":["k"],"r":null,"s":1,"e":2}`, `f=f,args=a,result=r,call=s,return=e,model=kv:null`, `kv:null none/stamp get("k"): null`},
		{`{"f":"get","s":"x","e":2}`, `f=f,call=s,return=e`, "error"},
	} {
		var got []string
		for h, err := range Decode(strings.NewReader(test.in), "in", Options{Map: test.mapping}) {
			if err != nil {
				got = []string{"error"}
				continue
			}
			got = append(got, modelText(h), strings.Replace(h.Tie.String(), "closed", "none", 1)+"/"+h.Order.String())
			for i := range h.Ops {
				got = append(got, h.Ops[i].String())
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %v, want %s", test.mapping, got, test.want)
		}
	}
	if _, err := (&Options{Map: plain, Format: nativeName}).format(); err == nil {
		t.Error("a mapping for the native format")
	}
	file := filepath.Join(t.TempDir(), "m")
	if err := os.WriteFile(file, []byte(plain), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := (&Options{Map: "@" + file}).Check(); err == nil {
		t.Error("a file is opened")
	}
}

// conversions are models with methods in all shapes. The result "?" stands for a value
// of any kind.
var conversions = map[string][]string{
	"cas-register": {"read/0", "write/1", "cas/2", "get/0"}, "queue": {"enqueue/1", "deq/0", "peek/0"},
	"stack": {"push/1", "pop/0"}, "deque": {"pushFront/1", "pop_back/0"}, "mutex": {"lock/0", "unlock/0"},
	"priority-queue": {"insert/1", "poll/0"}, "set": {"add/1", "remove/1", "contains/1", "elements/0"},
	"kv": {"get/1", "put/2", "append/2", "cas/3"}, "multi-register": {"txn/1"}, "counter": {"add/1", "read/0"},
}

// randomHistory returns a history of the model, which need not be linearizable.
func randomHistory(r *rand.Rand, model string) *history.History {
	h := history.Header{Model: model}
	if model == "kv" && r.IntN(2) == 0 {
		h.ModelArgs = []history.Value{history.StringValue("")}
	}
	if model == "priority-queue" && r.IntN(2) == 0 {
		h.ModelArgs = []history.Value{history.StringValue("max")}
	}
	tame := r.IntN(2) == 0 // integers, no strange results, nothing pending
	value := func() history.Value {
		if tame {
			return history.IntValue(r.Int64N(3))
		}
		return []history.Value{history.IntValue(r.Int64N(3)), history.IntValue(r.Int64N(3)), history.NullValue,
			history.StringValue("a b"), history.StringValue("word"), history.BoolValue(true), history.ListValue(history.IntValue(1), history.NullValue)}[r.IntN(7)]
	}
	var events []history.Event
	open := map[int64]*history.Event{}
	steps := 2 + r.IntN(10)
	for i := range int64(steps + 3) {
		p := r.Int64N(3)
		if i >= int64(steps) { // the end
			p = i - int64(steps)
		}
		process := history.IntValue(p)
		if call := open[p]; call != nil {
			result := randomResult(r, model, call, tame, value)
			events = append(events, history.Event{Type: history.OK, Process: process, Result: result})
			open[p] = nil
			continue
		}
		if i >= int64(steps) || !tame && r.IntN(8) == 0 {
			continue
		}
		methods := conversions[model]
		method, n, _ := strings.Cut(methods[r.IntN(len(methods))], "/")
		ev := history.Event{Process: process, Method: method}
		for range n[0] - '0' {
			ev.Args = append(ev.Args, value())
		}
		if method == "txn" {
			ev.Args[0] = history.ListValue(history.ListValue(history.StringValue("write"), history.StringValue(":x"), value()))
		}
		events = append(events, ev)
		open[p] = &ev
	}
	built, err := history.New(h, events)
	if err != nil {
		panic(err)
	}
	return built
}

// randomResult returns any result or, if tame is set, one that the method can have.
func randomResult(r *rand.Rand, model string, call *history.Event, tame bool, value func() history.Value) history.Value {
	switch {
	case !tame && call.Method != "cas":
		return []history.Value{history.NoValue, history.NoValue, history.NullValue, history.BoolValue(true),
			value(), value(), history.UnknownValue}[r.IntN(7)]
	case call.Method == "txn":
		return call.Args[0]
	case call.Method == "elements":
		return history.ListValue(value())
	case model == "set":
		return history.UnknownValue
	case call.Method == "cas":
		return history.BoolValue(true)
	case model != "mutex" && len(call.Args) == 0, call.Method == "get":
		return value()
	}
	return history.NoValue
}

// TestConversions: what a format accepts is read as the same operations in the same
// order, and each format accepts some history of every model that it has.
func TestConversions(t *testing.T) {
	t.Parallel()
	r := random(t)
	taken := map[string]int{}
	n := 240
	switch {
	case *full:
		n = 600
	case testing.Short(): // as under the race detector
		n = 120
	}
	for range n {
		for model := range conversions {
			h := randomHistory(r, model)
			for _, format := range Formats() {
				var b bytes.Buffer
				if err := format.Encode(&b, h); err != nil {
					if b.Len() > 0 || !strings.HasPrefix(err.Error(), "format "+format.Name+" cannot carry ") {
						t.Fatalf("%v, with %d bytes written", err, b.Len())
					}
					continue
				}
				taken[format.Name+" "+model]++
				back, err := only(format.Decode, b.Bytes())
				if err != nil {
					t.Fatalf("%s: %v\n%s", format.Name, err, b.Bytes())
				}
				if got, want := essence(back), essence(h); got != want {
					t.Fatalf("%s: got\n%swant\n%s%s", format.Name, got, want, b.Bytes())
				}
			}
		}
	}
	for _, want := range strings.Split("jepsen cas-register,jepsen queue,jepsen stack,jepsen deque,jepsen mutex,jepsen priority-queue,"+
		"jepsen set,jepsen kv,jepsen multi-register,jepsen counter,kv kv,etcd cas-register,polylin stack,polylin queue,"+
		"polylin priority-queue,polylin deque,limo stack,limo queue,jsonl kv", ",") {
		if taken[want] < 1 {
			t.Errorf("%s: only %d histories taken", want, taken[want])
		}
	}
	t.Log(taken)
}

// essence describes the operations by their canonical methods, with the order
// of their events.
func essence(h *history.History) string {
	canonical := map[string]string{"get": "read", "deq": "dequeue", "pop_back": "popBack"}
	ranks := eventRanks(h)
	lines := []string{modelText(h)}
	for i := range h.Ops {
		op := h.Ops[i]
		if c, ok := canonical[op.Method]; ok {
			op.Method = c
		}
		lines = append(lines, fmt.Sprintf("%d-%d %v %v", ranks[2*i], ranks[2*i+1], &op, op.Result.Kind()))
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestSharedFormats decodes histories of other projects, if they lie beside this one,
// and converts each to every format that accepts it.
func TestSharedFormats(t *testing.T) {
	const dir = "../../../shared/histories"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no recorded histories at %s", dir)
	}
	counts := map[string]int{}
	for _, format := range []string{jepsenName, kvName, etcdName, polylinName, limoName} {
		for f, err := range Files([]string{dir + "/" + format}, Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			for h, err := range f.Histories() {
				if err != nil {
					t.Error(err)
					continue
				}
				if h.Format != format || h.Model == "" {
					t.Errorf("%s: format %s, model %q", f.Name, h.Format, h.Model)
				}
				counts[format]++
				for _, other := range Formats() {
					err := other.Encode(io.Discard, h)
					if other.Name == format && err != nil && len(h.Ops) > 0 {
						t.Errorf("%s: %v", f.Name, err)
					}
				}
			}
		}
	}
	t.Log(counts)
	for _, format := range slices.Sorted(strings.SplitSeq("jepsen kv etcd polylin limo", " ")) {
		if counts[format] == 0 {
			t.Errorf("no histories in format %s", format)
		}
	}
}

// TestNil: a nil reader, writer or history is an error.
func TestNil(t *testing.T) {
	faults := 0
	for h, err := range Decode(nil, "nil", Options{}) {
		if h != nil || err == nil {
			t.Errorf("a nil reader: %v, %v", h, err)
		}
		faults++
	}
	if faults != 1 {
		t.Errorf("a nil reader: %d errors", faults)
	}
	for _, f := range Formats() {
		if f.Encode(nil, &history.History{}) == nil || f.Encode(io.Discard, nil) == nil {
			t.Errorf("%s: no error", f.Name)
		}
	}
}
