// Package native reads and writes leadline's own format, whose grammar is in the documentation of
// package codec.
//
//	for h, err := range native.Format.Decode(file, "h.jsonl", decode.Limits{}) {
//		...
//	}
//
// A line is parsed without knowing the history that it belongs to (line.go), and then applied to
// that (native.go). Encode writes a history, an EventWriter one event after another (encode.go).
package native
