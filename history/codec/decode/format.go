package decode

import (
	"io"
	"iter"

	"github.com/leadline/leadline/history"
)

// A Format says how histories are written in a file.
type Format struct {
	Name        string // what --format calls it
	Description string // one line
	// Single is set if a file holds one history: two that follow one another
	// would be read as one.
	Single bool
	// Sniff guesses whether a file that begins with head has the format.
	Sniff func(head []byte) Guess
	// Open begins to read a stream.
	Open func(s *Stream) Reader
	// Durability, if it is known, overrides the headers.
	Durability history.Durability
}

// A Reader reads one stream.
type Reader interface {
	// Next reads the next piece of the stream, a line, an object or a form, and gives what it
	// says to the open history of the stream. It returns the line of the piece.
	//
	// Its error is io.EOF at the end of a whole stream, a Fault where the stream cannot be read
	// on, and otherwise what ended the stream.
	Next() (line int, err error)
}

// Decode reads all histories of r. The error of a pair is *history.Errors
// for faults of one history, after which the next one follows, and
// *history.Error for faults of the file and for read errors.
func (f Format) Decode(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
	return func(yield func(*history.History, error) bool) {
		s := newStream(&f, r, file, lim, yield)
		s.run(f.Open(s))
		s.close()
	}
}
