package codec

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/native"
	"github.com/leadline/leadline/history/files"
)

const small = `{"leadline":1,"history":"h","model":"m"}
{"process":0,"type":"invoke","method":"a"}
{"process":0,"type":"ok"}
`

func gzipped(parts ...string) []byte {
	var b bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&b)
		io.WriteString(w, part)
		w.Close()
	}
	return b.Bytes()
}

func zstdded(parts ...string) []byte {
	var b bytes.Buffer
	for _, part := range parts {
		w, err := zstd.NewWriter(&b)
		if err != nil {
			panic(err)
		}
		io.WriteString(w, part)
		w.Close()
	}
	return b.Bytes()
}

// collect decodes r and returns the names of valid histories and all errors.
func collect(r io.Reader, opts Options) (ids []string, errs []error) {
	for h, err := range Decode(r, "f", opts) {
		if err != nil {
			errs = append(errs, err)
		} else {
			ids = append(ids, h.ID)
		}
	}
	return ids, errs
}

func TestCompression(t *testing.T) {
	skippable := []byte{0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'}
	bom := "\uFEFF"
	for name, in := range map[string][]byte{
		"plain":         []byte(small),
		"mark":          []byte(bom + small),
		"crlf":          []byte(strings.ReplaceAll(small, "\n", "\r\n")),
		"comments":      []byte("# 1\n\n  # 2\n" + small),
		"gzip":          gzipped(small),
		"gzip members":  gzipped(small[:30], small[30:50], small[50:]),
		"zstd":          zstdded(small),
		"zstd frames":   zstdded(small[:30], small[30:50], small[50:]),
		"zstd skipping": append(skippable, zstdded(small)...),
	} {
		for how, wrap := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "bytewise": iotest.OneByteReader,
			"with the end": iotest.DataErrReader, "halves": iotest.HalfReader,
		} {
			ids, errs := collect(wrap(bytes.NewReader(in)), Options{})
			if len(errs) > 0 || len(ids) != 1 || ids[0] != "h" {
				t.Errorf("%s, %s: histories %v, errors %v", name, how, ids, errs)
			}
		}
	}
}

// TestByteOrderMark: a byte order mark changes nothing, however the input is read.
func TestByteOrderMark(t *testing.T) {
	const mark = "\uFEFF"
	for _, format := range Formats() {
		for _, in := range goldenInputs(t, format.Name) {
			want := dump(format.Decode(strings.NewReader(in), "in", Limits{}))
			if got := dump(format.Decode(strings.NewReader(mark+in), "in", Limits{})); got != want {
				t.Errorf("%s: with a mark\n%s\nwithout\n%s", format.Name, got, want)
			}
			opts := Options{Format: format.Name}
			got := dump(Decode(iotest.OneByteReader(bytes.NewReader(gzipped(mark+in))), "in", opts))
			if got != want {
				t.Errorf("%s in gzip: with a mark\n%s\nwithout\n%s", format.Name, got, want)
			}
		}
	}
	opts := Options{Map: "f=f,call=s,return=e"}
	for _, in := range []string{`{"f":"get","s":1,"e":2}`, `[{"f":"get","s":1,"e":2}]`, "f,s,e\nget,1,2\n"} {
		if ids, errs := collect(strings.NewReader(mark+in), opts); len(ids) != 1 || len(errs) != 0 {
			t.Errorf("%s: histories %v, errors %v", in, ids, errs)
		}
	}
	opts = Options{Format: "native"}
	if ids, errs := collect(strings.NewReader(mark+mark+small), opts); len(ids) != 0 || len(errs) == 0 {
		t.Errorf("two marks: histories %v, errors %v", ids, errs)
	}
	if _, errs := collect(strings.NewReader(mark), opts); len(errs) != 1 {
		t.Errorf("a mark alone: errors %v", errs)
	}
}

// TestCut: everything before a cut is delivered.
func TestCut(t *testing.T) {
	text := string(formatText(t, native.Format, 20_000))
	for name, in := range map[string][]byte{"gzip": gzipped(text), "zstd": zstdded(text)} {
		for _, cut := range []int{len(in) / 2, len(in) - 1, len(in) * 9 / 10} {
			ids, errs := collect(bytes.NewReader(in[:cut]), Options{Format: "native"})
			if len(errs) == 0 || !strings.Contains(errs[len(errs)-1].Error(), "cut short") || !errors.Is(errs[len(errs)-1], io.ErrUnexpectedEOF) {
				t.Errorf("%s cut at %d of %d: errors %v", name, cut, len(in), errs)
			}
			if len(ids) != 1 && cut == len(in)-1 {
				t.Errorf("%s cut at %d of %d: histories %v", name, cut, len(in), ids)
			}
		}
	}
	in := gzipped(text)
	in[len(in)-6] ^= 1 // the check sum
	if ids, errs := collect(bytes.NewReader(in), Options{}); len(ids) != 0 || len(errs) != 1 {
		t.Errorf("wrong check sum: histories %v, errors %v", ids, errs)
	}
}

// TestCutObject is TestCut for objects of several lines.
func TestCutObject(t *testing.T) {
	text := `{"schema":{},"events":[{"kind":"call","sid":0,"invocation":{"id":0,"method":{"name":"a"}}}]}` + "\n"
	for _, rest := range []string{"", " \n", "{", "{\n\"events\": ["} {
		r := io.MultiReader(strings.NewReader(text+rest), iotest.ErrReader(io.ErrUnexpectedEOF))
		ids, errs := collect(r, Options{})
		faults := 1 // of the file, and of an open history
		if strings.HasPrefix(rest, "{") {
			faults++
		}
		if len(ids) != 1 || len(errs) != faults || !errors.Is(errs[faults-1], io.ErrUnexpectedEOF) {
			t.Errorf("after %q: histories %v, errors %v", rest, ids, errs)
		}
	}
}

func TestReadError(t *testing.T) {
	boom := errors.New("boom")
	for _, in := range []string{
		small,
		`{"schema":{},"events":[{"kind":"call","sid":0,"invocation":{"id":0,"method":{"name":"a"}}}]}`,
		"[{:process 0, :type :invoke, :f :read}]",
		"{:process 0, :type :invoke, :f :read}",
		"{:process 0, :type :invoke, :f :get, :key 1}\n",
		"0\t:invoke\t:read\tnil\n",
		"# stack\npush 1 1 2\n",
		"# @object atomic-queue\n[1] call deq\n",
	} {
		r := io.MultiReader(strings.NewReader(in), iotest.ErrReader(boom))
		ids, errs := collect(r, Options{})
		if len(ids) != 0 || len(errs) != 1 || !errors.Is(errs[0], boom) {
			t.Errorf("%s: histories %v, errors %v", in, ids, errs)
		}
	}
	_, errs := collect(iotest.ErrReader(boom), Options{})
	if len(errs) != 1 || !errors.Is(errs[0], boom) {
		t.Errorf("errors %v", errs)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestEmpty(t *testing.T) {
	for in, want := range map[string]error{
		"": files.ErrEmpty, "\n": files.ErrEmpty, " \r\n\t": files.ErrEmpty, "# nothing\n": ErrUnknownFormat, "{}": ErrUnknownFormat,
		`{"process":0,"type":"invoke"}`: ErrUnknownFormat, "[1]": ErrUnknownFormat, "\x00\x01": ErrUnknownFormat,
		string(gzipped("")): files.ErrEmpty, string(zstdded("")): files.ErrEmpty,
	} {
		_, errs := collect(strings.NewReader(in), Options{})
		if len(errs) != 1 || !errors.Is(errs[0], want) {
			t.Errorf("%q: errors %v, want %v", in, errs, want)
		}
		_, errs = collect(strings.NewReader(in), Options{Format: "native"})
		if len(errs) == 0 {
			t.Errorf("%q as native: no error", in)
		}
		_, errs = collect(strings.NewReader(in), Options{Format: "violat"})
		if len(errs) == 0 {
			t.Errorf("%q as violat: no error", in)
		}
	}
	if _, errs := collect(strings.NewReader(small), Options{Format: "edn"}); len(errs) != 1 {
		t.Errorf("format edn: errors %v", errs)
	}
}

// TestStreaming: a history comes out of a pipe before the next event goes in.
func TestStreaming(t *testing.T) {
	for name, open := range map[string]func(io.Writer) (io.Writer, func() error){
		"plain": func(w io.Writer) (io.Writer, func() error) { return w, func() error { return nil } },
		"gzip":  func(w io.Writer) (io.Writer, func() error) { g := gzip.NewWriter(w); return g, g.Flush },
		"zstd":  func(w io.Writer) (io.Writer, func() error) { z := must(zstd.NewWriter(w)); return z, z.Flush },
	} {
		r, pipe := io.Pipe()
		got := make(chan *history.History)
		go func() {
			for h, err := range Decode(r, "pipe", Options{}) {
				if err != nil {
					t.Error(name, err)
				}
				got <- h
			}
			close(got)
		}()
		w, flush := open(pipe)
		for range 3 {
			io.WriteString(w, small+`{"end":"h"}`+"\n")
			if err := flush(); err != nil {
				t.Fatal(err)
			}
			if h := <-got; h == nil || len(h.Ops) != 1 {
				t.Fatalf("%s: got %v", name, h)
			}
		}
		if c, ok := w.(io.Closer); ok {
			c.Close()
		}
		pipe.Close()
		if h := <-got; h != nil {
			t.Fatalf("%s: one more history", name)
		}
	}
}

// TestStop: the caller may stop after any pair.
func TestStop(t *testing.T) {
	for _, format := range Formats() {
		for _, in := range goldenInputs(t, format.Name) {
			for stop := range 8 {
				n := 0
				for range Decode(strings.NewReader(in), "f", Options{Format: format.Name}) {
					if n++; n > stop {
						break
					}
				}
			}
		}
	}
}

func TestDetect(t *testing.T) {
	for in, want := range map[string]string{
		`{"leadline":1}`: "native", "# c\n{ \"history\":\"h\", \"leadline\":1}": "native", `{"schema":`: "violat",
		`{"id":[1,{"a":2}],"events":[`: "violat", `{"leadline`: "", "": "", "[]": "",
	} {
		if f, ok := Detect([]byte(in)); f.Name != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v", in, f.Name, ok)
		}
	}
}

// TestSniff: what a beginning of a file shows for sure does not change with what follows.
func TestSniff(t *testing.T) {
	inputs := []string{"# queue\n[{\"leadline\":1}]\n", "# queue\n{\"leadline\":1}\n", "# @object atomic-stack\n{\"leadline\":1}\n",
		"#op{:process :nemesis, :type :info}\n#op{:process 1, :type :invoke, :key 1}\n", "; #x{\n{:process 1, :type :invoke}\n"}
	for _, format := range Formats() {
		inputs = append(inputs, goldenInputs(t, format.Name)...)
	}
	for _, in := range inputs {
		want, _ := Detect([]byte(in))
		for n := range min(len(in), 1000) {
			if f, guess := sniff([]byte(in[:n])); guess == decode.Yes && f.Name != want.Name {
				t.Errorf("%.80q: %d bytes are %s, all are %q", in, n, f.Name, want.Name)
				break
			}
			if f, guess := sniff([]byte(in[:n])); guess == decode.No && want.Name != "" {
				t.Errorf("%.80q: %d bytes are nothing (%s), all are %s", in, n, f.Name, want.Name)
				break
			}
		}
	}
}

// TestShared decodes the recorded histories that may lie beside the project.
func TestShared(t *testing.T) {
	const dir = "../../../shared/histories"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no recorded histories at %s", dir)
	}
	count, skipped := 0, 0
	opts := Options{Skipped: func(string, error) { skipped++ }}
	for f, err := range Files([]string{dir + "/juc", dir + "/violat"}, opts) {
		if err != nil {
			t.Fatal(err)
		}
		for h, err := range f.Histories() {
			if err != nil {
				t.Fatal(err)
			}
			count++
			again(t, h)
			if h.Model == "" || len(h.Ops) == 0 || h.Pending() > 0 {
				t.Errorf("%s: model %q, %d operations, %d pending", f.Name, h.Model, len(h.Ops), h.Pending())
			}
		}
	}
	if count != 121 || skipped != 1 {
		t.Errorf("%d histories and %d files skipped, want 121 and 1 (labels.jsonl)", count, skipped)
	}
}

// TestNoHeader: a file that has lost its header, or the beginning of it, is a fault also
// in a directory, at the line of its first event.
func TestNoHeader(t *testing.T) {
	const events = `{"process":0,"type":"invoke","method":"read"}` + "\n" + `{"process":0,"type":"ok","result":1}` + "\n"
	for name, c := range map[string]struct {
		text string
		line int // 0: it is skipped
	}{
		"lost":         {events, 1},
		"cut":          {`ne":1,"model":"register"}` + "\n" + events, 2},
		"bare":         {"# a comment\n\n" + events, 3},
		"misspelt":     {`{"lead":1,"model":"register"}` + "\r\n" + events, 2},
		"preceded":     {"Recorded by me\n" + `{"leadline":1,"model":"register"}` + "\n" + events, 2},
		"response":     {`{"op":1,"type":"info"}` + "\n", 1},
		"mark":         {"\uFEFF" + events, 1},
		"others":       {`{"process":0,"type":"invoke","method":"read","thread":7}` + "\n", 0},
		"other types":  {`{"process":0,"type":"started","method":"read"}` + "\n", 0},
		"no operation": {`{"type":"ok"}` + "\n", 0},
		"text":         {"some words about {\"process\":0,\"type\":\"ok\"}\n", 0},
	} {
		for _, content := range []string{c.text, string(gzipped(c.text)), string(zstdded(c.text))} {
			skipped := 0
			o := Options{FS: fstest.MapFS{"d/f": &fstest.MapFile{Data: []byte(content)}}, Skipped: func(string, error) { skipped++ }}
			var errs []error
			for f, err := range Files([]string{"d"}, o) {
				if err == nil {
					t.Errorf("%s: %s is read", name, f.Name)
				}
				errs = append(errs, err)
			}
			var at *SyntaxError
			if len(errs) != 1 || !errors.As(errs[0], &at) || skipped != map[bool]int{true: 1}[c.line == 0] ||
				c.line > 0 && (at.Line != c.line || at.File != "d/f" || !errors.Is(errs[0], ErrNoHeader)) {
				t.Errorf("%s: %v, %d skipped, want line %d", name, errs, skipped, c.line)
			}
		}
	}
}
