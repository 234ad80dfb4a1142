package decide_test

import (
	"context"
	"errors"
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

// TestCut: a last line that can be read whole is whole. What cannot be read whole is a
// fault; only a native history in file order is then checked as far as it goes.
func TestCut(t *testing.T) {
	const limo = "# @object atomic-queue\n[1] call enq(12)\n[1] return\n[2] call deq\n[2] return "
	const etcd = "0 :invoke :write 12\n0 :ok :write 12\n1 :invoke :read nil\n1 :ok :read "
	const polylin = "# queue\nenq 7 1 2\ndeq 7 3 "
	const stamped = `{"leadline":1,"model":"queue","order":"stamp"}
{"process":0,"op":1,"at":3,"type":"invoke","method":"dequeue"}
{"process":0,"op":1,"at":4,"type":"ok","result":7}
`
	const inFile = `{"leadline":1,"model":"queue"}
{"process":0,"type":"invoke","method":"dequeue"}
{"process":0,"type":"ok","result":7}
`
	const edge = `{"leadline":1,"model":"queue"}
{"edge":[0,1]}
{"process":0,"op":0,"type":"invoke","method":"enqueue","args":[7]}
{"process":1,"op":1,"type":"invoke","method":"dequeue"}
{"process":1,"op":1,"type":"ok","result":`
	const mark = `{"leadline":1,"model":"mutex"}
{"process":0,"op":0,"type":"invoke","method":"lock"}
{"process":0,"op":0,"type":"ok"}
{"process":1,"op":1,"type":"invoke","method":"lock"}
{"mark":"happened","op":1}
`
	const edn = "{:process 0, :type :invoke, :f :read, :value nil}\n{:process 0, :type :ok, :f :read, :value 1}\n"
	const records = `{"ClientId":0,"Input":{"Type":"range","Range":{"Start":"k","End":""}},"Call":3,"Output":{"Range":{"KVs":[{"Key":"k","Value":"v"}]}},"Return":4}` + "\n"
	const no, yes = replay.NotLinearizable, replay.Linearizable
	for name, test := range map[string]struct {
		in           string
		want         replay.Answer // Undecided: there is no history
		unterminated bool
		faultAt      int // the line of the fault of the file or the history; 0 if there is none
	}{
		"limo":                {limo + "12\n", yes, false, 0},
		"limo, no newline":    {limo + "12", yes, true, 0},
		"limo, violation":     {limo + "1", no, true, 0},
		"limo, cut":           {limo + "12\n[3] ca", replay.Undecided, false, 6},
		"limo, blank":         {limo + "12\n  ", yes, false, 0},
		"etcd, no newline":    {etcd + "12", yes, true, 0},
		"etcd, violation":     {etcd + "1", no, true, 0},
		"etcd, cut":           {etcd + "[1", replay.Undecided, false, 4},
		"polylin":             {polylin + "4\n", yes, false, 0},
		"polylin, no newline": {polylin + "4", yes, true, 0},
		"polylin, violation":  {"# queue\ndeq 7 3 4", no, true, 0},
		"polylin, cut":        {polylin, replay.Undecided, false, 3},
		"stamped":             {strings.TrimSuffix(stamped, "\n"), no, false, 0},
		"stamped, cut":        {stamped + `{"process"`, replay.Undecided, false, 4},
		"in file order, cut":  {inFile + `{"process"`, no, false, 4},
		"prefix":              {inFile[:len(inFile)-3], yes, false, 3},
		"edge, cut":           {edge, replay.Undecided, false, 5},
		"edge":                {edge + "7}", yes, false, 0},
		"mark":                {mark, no, false, 0},
		"mark, cut":           {mark + `{"process":0,"op":2,"type":"invoke","method":"unl`, replay.Undecided, false, 6},
		"edn, cut":            {edn + "{:process", replay.Undecided, false, 3},
		"edn list, cut":       {"[" + edn, replay.Undecided, false, 3},
		"edn":                 {strings.TrimSuffix(edn, "\n"), no, false, 0},
		"records, cut":        {records + `{"ClientId":1`, replay.Undecided, false, 2},
		"records":             {strings.TrimSuffix(records, "\n"), no, false, 0},
		"old torn":            {strings.Replace(inFile, `"queue"`, `"queue","torn":true,"guessed":true`, 1), no, false, 0},
	} {
		answer, faultAt, unterminated, warned := replay.Undecided, 0, false, 0
		o := codec.Options{Warn: func(*codec.SyntaxError) { warned++ }}
		for h, err := range codec.Decode(strings.NewReader(test.in), "in", o) {
			var faults *history.Errors
			var fault *codec.SyntaxError
			switch {
			case errors.As(err, &faults):
				faultAt = faults.List[0].Line
			case errors.As(err, &fault):
				faultAt = fault.Line
			default:
				s, err := spec.Lookup(h.Model, h.ModelArgs)
				if err != nil {
					t.Fatal(err)
				}
				answer, unterminated = check(t, h, s, replay.Options{}).Answer, h.Unterminated
			}
		}
		if answer != test.want || faultAt != test.faultAt || unterminated != test.unterminated {
			t.Errorf("%s: %v, fault at line %d, unterminated %v; want %v, %d, %v", name, answer, faultAt, unterminated, test.want, test.faultAt, test.unterminated)
		}
		if wants := name == "old torn" || strings.HasPrefix(test.in, "{:") && answer == no; (warned > 0) != wants {
			t.Errorf("%s: %d warnings", name, warned)
		}
	}
}

// TestCutTables: a row or a line of logfmt needs no newline at the end of the file.
func TestCutTables(t *testing.T) {
	const mapping = "process=p,type=t,f=f,args=a,result=r ?? nil,model=cas-register"
	for _, in := range []string{
		"p,t,f,a,r\n0,invoke,write,12,\n0,ok,write,,",
		"p=0 t=invoke f=write a=12\np=0 t=ok f=write",
	} {
		for _, end := range []string{"\n", ""} {
			n := 0
			for h, err := range codec.Decode(strings.NewReader(in+end), "in", codec.Options{Map: mapping}) {
				if n++; err != nil || h.Unterminated != (end == "") || len(h.Ops) != 1 || h.Ops[0].Pending() {
					t.Errorf("%q: %v, %v", in+end, h, err)
				}
			}
			if n != 1 {
				t.Errorf("%q: %d results", in+end, n)
			}
		}
		for _, rest := range []string{"\n1,inv", "\n1,\"inv", "\np=1 t=\"in"} {
			for h, err := range codec.Decode(strings.NewReader(in+rest), "in", codec.Options{Map: mapping}) {
				if err == nil {
					t.Errorf("%q: read as %v", in+rest, h.Ops)
				}
			}
		}
	}
}

// TestCutEdges: no cut file whose history is linearizable is called not-linearizable,
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

// TestCutAnywhere: no cut of a file whose history is linearizable leaves one
// that is called not-linearizable, in the formats in which a record shows its end.
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
	cuts := 0
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
				var b strings.Builder
				if err := codec.Encode(&b, h); err != nil {
					t.Fatal(err)
				}
				cuts += cutAnywhere(t, b.String())
			}
			cuts += cutAnywhere(t, text)
		}
	}
	if cuts == 0 {
		t.Error("nothing was cut")
	}
}

// cutAnywhere cuts text before each byte, and returns how many cuts left a
// history.
func cutAnywhere(t *testing.T, text string) (histories int) {
	for n := range len(text) + 1 {
		for h, err := range codec.Decode(strings.NewReader(text[:n]), "in", codec.Options{}) {
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
				t.Errorf("not linearizable is\n%s", text[:n])
			}
		}
	}
	return histories
}
