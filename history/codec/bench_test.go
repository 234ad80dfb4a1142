package codec

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// formatText returns n operations in a format, of eight processes.
func formatText(tb testing.TB, format Format, n int) []byte {
	lines := map[string]string{
		"native":      `{"process":%[1]d,"type":"invoke","method":"enqueue","args":[%[2]d]}` + "\n" + `{"process":%[1]d,"type":"ok"}`,
		"jepsen":      "{:process %[1]d, :type :invoke, :f :enqueue, :value %[2]d}\n{:process %[1]d, :type :ok, :f :enqueue, :value %[2]d}",
		"kv":          `{:process %[1]d, :type :invoke, :f :put, :key "k", :value %[2]d}` + "\n" + `{:process %[1]d, :type :ok, :f :put, :key "k", :value %[2]d}`,
		"etcd":        "INFO  jepsen.util - %[1]d\t:invoke\t:write\t%[2]d\nINFO  jepsen.util - %[1]d\t:ok\t:write\t%[2]d",
		"polylin":     "enq %[2]d %[3]d %[4]d",
		"limo":        "[%[2]d] call enq(%[2]d)\n[%[2]d] return",
		"jepsen-json": `{"process":%[1]d,"type":"invoke","f":"enqueue","value":%[2]d}` + "\n" + `{"process":%[1]d,"type":"ok","f":"enqueue","value":%[2]d}`,
		"s2":          `{"event":{"Start":{"Append":%[2]d}},"client_id":%[1]d,"op_id":%[2]d}` + "\n" + `{"event":{"Finish":"AppendSuccess"},"client_id":%[1]d,"op_id":%[2]d}`,
		"etcd-report": `{"ClientId":%[1]d,"Input":{"Type":"range","Range":{"Start":"k","End":""}},"Call":%[3]d,"Output":{"Range":{"KVs":[]}},"Return":%[4]d}`,
		"violat": `{"kind":"call","sid":%[1]d,"invocation":{"id":%[2]d,"method":{"name":"add"},"arguments":[%[2]d]}},` +
			`{"kind":"return","sid":%[1]d,"invocation":{"id":%[2]d},"value":"true"}`,
	}
	line, known := lines[format.Name]
	if !known {
		tb.Fatalf("no text for %s", format.Name)
	}
	var text bytes.Buffer
	text.WriteString(map[string]string{"native": `{"leadline":1}` + "\n", "polylin": "# queue\n", "limo": "# @object atomic-queue\n",
		"violat": `{"schema":{"class":"java.util.concurrent.ConcurrentLinkedQueue"},"events":[` + "\n"}[format.Name])
	for i := range n {
		if format.Name == "violat" && i > 0 {
			text.WriteString(",\n")
		}
		fmt.Fprintf(&text, line+"%[5]s\n", i%8, i, 2*i, 2*i+1, "")
	}
	if format.Name == "violat" {
		text.WriteString("]}\n")
	}
	return text.Bytes()
}

// BenchmarkDecode decodes 20,000 operations in each format, 2,000 with -short.
func BenchmarkDecode(b *testing.B) {
	n := 20_000
	if testing.Short() {
		n /= 10
	}
	for _, format := range Formats() {
		text := formatText(b, format, n)
		b.Run("format="+format.Name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range format.Decode(bytes.NewReader(text), "", Limits{}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/operation")
		})
	}
}

// TestBytewise reads each format byte by byte, whole, cut and damaged, as it reads
// it at once.
func TestBytewise(t *testing.T) {
	read := func(format Format, r io.Reader) string {
		var out strings.Builder
		for h, err := range format.Decode(r, "f", Limits{}) {
			if fmt.Fprintln(&out, err); h == nil {
				continue
			}
			fmt.Fprintln(&out, h.Header, h.Processes, h.Stamps)
			for i := range h.Ops {
				op := &h.Ops[i]
				fmt.Fprintln(&out, op, op.ID(), op.Process, op.Call, op.Return, op.Line)
			}
		}
		return out.String()
	}
	for _, format := range Formats() {
		text := formatText(t, format, 100)
		inputs := [][]byte{text}
		for i := 1; i <= 20; i++ {
			cut := len(text) * i / 21
			damaged := bytes.Clone(text)
			damaged[cut] = '!'
			inputs = append(inputs, text[:cut], damaged)
		}
		for i, in := range inputs {
			atOnce, bytewise := read(format, bytes.NewReader(in)), read(format, iotest.OneByteReader(bytes.NewReader(in)))
			if atOnce != bytewise {
				t.Errorf("%s, input %d: at once\n%s\nbytewise\n%s", format.Name, i, atOnce, bytewise)
			}
			if i == 0 && strings.Count(atOnce, "\n") != 102 {
				t.Errorf("%s: %s", format.Name, atOnce)
			}
		}
	}
}

// BenchmarkMapped reads records by expressions: nested JSON, and CSV with stamps in seconds.
func BenchmarkMapped(b *testing.B) {
	const n = 20_000
	var lines, rows bytes.Buffer
	rows.WriteString("who,verb,key,arg,got,begin,finish,state\n")
	for i := range n {
		at := 1795731406938284397 + int64(i)*1000
		fmt.Fprintf(&lines, `{"level":"info","session":{"id":%d},"request":{"name":"put","params":["k%d",%d]},"response":{"data":null},"timing":{"sent":%d,"received":%d}}`+"\n",
			i%10, i%1000, i, at, at+900)
		fmt.Fprintf(&rows, "c%d,put,k%d,%d,,%d.%09d,%d.%09d,ok\n", i%10, i%1000, i, at/1e9, at%1e9, at/1e9, (at+900)%1e9)
	}
	for _, test := range []struct {
		name, mapping string
		text          []byte
	}{
		{"json", `process=session.id,f=request.name,args=request.params,result=response?.data,call=timing.sent,return=timing.received,outcome=response == nil ? "info" : "ok"`, lines.Bytes()},
		{"csv", `process=who,f=verb,args=[key, arg],result=got,call=ns(begin,"s"),return=ns(finish,"s"),outcome=state == "ok" ? "ok" : "info"`, rows.Bytes()},
	} {
		b.Run("records="+test.name, func(b *testing.B) {
			b.SetBytes(int64(len(test.text)))
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range Decode(bytes.NewReader(test.text), "", Options{Map: test.mapping}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/record")
		})
	}
}
