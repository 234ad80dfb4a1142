package codec

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/leadline/leadline/history/files"
)

// repeated is a stream of n times the same text.
func repeated(text string, n int64) io.Reader {
	block := []byte(strings.Repeat(text, 1+(64<<10)/len(text)))
	return io.LimitReader(&cycleReader{block: block}, n)
}

type cycleReader struct {
	block []byte
	at    int
}

func (c *cycleReader) Read(p []byte) (int, error) {
	n := copy(p, c.block[c.at:])
	c.at = (c.at + n) % len(c.block)
	return n, nil
}

// TestLimits decodes inputs that are too large in various ways, and checks that
// refusing them takes little memory.
func TestLimits(t *testing.T) {
	header := `{"leadline":1}` + "\n"
	event := `{"process":0,"type":"invoke","method":"` + strings.Repeat("m", 900) + `"}` + "\n"
	for _, test := range []struct {
		name, want string
		in         io.Reader
		opts       Options
		most       uint64 // MiB
	}{
		{"brackets", "no known format", repeated("[", 20<<20), Options{}, 10},
		{"brackets as native", "line longer than 16 MiB", repeated("[", 20<<20), Options{Format: "native"}, 100},
		{"brackets as violat", "an object expected", repeated("[", 20<<20), Options{Format: "violat"}, 10},
		{"brackets in native", "nested more than 1000 deep", io.MultiReader(strings.NewReader(header+`{"process":`), repeated("[", 10<<20), strings.NewReader("\n")), Options{}, 100},
		{"brackets in violat", "nested more than 1000 deep", io.MultiReader(strings.NewReader(`{"schema":`), repeated("[", 20<<20)), Options{}, 10},
		{"line", "line longer than 16 MiB", io.MultiReader(strings.NewReader(header+`{"process":"`), repeated("a", 64<<20)), Options{}, 100},
		{"line in violat", "line longer than 16 MiB", io.MultiReader(strings.NewReader(`{"schema":"`), repeated("a", 64<<20)), Options{}, 100},
		{"line of text", "no known format", repeated("a", 64<<20), Options{}, 10},
		{"blank line", "no known format", repeated(" ", 64<<20), Options{}, 10},
		{"small limit of lines", "line longer than 100 bytes", strings.NewReader(small + event), Options{Limits: Limits{Line: 100}}, 10},
		{"history", "history larger than 4 MiB", io.MultiReader(strings.NewReader(header), repeated(event, 5<<20)), Options{Limits: Limits{History: 4 << 20}}, 100},
		{"history in violat", "history larger than 4 MiB", io.MultiReader(strings.NewReader(`{"schema":[`), repeated("1,\n", 5<<20)), Options{Limits: Limits{History: 4 << 20}}, 100},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, errs := collect(test.in, test.opts)
		runtime.ReadMemStats(&after)
		if len(errs) == 0 || !strings.Contains(errs[len(errs)-1].Error(), test.want) {
			t.Errorf("%s: errors %.300v", test.name, errs)
		}
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > test.most {
			t.Errorf("%s: %d MiB allocated", test.name, used)
		}
		if strings.Contains(test.want, "larger") && !errors.Is(errs[len(errs)-1], files.ErrLimit) {
			t.Errorf("%s: the error does not wrap ErrLimit", test.name)
		}
	}
}

// TestBombs: 120 MiB of comments compressed to a few kilobytes are refused, unless the
// limits allow them.
func TestBombs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compresses hundreds of megabytes")
	}
	size, limits := int64(16<<20), Limits{Limits: files.Limits{Ratio: 500, RatioAfter: 4 << 20}}
	if *full { // enough for the default limits
		size, limits.RatioAfter = 120<<20, 0
	}
	var gz, zs bytes.Buffer
	g, z := gzip.NewWriter(&gz), must(zstd.NewWriter(&zs, zstd.WithEncoderLevel(zstd.SpeedFastest)))
	for _, w := range []io.WriteCloser{g, z} {
		io.WriteString(w, small)
		if _, err := io.Copy(w, repeated("#------\n", size)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, bomb := range map[string][]byte{"zstd": zs.Bytes(), "gzip": gz.Bytes()} {
		if ids, errs := collect(bytes.NewReader(bomb), Options{Limits: limits}); len(ids) != 0 || len(errs) != 1 || !errors.Is(errs[0], files.ErrLimit) {
			t.Errorf("%s, %d bytes: histories %v, errors %v", name, len(bomb), ids, errs)
		}
		if name == "zstd" && *full {
			if _, errs := collect(bytes.NewReader(bomb), Options{}); len(errs) != 1 || !errors.Is(errs[0], files.ErrLimit) {
				t.Errorf("%s, %d bytes, default limits: errors %v", name, len(bomb), errs)
			}
		}
		if ids, errs := collect(bytes.NewReader(bomb), Options{Limits: Limits{Limits: files.Limits{Ratio: -1}}}); len(ids) != 1 || len(errs) != 0 {
			t.Errorf("%s without limit: histories %v, errors %v", name, ids, errs)
		}
	}
	var wide bytes.Buffer
	w := must(zstd.NewWriter(&wide, zstd.WithWindowSize(8<<20)))
	io.Copy(w, repeated("# some comment\n", 9<<20))
	w.Close()
	if _, errs := collect(&wide, Options{Format: "native", Limits: Limits{Limits: files.Limits{Window: 1 << 20}}}); len(errs) != 1 || !errors.Is(errs[0], files.ErrLimit) {
		t.Errorf("window: errors %v", errs)
	}
}

// TestMemory: in each format, a history that takes too much memory is refused at a
// line.
func TestMemory(t *testing.T) {
	const limit = 1 << 20
	many := func(line string) io.Reader { // 4 MiB of lines, %d being a number
		var b bytes.Buffer
		for i := 0; b.Len() < 4*limit; i++ {
			b.WriteString(strings.ReplaceAll(line, "%d", strconv.Itoa(i)))
		}
		return &b
	}
	for name, in := range map[string]io.Reader{
		"events":         io.MultiReader(strings.NewReader(`{"leadline":1}`+"\n"), many(`{"process":%d,"type":"invoke","method":"m"}`+"\n")),
		"stamps":         io.MultiReader(strings.NewReader(`{"leadline":1,"order":"stamp"}`+"\n"), many(`{"process":0,"op":%d,"at":%d,"type":"ok"}`+"\n")),
		"edges":          io.MultiReader(strings.NewReader(`{"leadline":1}`+"\n"+`{"process":0,"op":0,"type":"invoke","method":"m"}`+"\n"), many(`{"edge":[0,%d]}`+"\n")),
		"lists":          io.MultiReader(strings.NewReader(`{"leadline":1}`+"\n"), many(`{"process":%d,"type":"invoke","method":"m","args":[`+strings.Repeat("[1],", 100)+`1]}`+"\n")),
		"violat":         io.MultiReader(strings.NewReader(`{"schema":{"class":"C"},"events":[`), many(`{"kind":"call","sid":%d,"invocation":{"id":%d,"method":{"name":"m"}}},`+"\n")),
		"jepsen":         many("{:process %d :type :invoke :f :read :value [[1]]}\n"),
		"etcd":           many("%d :invoke :read nil\n"),
		"polylin":        io.MultiReader(strings.NewReader("# queue\n"), many("enq %d 0 1\n")),
		"limo":           io.MultiReader(strings.NewReader("# @object atomic-queue\n"), many("[%d] call enq(%d)\n")),
		"s2":             many(`{"event":{"Start":{"write":[%d]}},"client_id":%d,"op_id":%d}` + "\n"),
		"jepsen in JSON": many(`{"process":%d,"type":"invoke","f":"read","value":[[1]]}` + "\n"),
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		ids, errs := collect(in, Options{Limits: Limits{Memory: limit}})
		runtime.ReadMemStats(&after)
		if len(ids) != 0 || len(errs) != 1 || !errors.Is(errs[0], files.ErrLimit) {
			t.Errorf("%s: histories %d, errors %.300v", name, len(ids), errs)
			continue
		}
		checkLines(t, errs[0])
		// What was allocated includes what slices were before they grew, the
		// buffer, and the garbage of reading.
		if used := after.TotalAlloc - before.TotalAlloc; used > 8*limit {
			t.Errorf("%s: %d bytes allocated until %v", name, used, errs[0])
		}
	}
}
