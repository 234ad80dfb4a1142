package decide_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

// TestTorn: where a file may have been cut, what is missing may explain what
// no order explains. The verdict is not-linearizable only if what was read is
// the beginning of the history.
func TestTorn(t *testing.T) {
	const limo = "# @object atomic-queue\n[1] call enq(12)\n[1] return\n[2] call deq\n[2] return "
	const etcd = "0 :invoke :write 12\n0 :ok :write 12\n1 :invoke :read nil\n1 :ok :read "
	const stamped = `{"leadline":1,"model":"queue","order":"stamp"}
{"process":0,"op":1,"at":3,"type":"invoke","method":"dequeue"}
{"process":0,"op":1,"at":4,"type":"ok","result":7}
`
	const inFile = `{"leadline":1,"model":"queue"}
{"process":0,"type":"invoke","method":"dequeue"}
{"process":0,"type":"ok","result":7}
`
	const looked = `
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":1}
`
	const got = `
{"process":0,"type":"invoke","method":"get","args":["k"]}
{"process":0,"type":"ok","result":1}
`
	const edge = `{"leadline":1,"model":"queue"}
{"edge":[0,1]}
{"process":0,"op":0,"type":"invoke","method":"enqueue","args":[7]}
{"process":1,"op":1,"type":"invoke","method":"dequeue"}
{"process":1,"op":1,"type":"ok","result":`
	const record = `{"ClientId":0,"Input":{"op":"get","key":"k"},"Call":3,"Output":"v","Return":4}` + "\n"
	const no, yes, unknown = replay.NotLinearizable, replay.Linearizable, replay.Undecided
	for name, test := range map[string]struct {
		in       string
		want     replay.Answer
		realTime bool // what is wanted holds of real time only
	}{
		"limo, whole":            {limo + "1\n", no, false},
		"limo, altered":          {limo + "1", unknown, false},
		"limo, as it should be":  {limo + "12", yes, false},
		"etcd, whole":            {etcd + "1\n", no, false},
		"etcd, altered":          {etcd + "1", unknown, false},
		"etcd, as it should be":  {etcd + "12", yes, false},
		"polylin, whole":         {"# queue\ndeq 7 3 4\n", no, false},
		"polylin, altered":       {"# queue\ndeq 7 3 4", unknown, false},
		"polylin, line left out": {"# queue\ndeq 7 3 4\nenq 7", unknown, false},
		// What no order explains is before the cut, whatever that was.
		"limo, wrong before":          {"# @object atomic-queue\n[1] call enq(a)\n[1] return\n[1] call enq(b)\n[1] return\n[1] call deq()\n[1] return b\n[1] call deq()\n[1] return a", no, true},
		"limo, no such value":         {"# @object atomic-stack\n[1] call push(a)\n[1] return\n[1] call push(c)\n[1] return\n[1] call pop()\n[1] return a", no, true},
		"limo, a longer value":        {"# @object atomic-stack\n[1] call push(a)\n[1] return\n[1] call push(ac)\n[1] return\n[1] call pop()\n[1] return a", unknown, true},
		"polylin, wrong before":       {"# stack\npush 1 1 2\npush 2 3 4\npop 1 5 6\npop 2 7 8", no, true},
		"polylin, cut in a line":      {"# stack\npush 1 1 2\npop 2 5 6\npop 1 7 8\npush 2", unknown, true},
		"polylin, few lines":          {"# stack\npush 1 1 2\npop 2 5 6\npop 1 7 8", unknown, true},
		"polylin, in no order":        {"# stack\npush 1 1 2\npush 2 3 4\npop 2 7 8\npop 1 5 6", unknown, true},
		"polylin, wrong with the cut": {"# stack\npush 1 1 2\npush 2 3 4\npop 1 5 6", unknown, true},
		"etcd, wrong before":          {"0 :invoke :read nil\n0 :ok :read 7\n1 :invoke :write 1\n1 :ok :write 1", no, true},
		"limo, a value cut off":       {"# @object atomic-queue\n[1] call enq(12)\n[1] return\n[1] call deq()\n[1] return", unknown, false},
		"etcd, a written value cut":   {"0 :invoke :write 12\n1 :invoke :read nil\n1 :ok :read 12\n0 :ok :write 1", yes, false},
		"stamps, whole":               {stamped, no, false},
		"stamps, newline lost":        {strings.TrimSpace(stamped), no, false},
		"stamps, line left out":       {stamped + `{"process":0,"op":0,"at":1,"ty`, unknown, false},
		"file order, left out":        {inFile + `{"process":1,"ty`, no, false},
		// Operation 0 may not have happened, although an edge says so.
		"edge, fail cut":    {edge + "null}\n" + `{"process":0,"op":0,"ty`, unknown, false},
		"edge, mark cut":    {edge + "null}\n" + `{"mark":"did-not-happen","op`, unknown, false},
		"edge, whole":       {edge + "null}\n", no, false},
		"edge, other value": {edge + "8}\n" + `{"process":0,"op":0,"ty`, no, true},
		"edge, that ended":  {edge + "null}\n" + `{"process":0,"op":0,"type":"ok"}` + "\n" + `{"ty`, no, false},
		"edge, marked":      {edge + "null}\n" + `{"mark":"happened","op":0}` + "\n" + `{"ty`, no, false},
		"edge, torn":        {strings.Replace(edge, `"queue"`, `"queue","torn":true`, 1) + "null}\n", unknown, false},
		"records, whole":    {record, no, false},
		"records, left out": {record + `{"ClientId":0,"In`, unknown, false},
		// The value that was there at first may be the longer one.
		"register, initial":       {`{"leadline":1,"model":"register","args":[12],"torn":true}` + looked, unknown, false},
		"register, other initial": {`{"leadline":1,"model":"register","args":["ab"],"torn":true}` + looked, no, true},
		"register, null at first": {`{"leadline":1,"model":"register","torn":true}` + looked, unknown, false},
		"kv, initial":             {`{"leadline":1,"model":"kv","args":[12],"torn":true}` + got, unknown, false},
		"mark":                    {strings.Replace(inFile, `"queue"`, `"queue","torn":true`, 1), unknown, false},
	} {
		n := 0
		for h, err := range codec.Decode(strings.NewReader(test.in), "in", codec.Options{}) {
			if err != nil {
				continue // of the line that is left out
			}
			n++
			for _, h := range []*history.History{h, h.ProgramOrder()} {
				s, err := spec.Lookup(h.Model, h.ModelArgs)
				if err != nil {
					t.Fatal(err)
				}
				v, err := decide.Check(context.Background(), h, s, replay.Options{Explain: true})
				if err != nil {
					t.Fatal(err)
				}
				if h.IsRelaxed() && test.realTime {
					if v.Answer == no { // what was cut has no place in that order
						t.Errorf("%s, in program order: %v", name, v.Answer)
					}
					continue
				}
				if v.Answer != test.want || (v.Cause == replay.Torn) != (test.want == unknown) {
					t.Errorf("%s: %v (%v), want %v", name, v.Answer, v.Cause, test.want)
				}
				if v.Explanation != nil && v.Answer != no {
					t.Errorf("%s: explained", name)
				}
			}
		}
		if n != 1 {
			t.Errorf("%s: %d histories", name, n)
		}
	}
}

// TestTornFields: in tables and logfmt, what was cut may be any field of the last line,
// and a value may have become one of another kind.
func TestTornFields(t *testing.T) {
	const written = "who=A type=invoke f=write in=%s\nwho=A type=ok f=write\nwho=B type=invoke f=read\nwho=B type=ok f=read out=%s"
	tests := map[string]struct {
		in, model string
		want      replay.Answer
	}{
		"append": {"who,type,f,key,in,out\nA,invoke,append,k,a,\nA,ok,append,,,\nA,invoke,append,k,b,\nA,ok,append,,,\nB,invoke,get,k,,\nB,ok,get,,,a",
			"kv", replay.Undecided},
		"process": {"type=invoke f=put key=a in=x who=3\ntype=ok who=3\ntype=invoke f=put key=b in=y who=3\ntype=ok who=3\n" +
			"type=invoke f=get key=a who=1\ntype=invoke f=get key=b who=12\ntype=ok out=y who=1", "kv", replay.Undecided},
		"failure": {"type=invoke f=put key=a in=x who=1\ntype=invoke f=put key=a in=y who=12\ntype=invoke f=get key=a who=3\ntype=ok out=x who=3\n" +
			"type=fail who=1", "kv", replay.Undecided},
		"wrong before": {fmt.Sprintf(written, "1", "7") + "\nwho=B type=invoke f=read\nwho=B type=ok f=read out=1", "register", replay.NotLinearizable},
		"whole":        {fmt.Sprintf(written, "1", "7") + "\n", "register", replay.NotLinearizable},
	}
	for value, cut := range map[string]string{"-5": "-", "true": "tru", "1.5": "1.", "[[1,2]]": "[1,2", `[{"k":1}]`: `{"k":1`, "false": "f", "abc": "ab"} {
		tests[value] = struct {
			in, model string
			want      replay.Answer
		}{fmt.Sprintf(written, value, cut), "register", replay.Undecided}
	}
	for name, test := range tests {
		o := codec.Options{Map: "process=who,type=type,f=f,key=key,args=in,result=out,void=append|put|write,model=" + test.model}
		if test.model == "register" {
			o.Map = strings.Replace(o.Map, "key=key,", "", 1)
		}
		n := 0
		for h, err := range codec.Decode(strings.NewReader(test.in), "in", o) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			n++
			s, err := spec.Lookup(h.Model, h.ModelArgs)
			if err != nil {
				t.Fatal(err)
			}
			if v, err := decide.Check(context.Background(), h, s, replay.Options{}); err != nil || v.Answer != test.want {
				t.Errorf("%s: %v, %v, want %v", name, v.Answer, err, test.want)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d histories", name, n)
		}
	}
	// In other formats the last field is a result.
	const appended = `{"leadline":1,"model":"kv","torn":true}
{"process":0,"type":"invoke","method":"append","args":["k","a"]}
{"process":0,"type":"ok"}
{"process":0,"type":"invoke","method":"append","args":["k","b"]}
{"process":0,"type":"ok"}
{"process":0,"type":"invoke","method":"get","args":["k"]}
{"process":0,"type":"ok","result":"a"}
`
	for h, err := range codec.Decode(strings.NewReader(appended), "in", codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		s, err := spec.Lookup(h.Model, h.ModelArgs)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := decide.Check(context.Background(), h, s, replay.Options{}); err != nil || v.Answer != replay.Undecided {
			t.Errorf("append: %v, %v", v.Answer, err)
		}
	}
}

// TestCutEdges: no torn file whose history is linearizable is called not-linearizable,
// with edges and marks anywhere in it.
func TestCutEdges(t *testing.T) {
	r := newRand(t)
	s := model(t, "queue")
	answers := map[replay.Answer]int{}
	for range 1000 {
		text := edgedQueue(r)
		whole := replay.Undecided
		for h, err := range codec.Decode(strings.NewReader(text), "in", codec.Options{}) {
			if err == nil {
				whole = check(t, h, s, replay.Options{}).Answer
			}
		}
		if whole == replay.Undecided { // it is ill-formed
			continue
		}
		answers[whole]++
		end := 0
		for line := range strings.Lines(text) {
			cut := text[:end+len(line)/2]
			end += len(line)
			for h, err := range codec.Decode(strings.NewReader(cut), "in", codec.Options{}) {
				if err == nil && whole == replay.Linearizable && check(t, h, s, replay.Options{}).Answer == replay.NotLinearizable {
					t.Errorf("not linearizable is\n%s\nof\n%s", cut, text)
				}
			}
		}
	}
	if answers[replay.Linearizable] < 20 || answers[replay.NotLinearizable] < 20 {
		t.Errorf("too few to say much: %v", answers)
	}
}

// edgedQueue returns a history of a queue with edges and marks, which may be ill-formed.
func edgedQueue(r *rand.Rand) string {
	n := 2 + r.IntN(4)
	lines := []string{}
	for i := range n {
		call, end := `"method":"enqueue","args":[7]`, `"ok"`
		if r.IntN(2) == 0 {
			call, end = `"method":"dequeue"`, `"ok","result":`+[]string{"7", "null"}[r.IntN(2)]
		}
		at := r.IntN(len(lines) + 1)
		lines = slices.Insert(lines, at, fmt.Sprintf(`{"process":%d,"op":%d,"type":"invoke",%s}`, i, i, call))
		at += 1 + r.IntN(len(lines)-at)
		switch r.IntN(5) {
		case 0:
			lines = slices.Insert(lines, at, fmt.Sprintf(`{"op":%d,"type":"fail"}`, i))
		case 1:
			lines = slices.Insert(lines, at, fmt.Sprintf(`{"mark":"did-not-happen","op":%d}`, i))
		case 2:
		default:
			lines = slices.Insert(lines, at, fmt.Sprintf(`{"op":%d,"type":%s}`, i, end))
		}
	}
	for range 1 + r.IntN(3) {
		lines = slices.Insert(lines, r.IntN(len(lines)), fmt.Sprintf(`{"edge":[%d,%d]}`, r.IntN(n), r.IntN(n)))
	}
	return `{"leadline":1,"model":"queue"}` + "\n" + strings.Join(lines, "\n") + "\n"
}

// TestGuessed: where a file is cut and names no model, what was cut may show another
// one. These histories are linearizable, but the reads alone are a cas-register.
func TestGuessed(t *testing.T) {
	const read = "{:process 0, :type :invoke, :f :read, :value nil}\n{:process 0, :type :ok, :f :read, :value %s}\n"
	const add = "{:process 0, :type :invoke, :f :add, :value 2}"
	for name, value := range map[string]string{"counter": "0", "set": "[]"} {
		whole := fmt.Sprintf(read, value) + add
		for n := len(whole) - len(add) + 1; n <= len(whole); n++ {
			for h, err := range codec.Decode(strings.NewReader(whole[:n]), "in", codec.Options{}) {
				if err != nil {
					continue // of the event that is cut
				}
				model, want := "cas-register", replay.Undecided
				if n == len(whole) {
					model, want = name, replay.Linearizable
				}
				s, err := spec.Lookup(h.Model, h.ModelArgs)
				if err != nil {
					t.Fatal(err)
				}
				v, err := decide.Check(context.Background(), h, s, replay.Options{})
				if err != nil || h.Model != model || v.Answer != want || (v.Cause == replay.Torn) != (want == replay.Undecided) {
					t.Errorf("%s, cut at %d: %v (%v), %v, as %s, want %v as %s", name, n, v.Answer, v.Cause, err, h.Model, want, model)
				}
			}
		}
	}
}

// TestCutAnywhere: no cut of a file whose history is linearizable leaves one
// that is called not-linearizable.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	source := []struct{ model, events string }{
		{"queue", `{"process":1,"op":1,"type":"invoke","method":"enqueue","args":[12]}
{"process":2,"op":2,"type":"invoke","method":"dequeue"}
{"process":1,"op":1,"type":"ok"}
{"process":2,"op":2,"type":"ok","result":12}
{"process":1,"op":3,"type":"invoke","method":"enqueue","args":[1]}
{"process":2,"op":4,"type":"invoke","method":"dequeue"}
{"process":2,"op":4,"type":"ok","result":null}
{"process":1,"op":3,"type":"ok"}
{"process":2,"op":5,"type":"invoke","method":"dequeue"}
{"process":2,"op":5,"type":"ok","result":1}
`},
		{"cas-register", `{"process":1,"op":1,"type":"invoke","method":"write","args":[12]}
{"process":2,"op":2,"type":"invoke","method":"read"}
{"process":1,"op":1,"type":"ok"}
{"process":2,"op":2,"type":"ok","result":12}
{"process":1,"op":3,"type":"invoke","method":"cas","args":[12,34]}
{"process":1,"op":3,"type":"ok","result":true}
{"process":2,"op":5,"type":"invoke","method":"read"}
{"process":2,"op":5,"type":"ok","result":34}
`},
		{"kv", `{"process":1,"op":1,"type":"invoke","method":"put","args":["k","12"]}
{"process":2,"op":2,"type":"invoke","method":"get","args":["k"]}
{"process":1,"op":1,"type":"ok"}
{"process":2,"op":2,"type":"ok","result":"12"}
{"process":1,"op":3,"type":"invoke","method":"get","args":["l"]}
{"process":1,"op":3,"type":"ok","result":null}
`},
	}
	cuts := map[string]int{}
	for _, from := range source {
		for _, order := range []string{"", `,"order":"stamp"`} {
			text := `{"leadline":1,"model":"` + from.model + `"` + order + "}\n"
			at := 0
			for line := range strings.Lines(from.events) {
				at++
				if order != "" { // the first event comes last
					line = strings.Replace(line, "{", `{"at":`+strconv.Itoa(at)+`,`, 1)
				}
				text += line
			}
			if order != "" {
				header, rest, _ := strings.Cut(text, "\n")
				first, others, _ := strings.Cut(rest, "\n")
				text = header + "\n" + others + first + "\n"
			}
			for h, err := range codec.Decode(strings.NewReader(text), "in", codec.Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				for _, format := range codec.Formats() {
					var b strings.Builder
					if format.Encode(&b, h) == nil {
						cuts[format.Name] += cutAnywhere(t, format, b.String())
					}
				}
			}
			cuts["native"] += cutAnywhere(t, codec.Formats()[0], text)
		}
	}
	for _, format := range codec.Formats() {
		if cuts[format.Name] == 0 {
			t.Errorf("nothing was cut in format %s", format.Name)
		}
	}
}

// cutAnywhere cuts text before each byte, and returns how many cuts left a
// history.
func cutAnywhere(t *testing.T, format codec.Format, text string) (histories int) {
	for n := range len(text) + 1 {
		for h, err := range format.Decode(strings.NewReader(text[:n]), "in", codec.Limits{}) {
			if err != nil || h.Model == "" {
				continue
			}
			histories++
			s, err := spec.Lookup(h.Model, h.ModelArgs)
			if err != nil {
				continue // the name of the model is cut
			}
			v, err := decide.Check(context.Background(), h, s, replay.Options{})
			if err == nil && v.Answer == replay.NotLinearizable {
				t.Errorf("%s: not linearizable is\n%s", format.Name, text[:n])
			}
		}
	}
	return histories
}
