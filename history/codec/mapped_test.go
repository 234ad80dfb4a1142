package codec

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
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
			if err := encodeNative(&native, h); err != nil {
				continue // a method that is not UTF-8
			}
			again, err := only(decodeNative, native.Bytes())
			if err != nil {
				t.Fatalf("%v in\n%s", err, native.Bytes())
			}
			if len(again.Ops) != len(h.Ops) {
				t.Fatalf("%d operations became %d", len(h.Ops), len(again.Ops))
			}
		}
	})
}

// TestStamps reads stamps as exact numbers.
func TestStamps(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"0", "0+0"}, {"-0", "0+0"}, {"12", "12+0"}, {"-12", "-12+0"}, {"1.5", "1+500000000000000000"},
		{"-1.5", "-2+500000000000000000"}, {"0.000000000000000001", "0+1"}, {"-0.000000000000000001", "-1+999999999999999999"},
		{"1.50000000000000000000000", "1+500000000000000000"}, {"0.0000000000000000001", "has more than 18"},
		{"1e3", "1000+0"}, {"1.2345e2", "123+450000000000000000"}, {"1E+2", "100+0"}, {"125e-2", "1+250000000000000000"},
		{"1e-18", "0+1"}, {"1e-19", "has more than 18"}, {"12e-20", "has more than 18"}, {"9223372036854775807", "9223372036854775807+0"},
		{"9223372036854775808", "does not fit"}, {"-9223372036854775807.5", "-9223372036854775808+500000000000000000"}, {"1e19", "does not fit"},
		{"1e401", "is an integer"}, {"", "is an integer"}, {"-", "is an integer"}, {".5", "is an integer"}, {"1.", "1+0"}, {"1e", "is an integer"},
		{"0x10", "is an integer"}, {"1_000", "is an integer"}, {"+1", "is an integer"}, {"NaN", "is an integer"}, {"1.2.3", "is an integer"},
		{"1970-01-01T00:00:01Z", "1+0"}, {"1969-12-31T23:59:59.25Z", "-1+250000000000000000"}, {"1970-01-01 01:00:00,5+01:00", "0+500000000000000000"},
		{"1970-01-01T00:00:00.123456789012345678Z", "0+123456789012345678"}, {"1970-01-01T00:00:00.1234567890123456789Z", "has more than 18"},
		{"1970-01-01T00:00:00", "has no time zone"}, {"1970-13-01T00:00:00Z", "is an integer"}, {"1970-01-01T00:00:00.Z", "is an integer"},
		{"1970-01-01T00:00Z", "is an integer"}, {"1970-01-01T1:00:00.5Z", "3600+500000000000000000"}, {"1970-01-01T01:00:00.5.5Z", "is an integer"}, {"1970-01-01Tx", "has no time zone"},
	} {
		var all stamps
		s, fault := all.read(history.StringValue(test.text), "")
		if got := fmt.Sprintf("%d+%d", s.whole, s.frac); fault == "" && got != test.want || fault != "" && !strings.HasPrefix(fault, test.want) {
			t.Errorf("%q: got %s, fault %q; want %s", test.text, got, fault, test.want)
		}
	}
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
		if !errors.Is(last, ErrLimit) {
			t.Errorf("%.20s: %v, want an exceeded limit", in, last)
		}
		for h, err := range Decode(strings.NewReader(in), "in", Options{Map: mapping}) {
			if err != nil || len(h.Ops) == 0 {
				t.Errorf("%.20s: %v", in, err)
			}
		}
	}
}

// TestMappingFaults: the error for a mapping in a file has the line.
func TestMappingFaults(t *testing.T) {
	const good = "process=p,type=t,f=f"
	for _, test := range []struct{ mapping, want string }{
		{" ", "exactly one of type, call and start is needed"},
		{good + ",call=c,return=r", "exactly one of type, call and start is needed"},
		{"call=c,f=f", "call goes with return"},
		{"duration=d,f=f", "or one of them with duration"},
		{"call=c,return=r,duration=d,f=f", "or one of them with duration"},
		{"call=c,duration=d,f=f,unit=h", `unit is s, ms, us or ns, not "h"`},
		{"process=p,start=s", "start with finish"},
		{"type=t,f=f", "process or op is needed"},
		{"process=p,type=t", "f is needed"},
		{"process=p,type=t,input=i", "f is needed"},
		{good + ",input=i", "input and output go with call and return"},
		{"call=c,return=r,input=i,args=a", "input and output go with call and return"},
		{good + ",value=v,result=r", "excludes args, result, exception and void"},
		{good + ",value=v,exception=x", "excludes args, result, exception and void"},
		{good + ",value=v,void=write", "excludes args, result, exception and void"},
		{good + ",at=a", "at goes with op"},
		{"process=p,f=f,call=c,return=r,ok=done", "and the mapping has neither"},
		{"process=p,start=s,finish=e,lost=x", "and the mapping has neither"},
		{"process=p,f=f,call=c,return=r,status=s,invoke=asked,ok=done", "invoke lists words of type"},
		{"call=c,return=r,f=f,at=a,op=o", "at is the stamp of an event"},
		{"process=p,start=s,finish=f,status=x", "exclude status"},
		{"process=p,start=s,finish=f,lost when x", "exclude status"},
		{good + ",f=g", "f is given twice"}, {good + ",method=g", "f is given twice"},
		{good + ",colour=c", `unknown name "colour"`},
		{good + ",tie=open", "tie is closed or half-open"},
		{"process=p,start=s,finish=f,values=string", "values goes with"}, {"call=c,return=r,input=i,values=string", "values goes with"},
		{good + ",values=int", "values are string"},
		{good + ",rename=r:get|w", "rename is WORD:METHOD"},
		{good + ",stamps=h", "stamps is s, ms, us or ns"},
		{good + ",zone=Berlin", "zone is Z or as +02:00"},
		{good + ",records=xml", "records are json, csv, tsv, logfmt"},
		{"my.map", "is not NAME=PATH"}, {good + ",key", `"key" is not NAME=PATH`}, {good + ",=k", "is not NAME=PATH"}, {good + ",key=", "is not NAME=PATH"},
		{good + ",perhaps when x=1", `"perhaps": a condition begins with`},
		{good + ",ok when ", "is not NAME=PATH"}, {good + ",ok when a=1 and ", "is not PATH=WORD"}, {good + ",ok when =1", "is not PATH=WORD"},
	} {
		err := (&Options{Map: test.mapping}).Check()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.mapping, err, test.want)
		}
	}
	err := (&Options{Map: "# who\nprocess=p # a client\n\ntype=t, f=f, colour=c\n"}).Check()
	if err == nil || !strings.HasPrefix(err.Error(), "mapping:4: unknown name \"colour\"") {
		t.Errorf("a fault in line 4: %v", err)
	}
	if err := (&Options{Map: "\uFEFF" + good}).Check(); err != nil {
		t.Errorf("a byte order mark: %v", err)
	}
}

// TestPropose: the proposed mapping reads the file without faults.
func TestPropose(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "propose", "*.txtar"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d samples (%v)", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		comment, s := parseArchive(string(raw))
		got, err := Propose(strings.NewReader(inSection(s)), "in", Options{})
		if err != nil {
			got = "error: " + err.Error() + "\n"
		} else {
			for h, err := range Decode(strings.NewReader(inSection(s)), "in", Options{Map: got}) {
				if err != nil || len(h.Ops) == 0 {
					t.Errorf("%s: read by what was proposed: %v", file, err)
				}
			}
		}
		if *update {
			if err := os.WriteFile(file, []byte(comment+"-- in --\n"+s["in"]+"-- want --\n"+got), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if got != s["want"] {
			t.Errorf("%s: got\n%s\nwant\n%s", file, got, s["want"])
		}
	}
}

// FuzzPropose: no panic, and the proposal is a valid mapping.
func FuzzPropose(f *testing.F) {
	_, archives := mappedSamples(f)
	for _, s := range archives {
		f.Add([]byte(inSection(s)))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 1<<14 {
			return
		}
		text, err := Propose(bytes.NewReader(in), "in", Options{})
		if err != nil {
			return
		}
		if err := (&Options{Map: text}).Check(); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
	})
}
