package codec

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/files"
)

// mappedSamples returns the golden files of mapped records: each has the sections
// map, in and want.
func mappedSamples(t testing.TB) (files []string, archives []map[string]string) {
	files, err := filepath.Glob(filepath.Join("testdata", "mapped", "*.txtar"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d golden files of mapped records (%v)", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		comment, sections := parseArchive(string(raw))
		sections["comment"] = comment
		archives = append(archives, sections)
	}
	return files, archives
}

// TestMappedGolden decodes the section "in" by the mapping in "map". A file whose
// name ends in _wrong has faults, and each names file and line.
func TestMappedGolden(t *testing.T) {
	files, archives := mappedSamples(t)
	for i, file := range files {
		s := archives[i]
		got := dump(Decode(strings.NewReader(inSection(s)), "in", Options{Map: s["map"]}))
		if *update {
			text := s["comment"] + "-- map --\n" + s["map"] + "-- in --\n" + s["in"] + "-- want --\n" + got
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if got != s["want"] {
			t.Errorf("%s: got\n%s\nwant\n%s", file, got, s["want"])
		}
		if wrong := strings.HasSuffix(file, "_wrong.txtar"); wrong && strings.Count(got, "in:") == 0 {
			t.Errorf("%s: no fault with a line:\n%s", file, got)
		}
	}
}

// FuzzDecodeMapped: neither a mapping nor an input makes the decoder panic, and a
// history that it reads is written and read in the native format.
func FuzzDecodeMapped(f *testing.F) {
	_, archives := mappedSamples(f)
	for _, s := range archives {
		f.Add(s["map"], []byte(inSection(s)))
	}
	f.Fuzz(func(t *testing.T, mapping string, in []byte) {
		if len(in) > 1<<16 {
			return
		}
		for h, err := range Decode(bytes.NewReader(in), "in", Options{Map: mapping}) {
			if err != nil {
				continue
			}
			var native bytes.Buffer
			if err := Encode(&native, h); err != nil {
				continue // a method that is not UTF-8
			}
			again, err := only(native.Bytes())
			if err != nil {
				t.Fatalf("%v in\n%s", err, native.Bytes())
			}
			if len(again.Ops) != len(h.Ops) {
				t.Fatalf("%d operations became %d", len(h.Ops), len(again.Ops))
			}
		}
	})
}

// TestMappedLimits: the limit on lines applies to rows of tables and lines of logfmt.
func TestMappedLimits(t *testing.T) {
	const mapping = "call=start,return=end,f=op,args=arg"
	long := strings.Repeat("x", 20000)
	for _, in := range []string{
		"op,arg,start,end\nput,\"" + long + "\",1,2\nput,1,3,4\n",
		"op=put arg=" + long + " start=1 end=2\n",
	} {
		var last error
		for _, err := range Decode(strings.NewReader(in), "in", Options{Map: mapping, Limits: Limits{Line: 1000}}) {
			last = err
		}
		if !errors.Is(last, files.ErrLimit) {
			t.Errorf("%.20s: %v, want an exceeded limit", in, last)
		}
		for h, err := range Decode(strings.NewReader(in), "in", Options{Map: mapping}) {
			if err != nil || len(h.Ops) == 0 {
				t.Errorf("%.20s: %v", in, err)
			}
		}
	}
}

// TestMappingFaults: a fault of a mapping says where it is and what to do.
func TestMappingFaults(t *testing.T) {
	const good = "process=p,type=t,f=f"
	for _, test := range []struct{ mapping, want string }{
		{" ", "either type is needed"}, {good + ",call=c,return=r", "either type is needed"},
		{"call=c,f=f", "call goes with return"}, {good + ",return=r", "call goes with return"},
		{"type=t,f=f", "process or op is needed"}, {"process=p,type=t", "f is needed"},
		{good + ",outcome=o", "outcome goes with call"}, {"call=c,return=r,f=f,at=a,op=o", "at is the stamp of an event"},
		{good + ",f=g", "f is given twice"}, {good + ",method=g", "f is given twice"},
		{"colour=c", `unknown name "colour"`}, {good + ",tie=open", "tie is closed or half-open"},
		{"my.map", "is not NAME=EXPRESSION"}, {"=k", "is not NAME=EXPRESSION"}, {good + ",args=", "args has no expression"},
		{good + ",args=[a", "args: unexpected token"}, {good + ",result=a b", "result: unexpected token"},
		{"process=@p," + good[10:], `is written $env["NAME"]`}, {good + ",args=in", `is written $env["NAME"]`},
		{"process=client id," + good[10:], `is written $env["NAME"]`},
		{good + ",args=1 + shout(lower(f), ns(t))", "args: unknown function shout"},
		{good + ",args=$env", `stands before the name of a field`}, {good + ",args=$env[k]", `stands before the name of a field`},
		{good + ",args=" + strings.Repeat("a+", 2000) + "a", "exceeds maximum allowed nodes"},
		{good + ",colour=c", "colour is not a name of an entry; known are skip, process"},
	} {
		err := (&Options{Map: test.mapping}).Check()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.mapping, err, test.want)
		}
	}
	err := (&Options{Map: "# who\nprocess=p\n\ntype=t, f=f\n  ?? g\nargs=[\n"}).Check()
	if err == nil || !strings.HasPrefix(err.Error(), "mapping:6: args: ") || !strings.Contains(err.Error(), "^") {
		t.Errorf("a fault in line 6: %v", err)
	}
	if err := (&Options{Map: "\uFEFF" + good}).Check(); err != nil {
		t.Errorf("a byte order mark: %v", err)
	}
}

// TestMappedMemory: an expression cannot take much memory for one record.
func TestMappedMemory(t *testing.T) {
	in := `{"p":1,"t":"invoke","f":"f"}` + "\n"
	for _, err := range Decode(strings.NewReader(in), "in", Options{Map: "process=p,type=t,f=f,args=map(1..100000000, #)"}) {
		if err == nil || !strings.Contains(err.Error(), "in:1: args: memory budget exceeded") {
			t.Errorf("%v", err)
		}
	}
}

// TestMappedMany: reading takes time in proportion to the file, whatever is in it.
func TestMappedMany(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n /= 10
	}
	lines := func(line string) string { return strings.Repeat(line, n) }
	numbered := func(format, separator string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+separator, i)
		}
		return strings.TrimSuffix(b.String(), separator)
	}
	const events = `process=p,type=t,f=f ?? nil`
	for _, test := range []struct {
		name, mapping, in string
		ops               int
	}{
		{"identifiers used again", events + ",op=o", lines("{\"p\":1,\"o\":1,\"t\":\"invoke\",\"f\":\"x\"}\n{\"p\":1,\"o\":1,\"t\":\"ok\"}\n"), n},
		{"whole operations", "f=f,call=0,return=0,op=1", lines("{\"f\":\"x\"}\n"), n},
		{"one identifier of many processes", events + ",op=1",
			numbered(`{"p":%d,"t":"invoke","f":"x"}`, "\n") + "\n" + numbered(`{"p":%d,"t":"ok"}`, "\n"), n},
		{"fields", events, "{" + numbered(`"x%d":1`, ",") + `,"p":1,"t":"invoke","f":"x"}`, 1},
		{"columns", events, numbered(`x%d`, ",") + ",p,t,f\n" + lines(",") + "1,invoke,x\n", 1},
	} {
		for h, err := range Decode(strings.NewReader(test.in), "in", Options{Map: test.mapping}) {
			if err != nil || len(h.Ops) != test.ops {
				t.Errorf("%s: %v", test.name, err)
			}
		}
	}
}
