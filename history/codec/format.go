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
	"sync"
	"sync/atomic"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/files"
)

// A Format describes how histories are written in a file.
type Format struct {
	Name        string // what Lookup and --format call it
	Description string // one line
	// Single is set if a file holds one history: two that follow one another
	// would be read as one.
	Single bool
	// Decode reads all histories of r. The error of a pair is *history.Errors
	// for faults of one history, after which the next one follows, and
	// *SyntaxError for faults of the file and for read errors.
	Decode func(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error]
	// Sniff guesses whether a file that begins with head has the format.
	Sniff func(head []byte) Guess
}

// Formats returns all formats, in a fixed order.
func Formats() []Format { return slices.Clone(sharedFormats()) }

// sharedFormats is Formats without the copy.
var sharedFormats = sync.OnceValue(func() []Format {
	list := formats()
	for i := range list {
		list[i].Decode = unmarked(list[i].Decode)
	}
	return list
})

func formats() []Format {
	return []Format{
		{
			Name:        nativeName,
			Description: "leadline's own, JSON Lines: a header per history, then an event per line",
			Decode:      decodeNative,
			Sniff:       sniffKeys("leadline"),
		},
		{
			Name:        violatName,
			Description: "Violat's JSON: an object with schema and events per history",
			Decode:      decodeViolat,
			Sniff:       func(head []byte) Guess { return max(sniffKeys("schema")(head), sniffKeys("events")(head)) },
		},
		{
			Name:        jepsenName,
			Description: "Jepsen's EDN: a vector, list or stream of maps or tuples",
			Decode:      decodeJepsen,
			Sniff:       func(head []byte) Guess { return sniffJepsen(head, false) },
		},
		{
			Name:        kvName,
			Single:      true,
			Description: "key-value logs in EDN, a map with :key per line (porcupine's test data)",
			Decode:      decodeKV,
			Sniff:       func(head []byte) Guess { return sniffJepsen(head, true) },
		},
		etcdLines.format(),
		polylinLines.format(),
		limoLines.format(),
		{
			Name:        jepsenJSONName,
			Single:      true,
			Description: "Jepsen's events as JSON: objects with process, type, f and value, in a list or one after another",
			Decode:      decodeJepsenJSON,
			Sniff:       sniffKeys("process", "type", "f"),
		},
		preset(etcdReportName, "client reports of etcd's robustness tests, in JSON", "ClientId", "Input", "Call"),
		preset("s2", "S2's records of starts and finishes, in JSON", "event", "client_id", "op_id"),
	}
}

// Lookup returns the format called name.
func Lookup(name string) (Format, bool) {
	for _, f := range sharedFormats() {
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
		m, err := parseMapping(o.Map)
		if err != nil {
			return Format{}, err
		}
		return Format{Name: "records", Single: true, Decode: unmarked(decodeMapped(m))}, nil
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
	for _, f := range sharedFormats() {
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
		in, err := files.Open(opts.Context, r, opts.Limits.fill().Limits)
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
		found := false
		for h, err := range format.Decode(in, file, opts.Limits) {
			found = true
			if h != nil && opts.Warn != nil {
				warn(h, file, opts.Warn)
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

// warn warns about what the verdict of h may rest on besides its events.
func warn(h *history.History, file string, warn func(*SyntaxError)) {
	if h.Warning != "" {
		warn(&SyntaxError{File: file, Line: h.Line, Msg: h.Warning})
	}
	if fromReadsAlone(h) {
		warn(&SyntaxError{File: file, Line: h.Line, Msg: readsWarning})
	}
}

// fromReadsAlone reports whether the model of a Jepsen history was inferred from reads
// only, although these returned values: then operations of another model are missing.
func fromReadsAlone(h *history.History) bool {
	if !isJepsen(h.Format) || h.Model != "cas-register" {
		return false
	}
	found := false
	for i := range h.Ops {
		if h.Ops[i].Method != "read" {
			return false
		}
		k := h.Ops[i].Result.Kind()
		found = found || k != history.Null && k != history.Unknown
	}
	return found
}

const readsWarning = "the model cas-register was inferred from reads alone, which return values: " +
	"choose the model if writes are missing, or if it is a counter or a set"

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

// A decoder is the Decode of a format.
type decoder = func(io.Reader, string, Limits) iter.Seq2[*history.History, error]
