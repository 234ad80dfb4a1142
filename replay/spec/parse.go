package spec

import (
	"fmt"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Parse returns the specification for a string like that of --model: NAME or
// NAME:ARG,ARG. An argument is a value as history.ParseValue reads it, or a
// word, which is a string: ArrayBlockingQueue:20, register:0, kv:"",
// priority-queue:max.
func Parse(text string) (replay.Spec, error) {
	name, args, err := ParseName(text)
	if err != nil {
		return nil, err
	}
	return Lookup(name, args)
}

// ParseName splits the argument of Parse into the name and the arguments of a
// model, which need not exist.
func ParseName(text string) (name string, args []history.Value, err error) {
	name, rest, more := strings.Cut(text, ":")
	for more {
		v, after, err := cutArgument(rest)
		if err == nil && after != "" && after[0] != ',' {
			err = fmt.Errorf("argument %v is followed by %q", v, after)
		}
		if err != nil {
			return "", nil, fmt.Errorf("model %s: %w", text, err)
		}
		args = append(args, v)
		rest, more = strings.CutPrefix(after, ",")
	}
	return name, args, nil
}

// cutArgument returns the first argument in text and the rest.
func cutArgument(text string) (v history.Value, rest string, err error) {
	word, _, _ := strings.Cut(text, ",")
	switch {
	case word == "":
		return v, text, fmt.Errorf("an argument is empty (write \"\" for the empty string)")
	case word == "true", word == "false", word == "null", strings.IndexByte(`"[{!?-.0123456789`, word[0]) >= 0:
		return history.CutValue(text)
	}
	return history.StringValue(word), text[len(word):], nil
}
