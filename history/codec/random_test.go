package codec

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
)

var seedFlag = flag.Uint64("seed", 0, "seed of random tests; 0 takes one from the clock")

// random returns a source whose seed is in the log.
func random(t *testing.T) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("to reproduce: go test -run '^%s$' -seed %d", t.Name(), seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// randomStream writes a stream of the native format that is mostly valid:
// few processes, many equal stamps, edges and marks.
func randomStream(r *rand.Rand) []byte {
	var b bytes.Buffer
	stamped, halfOpen := r.IntN(4) > 0, r.IntN(4) == 0
	b.WriteString(`{"leadline":1`)
	if stamped {
		b.WriteString(`,"order":"stamp"`)
	}
	if halfOpen {
		b.WriteString(`,"tie":"half-open"`)
	}
	b.WriteString("}\n")
	var lines []string
	ops := 0
	for p := range 1 + r.IntN(4) {
		now := r.IntN(3)
		for range r.IntN(6) {
			lines = append(lines, fmt.Sprintf(`{"process":%d,"op":%d,"type":"invoke","method":"m","at":%d}`, p, ops, now))
			now += r.IntN(3) * r.IntN(2)
			if halfOpen {
				now++
			}
			end := []string{`"ok"`, `"ok"`, `"ok"`, `"ok","result":[1]`, `"fail"`, `"fail"`, `"info"`}[r.IntN(7)]
			lines = append(lines, fmt.Sprintf(`{"op":%d,"type":%s,"at":%d}`, ops, end, now))
			now += r.IntN(2)
			ops++
			if end == `"info"` && r.IntN(10) > 0 {
				break
			}
		}
	}
	if stamped {
		r.Shuffle(len(lines), func(i, k int) { lines[i], lines[k] = lines[k], lines[i] })
	}
	for range r.IntN(5) * r.IntN(2) {
		lines = append(lines, fmt.Sprintf(`{"edge":[%d,%d]}`, r.IntN(ops+1), r.IntN(ops+1)))
	}
	for range r.IntN(2) * r.IntN(2) {
		mark := []string{"happened", "did-not-happen"}[r.IntN(2)]
		lines = append(lines, fmt.Sprintf(`{"mark":%q,"op":%d}`, mark, r.IntN(ops+1)))
	}
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	return b.Bytes()
}

// TestRandomStreams: encoding and decoding is the identity on histories with
// ties, edges, marks and operations that did not happen.
func TestRandomStreams(t *testing.T) {
	t.Parallel()
	r := random(t)
	format, _ := Lookup("native")
	good, tied, ghosts := 0, 0, 0
	n := 3_000
	if *full {
		n = 7_500
	}
	if testing.Short() { // as under the race detector
		n /= 10
	}
	for k := 0; k < n || k < 10*n && (tied == 0 || ghosts == 0); k++ { // 300 may have none by chance
		in := randomStream(r)
		roundTrip(t, format, in)
		if t.Failed() {
			t.Fatalf("on\n%s", in)
		}
		for h, err := range format.Decode(bytes.NewReader(in), "in", Limits{}) {
			if err != nil {
				continue
			}
			good++
			ghosts += len(h.Ghosts)
			for _, e := range h.Edges {
				if int(e.From) < len(h.Ops) && int(e.To) < len(h.Ops) && h.Ops[e.To].Call < h.Ops[e.From].Return {
					tied++
				}
			}
		}
	}
	t.Logf("%d histories, %d ties, %d ghosts", good, tied, ghosts)
	if good < n*2/15 || tied < n/300 || ghosts < n/300 { // far less than is usual
		t.Error("the streams are too tame")
	}
}

// randomValue returns a known value of any kind, nested at most depth deep.
func randomValue(r *rand.Rand, depth int) history.Value {
	texts := []string{"", "a", "$map", "$", "\xff", "é\n\"\\\x01", "true", "java.lang.Error", "1"}
	switch kind := history.Kind(r.IntN(int(history.Exception) + 1)); kind {
	case history.Null:
		return history.NullValue
	case history.Bool:
		return history.BoolValue(r.IntN(2) == 0)
	case history.Int:
		return history.IntValue(int64(r.Uint64()) >> r.IntN(64))
	case history.Float:
		return history.FloatValue([]float64{r.NormFloat64(), float64(r.IntN(9)), 1e300, 5e-324}[r.IntN(4)])
	case history.String:
		return history.StringValue(texts[r.IntN(len(texts))])
	case history.Exception:
		return history.ExceptionValue(texts[r.IntN(len(texts))])
	case history.List, history.Map:
		if depth == 0 {
			return history.ListValue()
		}
		vs := make([]history.Value, r.IntN(4))
		for i := range vs {
			vs[i] = randomValue(r, depth-1)
		}
		if m, ok := history.MapValue(vs...); kind == history.Map && ok {
			return m
		}
		return history.ListValue(vs...)
	}
	return history.NoValue
}

// TestRandomValues: the native format preserves every value.
func TestRandomValues(t *testing.T) {
	t.Parallel()
	r := random(t)
	n := 2_000
	if *full {
		n = 5_000
	}
	if testing.Short() { // as under the race detector
		n /= 10
	}
	for range n {
		result := randomValue(r, 3)
		if r.IntN(10) == 0 {
			result = history.UnknownValue
		}
		h, err := history.New(history.Header{ModelArgs: []history.Value{randomValue(r, 2)}}, []history.Event{
			{Type: history.Invoke, Process: history.IntValue(0), Method: "m", Args: []history.Value{randomValue(r, 3)}},
			{Type: history.OK, Process: history.IntValue(0), Result: result},
		})
		if err != nil {
			t.Fatal(err)
		}
		if again(t, h); t.Failed() {
			t.Fatalf("%v", h.Ops[0].String())
		}
	}
}

// TestUnknownParts: an unknown value that is not a whole result is refused by
// history.New or, in the arguments of the model, by the encoders.
func TestUnknownParts(t *testing.T) {
	part := history.ListValue(history.IntValue(1), history.UnknownValue)
	for _, parts := range [][3]history.Value{
		{part, history.NullValue, history.NullValue}, {history.NullValue, part, history.NullValue}, {history.NullValue, history.NullValue, part},
		{history.UnknownValue, history.NullValue, history.NullValue}, {history.NullValue, history.UnknownValue, history.NullValue},
	} {
		header := history.Header{ModelArgs: parts[:1]}
		events := []history.Event{
			{Type: history.Invoke, Process: history.IntValue(0), Method: "m", Args: parts[1:2]},
			{Type: history.OK, Process: history.IntValue(0), Result: parts[2]},
		}
		h, err := history.New(header, events)
		if inModel := parts[0].HoldsUnknown(); (err == nil) != inModel {
			t.Errorf("history.New with %v: %v", parts, err)
		} else if inModel {
			if err := Encode(io.Discard, h); err == nil {
				t.Errorf("%v is encoded", parts)
			}
		}
		w := NewEventWriter(io.Discard, header)
		for i := range events {
			w.Write(&events[i])
		}
		if err := w.Flush(); err == nil {
			t.Errorf("an EventWriter carries %v", parts)
		}
	}
}
