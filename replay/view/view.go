package view

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// An Item is a history with its verdict.
type Item struct {
	Name    string // the title, such as a file name; by default the history's file and identifier
	History *history.History
	Spec    replay.Spec
	Verdict replay.Verdict
	// Err is the fault of an invalid history. The other fields may be zero then.
	Err error
	// Steps has the steps of a schedule, as a table in plain text, or "".
	Steps string
}

// The bounds of a page protect the memory of the browser. They are not tuned.
const (
	// MaxHistories bounds the number of histories of a page.
	MaxHistories = 20_000
	// MaxBytes bounds the bytes that the histories take in the page.
	MaxBytes = 100 << 20
)

// ErrFull is wrapped by the error of Add for a history beyond the limits.
var ErrFull = errors.New("the page is full")

// Write writes a page about the items.
func Write(w io.Writer, items ...Item) error {
	page := NewWriter(w)
	for _, item := range items {
		if err := page.Add(item); err != nil {
			return err
		}
	}
	return page.Close()
}

// A Writer writes a page about any number of histories, one by one. It keeps in memory one
// row of the list for each history, not the histories.
type Writer struct {
	w         io.Writer
	index     []row
	size      int64 // of the histories, in bytes
	full      bool
	err       error // the first error of w
	histories int   // limits, which tests lower
	bytes     int64
}

// NewWriter returns a Writer to w. Call Close at the end.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: w, histories: MaxHistories, bytes: MaxBytes}
}

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed data.js
	dataJS string
	//go:embed timeline.js
	timelineJS string
	//go:embed strip.js
	stripJS string
	//go:embed panels.js
	panelsJS string
	//go:embed page.js
	pageJS string
)

// A frame is the page without its histories.
type frame struct {
	head   string // up to the histories
	script string // after them
	tail   string
}

// emptyPage returns the frame. The policy of the page allows one style and one script, by
// their hashes, and no network.
var emptyPage = sync.OnceValue(func() frame {
	script := "\"use strict\";\n" + dataJS + timelineJS + stripJS + panelsJS + pageJS
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	page := strings.NewReplacer("{{style}}", pageCSS,
		"{{policy}}", "default-src 'none'; style-src "+hash(pageCSS)+"; script-src "+hash(script)).Replace(pageHTML)
	head, tail, _ := strings.Cut(page, "{{data}}")
	return frame{head, script, tail}
})

func (w *Writer) write(text string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.w, text)
	}
}

// Add adds a history. After an error that wraps ErrFull, the page can still be closed.
// It then has a note that histories are left out.
func (w *Writer) Add(item Item) error {
	if item.Err == nil {
		if err := cmp.Or(item.History.WellFormed(), replay.Validate(item.Spec)); err != nil {
			return fmt.Errorf("view: an item cannot be shown: %w", err)
		}
	}
	if w.w == nil {
		return errors.New("view: the writer is nil")
	}
	if w.full || len(w.index) == w.histories {
		w.full = true
		return fmt.Errorf("%w: it holds %d histories", ErrFull, w.histories)
	}
	var data string
	if item.Err == nil {
		var err error
		if data, err = compressed(newPage(&item)); err != nil {
			return fmt.Errorf("view: %w", err)
		}
	}
	line := newRow(&item)
	size := int64(len(data) + len(line.Name) + len(line.Model) + len(line.Error))
	if w.size+size > w.bytes {
		w.full = true
		return fmt.Errorf("%w: its histories would take more than %d MiB", ErrFull, w.bytes>>20)
	}
	w.size += size
	if len(w.index) == 0 {
		w.write(emptyPage().head)
	}
	if data != "" {
		w.write(fmt.Sprintf("<script type=\"text/plain\" id=\"h%d\">%s</script>\n", len(w.index), data))
	}
	w.index = append(w.index, line)
	return w.err
}

// Close writes the rest of the page. It does not close the underlying writer.
func (w *Writer) Close() error {
	if w.w == nil {
		return errors.New("view: the writer is nil")
	}
	if len(w.index) == 0 {
		w.write(emptyPage().head)
	}
	// Marshal writes <, > and & as escapes, so that no text ends the element.
	index, err := json.Marshal(struct {
		Rows []row `json:"rows"`
		Full bool  `json:"full"`
	}{w.index, w.full})
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	w.write("<script type=\"application/json\" id=\"index\">" + string(index) + "</script>\n")
	w.write("<script>" + emptyPage().script + "</script>" + emptyPage().tail)
	return w.err
}

// compressed returns data as JSON, compressed by gzip, in base64.
func compressed(data any) (string, error) {
	var text bytes.Buffer
	encoder := base64.NewEncoder(base64.StdEncoding, &text)
	zip := gzip.NewWriter(encoder)
	if err := json.NewEncoder(zip).Encode(data); err != nil {
		return "", err
	}
	if err := errors.Join(zip.Close(), encoder.Close()); err != nil {
		return "", err
	}
	return text.String(), nil
}
