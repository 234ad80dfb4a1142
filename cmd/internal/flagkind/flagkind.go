// Package flagkind has the kinds of flags that the commands share: sizes, choices and
// limits of what is read.
package flagkind

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/leadline/leadline/history/codec"
	"github.com/spf13/pflag"
)

// mostText is how much text a file may have that a flag names as @FILE.
const mostText = 64 << 10

// Text returns what a flag's value stands for: itself, or the content of FILE for @FILE,
// of at most 64 KiB.
func Text(value string) (string, error) {
	name, ok := strings.CutPrefix(value, "@")
	switch {
	case !ok:
		return value, nil
	case name == "":
		return "", errors.New("@ needs the name of a file")
	}
	return ReadFile(name, mostText)
}

// ReadFile returns the text of a file that a flag names. It opens the file once, and reads
// little more than it may have: a device has no end.
func ReadFile(name string, most int) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, int64(most)+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > most:
		return "", fmt.Errorf("%s: it has more than %d KiB", name, most>>10)
	case !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0:
		return "", fmt.Errorf("%s: it is not text", name)
	}
	return string(text), nil
}

// Mapping sets the mapping of o to the values of --map, and checks o. A fault in the only value,
// if that is a file, has its name.
func Mapping(o *codec.Options, values []string) error {
	var texts []string
	file := ""
	for _, value := range values {
		text, err := Text(value)
		if err != nil {
			return fmt.Errorf("reading the mapping: %w", err)
		}
		name, isFile := strings.CutPrefix(value, "@")
		if !isFile && !strings.Contains(value, "=") {
			return fmt.Errorf("mapping: %q is not NAME=EXPRESSION; a file that holds a mapping is written @FILE", value)
		}
		if isFile && len(values) == 1 {
			file, text = name, text+"\n" // so that an error has its line
		}
		texts = append(texts, strings.TrimPrefix(text, "\uFEFF"))
	}
	o.Map = strings.Join(texts, "\n")
	err := o.Check()
	var at *codec.SyntaxError
	if errors.As(err, &at) && file != "" {
		at.File = file
	}
	return err
}

// Size is a flag that takes a number of bytes: 4096, 512MiB, 2GB.
type Size int64

var sizeUnits = []struct {
	suffix string
	factor int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1},
}

// Set parses a number of bytes.
func (z *Size) Set(text string) error {
	number, factor := text, int64(1)
	for _, u := range sizeUnits {
		if n, ok := strings.CutSuffix(text, u.suffix); ok {
			number, factor = n, u.factor
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return errors.New("want a number of bytes like 4096, 512MiB or 2GB")
	}
	*z = Size(n * factor)
	return nil
}

func (z *Size) String() string {
	for _, u := range sizeUnits[:3] {
		if n := int64(*z) / u.factor; n*u.factor == int64(*z) && 0 < n && n < 1<<10 {
			return strconv.FormatInt(n, 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(*z), 10)
}

// Type returns the placeholder in the help.
func (z *Size) Type() string { return "BYTES" }

// A Choice is a flag that takes one of a few words. Hyphens do not count: real-time
// is realtime.
type Choice struct {
	Value   string
	Choices []string
}

// NewChoice declares a flag that takes one of the choices, by default the first one.
func NewChoice(flags *pflag.FlagSet, name, help string, choices ...string) *Choice {
	c := &Choice{choices[0], choices}
	flags.Var(c, name, help)
	return c
}

// Set sets the value to the choice that text names.
func (c *Choice) Set(text string) error {
	for _, known := range c.Choices {
		if strings.ReplaceAll(text, "-", "") == strings.ReplaceAll(known, "-", "") {
			c.Value = known
			return nil
		}
	}
	return fmt.Errorf("want %s", strings.Join(c.Choices, ", "))
}

func (c *Choice) String() string { return c.Value }

// Type returns the placeholder in the help.
func (c *Choice) Type() string { return strings.Join(c.Choices, "|") }

// Index returns the position of the value among the choices.
func (c *Choice) Index() int { return slices.Index(c.Choices, c.Value) }

// Limit declares --max-history, which sets the limits of l on histories and their lines.
// Without a limit, compressed files may expand without one, too.
func Limit(flags *pflag.FlagSet, l *codec.Limits) {
	flags.Var((*historyLimit)(l), "max-history", "longest history, and longest line; 0 for no limit, also of what is compressed")
}

// A historyLimit is a flag that takes a Size. Its 0 means no limit, which codec.Limits writes
// as -1.
type historyLimit codec.Limits

func (l *historyLimit) Set(text string) error {
	var n Size
	if err := n.Set(text); err != nil {
		return err
	}
	if l.Line, l.History = int64(n), int64(n); n == 0 {
		l.Line, l.History, l.Ratio = -1, -1, -1
	}
	return nil
}

func (l *historyLimit) String() string {
	n := Size(max(l.History, 0))
	return n.String()
}

func (l *historyLimit) Type() string { return "BYTES" }

// wanted says what flags of a type of pflag take.
var wanted = map[string]string{
	"bool": "true or false", "duration": "a time like 500ms, 10s or 2m, of less than 292 years",
	"int": "a whole number", "int64": "a whole number", "uint64": "a whole number from 0",
}

// Parse parses args. It refuses what Empty refuses, and explains errors.
func Parse(flags *pflag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return Explain(err)
	}
	return Empty(flags)
}

// Empty returns an error if an empty text is given where it would be taken for the flag
// not given.
func Empty(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.DefValue == "" && f.Value.String() == "" {
			err = cmp.Or(err, fmt.Errorf("--%s is empty", f.Name))
		}
	})
	return err
}

// Explain returns an error of pflag without how pflag parses numbers.
func Explain(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	what := wanted[invalid.GetFlag().Value.Type()]
	cause := errors.Unwrap(invalid)
	if what == "" || cause == nil {
		return err
	}
	reason := "want " + what
	if errors.Is(cause, strconv.ErrRange) {
		reason += " that is not so large"
	}
	text, _ := strings.CutSuffix(err.Error(), cause.Error())
	return errors.New(text + reason)
}
