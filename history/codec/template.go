package codec

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/files"
)

// ErrKnownFormat is wrapped by the error of Template for an input that needs no mapping.
var ErrKnownFormat = errors.New("needs no mapping")

const (
	templateRecords = 1000 // how many records Template reads
	templateValues  = 3    // how many values it lists for a field
	templateFields  = 200  // how many fields it lists
)

// Template returns a mapping to fill in for the records of r: comments that list the fields
// with some values of each, and the names that a mapping has. It ignores opts.Format and opts.Map.
func Template(r io.Reader, file string, opts Options) (string, error) {
	in, err := files.Open(opts.Context, r, opts.Limits.fill().Limits)
	if err != nil {
		return "", inputError(file, err)
	}
	defer in.Close()
	if empty, err := in.Empty(); empty {
		return "", inputError(file, err)
	}
	if format, err := detect(in); err == nil {
		return "", fmt.Errorf("%s: %w: it is in the format %s", file, ErrKnownFormat, format.Name)
	}
	records, kind := openRecords(in, opts.Limits.fill(), new(mapping))
	t := template{env: newEnvironment(new(mapping)), values: map[string][]string{}}
	t.env.every = true
	n := 0
	for ; n < templateRecords; n++ {
		t.env.begin()
		line, err := records.next(t.env)
		var e *end
		if errors.As(err, &e) {
			if e.err != io.EOF {
				return "", inputError(file, &SyntaxError{Line: line, Msg: e.err.Error()})
			}
			break
		}
		t.env.room = maxMemory + records.size()
		for _, f := range t.env.order {
			if t.env.has(f) {
				t.note(fieldText(f.name), f.plainValue)
			}
		}
	}
	if n == 0 {
		return "", inputError(file, errors.New("it has no record"))
	}
	return t.text(kind, n), nil
}

// A template collects fields.
type template struct {
	env    *environment
	paths  []string
	values map[string][]string // by path
}

// note notes a value, or those inside an object.
func (t *template) note(path string, v any) {
	if object, ok := v.(map[string]any); ok && len(object) > 0 {
		var names []string
		for name := range object {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			t.note(path+memberText(name), object[name])
		}
		return
	}
	known, listed := t.values[path]
	if !listed {
		if len(t.paths) == templateFields {
			return
		}
		t.paths = append(t.paths, path)
	}
	if value, err := t.env.valueOf(v); err == nil {
		if text := clip([]byte(value.String())); len(known) < templateValues && !slices.Contains(known, text) {
			known = append(known, text)
		}
	}
	t.values[path] = known
}

func (t *template) text(kind string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The fields of the first %d records (%s), with some of their values:\n", n, kind)
	width := 0
	for _, path := range t.paths {
		width = max(width, min(len(path), 40))
	}
	for _, path := range t.paths {
		fmt.Fprintf(&b, "#   %-*s  %s\n", width, path, strings.Join(t.values[path], "  "))
	}
	b.WriteString(templateText)
	return b.String()
}

const templateText = `# Fill in expressions over the fields, and remove the lines that are not needed. Give the file
# to check as --map @FILE. See leadline help mapping.
# skip =     # true for records that are about no operation
process =
f =
args =
result =
model =
# Records that are whole operations:
call =
return =
# outcome =  # "ok", "fail" or "info"; without it, return is nil for unknown outcomes
# Records that are events:
type =       # "invoke", "ok", "fail" or "info"
# op =       # the operation, if a process has several at a time
# at =       # the stamp, if the lines are in another order
`
