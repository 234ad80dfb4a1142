package codec

import (
	"bytes"
	"io"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
)

// piecewise reads pieces of random sizes, so that blocks have few lines.
type piecewise struct {
	io.Reader
	random *rand.Rand
}

func (p *piecewise) Read(b []byte) (int, error) {
	return p.Reader.Read(b[:min(len(b), 1+p.random.IntN(200))])
}

// ahead decodes as decodeNativeAhead does with a large file.
func ahead(r io.Reader, lim Limits) iter.Seq2[*history.History, error] {
	return func(yield func(*history.History, error) bool) { newNative(r, "in", lim, yield).runAhead() }
}

// TestAhead: a large file has the histories and the faults, with their lines, that reading line
// by line finds, also if it is damaged.
func TestAhead(t *testing.T) {
	r := random(t)
	golden := goldenInputs(t, nativeName)
	n := 2000
	if testing.Short() { // as under the race detector
		n /= 10
	}
	for k := range n {
		var in []byte
		for range 1 + r.IntN(4) {
			if k < len(golden) {
				in = append(in, golden[k]...)
			} else {
				in = append(in, randomStream(r)...)
			}
		}
		if k >= len(golden)/2 {
			for range r.IntN(4) {
				in[r.IntN(len(in))] = "\n\"{}:,#x0"[r.IntN(9)]
			}
		}
		lim := Limits{}
		if r.IntN(4) == 0 {
			lim.History = int64(1 + r.IntN(2*len(in)))
		}
		want := dump(decodeNative(bytes.NewReader(in), "in", lim))
		if got := dump(ahead(&piecewise{bytes.NewReader(in), r}, lim)); got != want {
			t.Fatalf("ahead\n%s\nline by line\n%s\non\n%s", got, want, in)
		}
	}
}

// TestAheadLong has lines longer than a chunk, an end without a newline, limits, and a caller who
// stops.
func TestAheadLong(t *testing.T) {
	text := string(eventStream(20_000, 1))
	long := `{"process":9000,"op":90000,"type":"invoke","method":"m","args":["` + strings.Repeat("x", 3*chunk) + `"]}` + "\n"
	for _, in := range []string{text, text + long + strings.Repeat("{\n", 30), text + long + long + `{"process":9000`, long + text, text + strings.Repeat("\n", 3*chunk) + "{\n"} {
		for _, lim := range []Limits{{}, {History: 1 << 20}, {Line: 2 * chunk}} {
			want := dump(decodeNative(strings.NewReader(in), "in", lim))
			if got := dump(ahead(strings.NewReader(in), lim)); got != want {
				t.Errorf("%+v: ahead\n%.500s\nline by line\n%.500s", lim, got, want)
			}
		}
	}
	for range ahead(strings.NewReader(strings.Repeat(text, 10)), Limits{}) {
		return
	}
	t.Error("no history")
}
