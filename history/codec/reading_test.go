package codec

import (
	"fmt"
	"strings"
	"testing"
)

// TestReading: a mapping says how records are read, whatever the first line looks like.
func TestReading(t *testing.T) {
	const event = `,op=$line,type="invoke",f="f"`
	for _, test := range []struct{ in, mapping, want string }{
		{"a b=1 c\n", "read=columns,args=[c1, c2, c3]", `["a" "b=1" "c"]`},
		{"a,b=1\n", "read=csv,header=no,args=[c1, c2]", `["a" "b=1"]`},
		{"x,y\na,1\n", "read=csv,args=[x, y]", `["a" 1]`},
		{"1\t2,3,4\n", "read=tsv,header=no,args=[c1, c2]", `[1 "2,3,4"]`},
		{"x\ty\n1\t2,3,4\n", "read=tsv,args=[x, y]", `[1 "2,3,4"]`},
		{"1\t2\n", "header=no,args=[c1, c2]", `[1 2]`},
		{"\"a\" b\t{\"k\": \"v\"}\r\nz\n", "read=tsv,header=no,skip=c2 == nil,args=[c1, c2.k]", `["\"a\" b" "v"]`},
		{"{\"a\": 1}\t2\n", "read=tsv,header=no,args=[c1.a, c2]", `[1 2]`},
		{"a 1 b=2\n", "read=logfmt,args=b", `[2]`},
		{"a b\n", "read=json,args=b", "unexpected"},
		{"a,b\n1\n", "read=csv,header=no,args=c1", "the line has 1 columns, the first one 2"},
		{"#c\n\n a, b \n", "args=$text", `[" a, b "]`},
		{"# c\n\nx,y\n# d\n\n\"a\nb\",1\n", "args=[$text, y]", `["a\nb,1" 1]`},
		{"x=1 y=2\n", "args=[x, $text]", `[1 "x=1 y=2"]`},
		{"[{\"x\": 1}]\n", "args=[x, $text]", `[1 "{\"x\": 1}"]`},
		{`{"a":{"b":[{"x":7}]}}`, "records=a.b,args=[x, $text]", `[7 "{\"x\":7}"]`},
		{`[{"c":1,"a":[{"b":[[{"x":7,"c":2}],[]],"d":3}],"x":4}]`, "records=a.b,args=[x, c, d]", `[7 2 3]`},
		{`{"a":null} {"a":[]} {"a":{"x":9007199254740993.5}}`, `records=a,args=ns(x,"s")`, "does not fit"},
		{`{"a":null} {"a":[]} {"a":{"x":1.5}}`, `records=a,args=ns(x,"s")`, "[1500000000]"},
		{`{"a":[{"x":1},2]}`, "records=a,args=x", "records = a: a list or an object is expected, not 2"},
		{"{\"a\":[{\"x\":1},\n{\"x\":1,\"x\":2}]}", "records=a,args=x", "in:2: the key \"x\" occurs twice"},
		{`{"b":[{"x":1}]}`, "records=a,args=x", "no object has an element in the list a, which records names"},
		{`{"a":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "}", "records=a,args=x", "nested more than"},
		{"a", "read=xml", "read is columns, csv, json, logfmt, tsv"}, {"a", "header=maybe", "header is yes or no"},
		{"a", "records=a..b", "records is a path of names"}, {"a", "records=a,read=csv", "records goes with read=json"},
		{"{}", "read=json,header=no", "header goes with read=csv"},
	} {
		got := ""
		for h, err := range Decode(strings.NewReader(test.in), "in", Options{Map: test.mapping + event}) {
			if got += fmt.Sprint(err); err == nil {
				got = fmt.Sprint(h.Ops[0].Args)
			}
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%q by %s: %s, want %s", test.in, test.mapping, got, test.want)
		}
	}
}
