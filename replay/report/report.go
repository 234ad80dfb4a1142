package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Options say how reports look. The zero value is for files and logs.
type Options struct {
	Width int // columns of a line; a longer name is not cut; 0 means DefaultWidth
	// Rows bounds the number of operations that a timeline or a witness shows; 0 means
	// DefaultRows. A witness may have a few more steps around delayed operations.
	Rows  int
	Color bool // with the colours of a terminal
	// Hint is the command that explains the history in full, for Short. If it is "",
	// Short names no command.
	Hint string
}

// Defaults of Options.
const (
	DefaultWidth = 100
	DefaultRows  = 40
)

// minWidth is the smallest width: names and numbers need room.
const minWidth = 60

// A printer writes a report of one history.
type printer struct {
	*bufio.Writer
	h *history.History
	Options
	collect func(Passage) // gets passages in place of the text; nil for a text
}

func newPrinter(w io.Writer, h *history.History, o Options) *printer {
	if o.Width <= 0 {
		o.Width = DefaultWidth
	}
	if o.Rows <= 0 {
		o.Rows = DefaultRows
	}
	o.Width = max(o.Width, minWidth)
	return &printer{Writer: bufio.NewWriter(w), h: h, Options: o}
}

// rescue ends a report that panicked with a note. What was written before remains.
func (p *printer) rescue(err *error) {
	if value := recover(); value != nil {
		p.passagef("Fault", "The report ends here: internal error: %v", value)
		*err = p.Flush()
	}
}

// checkInput returns an error for what Explain and the others cannot write about. Only a
// timeline needs no verdict.
func checkInput(w io.Writer, h *history.History, v *replay.Verdict) error {
	if err := h.WellFormed(); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if w == nil || v == nil {
		return errors.New("report: the writer or the verdict is nil")
	}
	return nil
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// say writes sentences, wrapped to the width.
func (p *printer) say(format string, args ...any) { p.item("", "", fmt.Sprintf(format, args...)) }

// item writes text after a head, wrapped to the width. Lines after the first are
// indented.
func (p *printer) item(head, indent, text string) {
	for _, line := range wrap(text, p.Width-columns(indent)-columns(head)) {
		p.printf("%s%s\n", head, line)
		head = strings.Repeat(" ", columns(head)) + indent
		indent = ""
	}
}

// The colours of terminals.
const (
	plain  = ""
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	reset  = "\x1b[0m"
)

// paint returns text in a colour, if the report has colours.
func (p *printer) paint(color, text string) string {
	if !p.Color || color == plain {
		return text
	}
	return color + text + reset
}

// at describes an operation with its place in the file.
func (p *printer) at(i int32) string { return p.place(i, Clean(p.h.Operation(i).String())) }

// place is like at, with another text for the operation.
func (p *printer) place(i int32, text string) string {
	op := p.h.Operation(i)
	var where []string
	if op.Process >= 0 && !p.h.NoProcesses {
		where = append(where, "process "+Name(p.h.Processes[op.Process]))
	}
	if op.Line > 0 {
		where = append(where, fmt.Sprintf("line %d", op.Line))
	}
	if int(i) >= len(p.h.Ops) {
		where = append(where, "which did not happen")
	}
	if where == nil {
		return p.named(i, text)
	}
	return p.named(i, text) + " (" + strings.Join(where, ", ") + ")"
}

// short returns the operation with its identifier.
func (p *printer) short(i int32) string { return p.named(i, Clean(p.h.Operation(i).String())) }

// named returns the identifier of an operation and a text, which is cut to part of a
// line.
func (p *printer) named(i int32, text string) string {
	return Name(p.h.Operation(i).ID()) + " " + elide(text, p.Width*2/3)
}

// call returns the operation without its result.
func call(op *history.Operation) string {
	invoked := *op
	invoked.Return, invoked.Result, invoked.Waits = 0, history.NoValue, false
	return Clean(invoked.String())
}

// Name returns the name of an operation or a process without quotes. Non-printing
// characters are escaped: some of them reorder the text after them.
func Name(id history.Value) string {
	if id.Kind() == history.String {
		return Clean(id.Text())
	}
	return id.String()
}

// Clean returns text with non-printing characters escaped. The names of files, methods
// and processes may contain any characters.
func Clean(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 && utf8.ValidString(text) {
		return text
	}
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

// CleanLines is Clean for text of several lines, which may have tabs.
func CleanLines(text string) string { return betweenTabs.ReplaceAllStringFunc(text, Clean) }

var betweenTabs = regexp.MustCompile(`[^\n\t]+`)

// ShellWord quotes a word for the shell, if necessary. So a command that contains it can
// be pasted safely.
func ShellWord(word string) string {
	if word != "" && !strings.ContainsRune("#=", rune(word[0])) && strings.IndexFunc(word, func(r rune) bool {
		return !strings.ContainsRune("@%+=:,./_-#", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0 {
		return word
	}
	if clean := Clean(word); clean != word { // a terminal shows the escapes
		return "$'" + strings.ReplaceAll(clean, "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// count returns n with commas, followed by the singular or plural noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func operations(n int) string { return count(n, "operation", "operations") }

// list joins alternatives or parts.
func list(parts []string, conjunction string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " " + conjunction + " " + parts[last]
}

// Result returns the text of a result, or a word if there is none or the call waits for ever.
func Result(v history.Value) string {
	switch {
	case v.Kind() == history.None:
		return "nothing"
	case v.Equal(history.WaitsForever):
		return "never"
	}
	return v.String()
}

// values returns the texts of results, each cut to part of a line.
func (p *printer) values(vs []history.Value) []string {
	texts := make([]string, len(vs))
	for i, v := range vs {
		texts[i] = elide(Result(v), p.Width/3)
	}
	return texts
}

// nameWidth returns the width of names of processes and operations in tables.
func (p *printer) nameWidth() int {
	if p.Width < 80 {
		return 7
	}
	return 12
}

// events counts the invocations and responses of h.
func events(h *history.History) int { return 2*len(h.Ops) - h.Pending() }

// explanationOf returns the explanation of a verdict, or an empty one.
func explanationOf(v *replay.Verdict) *replay.Explanation {
	if v != nil && v.Explanation != nil {
		return v.Explanation
	}
	return &replay.Explanation{Unexplained: replay.NoOperation}
}
