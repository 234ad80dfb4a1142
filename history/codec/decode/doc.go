// Package decode is what all formats of histories share: what a format is, the one loop that
// reads a stream, its limits, and its faults. Each format is a room of its own beside this one and
// imports neither another format nor the door.
//
//	 bytes, decompressed by package files
//	   |
//	history/codec                              the door: the table of formats, detection
//	   |
//	 Format.Decode ------- Stream.run --------- the loop, here
//	   |                     |
//	 Window                Reader.Next          a format: native, jepsen, lines, violat,
//	 LineReader              |                  etcd, records
//	 ObjectReader            |
//	   |                   scan.Scanner         JSON, words, dates; the pool of values
//	   +----- pieces ----->  |
//	                         |  events, whole operations, faults
//	                         v
//	                       History --- history.Builder --- *history.History
//
// The loop asks the Reader of a format for one piece of the stream after another: a line, an
// object, a form. The Reader takes it from the Window of the stream, by a LineReader, an
// ObjectReader or its own scanner, and gives what it says to the open History, a Builder with what
// the loop knows about it. After each piece, the loop compares what the history takes with the
// Limits. When the next history begins, the loop names, completes, examines and delivers the one
// before, as a *history.History or, if it has faults, as *history.Errors.
//
// A fault of one event is one of its history: Stream.Fault, or Errorf of the Builder, and
// reading goes on. Where it cannot go on, Next returns a Fault. Whatever else ends the stream
// (a read error, a limit, the end of a file that is cut) is an error of Next as it is. What the
// open history then is, the loop decides: see Stream.end.
//
// A new format is a value of Format, a row in the table of package codec, golden files
// in codec/testdata/NAME, a fuzz target in codec/convert_test.go, and a section of the
// documentation of codec. The example is a whole one.
package decode
