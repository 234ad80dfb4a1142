package native

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// eventStream returns a stream of the native format with events of about 108
// bytes: eight processes, whose operations overlap.
func eventStream(events, histories int) []byte {
	const processes = 8
	out := make([]byte, 0, events*109)
	perHistory := events / histories / (2 * processes) * (2 * processes)
	for range histories {
		out = append(out, `{"leadline":1,"model":"ConcurrentHashMap","args":[16]}`+"\n"...)
		for n := 0; n < perHistory; n += 2 * processes {
			for k := range 2 * processes {
				p := k % processes
				op := n/2 + p
				out = append(out, `{"process":`...)
				out = strconv.AppendInt(out, int64(p), 10)
				out = append(out, `,"op":`...)
				out = strconv.AppendInt(out, int64(op), 10)
				if k < processes {
					out = append(out, `,"type":"invoke","method":"putIfAbsent","args":["customer/`...)
					out = strconv.AppendInt(out, int64(100+op%300), 10)
					out = append(out, `",`...)
					out = strconv.AppendInt(out, int64(op), 10)
					out = append(out, `]`...)
				} else {
					out = append(out, `,"type":"ok","result":"balance of customer/`...)
					out = strconv.AppendInt(out, int64(100+op%300), 10)
					out = append(out, `"`...)
				}
				out = append(out, `,"at":1763643845`...)
				out = strconv.AppendInt(out, int64(100000000+n+k), 10)
				out = append(out, "}\n"...)
			}
		}
	}
	return out
}

// BenchmarkDecodeNative decodes 200 MB (1/20 of it with -short) from bytes to
// histories, and the same lines with encoding/json into a struct, which
// builds no history.
func BenchmarkDecodeNative(b *testing.B) {
	events := 1_940_000
	if testing.Short() {
		events /= 20
	}
	for _, histories := range []int{1, 1000} {
		text := eventStream(events, histories)
		b.Run(fmt.Sprintf("codec=leadline/histories=%d", histories), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				ops := 0
				for h, err := range Format.Decode(bytes.NewReader(text), "bench", decode.Limits{}) {
					if err != nil {
						b.Fatal(err)
					}
					ops += len(h.Ops)
				}
				if ops < events/2-8*histories {
					b.Fatalf("only %d operations", ops)
				}
			}
			b.ReportMetric(float64(len(text))/float64(events), "B/event")
		})
	}
	text := eventStream(events/10, 1)
	b.Run("codec=encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			var ev struct {
				Process, Op int64
				Type        string
				Method      string
				Args        []any
				Result      any
				At          int64
			}
			for line := range bytes.Lines(text) {
				if err := json.Unmarshal(line, &ev); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkScan reads lines without building histories.
func BenchmarkScan(b *testing.B) {
	text := eventStream(100_000, 1)
	s := scan.Scanner{Pool: new(scan.Pool)}
	var l nativeLine
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for line := range bytes.Lines(text) {
			if l.read(&s, line); s.Failed() {
				b.Fatal(s.Fault)
			}
		}
	}
}
