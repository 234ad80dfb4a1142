package spec

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Parse returns the specification that text describes, as --model does: NAME
// or NAME:ARG,ARG. An argument is an int or another number, true, false,
// null, a text in double quotes as in Go or JSON, or any other word, which
// stands for itself: ArrayBlockingQueue:20, register:0, kv:"",
// priority-queue:max.
func Parse(text string) (replay.Spec, error) {
	name, args, err := ParseName(text)
	if err != nil {
		return nil, err
	}
	return Lookup(name, args)
}

// ParseName splits what Parse takes into the name and the arguments of a
// model, which need not exist.
func ParseName(text string) (name string, args []history.Value, err error) {
	name, rest, more := strings.Cut(text, ":")
	for more {
		var word string
		word, rest, more = cutArgument(rest)
		v, err := parseArgument(word)
		if err != nil {
			return "", nil, fmt.Errorf("model %s: %w", text, err)
		}
		args = append(args, v)
	}
	return name, args, nil
}

// cutArgument returns what stands before the first comma outside quotes, what
// stands after it, and whether there is one.
func cutArgument(text string) (word, rest string, more bool) {
	end := 0
	if quoted, err := strconv.QuotedPrefix(text); err == nil && text[0] == '"' {
		end = len(quoted)
	}
	comma := strings.IndexByte(text[end:], ',')
	if comma < 0 {
		return text, "", false
	}
	return text[:end+comma], text[end+comma+1:], true
}

func parseArgument(word string) (history.Value, error) {
	switch word {
	case "":
		return history.Value{}, fmt.Errorf("an argument is empty (write \"\" for the empty text)")
	case "true", "false":
		return history.BoolValue(word == "true"), nil
	case "null":
		return history.NullValue, nil
	}
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		return history.IntValue(n), nil
	}
	if word[0] == '"' {
		s, err := strconv.Unquote(word)
		if err != nil {
			return history.Value{}, fmt.Errorf("argument %s is not a quoted text", word)
		}
		return history.StringValue(s), nil
	}
	if c := word[0]; c == '-' || c == '.' || '0' <= c && c <= '9' {
		f, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return history.Value{}, fmt.Errorf("argument %s is not a number", word)
		}
		return history.FloatValue(f), nil
	}
	return history.StringValue(word), nil
}
