package codec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/etcd"
	"github.com/leadline/leadline/history/codec/jepsen"
	"github.com/leadline/leadline/history/codec/lines"
	"github.com/leadline/leadline/history/codec/native"
	"github.com/leadline/leadline/history/codec/records"
	"github.com/leadline/leadline/history/codec/scan"
	"github.com/leadline/leadline/history/codec/violat"
	"github.com/leadline/leadline/history/files"
)

// A Format says how histories are written in a file; see package decode.
type (
	Format = decode.Format
	Guess  = decode.Guess
	Limits = decode.Limits
)

// DefaultLimits are the limits of a zero Limits.
var DefaultLimits = decode.DefaultLimits

// SyntaxError is a fault of a file at a line; it prints as file:line: message. The
// faults of one history are returned together, as *history.Errors.
type SyntaxError = history.Error

// formats has a row for each format, in the order in which they are tried.
var formats = []Format{
	native.Format,
	violat.Format,
	jepsen.EDN,
	jepsen.KV,
	jepsen.Console,
	lines.PolyLin,
	lines.LiMo,
	jepsen.JSON,
	etcd.Report,
	records.S2,
}

// Formats returns all formats, in a fixed order.
func Formats() []Format { return slices.Clone(formats) }

// IsMapped reports whether a history with this Header.Format was read by a mapping.
func IsMapped(format string) bool { return records.IsMapped(format) }

// Encode writes h in leadline's own format; see native.Encode.
func Encode(w io.Writer, h *history.History) error { return native.Encode(w, h) }

// An EventWriter writes one history in leadline's own format, event by event.
type EventWriter = native.EventWriter

// NewEventWriter returns a writer for a history with the header h. It writes lines to
// w in chunks; Flush writes the rest.
func NewEventWriter(w io.Writer, h history.Header) *EventWriter { return native.NewEventWriter(w, h) }

// AppendValue appends v in the JSON of the native format.
func AppendValue(dst []byte, v history.Value) []byte { return scan.AppendValue(dst, v) }

// Lookup returns the format called name.
func Lookup(name string) (Format, bool) {
	for _, f := range formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// ErrUnknownFormat is wrapped by the error for an input of no known format.
var ErrUnknownFormat = errors.New("no known format")

// ErrNoHeader is wrapped by the error for an input with lines of leadline's own format that
// does not begin with a header. Such a file is never skipped.
var ErrNoHeader = fmt.Errorf(`%w: a line of leadline's own, but no header such as {"leadline":1} comes first`, ErrUnknownFormat)

// Options configure how inputs are read. The zero value is useful.
type Options struct {
	// Format is the name of the format; "" means to detect it.
	Format string
	// Map is a mapping for records of shapes that the format "jsonl" does not
	// know. See the package documentation. It is never read from a file here.
	Map    string
	Limits Limits
	// Durability says what operations that are open at a crash may do, if it is known, in place of
	// what inputs say.
	Durability history.Durability
	// Stdin is read for the path "-"; nil means os.Stdin.
	Stdin io.Reader
	// Context ends reading when it is done, even while a read blocks; the last
	// error that is delivered then wraps that of the context. It may be nil.
	Context context.Context
	// FS is the file system of the paths; nil means that of the operating system.
	FS fs.FS
	// Skipped is called for each file of a directory or an archive that is skipped because it
	// is of no known format, with the reason. Other files without histories are errors. It
	// may be nil.
	Skipped func(name string, why error)
	// Exclude reports whether a file or a directory below a directory is left out without
	// a word, because the caller writes it, for example. It may be nil.
	Exclude func(fs.FileInfo) bool
	// Count, if not nil, counts the bytes of the files that were read or skipped,
	// before decompression. Standard input and pipes are not counted.
	Count *atomic.Int64
	// Warn is called with warnings about an input. It may be nil.
	Warn func(err *SyntaxError)
}

// skips reports whether a file that holds no histories for this reason is skipped.
func skips(why error) bool {
	return errors.Is(why, ErrUnknownFormat) && !errors.Is(why, ErrNoHeader)
}

// Check returns an error if the format or the mapping of o is wrong.
func (o *Options) Check() error {
	_, err := o.format()
	return err
}

// format returns the format that o names, or an error that lists the known
// ones; a zero Format means to detect it.
func (o *Options) format() (Format, error) {
	if o.Map != "" {
		if o.Format != "" {
			return Format{}, fmt.Errorf("a mapping says how records are read, so there is no format %s to choose", o.Format)
		}
		return records.Format(o.Map)
	}
	if o.Format == "" {
		return Format{}, nil
	}
	if f, ok := Lookup(o.Format); ok {
		return f, nil
	}
	return Format{}, fmt.Errorf("unknown format %q; known are %s", o.Format, formatNames())
}

func formatNames() string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// Decode reads the histories of r, which may be compressed by gzip or zstd, in any
// format. file is for messages. Each history is delivered as soon as it is complete.
// The errors are those of Format.Decode. An input without any history is an error
// too, which wraps files.ErrEmpty or ErrUnknownFormat if that is the reason.
func Decode(r io.Reader, file string, opts Options) iter.Seq2[*history.History, error] {
	return func(yield func(*history.History, error) bool) {
		if r == nil {
			yield(nil, errors.New("codec: the reader is nil"))
			return
		}
		in, err := files.Open(opts.Context, r, opts.Limits.Fill().Limits)
		if err != nil {
			yield(nil, inputError(file, err))
			return
		}
		defer in.Close()
		for h, err := range decodeInput(in, file, opts) {
			if !yield(h, err) {
				return
			}
		}
	}
}

// decodeInput is Decode for an input that is open already.
func decodeInput(in *files.Input, file string, opts Options) iter.Seq2[*history.History, error] {
	return func(yield func(*history.History, error) bool) {
		format, err := opts.format()
		if err != nil {
			yield(nil, err)
			return
		}
		if format.Name == "" {
			if format, err = detect(in); err != nil {
				yield(nil, inputError(file, err))
				return
			}
		} else if empty, err := in.Empty(); empty {
			yield(nil, inputError(file, err))
			return
		}
		format.Durability = opts.Durability
		found := false
		for h, err := range format.Decode(in, file, opts.Limits) {
			found = true
			if h != nil && opts.Warn != nil && h.Warning != "" {
				opts.Warn(&SyntaxError{File: file, Line: h.Line, Msg: h.Warning})
			}
			if !yield(h, err) {
				return
			}
		}
		if !found {
			yield(nil, &SyntaxError{File: file, Msg: fmt.Sprintf("no history in it (format %s)", format.Name)})
		}
	}
}

// inputError adds the file to an error that came before its first line.
func inputError(file string, err error) error {
	if e, ok := err.(*SyntaxError); ok {
		return &SyntaxError{File: file, Line: e.Line, Msg: e.Msg, Err: e.Err}
	}
	msg := err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		msg = "the file is cut short: " + msg
	}
	return &SyntaxError{File: file, Msg: msg, Err: err}
}
