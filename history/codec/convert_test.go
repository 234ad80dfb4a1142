package codec

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
)

var full = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")

func FuzzDecodeJepsen(f *testing.F)     { fuzzDecode(f, "jepsen") }
func FuzzDecodeKV(f *testing.F)         { fuzzDecode(f, "kv") }
func FuzzDecodeEtcd(f *testing.F)       { fuzzDecode(f, "etcd") }
func FuzzDecodePolylin(f *testing.F)    { fuzzDecode(f, "polylin") }
func FuzzDecodeLimo(f *testing.F)       { fuzzDecode(f, "limo") }
func FuzzDecodeJepsenJSON(f *testing.F) { fuzzDecode(f, "jepsen-json") }
func FuzzDecodeEtcdReport(f *testing.F) { fuzzDecode(f, "etcd-report") }
func FuzzDecodeS2(f *testing.F)         { fuzzDecode(f, "s2") }

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
		`{"ClientId":0,"Input":{},"Call":1`: "etcd-report", `{"event":{"Start":{}},"client_id":1,"op_id":2}`: "s2",
		` [ {"ClientId":0,"Input":{},"Call":1}]`: "etcd-report", `{"process":0,"type":"invoke","f":"read","value":null}`: "jepsen-json", `[{"client":1}]`: "", "[": "", "[{": "", `[{"a`: "",
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
	const plain = `process=who,type=what.kind == "begin" ? "invoke" : "ok",f=what.name,args=$env.in,result=out`
	for _, test := range []struct{ in, mapping, want string }{
		{events, plain + ",model=register", `register closed/file write(7): null read(): 7`},
		{events, plain + ",op=id,at=t,tie=half-open", ` half-open/stamp write(7): null read(): 7`},
		{events, plain + ",begin=x", "error"},
		{events, "process=who", "error"},
		{`{"f":"get","a":["k"],"r":null,"s":1,"e":2}`, `f=f,args=a,result=r,call=s,return=e,model=kv:null`, `kv closed/stamp get("k"): null`},
		{`{"f":"get","s":"x","e":2}`, `f=f,call=s,return=e`, "error"},
	} {
		var got []string
		for h, err := range Decode(strings.NewReader(test.in), "in", Options{Map: test.mapping}) {
			if err != nil {
				got = []string{"error"}
				continue
			}
			got = append(got, h.Model, h.Tie.String()+"/"+h.Order.String())
			for i := range h.Ops {
				got = append(got, h.Ops[i].String())
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %v, want %s", test.mapping, got, test.want)
		}
	}
	if _, err := (&Options{Map: plain, Format: "native"}).format(); err == nil {
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

// TestSharedFormats decodes histories of other projects, if they lie beside this one,
// and converts each.
func TestSharedFormats(t *testing.T) {
	const dir = "../../../shared/histories"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no recorded histories at %s", dir)
	}
	counts := map[string]int{}
	for _, format := range []string{"jepsen", "kv", "etcd", "polylin", "limo"} {
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
				again(t, h)
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
	if Encode(nil, &history.History{}) == nil || Encode(io.Discard, nil) == nil {
		t.Error("a nil writer or history: no error")
	}
}

// FuzzDecodeNative and FuzzDecodeViolat: no panic; an error has a line;
// decoding, encoding and decoding is the identity.
func FuzzDecodeNative(f *testing.F) { fuzzDecode(f, "native") }

func FuzzDecodeViolat(f *testing.F) { fuzzDecode(f, "violat") }

func fuzzDecode(f *testing.F, name string) {
	format, _ := Lookup(name)
	for _, in := range goldenInputs(f, name) {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 1<<16 {
			return
		}
		roundTrip(t, format, in)
	})
}
