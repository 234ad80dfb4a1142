package records

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// A mapping says what the parts of an event or of an operation are, as expressions over
// the fields of a record. See the package documentation for its notation.
type mapping struct {
	parts      [partCount]*expression  // nil if there is none
	fields     map[string]*recordField // those that expressions name
	paths      []fieldPath             // that records must have
	namesLine  bool                    // some expression names $line
	namesText  bool                    // some expression names $text
	kind       string                  // of the records; "" to detect it
	noHeader   bool                    // of a table
	list       []string                // path to the list of the records; nil if they are not in objects
	isPreset   bool                    // its expressions are not the user's, and are not in messages
	model      string
	args       []history.Value
	tie        history.Tie
	durability history.Durability
}

// The kinds of records. In JSON, objects follow one another or are the elements of a list.
const (
	jsonKind    = "jsonl"
	csvKind     = "csv"
	logfmtKind  = "logfmt"
	columnsKind = "columns"
	tsvKind     = "tsv" // in a mapping
)

// readings are the values of read in a mapping, with the kinds of records.
var readings = map[string]string{"json": jsonKind, "csv": csvKind, "tsv": tsvKind, "logfmt": logfmtKind, "columns": columnsKind}

// A part is a name in a mapping that has an expression.
type part uint8

const (
	skipPart part = iota
	processPart
	opPart
	typePart
	methodPart
	argsPart
	resultPart
	callPart
	returnPart
	outcomePart
	atPart
	versionPart
	partCount
)

var partNames = [partCount]string{"skip", "process", "op", "type", "f", "args", "result", "call", "return", "outcome", "at", "version"}

// isStamp reports whether the value of a part is a stamp.
func (p part) isStamp() bool { return p == callPart || p == returnPart || p == atPart }

// settings are the names in a mapping whose values are not expressions.
var settings = map[string]func(m *mapping, value string) error{"model": (*mapping).setModel, "tie": (*mapping).setTie,
	"read": (*mapping).setRead, "header": (*mapping).setHeader, "records": (*mapping).setRecords, "durability": (*mapping).setDurability}

// knownNames lists the names of a mapping.
var knownNames = strings.Join(append(partNames[:], slices.Sorted(maps.Keys(settings))...), ", ")

// entryStart is the beginning of an entry: a known name and a single =.
var entryStart = regexp.MustCompile(`^\s*(` + strings.ReplaceAll(knownNames, ", ", "|") + `|method)\s*=($|[^=~])`)

// parseMapping parses a mapping: entries NAME=EXPRESSION in lines of their own, or
// separated by commas. A line that begins with a blank continues the one before it. An error
// in one of several lines has the line.
func parseMapping(text string) (*mapping, error) {
	text = strings.TrimPrefix(text, string(decode.ByteOrderMark))
	m := &mapping{fields: map[string]*recordField{}}
	for _, l := range mappingLines(text) {
		for _, entry := range splitEntries(l.text) {
			err := m.set(entry)
			switch {
			case err != nil && strings.Contains(text, "\n"):
				return nil, &history.Error{File: "mapping", Line: l.number, Msg: err.Error()}
			case err != nil:
				return nil, fmt.Errorf("mapping: %w", err)
			}
		}
	}
	err := m.check()
	switch {
	case err != nil && strings.Contains(text, "\n"):
		return nil, &history.Error{File: "mapping", Msg: err.Error()}
	case err != nil:
		return nil, fmt.Errorf("mapping: %w", err)
	}
	return m, nil
}

type mappingLine struct {
	text   string
	number int
}

// mappingLines returns the lines that are neither blank nor comments, with what continues them.
func mappingLines(text string) (lines []mappingLine) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		isMore := len(lines) > 0 && (line[0] == ' ' || line[0] == '\t')
		switch line = strings.TrimSpace(line); {
		case line == "" || line[0] == '#':
		case isMore:
			lines[len(lines)-1].text += "\n" + line
		default:
			lines = append(lines, mappingLine{line, number})
		}
	}
	return lines
}

// splitEntries splits a line at commas that are outside of brackets and quotes and before
// the beginning of an entry.
func splitEntries(line string) (entries []string) {
	start, depth, quote := 0, 0, byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == '\\' && quote != '`':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case c == ',' && depth == 0 && entryStart.MatchString(line[i+1:]):
			entries, start = append(entries, line[start:i]), i+1
		}
	}
	return append(entries, line[start:])
}

// set adds one entry.
func (m *mapping) set(entry string) error {
	name, text, ok := strings.Cut(entry, "=")
	name, text = strings.TrimSpace(name), strings.TrimSpace(text)
	switch {
	case !ok || name == "":
		return fmt.Errorf("%q is not NAME=EXPRESSION", scan.Clip([]byte(entry)))
	case text == "":
		return fmt.Errorf("%s has no expression", scan.Clip([]byte(name)))
	case settings[name] != nil:
		return settings[name](m, unquoted(text))
	case name == "method":
		name = "f"
	}
	p := part(slices.Index(partNames[:], name))
	switch {
	case !slices.Contains(partNames[:], name):
		return fmt.Errorf("unknown name %q; known are %s", scan.Clip([]byte(name)), knownNames)
	case m.parts[p] != nil:
		return fmt.Errorf("%s is given twice", name)
	}
	e, err := m.compile(p, text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	m.parts[p] = e
	return nil
}

// unquoted returns a text without the quotes around it.
func unquoted(text string) string {
	if n := len(text); n > 1 && text[0] == text[n-1] && (text[0] == '"' || text[0] == '\'') {
		return text[1 : n-1]
	}
	return text
}

// setModel parses NAME or NAME:ARGUMENT. An argument that history.ParseValue cannot
// parse is a string.
func (m *mapping) setModel(text string) error {
	name, arg, ok := strings.Cut(text, ":")
	m.model, m.args = name, nil
	if !ok {
		return nil
	}
	v, err := history.ParseValue(arg)
	if err != nil {
		v = history.StringValue(arg)
	}
	m.args = []history.Value{v}
	return nil
}

func (m *mapping) setTie(text string) error {
	switch text {
	case "closed":
		m.tie = history.Closed
	case "half-open":
		m.tie = history.HalfOpen
	default:
		return fmt.Errorf("tie is closed or half-open, not %q", scan.Clip([]byte(text)))
	}
	return nil
}

func (m *mapping) setDurability(text string) (err error) {
	m.durability, err = history.ParseDurability(text)
	return err
}

func (m *mapping) setRead(text string) error {
	if m.kind = readings[text]; m.kind == "" {
		return fmt.Errorf("read is %s, not %q", strings.Join(slices.Sorted(maps.Keys(readings)), ", "), scan.Clip([]byte(text)))
	}
	return nil
}

func (m *mapping) setHeader(text string) error {
	if m.noHeader = text == "no"; !m.noHeader && text != "yes" {
		return fmt.Errorf("header is yes or no, not %q", scan.Clip([]byte(text)))
	}
	return nil
}

// setRecords parses a path of members, as in resourceSpans.scopeSpans.spans.
func (m *mapping) setRecords(text string) error {
	m.list = strings.Split(text, ".")
	if slices.Contains(m.list, "") {
		return fmt.Errorf("records is a path of names, as in data.items, not %q", scan.Clip([]byte(text)))
	}
	return nil
}

func (m *mapping) has(p part) bool { return m.parts[p] != nil }

// check returns an error unless records are events, which have a type, or whole operations,
// which have call and return.
func (m *mapping) check() error {
	whole := m.has(callPart)
	switch {
	case m.list != nil && m.kind != "" && m.kind != jsonKind:
		return fmt.Errorf("records goes with read=json")
	case m.noHeader && (m.kind == jsonKind || m.kind == logfmtKind || m.list != nil):
		return fmt.Errorf("header goes with read=csv, tsv or columns")
	case whole == m.has(typePart):
		return fmt.Errorf("either type is needed, for records that are events, or call and return, for records that are operations")
	case !m.has(methodPart):
		return fmt.Errorf("f is needed: the method")
	case whole != m.has(returnPart):
		return fmt.Errorf("call goes with return")
	case !whole && m.has(outcomePart):
		return fmt.Errorf("outcome goes with call and return; events have a type")
	case whole && m.has(atPart):
		return fmt.Errorf("at is the stamp of an event; operations have call and return")
	case !whole && !m.has(processPart) && !m.has(opPart):
		return fmt.Errorf("process or op is needed")
	}
	return nil
}
